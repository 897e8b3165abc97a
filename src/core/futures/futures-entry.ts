/**
 * The checks of a new futures order beyond those of every order (rules 1.2 numbers 12 to 16, 1.10, 1.11, 5.6): which
 * position it opens or closes, whether the account has the margin, and what it reserves.
 */

import { FLAG_CLOSING, FLAG_ISOLATED, FLAG_LONG, FLAG_SHORT } from '../book/order-slab.ts';
import { owesBeyondMeans } from '../margin/bad-debt.ts';
import { futuresSetting, type Intent, positionOf } from '../margin/margin.ts';
import type { PlaceOrder, Undated } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { type CancelReason, HoldMode, OrderType, PosSide, Side } from '../model/enums.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { cancelSlot } from '../orders/cancel.ts';
import type { OrderContext } from '../orders/order-context.ts';
import { posSideOf } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
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

/** How an accepted order is placed: its size may be cut, older closing orders may be cancelled. */
export interface FuturesPlan {
  readonly flags: number;
  readonly lots: number;
  /** Margin that an isolated order holds, in the settlement coin. */
  readonly isolatedHold: bigint;
  /** Older closing orders to cancel, oldest first. */
  readonly cancels: readonly number[];
}

/** Results of earlier steps. */
interface Findings {
  /** A fired take-profit or stop-loss displaces other closing orders (rules 3.5). */
  readonly precedence?: boolean;
  /** Rejection of its take-profit and stop-loss: number 14 of the checks. */
  readonly attached?: CommandResult | undefined;
}

export function planFuturesOrder(
  context: OrderContext,
  command: Undated<PlaceOrder>,
  findings: Findings = {},
): FuturesPlan | CommandResult {
  const { account, instrument } = context;
  const hedge = account.holdMode === HoldMode.hedge;
  const posSide = hedge ? (command.posSide ?? PosSide.none) : PosSide.none;
  const { isolated } = futuresSetting(account, instrument);
  const sideFlag = posSide === PosSide.long ? FLAG_LONG : posSide === PosSide.short ? FLAG_SHORT : 0;
  const flags = sideFlag | (isolated ? FLAG_ISOLATED : 0);
  const buying = command.side === Side.buy;
  const closing = hedge ? buying !== (posSide === PosSide.long) : (command.reduceOnly ?? false);
  return closing
    ? planClosing(context, command, flags | FLAG_CLOSING, findings)
    : planOpening(context, command, flags, findings);
}

function planClosing(
  { state, account, instrument }: OrderContext,
  command: Undated<PlaceOrder>,
  flags: number,
  { precedence = false, attached }: Findings,
): FuturesPlan | CommandResult {
  const posSide = posSideOf(flags);
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
      isolatedHold: 0n,
      ...plan,
    }
  );
}

function planOpening(
  { state, account, instrument, market }: OrderContext,
  command: Undated<PlaceOrder>,
  flags: number,
  { attached }: Findings,
): FuturesPlan | CommandResult {
  const priceTicks = reservePrice(instrument, market, command);
  const intent: Intent = { instrument, side: command.side, priceTicks, lots: command.sizeLots };
  const posSide = posSideOf(flags);
  const isolated = (flags & FLAG_ISOLATED) !== 0;
  const isolatedHold = isolated
    ? isolatedReserve(account, { ...intent, priceTicks: worstFillPrice(market, intent) })
    : 0n;
  if (owesBeyondMeans(state, account)) return rejected(RejectReason.insufficientMargin);
  return (
    checkTier(state, account, intent) ??
    checkPositionCount(state, account, instrument, posSide) ??
    attached ??
    (isolated
      ? (checkIsolated(state, account, instrument, isolatedHold) ??
        checkIsolatedRisk(state, account, intent, posSide))
      : checkCrossed(state, account, intent)) ??
    checkLimit(state, account, intent, command, posSide) ?? {
      flags,
      lots: command.sizeLots,
      cancels: [],
      isolatedHold,
    }
  );
}

/** Number 16, limit orders only: matching stops a market order at the bankruptcy price. */
function checkLimit(
  state: State,
  account: Account,
  intent: Intent,
  { orderType }: Undated<PlaceOrder>,
  posSide: PosSide,
): CommandResult | undefined {
  return orderType === OrderType.market ? undefined : checkBankruptcy(state, account, intent, posSide);
}

/** Cancels the displaced orders of a plan before the order is matched. */
export function cancelDisplaced(state: State, plan: FuturesPlan, reason: CancelReason): void {
  for (const slot of plan.cancels) cancelSlot(state, slot, reason);
}
