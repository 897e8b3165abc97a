/** A hundred thousand accounts: every command, every kind of scheduled work, every read over all of them. */
import { createSecretKey } from 'node:crypto';
import { coinSumsInSlices } from '../../src/admin/trial-balance.ts';
import { ranksInSlices } from '../../src/api/routes/futures/adl-ranks.ts';
import type { Command } from '../../src/core/model/command.ts';
import { ReserveAudits } from '../../src/reserves/reserve-audit.ts';
import { solvencyInSlices } from '../../src/reserves/solvency-slices.ts';
import type { Sequencer } from '../../src/sequencer/sequencer.ts';
import { timeCommands } from './commands.ts';
import { counted, type Part, Stopwatch } from './stopwatch.ts';
import { HOUR_MS, Listed, MANY, type Shape, TICKS, Venue } from './venue.ts';

const MINUTE_MS = 60_000;
const READS = 6;
const WARM_UP_SECONDS = 200;
const SECONDS_TO_AND_FRO = 1000;
const RANKINGS = 10;
/** Accounts that no other part closes by force as often. */
const FIRST_RANKED = 1001;

export async function measureAccounts(shape: Shape = MANY): Promise<Part> {
  const watch = new Stopwatch();
  const venue = new Venue(shape);
  const opening = 'the tables grow with it';
  venue.openAccounts((command) =>
    watch.time(`${command.type}, while accounts are opened`, opening, () => venue.must(command)),
  );
  venue.openPositions();
  venue.openDebts();
  venue.openOrders();
  timeCommands(venue, watch);
  timeTicks(venue, watch);
  await timeReads(venue, watch);
  timeEnds(venue, watch);
  const { accounts } = shape;
  return watch.end(`${counted(accounts, 'accounts')}, as many positions and orders`);
}

/** The tick of a second, by what is due in it. Work of a full hour comes together. */
function timeTicks(venue: Venue, watch: Stopwatch): void {
  const { accounts, loans, triggers } = venue.shape;
  const { state } = venue.exchange;
  const tick = (kind: string, over: string, is: (second: number) => boolean, ppm: number, times: number) => {
    for (let n = 0; n < times; n++) {
      const command = venue.nextSecond(is, ppm);
      for (const time of venue.ticksUntil(command.time))
        watch.time(`tick: ${kind}`, over, () => venue.apply({ type: 'tick', time }));
      while (venue.exchange.hasOpenWork)
        watch.time(`tick: a portion of ${kind}`, over, () => venue.apply({ type: 'tick', time: venue.time }));
    }
  };
  const every = (ms: number) => (second: number) => second % ms === 0;
  const plain = (second: number) => second % 5000 !== 0;
  const positions = counted(accounts, 'positions');
  // Long enough that accounts which are alike have used up what they can bear without a look, all of them together.
  for (let n = 0; n < WARM_UP_SECONDS + SECONDS_TO_AND_FRO; n++) {
    const command = venue.nextSecond(plain, n % 2 === 0 ? 500 : -500);
    if (n < WARM_UP_SECONDS) venue.apply(command);
    else
      watch.time('tick: a second, prices move to and fro by 0.05 %', positions, () => venue.apply(command));
  }
  tick('a second, prices still', positions, plain, 0, 50);
  tick('a second, prices move 0.05 %', positions, plain, 500, 50);
  tick('a second, prices move 1 %', positions, plain, -10_000, 4);
  for (let n = 0; n < RANKINGS; n++) {
    venue.apply(venue.nextSecond(plain, n % 2 === 0 ? 3000 : -3000));
    while (venue.exchange.hasOpenWork) venue.apply({ type: 'tick', time: venue.time });
    const uid = FIRST_RANKED + 2 * n;
    const instrument = Listed.perpetual;
    watch.time('forceClose, prices have moved', 'one account, its ranking among 50,000 holders', () =>
      venue.apply({ type: 'forceClose', time: venue.time, uid, deleverage: true, instrument }),
    );
  }
  tick('samples of 5 s', 'all contracts', (second) => second % 5000 === 0 && second % MINUTE_MS !== 0, 0, 20);
  tick(
    'a minute: candles, premium',
    'all markets',
    (second) => second % MINUTE_MS === 0 && second % HOUR_MS !== 0,
    0,
    20,
  );
  // Loans have begun ten in a millisecond, all in one second: their hours come ten at an instant.
  const loansHour = (second: number) => second % HOUR_MS === venue.loansSecond % HOUR_MS;
  tick('hours of loans', counted(loans, 'loans, 1,000 ms, ticks of 20 ms'), loansHour, 0, 3);
  const owing = `${counted(state.ledger.accountsInDebt().length, 'debts')}, ${positions}`;
  tick(
    'a full hour: interest, candles',
    owing,
    (second) => second % HOUR_MS === 0 && second % (8 * HOUR_MS) !== 0,
    0,
    5,
  );
  tick('a full hour with funding', positions, every(8 * HOUR_MS), 100, 1);

  const first = venue.time;
  for (let uid = 1; uid <= accounts; uid++) {
    if (uid % 100 === 0) venue.time++;
    const command = { type: 'countdownCancel', time: venue.time, uid, seconds: 60 } as const;
    watch.time('countdownCancel, everybody', counted(accounts, 'countdowns'), () => venue.must(command));
  }
  const last = venue.time + 60_100;
  venue.time = first + 59_900;
  venue.must({ type: 'tick', time: venue.time });
  while (venue.time < last) {
    venue.time += 100;
    venue.report();
    const command: Command = { type: 'tick', time: venue.time };
    watch.time('tick: countdowns end', counted(10_000, 'countdowns and orders in 100 ms'), () =>
      venue.apply(command),
    );
  }
  for (let uid = 1; uid <= triggers; uid++) venue.must(venue.trigger(uid, TICKS + 200 + 10));
  const quiet = (second: number) => plain(second) && !loansHour(second);
  tick('triggers fire', counted(triggers, 'trigger orders'), quiet, 30_000, 1);
  for (let uid = 1; uid <= triggers; uid++) venue.must(venue.trigger(uid, TICKS + 200 + 610));
  tick('triggers fire', counted(triggers, 'trigger orders'), quiet, 30_000, 1);
}

/** Reads of everybody. Those that yield in between are timed by how long they keep the loop from its next turn. */
async function timeReads(venue: Venue, watch: Stopwatch): Promise<void> {
  const { state } = venue.exchange;
  const all = counted(venue.shape.accounts, 'accounts');
  const sequencer = { state, durable: () => undefined } as unknown as Sequencer;
  const audits = new ReserveAudits(sequencer, createSecretKey(Buffer.alloc(32)), () => 0);
  for (let n = 0; n < READS; n++) {
    if (n === READS / 2) watch.forget((kind) => kind.startsWith('read:'));
    await watch.slices('read: solvency (exposure, metrics), a slice', all, () => solvencyInSlices(state));
    await watch.slices('read: rank for deleveraging, a slice', '50,000 holders', () =>
      ranksInSlices(state, 1),
    );
    await watch.slices('read: trial balance, a slice', all, () => coinSumsInSlices(state));
    await watch.slices('read: reserve audit, a slice', all, () => audits.run());
  }
  await audits.close();
}

/** Work that ends a market: it can be timed once for each. */
function timeEnds(venue: Venue, watch: Stopwatch): void {
  const { state } = venue.exchange;
  const offline = (instrument: number): Command => ({
    type: 'setInstrumentStatus',
    time: venue.time,
    instrument,
    status: 'offline',
  });
  const holders = (instrument: number) => state.market(state.instruments[instrument]!).holders.size;
  const delivering = venue.nextSecond((second) => second >= venue.deliveryTime);
  const portions = (kind: string, over: string) => {
    while (venue.exchange.hasOpenWork)
      watch.time(`tick: a portion of ${kind}`, over, () => venue.apply({ type: 'tick', time: venue.time }));
  };
  const delivered = counted(holders(Listed.delivery), 'positions');
  watch.time('tick: delivery', delivered, () => venue.apply(delivering));
  portions('the delivery and its hour', delivered);
  for (const [kind, instrument] of [
    ['a contract', Listed.perpetual + 1],
    ['the largest contract', Listed.perpetual],
  ] as const) {
    const over = counted(holders(instrument), 'positions and their orders');
    watch.time(`setInstrumentStatus: delists ${kind}`, over, () => venue.must(offline(instrument)));
    portions(`the end of ${kind}`, over);
  }
}
