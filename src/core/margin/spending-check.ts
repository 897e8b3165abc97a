/**
 * What spot and margin orders may spend (rules 6.5, 6.6). A spot order spends cash only; a margin order may borrow the
 * rest, as far as pool, limits and margin allow. Neither may use margin that positions and debts need.
 */

import { NIL } from '../book/order-slab.ts';
import { type Amount, numberOf, sumOf } from '../model/amount.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { Side } from '../model/enums.ts';
import { baseUnits, type Instrument, tradeValue } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { ceilValue } from '../model/safe-integers.ts';
import { larger } from '../model/units.ts';
import { priceBand, referenceTicks } from '../orders/order-checks.ts';
import { heldCoin, holdOf, isMargin } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { owesBeyondMeans } from './bad-debt.ts';
import { hasUnreliablePrice } from './collateral.ts';
import { lendable, type OrderRequirements, openOrderRequirements } from './debts.ts';
import { computeRisk, hasObligations, hasReachedRatio, type Risk } from './margin.ts';
import { currentMargin } from './margin-cache.ts';
import { hasAnyUnreliableIndex, TentativeAccount } from './tentative-account.ts';

/** A new or amended order: `slot` is the resting order that it replaces. */
export interface Spending {
  readonly instrument: Instrument;
  readonly side: Side;
  /** 0 on market orders. */
  readonly limitTicks: number;
  /** Amount of the coin it pays. */
  readonly need: Amount;
  readonly slot: number;
}

type Order = Omit<Spending, 'need'>;

/** More than all roundings of one order's claims together, in 10^-8. */
const ROUNDINGS = 16;

/** Levels of the book that a market order is followed through. */
const LEVELS_WALKED_MAX = 256;

/** Rejection with the available amount when the order cannot be paid; undefined when it can. */
export function checkSpending(
  state: State,
  account: Account,
  instrument: Instrument,
  side: Side,
  limitTicks: number,
  need: Amount,
  slot: number,
): CommandResult | undefined {
  if (isPaidPlainly(state, account, instrument, side, need, slot)) return undefined;
  const spending = { instrument, side, limitTicks, need, slot };
  const rejectReason = rejectReasonOf(state, account, spending);
  if (rejectReason === RejectReason.none) return undefined;
  if (rejectReason !== RejectReason.insufficientBalance) return { ...rejected(rejectReason), available: 0n };
  const coin = heldCoin(spending.instrument, spending.side);
  const available = maxSpendable(state, account, spending) - BigInt(heldBy(state, instrument, slot));
  return { ...rejected(rejectReason), available: larger(0n, available), coin };
}

/** The largest amount that an order could pay now. */
export function maxSpendable(state: State, account: Account, order: Order): bigint {
  const coin = heldCoin(order.instrument, order.side);
  const own = BigInt(ownMoney(state, account, coin, order.instrument, order.slot));
  const known = knownOf(state, account, order);
  const passes = (need: bigint) =>
    rejectReasonOf(state, account, { ...order, need }, known) === RejectReason.none;
  let low = 0n;
  let high = own + (order.instrument.margin === undefined ? 0n : known.lent);
  if (high === 0n || passes(high)) return high;
  // The minimum loan may exceed the whole lendable amount: then the account's own money is the maximum.
  if (passes(own)) low = own;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (passes(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Values without the order, computed once for all sizes that `maxSpendable` tries. */
interface Known {
  readonly claims: OrderRequirements;
  readonly before: Risk;
  readonly lent: bigint;
}

function knownOf(state: State, account: Account, { instrument, side, slot }: Order): Known {
  const claims = openOrderRequirements(state, account, slot);
  return {
    claims,
    before: computeRisk(state, account, undefined, slot, undefined, claims),
    lent: lendable(state, account, heldCoin(instrument, side), slot),
  };
}

/** Is there the money, and are there no obligations that it could be needed for? As for most orders. */
function isPaidPlainly(
  state: State,
  account: Account,
  instrument: Instrument,
  side: Side,
  need: Amount,
  slot: number,
): boolean {
  const coin = heldCoin(instrument, side);
  if (need > ownMoney(state, account, coin, instrument, slot)) return false;
  return !hasObligations(state, account) || hasPlenty(state, account, coin, need);
}

function rejectReasonOf(state: State, account: Account, spending: Spending, present?: Known): RejectReason {
  const { instrument, side, slot } = spending;
  if (isPaidPlainly(state, account, instrument, side, spending.need, slot)) return RejectReason.none;
  const coin = heldCoin(instrument, side);
  const own = ownMoney(state, account, coin, instrument, slot);
  const borrows = spending.need > own;
  const need = BigInt(spending.need);
  const borrowed = borrows ? need - BigInt(own) : 0n;
  let known = present;
  if (borrows) {
    if (instrument.margin === undefined) return RejectReason.insufficientBalance;
    if (owesBeyondMeans(state, account)) return RejectReason.insufficientMargin;
    if (lendsAtOldPrice(state, account, coin)) return RejectReason.noCoinPrice;
    known ??= knownOf(state, account, spending);
    const rejectReason = borrowingRejectReason(instrument.margin, borrowed, known);
    if (rejectReason !== RejectReason.none) return rejectReason;
  }
  const hold = need - borrowed - BigInt(heldBy(state, instrument, slot));
  const priceTicks = spending.limitTicks || worstTicks(state, spending);
  const intent = { instrument, side, priceTicks, need, borrowed, hold };
  const after = computeRisk(state, account, undefined, slot, intent, known?.claims);
  if (after.effective >= after.initial) return RejectReason.none;
  // An account without free margin may still trade when the order needs none.
  const before = known?.before ?? computeRisk(state, account, undefined, slot);
  return after.initial <= before.initial ? RejectReason.none : RejectReason.insufficientBalance;
}

/** Is the coin, or the collateral of the loan, valued at an unreliable price (rules 13.6 (d))? */
function lendsAtOldPrice(state: State, account: Account, coin: number): boolean {
  if (!state.rules.livePrices || !hasAnyUnreliableIndex(state)) return false;
  return hasUnreliablePrice(state, coin) || new TentativeAccount(account).awaitsPrice(state);
}

/**
 * Would margin be left if everything the order pays were lost, and borrowed again for margin orders that the cash would
 * have paid? Then the exact computation is not needed, as for most orders. True only where the rule accepts: whether
 * cached values are estimates depends on earlier reads, which must not decide about an order.
 */
function hasPlenty(state: State, account: Account, coin: number, need: Amount): boolean {
  const { effective, initial } = currentMargin(state, account);
  const lost = ceilValue(numberOf(need), state.coinPriceNumbers[coin] ?? Number.NaN);
  return effective - initial >= 2 * lost + ROUNDINGS;
}

/** The worst price of a market order against the present book; beyond many levels the limit of the band (rules 1.9). */
function worstTicks(state: State, { instrument, side, need }: Spending): number {
  const market = state.market(instrument);
  const { maxBuyTicks, minSellTicks } = priceBand(instrument, market);
  const buying = side === Side.buy;
  let worst = referenceTicks(instrument, market);
  let left = BigInt(need);
  let levels = 0;
  market.book.eachLevel(buying ? Side.sell : Side.buy, (priceTicks, lots) => {
    if (buying ? priceTicks > maxBuyTicks : priceTicks < minSellTicks) return false;
    if (lots > 0) worst = priceTicks;
    left -= buying ? tradeValue(instrument, priceTicks, lots) : baseUnits(instrument, lots);
    return left > 0n && ++levels < LEVELS_WALKED_MAX;
  });
  return levels < LEVELS_WALKED_MAX ? worst : buying ? maxBuyTicks : minSellTicks;
}

/** Checks in this order: state of the account, lendable amount, minimum loan (rules 6.4, 6.5). */
function borrowingRejectReason(
  { warningRatio, minBorrow }: NonNullable<Instrument['margin']>,
  borrowed: bigint,
  { before, lent }: Known,
): RejectReason {
  if (before.effective < before.initial) return RejectReason.insufficientMargin;
  if (hasReachedRatio(before, warningRatio)) return RejectReason.riskTooHigh;
  return borrowed > lent || borrowed < minBorrow ? RejectReason.insufficientBalance : RejectReason.none;
}

/** Cash, with the amount that the replaced order releases. */
function ownMoney(
  state: State,
  account: Account,
  coin: number,
  instrument: Instrument,
  slot: number,
): Amount {
  const cash = state.ledger.amountOf(account.index, coin, Bucket.cash);
  return sumOf(cash < 0 ? 0 : cash, heldBy(state, instrument, slot));
}

function heldBy(state: State, instrument: Instrument, slot: number): Amount {
  if (slot === NIL) return 0;
  const held = isMargin(state, slot) ? state.slab.marginHolds.get(slot)?.held : undefined;
  return held ?? holdOf(state, instrument, slot);
}
