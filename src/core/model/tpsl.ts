/**
 * One condition with what to do when it holds: the price that triggers, which price is looked at, and how the order
 * that follows is priced. Take-profit, stop-loss and trigger orders are all made of these (rules 3.3).
 */
import type { Fields } from './bytes.ts';
import { OrderType, TriggerBy } from './enums.ts';

export interface TriggerLeg {
  /** 0 = the record has no such leg. */
  readonly triggerTicks: number;
  readonly triggerBy: TriggerBy;
  readonly orderType: OrderType;
  /** Price of a limit order; 0 for a market order. */
  readonly limitTicks: number;
}

/** Take-profit and stop-loss of what an opening order brings (rules 3.6). */
export interface Preset {
  readonly takeProfit: TriggerLeg;
  readonly stopLoss: TriggerLeg;
}

/** In a `LegChange`: the present value stays. */
const KEEP = 0;
export const KEEP_WORD = -1;
/** In a `LegChange`: the leg goes. */
export const REMOVE = -3;

/** What an amendment changes of a leg. */
export interface LegChange {
  /** `KEEP`, `REMOVE`, or the new price. */
  readonly triggerTicks: number;
  /** `KEEP_WORD` or the new value. */
  readonly triggerBy: number;
  readonly orderType: number;
  /** `KEEP` or the new price. */
  readonly limitTicks: number;
}

export interface PresetChange {
  readonly takeProfit: LegChange;
  readonly stopLoss: LegChange;
}

export const NO_LEG: TriggerLeg = {
  triggerTicks: 0,
  triggerBy: TriggerBy.market,
  orderType: OrderType.market,
  limitTicks: 0,
};
export const KEEP_LEG: LegChange = {
  triggerTicks: KEEP,
  triggerBy: KEEP_WORD,
  orderType: KEEP_WORD,
  limitTicks: KEEP,
};

/** Is there anything in it? An unreadable price counts: it is rejected where it is checked. */
export function hasLeg({ triggerTicks }: TriggerLeg): boolean {
  return triggerTicks !== 0;
}

export function isEmpty({ takeProfit, stopLoss }: Preset): boolean {
  return !hasLeg(takeProfit) && !hasLeg(stopLoss);
}

/** A market order has no price of its own: a limit price beside it is ignored (rules 3.3). */
export function changedLeg(leg: TriggerLeg, change: LegChange): TriggerLeg {
  if (change.triggerTicks === REMOVE) return NO_LEG;
  const orderType = (change.orderType === KEEP_WORD ? leg.orderType : change.orderType) as OrderType;
  return {
    triggerTicks: change.triggerTicks === KEEP ? leg.triggerTicks : change.triggerTicks,
    triggerBy: (change.triggerBy === KEEP_WORD ? leg.triggerBy : change.triggerBy) as TriggerBy,
    orderType,
    limitTicks:
      orderType === OrderType.market ? 0 : change.limitTicks === KEEP ? leg.limitTicks : change.limitTicks,
  };
}

/** A take-profit or stop-loss is its price: without one there is nothing to change the rest of. */
export function changedProtection(leg: TriggerLeg, change: LegChange): TriggerLeg {
  const changed = changedLeg(leg, change);
  return hasLeg(changed) ? changed : NO_LEG;
}

export function changedPreset(preset: Preset, change: PresetChange): Preset {
  return {
    takeProfit: changedProtection(preset.takeProfit, change.takeProfit),
    stopLoss: changedProtection(preset.stopLoss, change.stopLoss),
  };
}

export function sameLeg(a: TriggerLeg, b: TriggerLeg): boolean {
  return (
    a.triggerTicks === b.triggerTicks &&
    a.triggerBy === b.triggerBy &&
    a.orderType === b.orderType &&
    a.limitTicks === b.limitTicks
  );
}

export function samePreset(a: Preset, b: Preset): boolean {
  return sameLeg(a.takeProfit, b.takeProfit) && sameLeg(a.stopLoss, b.stopLoss);
}

export function legFields(f: Fields, leg: TriggerLeg): TriggerLeg {
  return {
    triggerTicks: f.i32(leg.triggerTicks),
    triggerBy: f.u8(leg.triggerBy) as TriggerBy,
    orderType: f.u8(leg.orderType) as OrderType,
    limitTicks: f.i32(leg.limitTicks),
  };
}

export function presetFields(f: Fields, preset: Preset): Preset {
  return { takeProfit: legFields(f, preset.takeProfit), stopLoss: legFields(f, preset.stopLoss) };
}

export function legChangeFields(f: Fields, change: LegChange): LegChange {
  return {
    triggerTicks: f.i32(change.triggerTicks),
    triggerBy: f.i32(change.triggerBy),
    orderType: f.i32(change.orderType),
    limitTicks: f.i32(change.limitTicks),
  };
}

export function presetChangeFields(f: Fields, change: PresetChange): PresetChange {
  return {
    takeProfit: legChangeFields(f, change.takeProfit),
    stopLoss: legChangeFields(f, change.stopLoss),
  };
}

export const NO_PRESET: Preset = { takeProfit: NO_LEG, stopLoss: NO_LEG };
export const KEEP_PRESET: PresetChange = { takeProfit: KEEP_LEG, stopLoss: KEEP_LEG };
