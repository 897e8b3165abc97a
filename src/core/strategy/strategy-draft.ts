/** A strategy order as it would stand after a command that places or amends it. */

import type { AmendStrategy, PlaceStrategy } from '../model/command.ts';
import { HoldMode, PosSide, Side, StrategyKind } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { changedLeg, changedProtection, sameLeg, type TriggerLeg } from '../model/tpsl.ts';
import type { Account } from '../state/account.ts';
import type { StrategyOrder } from '../state/strategy-order.ts';
import { isTpsl } from './strategy-lifecycle.ts';
import { normalisedLeg } from './tpsl-checks.ts';

/** A strategy order as it would stand after the command. */
export interface Draft {
  readonly kind: StrategyKind;
  readonly side: Side;
  readonly posSide: PosSide;
  readonly sizeLots: number;
  readonly quoteAmount: bigint;
  readonly takeProfit: TriggerLeg;
  readonly stopLoss: TriggerLeg;
  readonly trigger: TriggerLeg;
  readonly callbackPpm: number;
}

export function draftOf(account: Account, instrument: Instrument, command: PlaceStrategy): Draft {
  const { kind } = command;
  const legs = {
    takeProfit: normalisedLeg(instrument, command.takeProfit),
    stopLoss: normalisedLeg(instrument, command.stopLoss),
    trigger: normalisedLeg(instrument, command.trigger),
  };
  const { sizeLots, quoteAmount, callbackPpm } = command;
  if (!isTpsl(kind)) {
    const posSide = account.holdMode === HoldMode.hedge ? command.posSide : PosSide.none;
    return { ...legs, kind, side: command.side, posSide, sizeLots, quoteAmount, callbackPpm };
  }
  const posSide = protectedSide(account, instrument, command);
  return {
    ...legs,
    kind,
    side: posSide === PosSide.short ? Side.buy : Side.sell,
    // Spot has no positions; `side` is the side of the closing order.
    posSide: instrument.futures === undefined ? PosSide.none : posSide,
    sizeLots: kind === StrategyKind.full ? 0 : sizeLots,
    quoteAmount: 0n,
    callbackPpm: 0,
  };
}

/** The side of the protected position. If the command names none, that of the only position of the symbol. */
function protectedSide(account: Account, { index }: Instrument, { posSide }: PlaceStrategy): PosSide {
  if (posSide !== PosSide.none) return posSide;
  const open = [...account.positions.values()].filter(({ instrument }) => instrument === index);
  const [only] = open;
  if (open.length !== 1 || only === undefined) return PosSide.none;
  return only.long ? PosSide.long : PosSide.short;
}

export function changedDraft(instrument: Instrument, order: StrategyOrder, command: AmendStrategy): Draft {
  const { kind, side, posSide } = order;
  const byAmount = order.quoteAmount > 0n;
  return {
    kind,
    side,
    posSide,
    sizeLots:
      kind === StrategyKind.full || byAmount || command.sizeLots === 0 ? order.sizeLots : command.sizeLots,
    quoteAmount: byAmount && command.quoteAmount !== 0n ? command.quoteAmount : order.quoteAmount,
    takeProfit: normalisedLeg(instrument, changedProtection(order.takeProfit, command.takeProfit)),
    stopLoss: normalisedLeg(instrument, changedProtection(order.stopLoss, command.stopLoss)),
    trigger: isTpsl(kind)
      ? order.trigger
      : normalisedLeg(instrument, changedLeg(order.trigger, command.trigger)),
    callbackPpm:
      kind !== StrategyKind.trailing || command.callbackPpm === 0 ? order.callbackPpm : command.callbackPpm,
  };
}

export function isSameDraft(order: StrategyOrder, draft: Draft): boolean {
  return (
    order.sizeLots === draft.sizeLots &&
    order.quoteAmount === draft.quoteAmount &&
    order.callbackPpm === draft.callbackPpm &&
    sameLeg(order.takeProfit, draft.takeProfit) &&
    sameLeg(order.stopLoss, draft.stopLoss) &&
    sameLeg(order.trigger, draft.trigger)
  );
}

export function writeDraft(order: StrategyOrder, draft: Draft): void {
  order.sizeLots = draft.sizeLots;
  order.quoteAmount = draft.quoteAmount;
  order.takeProfit = draft.takeProfit;
  order.stopLoss = draft.stopLoss;
  order.trigger = draft.trigger;
  order.callbackPpm = draft.callbackPpm;
}
