/**
 * What placing a futures order needs beyond the checks all orders share (rules 1.2 numbers 12 to 16, 1.10, 1.11,
 * 5.6): which position it opens or closes, whether the account can carry it, and what it reserves.
 */

import { FLAG_CLOSING, FLAG_ISOLATED, FLAG_LONG, FLAG_SHORT } from '../book/order-slab.ts';
import { futuresSetting, type Intent, positionOf } from '../margin/margin.ts';
import type { PlaceOrder } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { type CancelReason, HoldMode, OrderType, PosSide, Side } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { cancelSlot } from '../orders/cancel.ts';
import { posSideOf } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { Market, State } from '../state/state.ts';
import {
  checkBankruptcy,
  checkCrossed,
  checkIsolated,
  checkIsolatedRisk,
  checkPositionCount,
  checkTier,
  isolatedReserve,
  reservePrice,
  worstFillPrice,
} from './opening-checks.ts';
import { closingOrders, hedgeClosePlan, reduceOnlyPlan } from './reduce-only-orders.ts';

/** What becomes of an order that passed: its size may shrink, older closing orders may have to go. */
export interface FuturesPlan {
  readonly flags: number;
  readonly lots: number;
  /** Margin that an isolated order holds, in the settlement coin. */
  readonly isolatedLock: bigint;
  /** Older closing orders that make room, oldest first. */
  readonly cancels: readonly number[];
}

/** What was found out about an order before. */
interface Findings {
  /** A take-profit or stop-loss that has fired pushes other closing orders out of its way (rules 3.5). */
  readonly precedence?: boolean;
  /** What is wrong with the take-profit and stop-loss that it carries: number 14 of the checks. */
  readonly attached?: CommandResult | undefined;
}

export function planFuturesOrder(
  state: State,
  account: Account,
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
  findings: Findings = {},
): FuturesPlan | CommandResult {
  const hedge = account.holdMode === HoldMode.hedge;
  const posSide = hedge ? (command.posSide ?? PosSide.none) : PosSide.none;
  const { isolated } = futuresSetting(account, instrument);
  const sideFlag = posSide === PosSide.long ? FLAG_LONG : posSide === PosSide.short ? FLAG_SHORT : 0;
  const flags = sideFlag | (isolated ? FLAG_ISOLATED : 0);
  const buying = command.side === Side.buy;
  const closing = hedge ? buying !== (posSide === PosSide.long) : (command.reduceOnly ?? false);
  if (closing)
    return planClosing(state, account, instrument, command, posSide, flags | FLAG_CLOSING, findings);
  return planOpening(state, account, instrument, market, command, flags, isolated, findings);
}

function planClosing(
  state: State,
  account: Account,
  instrument: Instrument,
  command: PlaceOrder,
  posSide: PosSide,
  flags: number,
  { precedence = false, attached }: Findings,
): FuturesPlan | CommandResult {
  const position = positionOf(account, instrument.index, posSide);
  if (position === undefined) return rejected(RejectReason.noPositionToClose);
  if (position.long !== (command.side === Side.sell)) return rejected(RejectReason.closesWrongWay);
  const older = closingOrders(state, account, instrument.index, posSide);
  const frozen = older.reduce((sum, slot) => sum + state.slab.remaining[slot]!, 0);
  const plan =
    posSide === PosSide.none || precedence
      ? reduceOnlyPlan(state, position, older, frozen, command.sizeLots)
      : hedgeClosePlan(state, position, older, frozen, command);
  if ('rejectReason' in plan) return plan;
  const { side, priceTicks, sizeLots: lots } = command;
  return (
    attached ??
    checkLimit(state, account, { instrument, side, priceTicks, lots }, command, posSide) ?? {
      flags,
      isolatedLock: 0n,
      ...plan,
    }
  );
}

function planOpening(
  state: State,
  account: Account,
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
  flags: number,
  isolated: boolean,
  { attached }: Findings,
): FuturesPlan | CommandResult {
  const priceTicks = reservePrice(instrument, market, command);
  const intent: Intent = { instrument, side: command.side, priceTicks, lots: command.sizeLots };
  const posSide = posSideOf(flags);
  const isolatedLock = isolated
    ? isolatedReserve(account, { ...intent, priceTicks: worstFillPrice(market, intent) })
    : 0n;
  return (
    checkTier(state, account, intent) ??
    checkPositionCount(state, account, instrument, posSide) ??
    attached ??
    (isolated
      ? (checkIsolated(state, account, instrument, isolatedLock) ??
        checkIsolatedRisk(state, account, intent, posSide))
      : checkCrossed(state, account, intent)) ??
    checkLimit(state, account, intent, command, posSide) ?? {
      flags,
      lots: command.sizeLots,
      cancels: [],
      isolatedLock,
    }
  );
}

/** Number 16: a market order stops at the bankruptcy price by itself. */
function checkLimit(
  state: State,
  account: Account,
  intent: Intent,
  { orderType }: PlaceOrder,
  posSide: PosSide,
): CommandResult | undefined {
  return orderType === OrderType.market ? undefined : checkBankruptcy(state, account, intent, posSide);
}

/** Carries out what the plan decided before the order is matched. */
export function cancelDisplaced(state: State, plan: FuturesPlan, reason: CancelReason): void {
  for (const slot of plan.cancels) cancelSlot(state, slot, reason);
}
