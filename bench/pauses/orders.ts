/** A million resting orders of 2,500 accounts on one pair: commands on them, listings, and the end of the pair. */
import { Exchange } from '../../src/core/engine/exchange.ts';
import { ANY, type Command } from '../../src/core/model/command.ts';
import { Category, Side, Source, TimeInForce } from '../../src/core/model/enums.ts';
import { FILLS_PER_ORDER_MAX } from '../../src/core/model/limits.ts';
import { depth, openOrders } from '../../src/core/reads/reads.ts';
import { saveState } from '../../src/core/snapshot/snapshot.ts';
import { OPENING_TIME, order } from '../../test/property/venue.ts';
import { venueOf } from '../market.ts';
import { Random } from '../random.ts';
import { type Part, Stopwatch } from './stopwatch.ts';

const ORDERS = 1_000_000;
const ORDERS_PER_ACCOUNT = 400;
const ACCOUNTS = ORDERS / ORDERS_PER_ACCOUNT;
/** Has no orders of its own. */
const TAKER = ACCOUNTS + 1;
const MIDDLE_TICKS = 6_000_000;
const MEAN_DISTANCE = 5000;
const CHURN = 20_000;
const TIMES = 20;
/** Of which the first are not counted: their code is compiled then. */
const WARM_UP = 10;
const GROWING = 'placeOrder, while the book grows';
/** Warm by then. */
const CHURNED = new Set([GROWING, 'placeOrder', 'cancelOrder', 'amendOrders', 'amendOrders of 20']);
const ALL = `${ORDERS.toLocaleString('en-US')} orders`;

export function placeResting(random: Random, uid: number, time = OPENING_TIME): Command {
  const side = random.next() < 0.5 ? Side.buy : Side.sell;
  const distance = 1 + random.distance(MEAN_DISTANCE);
  const priceTicks = side === Side.buy ? MIDDLE_TICKS - distance : MIDDLE_TICKS + distance;
  return order({ time, uid, side, priceTicks, sizeLots: 100 });
}

/** As many fills as one order may have. */
function sweep(exchange: Exchange, watch: Stopwatch, taker: Command): void {
  const fills = watch.time('placeOrder that sweeps the book', `${FILLS_PER_ORDER_MAX} fills`, () => {
    exchange.apply(taker);
    return exchange.takeEvents().filter(({ type }) => type === 'trade').length;
  });
  if (fills < FILLS_PER_ORDER_MAX / 2) throw new Error(`a sweep of ${fills} fills`);
}

export async function measureOrders(): Promise<Part> {
  const watch = new Stopwatch();
  const exchange = new Exchange();
  const random = new Random(7);
  const apply = (kind: string, over: string, command: Command) =>
    watch.time(kind, over, () => {
      const result = exchange.apply(command);
      exchange.takeEvents();
      return result;
    });
  for (const command of venueOf(TAKER)) exchange.apply(command);
  exchange.takeEvents();
  const orderIds = new Float64Array(ORDERS);
  for (let n = 0; n < ORDERS; n++)
    orderIds[n] = apply(GROWING, 'the tables grow with it', placeResting(random, 1 + (n % ACCOUNTS))).orderId;

  const uidOf = (at: number) => 1 + (at % ACCOUNTS);
  const time = OPENING_TIME;
  const named = (at: number) =>
    ({ orderId: orderIds[at]!, clientOid: '', category: ANY, instrument: ANY }) as const;
  for (let n = 0; n < CHURN; n++) {
    const at = random.below(ORDERS);
    const uid = uidOf(at);
    apply('cancelOrder', 'one order', { type: 'cancelOrder', time, uid, ...named(at) });
    orderIds[at] = apply('placeOrder', 'one order', placeResting(random, uid)).orderId;
    const amended = random.below(ACCOUNTS);
    const items = Array.from({ length: n % 10 === 0 ? 20 : 1 }, (_, k) => ({
      ...named(amended + k * ACCOUNTS),
      priceTicks: 0,
      sizeLots: 90 + random.below(10),
      autoCancel: false,
      outstanding: 0,
    }));
    const over = items.length === 1 ? 'one order' : '20 modifications';
    const kind = items.length === 1 ? 'amendOrders' : 'amendOrders of 20';
    apply(kind, over, { type: 'amendOrders', time, uid: uidOf(amended), source: Source.api, items });
  }
  for (let n = -WARM_UP; n < TIMES; n++) {
    if (n === 0) watch.forget((kind) => !CHURNED.has(kind));
    const taker = order({
      time,
      uid: TAKER,
      side: n % 2 === 0 ? Side.buy : Side.sell,
      priceTicks: n % 2 === 0 ? MIDDLE_TICKS + 2000 : MIDDLE_TICKS - 2000,
      sizeLots: FILLS_PER_ORDER_MAX * 100,
      timeInForce: TimeInForce.ioc,
    });
    sweep(exchange, watch, taker);
    const uid = 100 + n;
    const whole = { type: 'cancelAll', time, uid, category: Category.spot, instrument: ANY } as const;
    apply('cancelAll', `${ORDERS_PER_ACCOUNT} orders`, whole);
    apply('cancelEverything', `${ORDERS_PER_ACCOUNT} orders`, {
      type: 'cancelEverything',
      time,
      uid: 200 + n,
    });
    apply('tick: a second', ALL, { type: 'tick', time: time + 1000 * (n + WARM_UP + 1) });
    const { state } = exchange;
    const pair = state.instruments[0]!;
    watch.time('read: open orders of an account', `${ORDERS_PER_ACCOUNT} orders`, () =>
      openOrders(state, { uid: 300 + n, limit: 100 }),
    );
    watch.time('read: depth of 200 levels', ALL, () => depth(state, pair, 200));
  }
  watch.time('saveState (the pausing way of a snapshot)', ALL, () => saveState(exchange.state));
  const offline = { type: 'setInstrumentStatus', instrument: 0, status: 'offline' } as const;
  const end = time + 1000 * (TIMES + WARM_UP);
  apply('setInstrumentStatus: ends the pair', ALL, { ...offline, time: end });
  while (exchange.hasOpenWork) apply('tick: a portion of its end', ALL, { type: 'tick', time: end });
  return watch.end(`${ALL} of ${ACCOUNTS.toLocaleString('en-US')} accounts on one pair`);
}
