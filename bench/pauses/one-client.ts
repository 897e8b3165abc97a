/** What one client with a hundred sub-accounts can bring about, with as many orders as they may have. */
import type { Command } from '../../src/core/model/command.ts';
import { Side, TimeInForce } from '../../src/core/model/enums.ts';
import { FILLS_PER_ORDER_MAX, OPEN_ORDERS_PER_PRODUCT_LINE_MAX } from '../../src/core/model/limits.ts';
import { account, deposit } from '../../test/property/venue.ts';
import { counted, type Part, Stopwatch } from './stopwatch.ts';
import { Coin, Listed, ONE, PERPETUALS, TICKS, Venue } from './venue.ts';

const SUB_ACCOUNTS = 100;
const MAIN = 1;
/** Not of the client's. */
const OTHER = SUB_ACCOUNTS + 2;
const PLENTY = 1_000_000n;
const FALL_PPM = 150_000;
/** Beyond the highest trigger. */
const RISE_PPM = 900_000;
const ROUNDS = 3;
/** Prices that the triggers have. */
const TRIGGER_PRICES = [100, 8000];
const ORDERS = SUB_ACCOUNTS * OPEN_ORDERS_PER_PRODUCT_LINE_MAX;
const SHAPE = {
  accounts: OTHER,
  debtors: 0,
  loans: 0,
  deliveries: 0,
  coinMargined: 0,
  triggers: 0,
};

export async function measureOneClient(): Promise<Part> {
  const watch = new Stopwatch();
  for (let round = 0; round < ROUNDS; round++) {
    countdowns(watch);
    freeze(watch);
    for (const prices of TRIGGER_PRICES) triggers(watch, prices);
    manyPositions(watch);
    ownOrders(watch);
  }
  return watch.end(`One client with ${counted(SUB_ACCOUNTS, 'sub-accounts')}`);
}

const subAccounts = () => Array.from({ length: SUB_ACCOUNTS }, (_, n) => MAIN + 1 + n);

function openFamily(ofMain = PLENTY): Venue {
  const venue = new Venue(SHAPE);
  venue.must(venue.nextSecond());
  for (const uid of [MAIN, ...subAccounts(), OTHER]) {
    const master = uid === MAIN || uid === OTHER ? 0 : MAIN;
    venue.must({ ...account(uid, master), time: venue.time });
    venue.must({ ...deposit(uid, Coin.usdt, (uid === MAIN ? ofMain : PLENTY) * ONE), time: venue.time });
  }
  return venue;
}

/** Bids of all sub-accounts at prices below `ticks`. */
function placeBids(venue: Venue, ticks: number): void {
  for (const uid of subAccounts())
    for (let n = 0; n < OPEN_ORDERS_PER_PRODUCT_LINE_MAX; n++)
      venue.must(
        venue.limit({
          uid,
          instrument: Listed.perpetual,
          side: Side.buy,
          priceTicks: ticks - (n % 50),
          sizeLots: 1,
        }),
      );
}

/** The ticks that go on with the work of the last command. */
function portions(venue: Venue, watch: Stopwatch, kind: string, over: string): void {
  while (venue.exchange.hasOpenWork) {
    const next: Command = { type: 'tick', time: venue.time };
    watch.time(`tick: a portion of ${kind}`, over, () => venue.apply(next));
  }
}

function countdowns(watch: Stopwatch): void {
  const venue = openFamily();
  placeBids(venue, TICKS - 100);
  const { time } = venue;
  for (const uid of subAccounts()) venue.must({ type: 'countdownCancel', time, uid, seconds: 5 });
  for (let second = 1; second < 5; second++) venue.must(venue.nextSecond());
  const over = counted(ORDERS, 'orders');
  venue.time = time + 5000;
  watch.time('tick: countdowns of one millisecond', over, () =>
    venue.apply({ type: 'tick', time: venue.time }),
  );
  portions(venue, watch, 'the countdowns', over);
}

function freeze(watch: Stopwatch): void {
  const venue = openFamily();
  placeBids(venue, TICKS - 100);
  const over = counted(ORDERS, 'orders of its sub-accounts');
  watch.time('cancelEverything', over, () =>
    venue.must({ type: 'cancelEverything', time: venue.time, uid: MAIN }),
  );
  portions(venue, watch, 'the frozen account', over);
}

function triggers(watch: Stopwatch, prices: number): void {
  const venue = openFamily();
  let placed = 0;
  for (const uid of subAccounts())
    for (let n = 0; n < OPEN_ORDERS_PER_PRODUCT_LINE_MAX; n++)
      venue.must(venue.trigger(uid, TICKS + 50 + (placed++ % prices)));
  const over = counted(ORDERS, 'trigger orders');
  const command = venue.nextSecond(() => true, RISE_PPM);
  watch.time(`tick: triggers at ${counted(prices, 'prices')}`, over, () => venue.apply(command));
  portions(venue, watch, `triggers at ${counted(prices, 'prices')}`, over);
}

/** Fills against an account with a position in every contract. */
function manyPositions(watch: Stopwatch): void {
  const venue = openFamily();
  const [maker, taker] = [MAIN + 1, OTHER];
  for (let n = 0; n < PERPETUALS; n++) {
    const instrument = Listed.perpetual + n;
    venue.must(venue.limit({ uid: maker, instrument, side: Side.buy, priceTicks: TICKS, sizeLots: 40_000 }));
    venue.must(venue.limit({ uid: taker, instrument, side: Side.sell, priceTicks: TICKS, sizeLots: 40_000 }));
  }
  for (let n = 0; n < FILLS_PER_ORDER_MAX; n++)
    venue.must(
      venue.limit({
        uid: maker,
        instrument: Listed.perpetual,
        side: Side.buy,
        priceTicks: TICKS,
        sizeLots: 1,
      }),
    );
  const sizeLots = FILLS_PER_ORDER_MAX;
  const sell = { uid: taker, instrument: Listed.perpetual, side: Side.sell, priceTicks: TICKS };
  watch.time('placeOrder, fill-or-kill', `${sizeLots} makers, ${PERPETUALS} positions`, () =>
    venue.must(venue.limit({ ...sell, sizeLots: sizeLots + 1, timeInForce: TimeInForce.fok })),
  );
  watch.time('placeOrder, fill-or-kill, filled', `${sizeLots} makers, ${PERPETUALS} positions`, () =>
    venue.must(venue.limit({ ...sell, sizeLots, timeInForce: TimeInForce.fok })),
  );
}

/** A bankrupt position of the main account: its close passes by the bids of its own party. */
function ownOrders(watch: Stopwatch): void {
  const venue = openFamily(12n);
  const instrument = Listed.perpetual;
  venue.must(venue.limit({ uid: OTHER, instrument, side: Side.sell, priceTicks: TICKS }));
  venue.must(venue.limit({ uid: MAIN, instrument, side: Side.buy, priceTicks: TICKS }));
  placeBids(venue, TICKS - (TICKS * FALL_PPM) / 1_000_000);
  const fall = venue.nextSecond((second) => second % 5000 !== 0, -FALL_PPM);
  const { state } = venue.exchange;
  watch.time('tick: a forced close', `${counted(ORDERS, 'own orders')} beyond bankruptcy`, () =>
    venue.apply(fall),
  );
  if (state.accountByUid.get(MAIN)!.positions.size !== 0) throw new Error('the position is still open');
}
