/** Take-profit and stop-loss in requests, on orders and strategy orders (interface 2.1, 4.2). */

import { ORDER_TYPE_NAMES, OrderType, TRIGGER_BY_NAMES, TriggerBy } from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import {
  KEEP_LEG,
  KEEP_WORD,
  type LegChange,
  NO_LEG,
  type Preset,
  type PresetChange,
  REMOVE,
  type TriggerLeg,
} from '../../../core/model/tpsl.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import { parseDecimal } from '../../wire/decimal.ts';
import * as fields from '../../wire/fields.ts';
import { priceTicks } from './order-input.ts';

export const presetBody = {
  takeProfit: Type.Optional(fields.Decimal),
  stopLoss: Type.Optional(fields.Decimal),
  tpTriggerBy: Type.Optional(fields.TriggerBy),
  slTriggerBy: Type.Optional(fields.TriggerBy),
  tpOrderType: Type.Optional(fields.OrderType),
  slOrderType: Type.Optional(fields.OrderType),
  tpLimitPrice: Type.Optional(fields.Decimal),
  slLimitPrice: Type.Optional(fields.Decimal),
};

const PresetShape = Type.Object(presetBody);
export type PresetInput = Static<typeof PresetShape>;

export const triggerBy = (name: string | undefined) =>
  (name === undefined ? TriggerBy.market : TRIGGER_BY_NAMES.indexOf(name as 'market')) as TriggerBy;

export function leg(
  instrument: Instrument,
  price: string | undefined,
  by: string | undefined,
  type: string | undefined,
  limit: string | undefined,
): TriggerLeg {
  if (price === undefined) return NO_LEG;
  const orderType = type === 'limit' ? OrderType.limit : OrderType.market;
  return {
    triggerTicks: priceTicks(price, instrument),
    triggerBy: triggerBy(by),
    orderType,
    limitTicks: orderType === OrderType.limit && limit !== undefined ? priceTicks(limit, instrument) : 0,
  };
}

export function presetOf(instrument: Instrument, body: PresetInput): Preset {
  return {
    takeProfit: leg(instrument, body.takeProfit, body.tpTriggerBy, body.tpOrderType, body.tpLimitPrice),
    stopLoss: leg(instrument, body.stopLoss, body.slTriggerBy, body.slOrderType, body.slLimitPrice),
  };
}

/** Zero removes a leg; an absent field leaves it unchanged. */
export function legChange(
  instrument: Instrument,
  price: string | undefined,
  by: string | undefined,
  type: string | undefined,
  limit: string | undefined,
): LegChange {
  if (price !== undefined && parseDecimal(price)?.units === 0n) return { ...KEEP_LEG, triggerTicks: REMOVE };
  return {
    triggerTicks: price === undefined ? 0 : priceTicks(price, instrument),
    triggerBy: by === undefined ? KEEP_WORD : triggerBy(by),
    orderType: type === undefined ? KEEP_WORD : ORDER_TYPE_NAMES.indexOf(type as 'limit'),
    limitTicks: limit === undefined ? 0 : priceTicks(limit, instrument),
  };
}

/** Undefined when the request has no field of take-profit or stop-loss. */
export function presetChangeOf(instrument: Instrument, body: PresetInput): PresetChange | undefined {
  const names = Object.keys(presetBody) as (keyof PresetInput)[];
  if (names.every((name) => body[name] === undefined)) return undefined;
  return {
    takeProfit: legChange(instrument, body.takeProfit, body.tpTriggerBy, body.tpOrderType, body.tpLimitPrice),
    stopLoss: legChange(instrument, body.stopLoss, body.slTriggerBy, body.slOrderType, body.slLimitPrice),
  };
}
