/** Every started hour is charged exactly once, whatever the clock does and however often the exchange restarts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCommand } from '../../../src/core/codec/command-codec.ts';
import { Exchange } from '../../../src/core/engine/exchange.ts';
import { saveState } from '../../../src/core/snapshot/snapshot.ts';
import { money } from '../dsl/words.ts';
import { DAY, HOUR, LoanFloor } from './loan-floor.ts';

/** Loans of three terms that begin at odd times, then nine days, seen at these intervals. */
function nineDays(stepMs: number, restarts = false): LoanFloor {
  const floor = new LoanFloor();
  floor.trader('ann', { BTC: '10', USDT: '1000' });
  for (const term of ['FLEXIBLE', 'SEVEN', 'THIRTY'] as const) {
    floor.wait(1_234_567);
    floor.borrow('ann', { loan: '12345.678 USDT', pledge: 'BTC', term });
  }
  const end = floor.now + 9 * DAY;
  while (floor.now < end) {
    floor.wait(Math.min(stepMs, end - floor.now));
    if (restarts) floor.restart();
  }
  return floor;
}

function owed(floor: LoanFloor): string[] {
  return [...floor.state.loans.loans.values()].map((loan) => `${loan.hours} ${money(loan.interestOwed())}`);
}

test('a jump over days charges the hours that small steps do', () => {
  const jumped = owed(nineDays(9 * DAY));
  assert.deepEqual(jumped, owed(nineDays(17 * 60_000)));
  // By hand: nine days and a little are 217 hours, 49 of them after the term of seven days.
  const principal = 12345.678;
  assert.deepEqual(jumped, [
    `217 ${(217 * Math.ceil(principal * 349 - 1e-6) * 1e-8).toFixed(8)}`.replace(/0+$/, ''),
    `217 ${(Math.ceil(principal * 617 * (168 + 2 * 49) - 1e-6) * 1e-8).toFixed(8)}`.replace(/0+$/, ''),
    `217 ${(Math.ceil(principal * 879 * 217 - 1e-6) * 1e-8).toFixed(8)}`.replace(/0+$/, ''),
  ]);
});

test('restarts at any hour charge nothing twice and forget nothing', () => {
  const steady = nineDays(7 * HOUR + 1);
  const restarted = nineDays(7 * HOUR + 1, true);
  assert.deepEqual(restarted.image(), steady.image());
  assert.deepEqual(owed(restarted), owed(nineDays(9 * DAY)));
});

test('a replay of the log comes to the same interest, a downtime included', () => {
  const floor = nineDays(2 * DAY);
  const replayed = new Exchange();
  for (const bytes of floor.log) {
    replayed.apply(decodeCommand(bytes));
    replayed.takeEvents();
  }
  assert.deepEqual(Uint8Array.from(saveState(replayed.state)), floor.image());
});

test('a price told before a downtime closes the loan in it, not hours later', () => {
  const floor = new LoanFloor();
  floor.trader('ann', { BTC: '1' });
  floor.borrow('ann', { loan: '10000 USDT', pledge: 'BTC' });
  const { now } = floor;
  // Nobody saw the second after the report.
  floor.send({
    type: 'componentPrice',
    time: now,
    index: floor.state.indexByName.get('BTCUSDT')!,
    component: 0,
    price: 46_000n * 10n ** 8n,
    volume: 0n,
  });
  floor.at(now + 5 * HOUR);
  const [reduced] = floor.eventsOf('loanReduced');
  assert.deepEqual([reduced!.time, money(reduced!.paid)], [now + 1000, '10000.0349']);
});

test('falling prices close each loan when its own sum says so, whoever is looked at first', () => {
  const floor = new LoanFloor();
  for (let n = 0; n < 12; n++) {
    floor.trader(`trader ${n}`, { BTC: '10' });
    for (let k = 0; k < 5; k++) {
      const id = floor.borrow(`trader ${n}`, { loan: '1000 USDT', pledge: 'BTC' });
      floor.revise(`trader ${n}`, id, 'IN', `0.00${n}${k}1`);
    }
  }
  // `checkInvariants` looks at all of them after every step.
  for (const price of ['52000', '46000', '40000', '35000', '52000', '30000', '20000']) floor.index(price);
  assert.equal(floor.state.loans.size, 0);
  assert.equal(floor.endings().length, 60);
});
