/** Take-profit and stop-loss of orders and strategy orders on the wire (interface 2.1, 2.3). */

import { ORDER_TYPE_NAMES, OrderType, TRIGGER_BY_NAMES } from '../core/model/enums.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { hasLeg, type Preset, type TriggerLeg } from '../core/model/tpsl.ts';
import { formatUnits } from '../core/model/units.ts';
import type { StringFields } from './format.ts';

export const PRESET_FIELDS = [
  'takeProfit',
  'stopLoss',
  'tpTriggerBy',
  'slTriggerBy',
  'tpOrderType',
  'slOrderType',
  'tpLimitPrice',
  'slLimitPrice',
] as const;
export type PresetFields = StringFields<typeof PRESET_FIELDS>;

const NOTHING: PresetFields = {
  takeProfit: '',
  stopLoss: '',
  tpTriggerBy: '',
  slTriggerBy: '',
  tpOrderType: '',
  slOrderType: '',
  tpLimitPrice: '',
  slLimitPrice: '',
};

export function presetFields(preset: Preset | undefined, instrument: Instrument): PresetFields {
  if (preset === undefined) return NOTHING;
  const takeProfit = legFields(preset.takeProfit, instrument);
  const stopLoss = legFields(preset.stopLoss, instrument);
  return {
    takeProfit: takeProfit.price,
    stopLoss: stopLoss.price,
    tpTriggerBy: takeProfit.by,
    slTriggerBy: stopLoss.by,
    tpOrderType: takeProfit.orderType,
    slOrderType: stopLoss.orderType,
    tpLimitPrice: takeProfit.limitPrice,
    slLimitPrice: stopLoss.limitPrice,
  };
}

/** All empty when there is no such leg. */
export function legFields(leg: TriggerLeg, instrument: Instrument) {
  if (!hasLeg(leg)) return { price: '', by: '', orderType: '', limitPrice: '' };
  const text = (ticks: number) => formatUnits(BigInt(ticks), instrument.pricePrecision);
  return {
    price: text(leg.triggerTicks),
    by: TRIGGER_BY_NAMES[leg.triggerBy],
    orderType: ORDER_TYPE_NAMES[leg.orderType],
    limitPrice: leg.orderType === OrderType.limit ? text(leg.limitTicks) : '',
  };
}
