/** What a user's orders do to the market, on a few books of different kinds. */
import { openOrders } from '../../src/core/reads/reads.ts';
import { Refusal } from '../../src/core/model/reject-reason.ts';
import { type CategoryName, OrderType, Side, Source, StpMode, TimeInForce } from '../../src/core/model/enums.ts';
import type { Desk } from '../../src/simulator/instrument-view.ts';
import type { RunningExchange } from '../../src/app/start/start-exchange.ts';
import { logicalPause } from './live-run.ts';

const UID = 999_999_999;
const BOOKS: readonly [CategoryName, string][] = [
  ['SPOT', 'BTCUSDT'],
  ['SPOT', 'SOLUSDT'],
  ['USDT-FUTURES', 'ETHUSDT'],
  ['USDC-FUTURES', 'BTCPERP'],
];
/** Half spreads that the middle may still be off the fair price after the minute. */
const RECOVERED_HALF_SPREADS = 8;

export async function userOrders(exchange: RunningExchange): Promise<boolean> {
  const { venue, market } = exchange;
  const { state } = venue;
  await venue.submit({
    type: 'openAccount',
    time: 0,
    uid: UID,
    masterUid: 0,
    marketMaker: false,
    house: false,
  });
  for (const coin of ['USDT', 'USDC']) {
    const amount = 10n ** 16n;
    await venue.submit({
      type: 'deposit',
      time: 0,
      uid: UID,
      coin: state.coinByName.get(coin)!,
      amount,
      reference: '',
    });
  }
  let good = true;
  for (const [category, symbol] of BOOKS) {
    const desk = market!.desks.find(
      ({ instrument: { spec } }) => spec.category === category && spec.symbol === symbol,
    )!;
    good = (await sweep(exchange, desk)) && good;
    good = (await wall(exchange, desk)) && good;
  }
  return good;
}

/** Ten times the best size at the market. */
async function sweep(exchange: RunningExchange, desk: Desk): Promise<boolean> {
  const before = desk.middleTicks;
  const top = desk.bestLots(Side.sell);
  const bestAsk = desk.best(Side.sell);
  const placed = place(
    exchange,
    desk,
    Math.floor(bestAsk * 1.03),
    desk.size(top * 10, bestAsk),
    TimeInForce.ioc,
  );
  // Before anybody could answer: the order has been applied, if not yet acknowledged.
  const moved = desk.best(Side.sell);
  await placed;
  await logicalPause(exchange, 60_000);
  const off = Math.abs(desk.middleTicks - desk.fairTicks) / desk.halfSpreadTicks;
  const ok = moved > bestAsk && off < RECOVERED_HALF_SPREADS;
  const bps = (ticks: number) => ((ticks / before) * 10_000).toFixed(2);
  console.log(
    `${ok ? 'ok  ' : 'FAIL'}  ${desk.name}: ten times the best size moved the ask by ${bps(moved - bestAsk)} bps; ` +
      `a minute later the middle is ${off.toFixed(1)} half spreads from the fair price`,
  );
  return ok;
}

/** A bid of a third of the depth, just below the best ask. */
async function wall(exchange: RunningExchange, desk: Desk): Promise<boolean> {
  const price = desk.best(Side.sell) - desk.instrument.tickStep;
  const lots = desk.size(desk.depthLots / 3, price);
  await place(exchange, desk, price, lots, TimeInForce.gtc);
  await logicalPause(exchange, 120_000);
  const { state } = exchange.venue;
  const [order] = openOrders(state, { uid: UID, limit: 1 });
  const filled = order === undefined ? lots : order.filledLots;
  const { category } = desk.instrument;
  await exchange.venue.submit({ type: 'cancelAll', time: 0, uid: UID, category, instrument: -1 });
  const ok = filled > 0;
  const part = ((100 * filled) / lots).toFixed(1);
  console.log(
    `${ok ? 'ok  ' : 'FAIL'}  ${desk.name}: of a resting bid of a third of the depth ${part} % was traded in two minutes`,
  );
  return ok;
}

async function place(
  { venue }: RunningExchange,
  { instrument }: Desk,
  priceTicks: number,
  sizeLots: number,
  timeInForce: TimeInForce,
): Promise<void> {
  const { refusal } = await venue.submit({
    type: 'placeOrder',
    time: 0,
    uid: UID,
    source: Source.api,
    instrument: instrument.index,
    side: Side.buy,
    orderType: OrderType.limit,
    timeInForce,
    stpMode: StpMode.none,
    priceTicks,
    sizeLots,
    quoteAmount: 0n,
    clientOid: '',
  });
  if (refusal !== Refusal.none) throw new Error(`the user's order was refused, reason ${refusal}`);
}
