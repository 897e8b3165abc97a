/** Checks of a strategy order when it is placed or amended (rules 3.1 to 3.3); its child order is checked when it fires. */

import { type CommandResult, rejected } from '../model/command-result.ts';
import { HoldMode, OrderType, PosSide, Side, StrategyKind } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { CALLBACK_PPM_MAX, CALLBACK_PPM_MIN } from '../model/limits.ts';
import type { Position } from '../model/position.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { hasLeg, isEmpty, type Preset } from '../model/tpsl.ts';
import { checkPrice, checkQuoteAmount, checkSize } from '../orders/order-checks.ts';
import type { Account } from '../state/account.ts';
import type { Market } from '../state/market.ts';
import type { StrategyOrder } from '../state/strategy-order.ts';
import type { Draft } from './strategy-draft.ts';
import { isTpsl } from './strategy-lifecycle.ts';
import { protectedPosition } from './strategy-lookup.ts';
import { checkPreset, checkTicks, triggerReference } from './tpsl-checks.ts';

/** `self` is the strategy order that is amended; it does not count against its own limits. */
export function checkDraft(
  account: Account,
  instrument: Instrument,
  market: Market,
  draft: Draft,
  self: StrategyOrder | undefined,
): CommandResult | undefined {
  if (isTpsl(draft.kind)) return checkTpsl(account, instrument, market, draft, self);
  return checkPlan(account, instrument, market, draft);
}

function checkTpsl(
  account: Account,
  instrument: Instrument,
  market: Market,
  draft: Draft,
  self: StrategyOrder | undefined,
): CommandResult | undefined {
  if (isEmpty(draft)) return rejected(RejectReason.triggerMissing);
  const long = draft.side === Side.sell;
  if (instrument.futures === undefined) {
    if (draft.kind === StrategyKind.full) return rejected(RejectReason.tpslNotSupported);
    return (
      checkSize(instrument, draft.sizeLots, instrument.maxLots) ??
      checkPreset(draft, { instrument, market, long })
    );
  }
  const position = protectedPosition(account, instrument.index, draft.posSide);
  if (position === undefined) return rejected(RejectReason.noPositionToProtect);
  // An attached one is compared with the market only: the position's average entry is not that of its order.
  const entry = draft.kind === StrategyKind.attached ? {} : { position };
  const size =
    draft.kind === StrategyKind.full
      ? checkOnlyFull(account, instrument, draft, self)
      : (checkSize(instrument, draft.sizeLots, 0) ?? checkSum(account, instrument, draft, position, self));
  return size ?? checkPreset(draft, { instrument, market, long, ...entry });
}

function checkOnlyFull(
  account: Account,
  instrument: Instrument,
  { posSide }: Draft,
  self: StrategyOrder | undefined,
): CommandResult | undefined {
  for (const other of account.strategies.values()) {
    if (other === self || other.kind !== StrategyKind.full) continue;
    if (other.instrument === instrument.index && other.posSide === posSide)
      return rejected(RejectReason.fullTpslExists);
  }
  return undefined;
}

/**
 * Partial orders of one position close no more than its size, take-profits and stop-losses summed separately: clients
 * set them as two strategy orders, of which one is cancelled when the other has closed the position.
 */
function checkSum(
  account: Account,
  instrument: Instrument,
  draft: Draft,
  position: Position,
  self: StrategyOrder | undefined,
): CommandResult | undefined {
  let profits = 0;
  let losses = 0;
  for (const other of account.strategies.values()) {
    if (other === self || other.kind !== StrategyKind.partial) continue;
    if (other.instrument !== instrument.index || other.posSide !== draft.posSide) continue;
    if (hasLeg(other.takeProfit)) profits += other.sizeLots;
    if (hasLeg(other.stopLoss)) losses += other.sizeLots;
  }
  const taken = Math.max(hasLeg(draft.takeProfit) ? profits : 0, hasLeg(draft.stopLoss) ? losses : 0);
  const free = Math.max(0, position.lots - taken);
  return draft.sizeLots <= free ? undefined : rejected(RejectReason.partialTpslAbovePosition, free);
}

/** Trigger and trailing orders: margin, band and status are checked when they fire. */
function checkPlan(
  account: Account,
  instrument: Instrument,
  market: Market,
  draft: Draft,
): CommandResult | undefined {
  const { trigger, posSide, kind } = draft;
  const hedge = instrument.futures !== undefined && account.holdMode === HoldMode.hedge;
  if (hedge && posSide === PosSide.none) return rejected(RejectReason.positionSideNeeded);
  const trailing = kind === StrategyKind.trailing;
  if (!trailing && !hasLeg(trigger)) return rejected(RejectReason.triggerMissing);
  if (trailing && (draft.callbackPpm < CALLBACK_PPM_MIN || draft.callbackPpm > CALLBACK_PPM_MAX))
    return rejected(RejectReason.callbackOutOfRange);
  if (trailing && trigger.orderType !== OrderType.market) return rejected(RejectReason.illegalCombination);
  const price =
    (hasLeg(trigger)
      ? checkTicks(
          instrument,
          trigger.triggerTicks,
          RejectReason.triggerPriceOutOfRange,
          RejectReason.triggerPriceOffTick,
        )
      : undefined) ??
    (trigger.orderType === OrderType.limit ? checkPrice(instrument, trigger.limitTicks) : undefined);
  return price ?? checkPlanSize(instrument, draft) ?? checkPlanPreset(account, instrument, market, draft);
}

/** A spot market buy spends quote money, as without a trigger. */
function checkPlanSize(instrument: Instrument, draft: Draft): CommandResult | undefined {
  const market = draft.trigger.orderType === OrderType.market;
  if (market && draft.side === Side.buy && instrument.futures === undefined) {
    if (draft.sizeLots !== 0) return rejected(RejectReason.illegalCombination);
    return checkQuoteAmount(instrument, draft.quoteAmount);
  }
  if (draft.quoteAmount !== 0n) return rejected(RejectReason.illegalCombination);
  return checkSize(instrument, draft.sizeLots, market ? instrument.maxMarketLots : instrument.maxLots);
}

/** The preset for its fills is compared with the expected fill price. */
function checkPlanPreset(
  account: Account,
  instrument: Instrument,
  market: Market,
  draft: Draft,
): CommandResult | undefined {
  const preset: Preset = draft;
  if (isEmpty(preset)) return undefined;
  const { trigger, side, posSide } = draft;
  const long = side === Side.buy;
  const closing =
    account.holdMode === HoldMode.hedge && instrument.futures !== undefined
      ? long !== (posSide === PosSide.long)
      : false;
  if (closing) return rejected(RejectReason.presetNotOpening);
  const expectedTicks =
    trigger.limitTicks || trigger.triggerTicks || triggerReference(instrument, market, trigger.triggerBy);
  return checkPreset(preset, { instrument, market, long, expectedTicks });
}
