/** Interest at full hours, once each whatever the clock does (rules 6.7, 6.8, edge cases 96, 121-124). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { BTC_FUNDED, FUTURES_COINS, FuturesFloor } from '../futures/futures-floor.ts';
import { lent, MARGIN, MarginFloor, SPOT, TERMS, USDT_TERMS, workedAccount } from './margin-floor.ts';

const HOUR = 3_600_000;
const at = (hour: number, minute: number) => OPENING_BELL + hour * HOUR + minute * 60_000;

test('case 123: the worked account (rules 6.7): debt, margin and the interest of the next hour', () => {
  const floor = workedAccount();
  assert.equal(floor.cash('ann', 'USDT'), '-4000');
  assert.deepEqual(floor.risk('ann'), {
    equity: '54003',
    effective: '51253',
    initial: '14064.964',
    maintenance: '791.604',
    available: '37188.036',
  });
  assert.deepEqual(floor.nextHour('ann'), { debt: '6000', free: '1000', interest: '0.05' });
  floor.at(at(1, 0));
  assert.equal(floor.cash('ann', 'USDT'), '-4000.05');
  assert.equal(floor.house('sys:interest', 'USDT'), '0.05');
});

test('interest can itself bear interest', () => {
  const floor = new MarginFloor({ ...TERMS, USDT: { ...USDT_TERMS, yearRate: '87.6' } }).stocked();
  floor.trader('ann', { USDT: '100' });
  floor.buy('ann', '0.0025', '60000', MARGIN);
  floor.at(at(2, 0));
  // 1 % an hour on 50, then on 50.5.
  assert.equal(floor.cash('ann', 'USDT'), '-51.005');
});

test('case 121: a debt that is opened and repaid within the hour is free', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '100' });
  floor.at(at(10, 1));
  floor.buy('ann', '0.005', '60000', MARGIN);
  floor.at(at(10, 59));
  floor.deposit('ann', '200', 'USDT');
  floor.at(at(11, 30));
  assert.equal(floor.cash('ann', 'USDT'), '0');
  assert.equal(floor.house('sys:interest', 'USDT'), '0');
});

test('case 122: an unrealised loss within the free part costs nothing', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { BTC: '1' });
  floor.trader('bob', { USDT: '1000000' });
  floor.setFees('ann', '0', '0');
  floor.deal('ann', 'bob', '1', '60000');
  floor.mark('59500');
  assert.deepEqual(floor.nextHour('ann'), { debt: '500', free: '500', interest: '0' });
  floor.at(at(1, 0));
  assert.equal(floor.cash('ann', 'USDT'), '0');
});

test('case 124: interest of 10^-9 is charged as 10^-8', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '59.9999' });
  floor.buy('ann', '0.001', '60000', MARGIN);
  // 0.0001 at 0.00001 an hour.
  assert.deepEqual(floor.nextHour('ann'), { debt: '0.0001', free: '0', interest: '0.00000001' });
  floor.at(at(1, 0));
  assert.equal(floor.cash('ann', 'USDT'), '-0.00010001');
});

/** Perpetuals that pay 0.0071 % at eight, and people whose money is lent. */
function fundedFloor(): FuturesFloor {
  const floor = new FuturesFloor(BTC_FUNDED, lent(FUTURES_COINS, TERMS));
  floor.index('1', 'USDTUSD');
  floor.index('60000', 'BTCUSD');
  floor.trader('bob', { USDT: '1000000' });
  return floor;
}

test('case 96: a crossed payer of funding without cash owes it, and pays interest from the next full hour', () => {
  const floor = fundedFloor();
  floor.trader('ann', { BTC: '1' });
  floor.setFees('ann', '0', '0');
  floor.deal('ann', 'bob', '1', '60000');
  floor.wait(60_000);
  assert.equal(floor.cash('ann', 'USDT'), '0');
  floor.at(at(8, 0));
  assert.equal(floor.cash('ann', 'USDT'), '-4.26');
  floor.at(at(9, 0) - 1);
  assert.equal(floor.cash('ann', 'USDT'), '-4.26');
  floor.at(at(9, 0));
  assert.equal(floor.cash('ann', 'USDT'), '-4.2600426');
});

test('a debt that funding of the same instant has made smaller bears interest on what is left of it (rules 9.4)', () => {
  const floor = fundedFloor();
  floor.trader('ann', { BTC: '1' });
  // A short that has lost 100 in trades and owes them.
  floor.setFees('ann', '0', '0');
  floor.deal('ann', 'bob', '1', '60000');
  floor.deal('bob', 'ann', '1', '59900');
  floor.deal('bob', 'ann', '1', '60000');
  floor.wait(60_000);
  assert.equal(floor.cash('ann', 'USDT'), '-100');
  floor.at(at(8, 0) - 1);
  const owed = floor.cash('ann', 'USDT');
  // Seven hours, each rounded up: 0.007 and 26 units of interest on interest.
  assert.equal(owed, '-100.00700026');
  floor.at(at(8, 0));
  // 4.26 come in first; an hour of 95.74700026 is 0.00095748, rounded up.
  assert.equal(floor.cash('ann', 'USDT'), '-95.74795774');
});

test('each hour is charged once: by ticks, in one jump, and over a restart', () => {
  const byTicks = owing();
  for (let minute = 1; minute <= 300; minute += 7) byTicks.at(at(0, minute));
  byTicks.at(at(5, 1));
  const inOneJump = owing();
  inOneJump.at(at(5, 1));
  const restarted = owing();
  restarted.at(at(2, 0));
  restarted.restart();
  restarted.at(at(2, 0));
  restarted.at(at(3, 59));
  restarted.restart();
  restarted.at(at(5, 1));
  const cash = [byTicks, inOneJump, restarted].map((floor) => floor.cash('ann', 'USDT'));
  assert.deepEqual(cash, [cash[0], cash[0], cash[0]]);
  assert.equal(interestLines(byTicks), 5);
  assert.equal(interestLines(inOneJump), 5);
  assert.equal(interestLines(restarted), 5);
});

test('hours of a long absence are all charged, each at its own instant', () => {
  const floor = owing();
  floor.at(at(24 * 30, 30));
  const times = floor.events.flatMap((event) =>
    event.type === 'ledgerLine' && event.kind === 'interest' ? [event.time] : [],
  );
  assert.deepEqual(
    times,
    Array.from({ length: 24 * 30 }, (_, n) => at(n + 1, 0)),
  );
});

test('time that stands still or a second tick of the hour charges nothing again', () => {
  const floor = owing();
  floor.at(at(1, 0));
  const cash = floor.cash('ann', 'USDT');
  floor.at(at(1, 0));
  floor.wait(1);
  assert.equal(floor.cash('ann', 'USDT'), cash);
});

function owing(): MarginFloor {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { BTC: '1' });
  floor.buy('ann', '0.5', '60000', MARGIN);
  floor.buy('market', '1', '1000', SPOT);
  return floor;
}

function interestLines(floor: MarginFloor): number {
  return floor.events.filter((event) => event.type === 'ledgerLine' && event.kind === 'interest').length;
}
