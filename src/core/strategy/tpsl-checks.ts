/** Checks the prices of take-profit and stop-loss (rules 3.3); each violation has its own code. */
import { OFF_GRID } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { OrderType, TriggerBy } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { PRICE_TICKS_MAX } from '../model/limits.ts';
import type { Position } from '../model/position.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { hasLeg, type Preset, type TriggerLeg } from '../model/tpsl.ts';
import { referenceTicks } from '../orders/order-checks.ts';
import type { Market } from '../state/market.ts';

/** Reasons for take-profit and stop-loss of a long, then of a short. */
type Sides = readonly [RejectReason, RejectReason, RejectReason, RejectReason];
const BY_ENTRY: Sides = [
  RejectReason.longTakeProfitByEntry,
  RejectReason.longStopLossByEntry,
  RejectReason.shortTakeProfitByEntry,
  RejectReason.shortStopLossByEntry,
];
const BY_LAST: Sides = [
  RejectReason.longTakeProfitByLast,
  RejectReason.longStopLossByLast,
  RejectReason.shortTakeProfitByLast,
  RejectReason.shortStopLossByLast,
];
const BY_MARK: Sides = [
  RejectReason.longTakeProfitByMark,
  RejectReason.longStopLossByMark,
  RejectReason.shortTakeProfitByMark,
  RejectReason.shortStopLossByMark,
];

/** Reasons for take-profit and stop-loss. */
const TRIGGER_RANGE = [RejectReason.takeProfitNotPositive, RejectReason.stopLossNotPositive] as const;
const TRIGGER_TICK = [RejectReason.takeProfitOffTick, RejectReason.stopLossOffTick] as const;
const LIMIT_RANGE = [RejectReason.takeProfitLimitNotPositive, RejectReason.stopLossLimitNotPositive] as const;
const LIMIT_TICK = [RejectReason.takeProfitLimitOffTick, RejectReason.stopLossLimitOffTick] as const;

/** The price that a trigger is compared with: the mark, or the last trade; before the first trade that of the band. */
export function triggerReference(instrument: Instrument, market: Market, by: TriggerBy): number {
  if (by === TriggerBy.mark && market.futures !== undefined) return market.futures.markTicks;
  return market.day.lastTicks || referenceTicks(instrument, market);
}

/** Spot has no mark price: a leg by mark price uses trades instead. */
export function normalisedLeg(instrument: Instrument, leg: TriggerLeg): TriggerLeg {
  const triggerBy = instrument.futures === undefined ? TriggerBy.market : leg.triggerBy;
  return { ...leg, triggerBy, limitTicks: leg.orderType === OrderType.market ? 0 : leg.limitTicks };
}

export function normalisedPreset(instrument: Instrument, { takeProfit, stopLoss }: Preset): Preset {
  return { takeProfit: normalisedLeg(instrument, takeProfit), stopLoss: normalisedLeg(instrument, stopLoss) };
}

interface Place {
  readonly instrument: Instrument;
  readonly market: Market;
  readonly long: boolean;
  /** The position that is protected, when there is one already. */
  readonly position?: Position;
  /** Price that both are compared with instead of the market's prices. */
  readonly expectedTicks?: number;
}

export function checkPreset(preset: Preset, place: Place): CommandResult | undefined {
  return checkLeg(preset.takeProfit, place, 0) ?? checkLeg(preset.stopLoss, place, 1);
}

function checkLeg(leg: TriggerLeg, place: Place, which: 0 | 1): CommandResult | undefined {
  if (!hasLeg(leg)) return undefined;
  const { instrument, market, long } = place;
  const wrong =
    checkTicks(instrument, leg.triggerTicks, TRIGGER_RANGE[which], TRIGGER_TICK[which]) ??
    (leg.orderType === OrderType.limit
      ? checkTicks(instrument, leg.limitTicks, LIMIT_RANGE[which], LIMIT_TICK[which])
      : undefined);
  if (wrong !== undefined) return wrong;
  const reference = place.expectedTicks ?? triggerReference(instrument, market, leg.triggerBy);
  const above = long === (which === 0);
  const side = (long ? 0 : 2) + which;
  if (above ? leg.triggerTicks <= reference : leg.triggerTicks >= reference) {
    const codes = leg.triggerBy === TriggerBy.mark ? BY_MARK : BY_LAST;
    return rejected(codes[side]!, reference);
  }
  return checkEntry(leg, place, above, BY_ENTRY[side]!);
}

/** Compares with the exact average entry: size x trigger with the cost basis. */
function checkEntry(
  { triggerTicks }: TriggerLeg,
  { instrument, position }: Place,
  above: boolean,
  rejectReason: RejectReason,
): CommandResult | undefined {
  if (position === undefined) return undefined;
  const value = tradeValue(instrument, triggerTicks, position.lots);
  const basis = position.basis < 0n ? -position.basis : position.basis;
  return (above ? value > basis : value < basis) ? undefined : rejected(rejectReason);
}

export function checkTicks(
  instrument: Instrument,
  ticks: number,
  range: RejectReason,
  offTick: RejectReason,
): CommandResult | undefined {
  if (ticks === OFF_GRID) return rejected(offTick);
  if (ticks <= 0 || ticks > PRICE_TICKS_MAX) return rejected(range, PRICE_TICKS_MAX);
  return ticks % instrument.tickStep === 0 ? undefined : rejected(offTick);
}
