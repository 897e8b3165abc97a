/** A strategy order on the wire (interface 2.3), with additional fields for its kind and its end. */

import {
  CATEGORY_NAMES,
  ORDER_TYPE_NAMES,
  OrderType,
  POS_SIDE_NAMES,
  SIDE_NAMES,
  STRATEGY_REASON_NAMES,
  STRATEGY_STATUS_NAMES,
  STRATEGY_TYPES,
  StrategyKind,
  TRIGGER_BY_NAMES,
  TRIGGER_TYPE_NAMES,
} from '../core/model/enums.ts';
import type { StrategyOrderRecord } from '../core/model/event.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { RejectReason } from '../core/model/reject-reason.ts';
import { hasLeg, isEmpty } from '../core/model/tpsl.ts';
import { formatMoney, formatUnits } from '../core/model/units.ts';
import type { StringFields } from './format.ts';
import { formatId } from './format.ts';
import { legFields, PRESET_FIELDS, presetFields } from './preset-view.ts';

export const STRATEGY_FIELDS = [
  'orderId',
  'clientOid',
  'category',
  'symbol',
  'qty',
  'posSide',
  'status',
  'triggerType',
  ...PRESET_FIELDS,
  'triggerBy',
  'triggerPrice',
  'triggerOrderType',
  'triggerOrderPrice',
  'createdTime',
  'updatedTime',

  // `tpsl` or `trigger`.
  'type',
  'side',
  'reduceOnly',
  // `full` or `partial` on take-profit and stop-loss of positions.
  'tpslMode',
  // Percent, on trailing orders.
  'callbackRatio',
  'cancelReason',
  'failReason',
  // The order that it placed.
  'subOrderId',
] as const;
export type StrategyView = StringFields<typeof STRATEGY_FIELDS>;

const TPSL_MODES: Readonly<Record<StrategyKind, string>> = {
  [StrategyKind.attached]: 'partial',
  [StrategyKind.partial]: 'partial',
  [StrategyKind.full]: 'full',
  [StrategyKind.trigger]: '',
  [StrategyKind.trailing]: '',
};

/** One percent is ten thousand millionths. */
const PERCENT_SCALE = 4;

const REJECT_REASON_NAMES = new Map<number, string>(
  Object.entries(RejectReason).map(([name, code]) => [
    code,
    code === RejectReason.none ? '' : name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
  ]),
);

export function strategyView(order: StrategyOrderRecord, instrument: Instrument): StrategyView {
  return {
    orderId: formatId(order.orderId),
    clientOid: order.clientOid,
    category: CATEGORY_NAMES[order.category],
    symbol: instrument.symbol,
    qty: quantity(order, instrument),
    posSide: POS_SIDE_NAMES[order.posSide],
    status: STRATEGY_STATUS_NAMES[order.status],
    triggerType: TRIGGER_TYPE_NAMES[order.triggerType],
    ...presetFields(isEmpty(order) ? undefined : order, instrument),
    ...triggerFields(order, instrument),
    createdTime: String(order.createdTime),
    updatedTime: String(order.updatedTime),
    type: STRATEGY_TYPES[order.kind],
    side: SIDE_NAMES[order.side],
    reduceOnly: order.reduceOnly ? 'YES' : 'NO',
    tpslMode: TPSL_MODES[order.kind],
    callbackRatio: order.callbackPpm === 0 ? '' : formatUnits(BigInt(order.callbackPpm), PERCENT_SCALE),
    cancelReason: STRATEGY_REASON_NAMES[order.reason],
    failReason: REJECT_REASON_NAMES.get(order.failure)!,
    subOrderId: order.childOrderId === 0 ? '' : formatId(order.childOrderId),
  };
}

/** Money for a spot market buy; empty for a full take-profit or stop-loss, whose size is not fixed yet. */
function quantity({ sizeLots, quoteAmount }: StrategyOrderRecord, instrument: Instrument): string {
  if (quoteAmount > 0n) return formatMoney(quoteAmount);
  return sizeLots === 0 ? '' : formatUnits(BigInt(sizeLots), instrument.quantityPrecision);
}

/** A trailing order that was active from the start has no activation price, but follows a price all the same. */
function triggerFields({ kind, trigger }: StrategyOrderRecord, instrument: Instrument) {
  const { price, by, orderType, limitPrice } = legFields(trigger, instrument);
  const trailing = kind === StrategyKind.trailing && !hasLeg(trigger);
  return {
    triggerBy: trailing ? TRIGGER_BY_NAMES[trigger.triggerBy] : by,
    triggerPrice: price,
    triggerOrderType: trailing ? ORDER_TYPE_NAMES[OrderType.market] : orderType,
    triggerOrderPrice: limitPrice,
  };
}
