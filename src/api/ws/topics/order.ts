/** The topic `order`: each change of an order (wire 5.4). Field names differ from HTTP. */
import { Category, OrderType, Side } from '../../../core/model/enums.ts';
import type { Event, OrderChanged, OrderRecord } from '../../../core/model/event.ts';
import { formatMoney } from '../../../core/model/units.ts';
import { futuresSetting } from '../../../core/reads/margin-reads.ts';
import type { State } from '../../../core/state/state.ts';
import { orderView } from '../../../views/order-view.ts';
import { EventChannel, type EventRecord } from './event-channel.ts';
import { holdSide } from './hold-side.ts';

export class OrderChannel extends EventChannel {
  protected override records(events: readonly Event[]): readonly EventRecord[] {
    const { state } = this.context.sequencer;
    return events.flatMap((event) => (event.type === 'order' ? [orderData(state, event)] : []));
  }
}

function orderData(state: State, { order, requestId }: OrderChanged) {
  const instrument = state.instruments[order.instrument]!;
  const view = orderView(order, instrument, (coin) => state.coins[coin]!.coin);
  const futures = order.futures !== undefined;
  return {
    category: view.category.toLowerCase(),
    symbol: view.symbol,
    orderId: view.orderId,
    clientOid: view.clientOid,
    ...(requestId !== undefined && { requestId }),
    price: order.orderType === OrderType.market ? '' : view.price,
    qty: view.qty,
    amount: view.amount,
    holdMode: view.holdMode,
    holdSide: holdSide(view.posSide, futures),
    tradeSide: view.tradeSide,
    delegateType: view.delegateType,
    orderType: view.orderType,
    timeInForce: view.timeInForce,
    side: view.side,
    marginMode: view.marginMode,
    marginCoin: futures ? state.coins[instrument.futures!.settle]!.coin : '',
    reduceOnly: view.reduceOnly.toLowerCase(),
    cumExecQty: view.cumExecQty,
    cumExecValue: view.cumExecValue,
    avgPrice: view.avgPrice,
    totalProfit: formatMoney(order.futures?.pnl ?? 0n),
    orderStatus: view.orderStatus,
    cancelReason: view.cancelReason,
    leverage: futures ? leverageOf(state, order) : '',
    stpMode: view.stpMode,
    feeDetail: view.feeDetail,
    createdTime: view.createdTime,
    updatedTime: view.updatedTime,
    ...otherNames(order, view),
  };
}

/**
 * Fields that one client reads instead, and without which it takes the money of a market order for its size (like
 * `priceAvg` over HTTP): whether it is of futures, the size of what is sold, the size of what a loan buys.
 */
function otherNames({ category, futures, orderType, side }: OrderRecord, view: ReturnType<typeof orderView>) {
  if (futures !== undefined) return { posMode: view.holdMode };
  if (orderType !== OrderType.market) return {};
  if (side === Side.sell) return { newSize: view.qty };
  return category === Category.margin ? { baseSize: view.cumExecQty } : {};
}

/** A buy that opens is long, a sell that closes is long too. */
function leverageOf(state: State, order: OrderRecord): string {
  const account = state.accountByUid.get(order.uid)!;
  const setting = futuresSetting(account, state.instruments[order.instrument]!);
  const long = (order.side === Side.buy) !== order.futures!.closing;
  return String(long ? setting.longLeverage : setting.shortLeverage);
}
