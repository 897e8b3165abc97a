/**
 * Liquidation (rules 5.8, 5.9): isolated positions one by one, crossed accounts as a whole, in steps that close as
 * little as possible. The insurance fund pays losses beyond bankruptcy as far as it can; positions of the other side
 * absorb the rest (`deleveraging.ts`).
 */

import { NIL } from '../book/order-slab.ts';
import { liquidateCollateral } from '../borrowing/conversion.ts';
import { payFromPledges } from '../borrowing/forced-release.ts';
import { payFromFunding } from '../borrowing/forced-transfer.ts';
import { endForcedOrder, forcedOrder } from '../futures/forced-orders.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { autoTopUp } from '../futures/isolated-margin.ts';
import { wholeEquity } from '../margin/bad-debt.ts';
import { coinUsd } from '../margin/collateral.ts';
import { drawLendingFund } from '../margin/insurance-fund.ts';
import { maintenanceAt, markTicks, positionOf } from '../margin/margin.ts';
import { accountRisk } from '../margin/margin-cache.ts';
import { CancelReason, OrderKind, PosSide, StrategyReason } from '../model/enums.ts';
import { tradeValue } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { tierIndex } from '../model/margin-tiers.ts';
import type { Position } from '../model/position.ts';
import { assert, compare, divCeil, divFloor, larger, MONEY_ONE, smaller } from '../model/units.ts';
import { cancelWhere } from '../orders/cancel.ts';
import { posSideOf } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import { post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';
import { cancelStrategies } from '../strategy/strategy-lifecycle.ts';
import { closeOut } from './forced-close.ts';
import { crossedIsDue, hasUnsafeIndex, isActionable, isDue, isolatedIsDue } from './liquidation-check.ts';

/** Checks an account and liquidates what is due; true when it did anything. */
export function liquidateIfDue(state: State, settlement: FuturesSettlement, account: Account): boolean {
  if (!account.cashCanBeNegative || account.liquidating || !isDue(state, account)) return false;
  let acted = false;
  for (const position of positionsInOrder(state, account)) {
    if (!position.isolated || position.size === 0 || hasUnsafeIndex(state, position)) continue;
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
    const maintenance = maintenanceAt(instrument, markTicks(state, instrument), position.lots);
    return divFloor(maintenance * coinUsd(state, instrument.quote), MONEY_ONE);
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
    (position) => !position.isolated && !hasUnsafeIndex(state, position),
  );
}

function liquidateIsolated(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  position: Position,
): void {
  state.tracer?.onLiquidation(account, position);
  cancelWhere(
    state,
    account,
    CancelReason.burst,
    (instrument, slot) =>
      instrument === position.instrument && posSideOf(state.slab.flags[slot]!) === position.posSide,
  );
  const isDue = (each: Position) => isolatedIsDue(state, each);
  autoTopUp(state, account, position, isDue);
  if (!isDue(position)) return;
  closeOut(state, settlement, account, position, position.lots, OrderKind.liquidation);
}

function liquidateCrossed(state: State, settlement: FuturesSettlement, account: Account): void {
  state.tracer?.onLiquidation(account, undefined);
  state.beginLiquidation(account);
  const healthy = () => !crossedIsDue(state, account);
  cancelWhere(state, account, CancelReason.burst, () => true);
  cancelStrategies(state, account, StrategyReason.liquidation);
  if (!healthy()) netHedgedPairs(state, settlement, account);
  if (!healthy()) liquidateCollateral(state, account, healthy);
  while (!healthy() && reduceByTiers(state, settlement, account));
  while (!healthy()) {
    const [position] = crossedInOrder(state, account);
    if (position === undefined) break;
    closeOut(state, settlement, account, position, position.lots, OrderKind.liquidation);
  }
  if (!healthy()) liquidateCollateral(state, account, healthy);
  if (!healthy()) payFromFunding(state, account, healthy);
  if (!healthy()) payFromPledges(state, account, healthy);
  coverDebts(state, account);
  assert(account.firstOrder === NIL, 'I36: an account in liquidation has orders');
  state.endLiquidation(account);
}

/** Closes all positions of an account whether or not it is due, as a liquidation would in the worst case. */
export function liquidateWholeAccount(state: State, settlement: FuturesSettlement, account: Account): void {
  state.tracer?.onLiquidation(account, undefined);
  state.beginLiquidation(account);
  cancelWhere(state, account, CancelReason.burst, () => true);
  cancelStrategies(state, account, StrategyReason.liquidation);
  // Also with a stale index: a hedged pair takes no part in deleveraging, so its two sides need no counterparty.
  netHedgedPairs(state, settlement, account, () => true);
  for (const position of positionsInOrder(state, account)) {
    // The close of an earlier position may have deleveraged this one.
    if (position.lots === 0) continue;
    closeOut(state, settlement, account, position, position.lots, OrderKind.liquidation);
  }
  coverDebts(state, account);
  state.endLiquidation(account);
}

/** Both sides of a hedged pair close against each other at the mark: no market impact, no fee. */
function netHedgedPairs(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  mayClose: (position: Position) => boolean = (position) => !hasUnsafeIndex(state, position),
): void {
  for (const position of [...account.positions.values()]) {
    if (position.posSide !== PosSide.long || position.isolated || !mayClose(position)) continue;
    const other = positionOf(account, position.instrument, PosSide.short);
    if (other === undefined || other.isolated) continue;
    const instrument = state.instruments[position.instrument]!;
    const lots = Math.min(position.lots, other.lots);
    const one = forcedOrder(state, account, position, lots, OrderKind.offset);
    const two = forcedOrder(state, account, other, lots, OrderKind.offset);
    settlement.tradeDirectly(settlement.contextOf(instrument), one, two, markTicks(state, instrument), lots);
    endForcedOrder(state, one);
    endForcedOrder(state, two);
  }
}

/** Reduces the position with the largest maintenance margin above tier 2 by two tiers; false when there is none. */
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
    closeOut(state, settlement, account, position, lots, OrderKind.reduce);
    return true;
  }
  return false;
}

/**
 * An account without crossed positions that owes more than it owns: the lending fund (in the first edition that of
 * contracts) pays what is missing within its budget; the rest stays as bad debt. A debt that other coins of the account cover
 * is not paid.
 */
function coverDebts(state: State, account: Account): void {
  if ([...account.positions.values()].some((position) => !position.isolated)) return;
  const { ledger } = state;
  const limited = state.rules.fundReach;
  const equity = limited ? wholeEquity(state, account) : accountRisk(state, account).equity;
  let missing = larger(0n, -equity);
  for (const coin of ledger.coinsOf(account.index)) {
    const cash = ledger.cell(account.index, coin, Bucket.cash);
    const price = coinUsd(state, coin);
    const owed = larger(0n, -ledger.balance(cash));
    if (owed === 0n || missing === 0n || price === 0n) continue;
    const fund = ledger.cell(SystemAccount[limited ? 'insuranceLending' : 'insurance'], coin, Bucket.cash);
    const paid = drawLendingFund(state, coin, smaller(owed, divCeil(missing * MONEY_ONE, price)));
    if (paid === 0n) continue;
    missing = larger(0n, missing - divFloor(paid * price, MONEY_ONE));
    post(state, { from: fund, to: cash, amount: paid, toLine: 'liquidation' }, 'implied');
  }
}
