/** Modifying futures orders (rules 1.12 items 4 to 6): margin is checked without the old order. */

import { FLAG_CLOSING, FLAG_ISOLATED } from '../book/order-slab.ts';
import { type Intent, positionOf } from '../margin/margin.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { PosSide, type Side } from '../model/enums.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { RejectReason } from '../model/reject-reason.ts';
import type { OrderContext } from '../orders/order-context.ts';
import { posSideOf } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { Market } from '../state/market.ts';
import {
  checkBankruptcy,
  checkCrossed,
  checkIsolated,
  checkIsolatedRisk,
  checkTier,
  isolatedReserve,
  worstFillPrice,
} from './opening-checks.ts';
import { closingOrders } from './reduce-only-orders.ts';

export function checkFuturesAmend(
  context: OrderContext,
  slot: number,
  priceTicks: number,
  lots: number,
): CommandResult | undefined {
  const { state, account, instrument } = context;
  const { slab } = state;
  const flags = slab.flags[slot]!;
  const posSide = posSideOf(flags);
  const side = slab.side[slot] as Side;
  const intent: Intent = { instrument, side, priceTicks, lots };
  if ((flags & FLAG_CLOSING) !== 0) {
    return checkClosing(context, slot, lots) ?? checkBankruptcy(state, account, intent, posSide);
  }
  return (
    checkTier(state, account, intent, slot) ??
    ((flags & FLAG_ISOLATED) === 0
      ? checkCrossed(state, account, intent, slot)
      : checkIsolatedChange(context, slot, intent)) ??
    checkBankruptcy(state, account, intent, posSide)
  );
}

/** The account must have the margin that the new order needs beyond the old one. */
function checkIsolatedChange(
  { state, account, market }: OrderContext,
  slot: number,
  intent: Intent,
): CommandResult | undefined {
  const { flags, isolatedHolds } = state.slab;
  const more = reserveOf(account, market, intent) - (isolatedHolds.get(slot) ?? 0n);
  const short = more > 0n ? checkIsolated(state, account, intent.instrument, more) : undefined;
  return short ?? checkIsolatedRisk(state, account, intent, posSideOf(flags[slot]!));
}

/** Reduce-only orders cannot be amended; closing orders of hedge mode may grow up to the free part of the position. */
function checkClosing(
  { state, account, instrument }: OrderContext,
  slot: number,
  lots: number,
): CommandResult | undefined {
  const posSide = posSideOf(state.slab.flags[slot]!);
  if (posSide === PosSide.none) return rejected(RejectReason.notAmendable);
  let free = positionOf(account, instrument.index, posSide)?.lots ?? 0;
  for (const other of closingOrders(state, account, instrument.index, posSide))
    if (other !== slot) free -= state.slab.remaining[other]!;
  return lots > free ? rejected(RejectReason.closeAboveAvailable, free) : undefined;
}

/** Sets the margin that an isolated order holds to that of its new price and size; the difference returns at once. */
export function changeIsolatedHold(
  context: OrderContext,
  slot: number,
  priceTicks: number,
  lots: number,
): void {
  const { account, instrument, market } = context;
  const { slab } = context.state;
  if ((slab.flags[slot]! & FLAG_ISOLATED) === 0 || (slab.flags[slot]! & FLAG_CLOSING) !== 0) return;
  const intent: Intent = { instrument, side: slab.side[slot] as Side, priceTicks, lots };
  holdForOrder(context, slot, reserveOf(account, market, intent));
}

/** Sets the margin that an isolated order holds. */
export function holdForOrder(
  { state, account, instrument }: Omit<OrderContext, 'market'>,
  slot: number,
  amount: bigint,
): void {
  const { ledger, slab } = state;
  const coin = instrument.futures!.settle;
  const cash = ledger.cell(account.index, coin, Bucket.cash);
  const orders = ledger.cell(account.index, coin, Bucket.isolatedOrders);
  const more = amount - (slab.isolatedHolds.get(slot) ?? 0n);
  if (more > 0n) ledger.move(cash, orders, more);
  else ledger.move(orders, cash, -more);
  slab.isolatedHolds.set(slot, amount);
  // Held margin no longer backs crossed positions.
  state.markDirty(account);
}

function reserveOf(account: Account, market: Market, intent: Intent): bigint {
  return intent.lots === 0
    ? 0n
    : isolatedReserve(account, { ...intent, priceTicks: worstFillPrice(market, intent) });
}
