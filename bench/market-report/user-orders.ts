/** What a user's orders do to the market, on a few books of different kinds. */

import type { RunningExchange } from '../../src/app/start/start-exchange.ts';
import {
  type CategoryName,
  OrderType,
  Side,
  Source,
  StpMode,
  TimeInForce,
} from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { openOrders } from '../../src/core/reads/reads.ts';
import type { InstrumentView } from '../../src/simulator/instrument-view.ts';
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
  const { sequencer, market } = exchange;
  const { state } = sequencer;
  await sequencer.submit({
    type: 'openAccount',
    uid: UID,
    masterUid: 0,
    marketMaker: false,
    house: false,
  });
  for (const coin of ['USDT', 'USDC']) {
    const amount = 10n ** 16n;
    await sequencer.submit({
      type: 'deposit',
      uid: UID,
      coin: state.coinByName.get(coin)!,
      amount,
      reference: '',
    });
  }
  let good = true;
  for (const [category, symbol] of BOOKS) {
    const view = market!.views.find(
      ({ instrument: { spec } }) => spec.category === category && spec.symbol === symbol,
    )!;
    good = (await sweep(exchange, view)) && good;
    good = (await wall(exchange, view)) && good;
  }
  return good;
}

/** Ten times the best size at the market. */
async function sweep(exchange: RunningExchange, view: InstrumentView): Promise<boolean> {
  const before = view.middleTicks;
  const top = view.bestLots(Side.sell);
  const bestAsk = view.best(Side.sell);
  const placed = place(
    exchange,
    view,
    Math.floor(bestAsk * 1.03),
    view.size(top * 10, bestAsk),
    TimeInForce.ioc,
  );
  // Before anybody could answer: the order has been applied, if not yet acknowledged.
  const moved = view.best(Side.sell);
  await placed;
  await logicalPause(exchange, 60_000);
  const off = Math.abs(view.middleTicks - view.fairTicks) / view.halfSpreadTicks;
  const ok = moved > bestAsk && off < RECOVERED_HALF_SPREADS;
  const bps = (ticks: number) => ((ticks / before) * 10_000).toFixed(2);
  console.log(
    `${ok ? 'ok  ' : 'FAIL'}  ${view.name}: ten times the best size moved the ask by ${bps(moved - bestAsk)} bps; ` +
      `a minute later the middle is ${off.toFixed(1)} half spreads from the fair price`,
  );
  return ok;
}

/** A bid of a third of the depth, just below the best ask. */
async function wall(exchange: RunningExchange, view: InstrumentView): Promise<boolean> {
  const price = view.best(Side.sell) - view.instrument.tickStep;
  const lots = view.size(view.depthLots / 3, price);
  await place(exchange, view, price, lots, TimeInForce.gtc);
  await logicalPause(exchange, 120_000);
  const { state } = exchange.sequencer;
  const [order] = openOrders(state, { uid: UID, limit: 1 });
  const filled = order === undefined ? lots : order.filledLots;
  const { category } = view.instrument;
  await exchange.sequencer.submit({ type: 'cancelAll', uid: UID, category, instrument: -1 });
  const ok = filled > 0;
  const part = ((100 * filled) / lots).toFixed(1);
  console.log(
    `${ok ? 'ok  ' : 'FAIL'}  ${view.name}: of a resting bid of a third of the depth ${part} % was traded in two minutes`,
  );
  return ok;
}

async function place(
  { sequencer }: RunningExchange,
  { instrument }: InstrumentView,
  priceTicks: number,
  sizeLots: number,
  timeInForce: TimeInForce,
): Promise<void> {
  const { rejectReason } = await sequencer.submit({
    type: 'placeOrder',
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
  if (rejectReason !== RejectReason.none)
    throw new Error(`the user's order was refused, reason ${rejectReason}`);
}
