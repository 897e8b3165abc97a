/**
 * Closing what can no longer be carried (domain.md 5.8, 5.9): isolated positions one by one, crossed accounts as a
 * whole, in steps that touch as little as possible. Losses beyond bankruptcy are paid by the insurance fund as far as
 * it goes, the rest is taken from the other side (`deleveraging.ts`). Nothing is ever created or lost on the way.
 */
import type { Account } from '../account.ts';
import { MatchEnd } from '../book/book.ts';
import { FLAG_CLOSING, NIL } from '../book/order-slab.ts';
import { convertByForce, hasStaleCoin, isConvertible, paysForDebts } from '../borrowing/conversion.ts';
import { isInDebt, liquidationRatio } from '../borrowing/debts.ts';
import { baseUnits, type Instrument, tradeValue } from '../instrument.ts';
import { Bucket, SystemAccount } from '../ledger.ts';
import { cancelWhere } from '../orders/cancel.ts';
import { bandOf } from '../orders/order-checks.ts';
import { lockedCoin, posSideOf } from '../orders/order-life.ts';
import type { State } from '../state.ts';
import { cancelStrategies } from '../strategy/strategy-life.ts';
import { CancelReason, OrderKind, PosSide, type Side, StrategyReason, Wallet } from '../terms.ts';
import { assert, compare, divCeil, divFloor, larger, MONEY_ONE, RATE_ONE, smaller } from '../units.ts';
import { emitLine } from '../wallet/wallet.ts';
import { bankruptcyTicks, forcedFeeRate, marginBehind } from './bankruptcy.ts';
import { coinUsd } from './collateral.ts';
import { deleverage } from './deleveraging.ts';
import { endForcedOrder, forcedOrder } from './forced-orders.ts';
import type { FuturesSettlement } from './futures-settlement.ts';
import { fundBalance } from './insurance-fund.ts';
import { addByItself } from './isolated-margin.ts';
import { isAbove, isolatedInQuote, maintenanceAt, markTicks, positionOf, unrealisedOf } from './margin.ts';
import { accountRisk, currentMargin, isolatedSlackNumber } from './margin-cache.ts';
import { tierIndex } from './margin-tiers.ts';
import type { Position } from './position.ts';

/** Is the position's own margin used up? iso + U <= MM + closing fee. */
export function isolatedIsDue(state: State, position: Position): boolean {
  const slack = isolatedSlackNumber(state, position);
  return Number.isNaN(slack) ? isolatedSlack(state, position) <= 0n : slack <= 0;
}

/** What an isolated position has above what it must keep, in the quote coin at the mark. */
export function isolatedSlack(state: State, position: Position): bigint {
  const instrument = state.instruments[position.instrument]!;
  const kept = maintenanceAt(instrument, markTicks(state, instrument), position.lots);
  return isolatedInQuote(state, position) + unrealisedOf(state, position) - kept;
}

/** Does the account owe more margin than it is worth? */
export function crossedIsDue(state: State, account: Account): boolean {
  const margin = currentMargin(state, account);
  const ratio = liquidationRatio(state, account);
  // NaN is not above anything: the exact figures decide then.
  if (ratio === RATE_ONE && margin.effective > margin.maintenance) return false;
  return isAbove(accountRisk(state, account), ratio);
}

/** Can anything be done about an account as a whole: positions closed, orders cancelled, coins sold for debts? */
export function isActionable(state: State, account: Account): boolean {
  if (hasLiveCrossed(state, account)) return true;
  if (!isInDebt(state, account) || hasStaleCoin(state, account)) return false;
  return hasOrderToCancel(state, account) || isConvertible(state, account);
}

/**
 * Does an order take margin, or hold what could pay for debts? One that sells a coin which counts for nothing does
 * neither and may stay: what it brings in is the only way such a debt is ever paid.
 */
function hasOrderToCancel(state: State, account: Account): boolean {
  const { slab } = state;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    const instrument = state.instruments[slab.instrument[slot]!]!;
    if (instrument.futures !== undefined) {
      if ((slab.flags[slot]! & FLAG_CLOSING) === 0) return true;
    } else if (
      (slab.marginLocks.get(slot)?.borrowed ?? 0n) > 0n ||
      paysForDebts(state, lockedCoin(instrument, slab.side[slot] as Side))
    )
      return true;
  }
  return false;
}

/** A price that nobody vouches for closes no position. */
export function hasStaleIndex(state: State, position: Position): boolean {
  return state.market(state.instruments[position.instrument]!).futures?.index.stale === true;
}

/** Does the account hold a crossed position that could be closed at a price somebody vouches for? */
export function hasLiveCrossed(state: State, account: Account): boolean {
  for (const position of account.positions.values())
    if (!position.isolated && !hasStaleIndex(state, position)) return true;
  return false;
}

/** Is there anything to liquidate? */
export function isDue(state: State, account: Account): boolean {
  for (const position of currentMargin(state, account).isolated) {
    if (!hasStaleIndex(state, position) && isolatedIsDue(state, position)) return true;
  }
  return crossedIsDue(state, account) && isActionable(state, account);
}

/** Tests an account and liquidates what is due; true when it did anything. */
export function liquidateIfDue(state: State, settlement: FuturesSettlement, account: Account): boolean {
  if (!account.mayOwe || account.liquidating || !isDue(state, account)) return false;
  let acted = false;
  for (const position of positionsInOrder(state, account)) {
    if (!position.isolated || position.size === 0 || hasStaleIndex(state, position)) continue;
    if (!isolatedIsDue(state, position)) continue;
    liquidateIsolated(state, settlement, account, position);
    acted = true;
  }
  if (isActionable(state, account) && crossedIsDue(state, account)) {
    liquidateCrossed(state, settlement, account);
    acted = true;
  }
  return acted;
}

/** Largest maintenance margin in dollars first, then the name of the symbol. */
function positionsInOrder(state: State, account: Account): Position[] {
  const weight = (position: Position): bigint => {
    const instrument = state.instruments[position.instrument]!;
    const kept = maintenanceAt(instrument, markTicks(state, instrument), position.lots);
    return divFloor(kept * coinUsd(state, instrument.quote), MONEY_ONE);
  };
  return [...account.positions.values()]
    .map((position) => ({
      position,
      weight: weight(position),
      symbol: state.instruments[position.instrument]!.symbol,
    }))
    .sort((a, b) => compare(b.weight, a.weight) || (a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : 0))
    .map(({ position }) => position);
}

/** Crossed positions that can be closed now. */
function crossedInOrder(state: State, account: Account): Position[] {
  return positionsInOrder(state, account).filter(
    (position) => !position.isolated && !hasStaleIndex(state, position),
  );
}

function liquidateIsolated(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  position: Position,
): void {
  cancelWhere(
    state,
    account,
    CancelReason.burst,
    (instrument, slot) =>
      instrument === position.instrument && posSideOf(state.slab.flags[slot]!) === position.posSide,
  );
  const isDue = (each: Position) => isolatedIsDue(state, each);
  addByItself(state, account, position, isDue);
  if (!isDue(position)) return;
  forceClose(state, settlement, account, position, position.lots, OrderKind.liquidation);
}

function liquidateCrossed(state: State, settlement: FuturesSettlement, account: Account): void {
  account.liquidating = true;
  const healthy = () => !crossedIsDue(state, account);
  cancelWhere(state, account, CancelReason.burst, () => true);
  cancelStrategies(state, account, StrategyReason.liquidation);
  if (!healthy()) netHedgedPairs(state, settlement, account);
  if (!healthy()) convertByForce(state, account, healthy);
  while (!healthy() && reduceByTiers(state, settlement, account));
  while (!healthy()) {
    const [position] = crossedInOrder(state, account);
    if (position === undefined) break;
    forceClose(state, settlement, account, position, position.lots, OrderKind.liquidation);
  }
  if (!healthy()) convertByForce(state, account, healthy);
  coverDebts(state, account);
  assert(account.firstOrder === NIL, 'I36: an account in liquidation has orders');
  account.liquidating = false;
}

/** Closes all positions of an account that need not be due, as a liquidation would in the worst case. */
export function liquidateWholly(state: State, settlement: FuturesSettlement, account: Account): void {
  account.liquidating = true;
  cancelWhere(state, account, CancelReason.burst, () => true);
  cancelStrategies(state, account, StrategyReason.liquidation);
  // Stale or not: a hedged pair takes no part in deleveraging, so nobody need be there for its two sides.
  netHedgedPairs(state, settlement, account, () => true);
  for (const position of positionsInOrder(state, account)) {
    // It may have been deleveraged for one before it.
    if (position.lots === 0) continue;
    forceClose(state, settlement, account, position, position.lots, OrderKind.liquidation);
  }
  coverDebts(state, account);
  account.liquidating = false;
}

/** Both sides of a hedged pair close against each other at the mark: no market impact, no fee. */
function netHedgedPairs(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  mayClose: (position: Position) => boolean = (position) => !hasStaleIndex(state, position),
): void {
  for (const position of [...account.positions.values()]) {
    if (position.posSide !== PosSide.long || position.isolated || !mayClose(position)) continue;
    const other = positionOf(account, position.instrument, PosSide.short);
    if (other === undefined || other.isolated) continue;
    const instrument = state.instruments[position.instrument]!;
    const lots = Math.min(position.lots, other.lots);
    const one = forcedOrder(state, account, position, lots, OrderKind.offset);
    const two = forcedOrder(state, account, other, lots, OrderKind.offset);
    settlement.begin(instrument, state.market(instrument));
    settlement.tradeDirectly(one, two, markTicks(state, instrument), lots);
    endForcedOrder(state, one);
    endForcedOrder(state, two);
  }
}

/** Brings the weightiest position above tier 2 down by two tiers; false when there is none. */
function reduceByTiers(state: State, settlement: FuturesSettlement, account: Account): boolean {
  for (const position of crossedInOrder(state, account)) {
    const instrument = state.instruments[position.instrument]!;
    const { tiers } = instrument.futures!;
    const mark = markTicks(state, instrument);
    const tier = tierIndex(tiers, tradeValue(instrument, mark, position.lots));
    if (tier < 2) continue;
    const perLot = BigInt(mark) * instrument.valuePerTickLot;
    const step = instrument.lotStep;
    const keep = Math.floor(Number(tiers[tier - 2]!.upTo / perLot) / step) * step;
    const lots = position.lots - keep;
    if (lots <= 0) continue;
    forceClose(state, settlement, account, position, lots, OrderKind.reduce);
    return true;
  }
  return false;
}

/**
 * Sells (or buys) lots of a position through the book; beyond the bankruptcy price only what the fund can pay, and only
 * within the price band, or whoever empties the book for a moment could take the fund with an order far away; the rest
 * is deleveraged at that price. What the fund may pay is what it had before: fees of this close come later.
 */
function forceClose(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  position: Position,
  lots: number,
  kind: OrderKind,
): void {
  const instrument = state.instruments[position.instrument]!;
  const market = state.market(instrument);
  const coin = instrument.futures!.settle;
  const size = position.lots;
  const basis = position.long ? position.basis : -position.basis;
  const margin = marginBehind(state, account, position);
  const price = bankruptcyTicks(instrument, position.long, size, basis, margin);
  let budget = fundBalance(state, coin);
  const slot = forcedOrder(state, account, position, lots, kind);
  const long = position.long;
  settlement.begin(instrument, market);
  settlement.forcedRoom = (priceTicks) => {
    const loss = lossPerSize(instrument, long, size, basis, margin, priceTicks);
    if (loss <= 0n) return lots;
    const payable = (budget * BigInt(size)) / loss;
    return Number(payable > BigInt(size) ? BigInt(size) : payable);
  };
  settlement.onForcedFill = (priceTicks, filled) => {
    const loss = lossPerSize(instrument, long, size, basis, margin, priceTicks);
    if (loss <= 0n) return;
    const paid = smaller(budget, divCeil(loss * BigInt(filled), BigInt(size)));
    budget -= paid;
    payShortfall(state, account, position, paid);
  };
  const { minSellTicks, maxBuyTicks } = bandOf(instrument, market);
  const worst = long ? Math.min(price, minSellTicks) : Math.max(price, maxBuyTicks);
  while (market.book.match(slot, worst, settlement, true) === MatchEnd.tooManyFills);
  settlement.forcedRoom = undefined;
  settlement.onForcedFill = undefined;
  if (state.slab.remaining[slot]! > 0) deleverage(state, settlement, slot, position, price);
  endForcedOrder(state, slot);
  if (position.isolated) settleIsolated(state, settlement, account, position);
  state.touch(account);
}

/** The fund pays what a fill beyond bankruptcy lacks. */
function payShortfall(state: State, account: Account, position: Position, amount: bigint): void {
  const { ledger } = state;
  const coin = state.instruments[position.instrument]!.futures!.settle;
  const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  const bucket = position.isolated ? Bucket.isolated : Bucket.cash;
  ledger.move(fund, ledger.cell(account.index, coin, bucket), amount);
  if (position.isolated) position.iso += amount;
  emitLine(state, account, Wallet.unified, coin, 'liquidation', amount, String(position.id));
}

/** What closing the whole size at a price would leave unpaid, in the settlement coin; negative when margin is left. */
function lossPerSize(
  instrument: Instrument,
  long: boolean,
  size: number,
  basis: bigint,
  margin: bigint,
  priceTicks: number,
): bigint {
  const value = tradeValue(instrument, priceTicks, size);
  const profit = long ? value - basis : basis - value;
  const { coinMargined } = instrument.futures!;
  const feeRate = forcedFeeRate(instrument);
  if (!coinMargined) return divCeil(value * feeRate, RATE_ONE) - profit - margin;
  const units = baseUnits(instrument, size);
  const inCoin = value === 0n ? 0n : divFloor(profit * units, value);
  return divCeil(units * feeRate, RATE_ONE) - inCoin - margin;
}

/** What an isolated liquidation leaves goes to the fund, what it lacks comes from there. */
function settleIsolated(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  position: Position,
): void {
  if (position.size !== 0) return;
  const { ledger } = state;
  const coin = state.instruments[position.instrument]!.futures!.settle;
  const isolated = ledger.cell(account.index, coin, Bucket.isolated);
  const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  const rest = position.iso;
  const paid = smaller(larger(0n, -rest), fundBalance(state, coin));
  if (rest > 0n) ledger.move(isolated, fund, rest);
  else ledger.move(fund, isolated, paid);
  const told = rest > 0n ? -rest : paid;
  if (told !== 0n) emitLine(state, account, Wallet.unified, coin, 'liquidation', told, String(position.id));
  // Nobody on the other side could bear it and the fund is empty: a bad debt of the account (domain.md 5.9, step 7).
  const unpaid = larger(0n, -rest) - paid;
  if (unpaid > 0n) {
    ledger.move(ledger.cell(account.index, coin, Bucket.cash), isolated, unpaid);
    emitLine(state, account, Wallet.unified, coin, 'liquidation', -unpaid, String(position.id));
  }
  position.iso = 0n;
  settlement.forget(account, position);
}

/**
 * An account without crossed positions that owes more than it owns: the fund pays what is missing as far as it goes,
 * the rest stays as bad debt. A debt that other coins of the account outweigh is the account's own.
 */
function coverDebts(state: State, account: Account): void {
  if ([...account.positions.values()].some((position) => !position.isolated)) return;
  const { ledger } = state;
  let missing = larger(0n, -accountRisk(state, account).equity);
  for (const coin of ledger.coinsOf(account.index)) {
    const cash = ledger.cell(account.index, coin, Bucket.cash);
    const price = coinUsd(state, coin);
    const owed = larger(0n, -ledger.balance(cash));
    if (owed === 0n || missing === 0n || price === 0n) continue;
    const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
    const lacking = smaller(owed, divCeil(missing * MONEY_ONE, price));
    const paid = smaller(lacking, fundBalance(state, coin));
    if (paid === 0n) continue;
    ledger.move(fund, cash, paid);
    missing = larger(0n, missing - divFloor(paid * price, MONEY_ONE));
    emitLine(state, account, Wallet.unified, coin, 'liquidation', paid, '');
  }
}
