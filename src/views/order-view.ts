/** An order on the wire (interface 2.1): every field, as decimal strings. */

import {
  CANCEL_REASON_NAMES,
  CATEGORY_NAMES,
  HOLD_MODE_NAMES,
  HoldMode,
  ORDER_STATUS_NAMES,
  ORDER_TYPE_NAMES,
  OrderKind,
  OrderType,
  POS_SIDE_NAMES,
  SIDE_NAMES,
  STP_MODE_NAMES,
  TIME_IN_FORCE_NAMES,
  TimeInForce,
} from '../core/model/enums.ts';
import type { OrderRecord } from '../core/model/event.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { formatMoney, formatUnits } from '../core/model/units.ts';
import type { StringFields } from './format.ts';
import { averagePrice, type CoinName, type FeeDetail, feeDetail, formatId } from './format.ts';
import { delegateTypeOf, execTypeOf, marginModeName, tradeSideOf } from './futures-enums.ts';
import { PRESET_FIELDS, presetFields } from './preset-view.ts';

export const ORDER_FIELDS = [
  'orderId',
  'clientOid',
  'category',
  'symbol',
  'price',
  'qty',
  'amount',
  'orderType',
  'cumExecQty',
  'cumExecValue',
  'avgPrice',
  'orderStatus',
  'side',
  'timeInForce',
  'posSide',
  'holdMode',
  'delegateType',
  'marginMode',
  'stpMode',
  ...PRESET_FIELDS,
  'reduceOnly',
  'createdTime',
  'updatedTime',
] as const;
/** Fields about the end of an order. */
export const ORDER_END_FIELDS = ['cancelReason', 'execType'] as const;

export type OrderView = StringFields<typeof ORDER_FIELDS> &
  StringFields<typeof ORDER_END_FIELDS> & {
    readonly tradeSide: string;
    readonly feeDetail: readonly FeeDetail[];
  };

/** Aliases that one widely used client reads instead of the documented names (wire 3.6). */
export const ORDER_ALIASES = ['priceAvg', 'quoteVolume', 'baseVolume'] as const;
export type OrderAliases = StringFields<typeof ORDER_ALIASES>;

export function orderView(order: OrderRecord, instrument: Instrument, coinName: CoinName): OrderView {
  const market = order.orderType === OrderType.market;
  const byAmount = order.quoteAmount > 0n;
  return {
    orderId: formatId(order.orderId),
    clientOid: order.clientOid === '' ? formatId(order.orderId) : order.clientOid,
    category: CATEGORY_NAMES[order.category],
    symbol: instrument.symbol,
    price: market ? '0' : formatUnits(BigInt(order.priceTicks), instrument.pricePrecision),
    qty: byAmount ? '0' : formatUnits(BigInt(order.sizeLots), instrument.quantityPrecision),
    amount: formatMoney(order.quoteAmount),
    orderType: ORDER_TYPE_NAMES[order.orderType],
    cumExecQty: formatUnits(BigInt(order.filledLots), instrument.quantityPrecision),
    cumExecValue: formatMoney(order.filledValue),
    avgPrice: averagePrice(instrument, order.filledValue, order.filledLots),
    orderStatus: ORDER_STATUS_NAMES[order.status],
    side: SIDE_NAMES[order.side],
    timeInForce: TIME_IN_FORCE_NAMES[market ? TimeInForce.gtc : order.timeInForce],
    ...positionFields(order, market),
    stpMode: STP_MODE_NAMES[order.stpMode],
    ...presetFields(order.preset, instrument),
    feeDetail: order.filledLots === 0 ? [] : [feeDetail(order.fee, coinName(order.feeCoin))],
    cancelReason: CANCEL_REASON_NAMES[order.cancelReason],
    createdTime: String(order.createdTime),
    updatedTime: String(order.updatedTime),
  };
}

type PositionFields = Pick<
  OrderView,
  'posSide' | 'holdMode' | 'tradeSide' | 'delegateType' | 'marginMode' | 'reduceOnly' | 'execType'
>;

const SPOT_LIMIT: PositionFields = {
  posSide: '',
  holdMode: '',
  tradeSide: 'open',
  delegateType: 'normal',
  marginMode: '',
  reduceOnly: 'NO',
  execType: 'normal',
};
const SPOT_MARKET: PositionFields = { ...SPOT_LIMIT, delegateType: 'market' };

/** Fields about the position; empty outside futures. */
function positionFields(order: OrderRecord, market: boolean): PositionFields {
  const { futures, side, origin } = order;
  if (futures === undefined) {
    const fields = market ? SPOT_MARKET : SPOT_LIMIT;
    if (origin === undefined) return fields;
    return { ...fields, delegateType: delegateTypeOf(OrderKind.user, order.orderType, side, origin) };
  }
  return {
    posSide: POS_SIDE_NAMES[futures.posSide],
    holdMode: HOLD_MODE_NAMES[futures.hedge ? HoldMode.hedge : HoldMode.oneWay],
    tradeSide: tradeSideOf({ ...futures, side }),
    delegateType: delegateTypeOf(futures.kind, order.orderType, side, origin),
    marginMode: marginModeName(futures.isolated),
    reduceOnly: futures.reduceOnly ? 'YES' : 'NO',
    execType: execTypeOf(futures.kind),
  };
}

export function withAliases(order: OrderView): OrderView & OrderAliases {
  return {
    ...order,
    priceAvg: order.avgPrice,
    quoteVolume: order.cumExecValue,
    baseVolume: order.cumExecQty,
  };
}
