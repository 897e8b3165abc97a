/** What an account's coins are worth, in full and as collateral, and what its debts and spot orders ask for. */

import { Bucket } from '../model/ledger-accounts.ts';
import { OPEN_ORDERS_PER_LINE_MAX } from '../model/limits.ts';
import { ceilWorth, exact, exactNumber, floorWorth } from '../model/safe-integers.ts';
import type { Account } from '../state/account.ts';
import type { Ledger } from '../state/ledger.ts';
import { type AccountMargin, Total, WORTH_COLUMNS, Worth } from '../state/margin-cache-state.ts';
import type { State } from '../state/state.ts';
import { collateralNumber } from './collateral.ts';
import { collateralValueOf, debtFigures } from './margin.ts';

/** More than all roundings of the orders of an account together, in 10^-8. */
const ORDERS_DUST = 2 * OPEN_ORDERS_PER_LINE_MAX;
const NO_DEBTS: ReadonlyMap<number, bigint> = new Map();
/** Says whether any coin counts for something else than before. */
export function addCoins(
  state: State,
  account: Account,
  margin: AccountMargin,
  moved: boolean,
  paid: boolean,
): boolean {
  const { ledger } = state;
  if (paid) takeCoins(state, account, margin);
  let recounted = false;
  let equity = 0;
  let effective = 0;
  const { coins, worths } = margin;
  for (let n = 0; n < coins.length; n++) {
    const at = n * WORTH_COLUMNS;
    const changed = paid && takeBalance(ledger, margin, n);
    if (changed || moved || worths[at + Worth.profit] !== worths[at + Worth.countedProfit]) {
      countWorth(state, margin, n);
      recounted = true;
    }
    equity += worths[at + Worth.equity]!;
    effective += worths[at + Worth.effective]!;
  }
  margin.totals[Total.equity] = exact(equity);
  margin.totals[Total.effective] = exact(effective);
  return recounted;
}

/** Most accounts owe nothing and give no coins away: the others are computed in big integers. */
export function takeDebts(state: State, account: Account, margin: AccountMargin, exactly: boolean): void {
  margin.claimsUnknown = false;
  margin.haircutEstimated = false;
  const { coins, worths, cash, locked } = margin;
  let debts: Map<number, bigint> | undefined;
  for (let n = 0; n < coins.length; n++) {
    const profit = worths[n * WORTH_COLUMNS + Worth.profit]!;
    // A balance beyond exact numbers is NaN, and so is what is not known of the profit.
    if (worths[n * WORTH_COLUMNS + Worth.balance]! + profit >= 0) continue;
    const amount = Number.isNaN(profit) ? 0n : cash[n]! + locked[n]! + BigInt(profit);
    if (amount >= 0n) continue;
    debts ??= new Map();
    debts.set(coins[n]!, -amount);
  }
  if (debts === undefined && account.openSpot === 0) {
    margin.debtInitial = 0;
    margin.debtMaintenance = 0;
    margin.haircut = 0;
    return;
  }
  // Who has hundreds of orders and owes nothing is not asked for each of them while there is plenty.
  if (debts === undefined && !exactly && !hasMarginOrders(state, account)) {
    margin.debtInitial = 0;
    margin.debtMaintenance = 0;
    margin.haircut = lockedWorth(state, margin);
    margin.haircutEstimated = true;
    return;
  }
  const figures = debtFigures(state, account, debts ?? NO_DEBTS);
  margin.debtInitial = exactNumber(figures.initial);
  margin.debtMaintenance = exactNumber(figures.maintenance);
  margin.haircut = exactNumber(figures.haircut);
}

function hasMarginOrders(state: State, account: Account): boolean {
  for (const instrument of account.openByInstrument.instruments())
    if (state.instruments[instrument]!.margin !== undefined) return true;
  return false;
}

/** Dollars of everything that orders hold. */
function lockedWorth(state: State, { coins, locked }: AccountMargin): number {
  let sum = 0;
  for (let n = 0; n < coins.length; n++) {
    if (locked[n] === 0n) continue;
    const price = state.coinPriceNumbers[coins[n]!] ?? Number.NaN;
    // A unit more for each order that is rounded up by itself.
    sum += ceilWorth(exactNumber(locked[n]!), price) + ORDERS_DUST;
  }
  return exact(sum);
}

/** The balance of a coin; says whether it has changed. */
function takeBalance(ledger: Ledger, { worths, cash, locked }: AccountMargin, n: number): boolean {
  const at = n * WORTH_COLUMNS;
  const first = worths[at + Worth.cells]!;
  if (first < 0) return false;
  const cashNow = ledger.balance(first + Bucket.cash);
  const lockedNow = ledger.balance(first + Bucket.locked);
  if (cashNow === cash[n] && lockedNow === locked[n]) return false;
  cash[n] = cashNow;
  locked[n] = lockedNow;
  worths[at + Worth.balance] = exactNumber(cashNow + lockedNow);
  return true;
}

/** Rows may have been opened since. */
function takeCoins({ ledger }: State, account: Account, margin: AccountMargin): void {
  margin.moneyChanges = ledger.changesOf(account.index);
  const coins = ledger.coinsOf(account.index);
  if (coins.length === margin.rowCount) return;
  margin.rowCount = coins.length;
  for (const coin of coins) {
    const at = margin.coinAt(coin) * WORTH_COLUMNS;
    margin.worths[at + Worth.cells] = ledger.cell(account.index, coin, Bucket.cash) - Bucket.cash;
  }
}

/** Dollars of one coin, in full and as collateral. */
function countWorth(state: State, margin: AccountMargin, n: number): void {
  const { worths } = margin;
  const at = n * WORTH_COLUMNS;
  const coin = margin.coins[n]!;
  const profit = worths[at + Worth.profit]!;
  worths[at + Worth.countedProfit] = profit;
  const amount = worths[at + Worth.balance]! + profit;
  const price = state.coinPriceNumbers[coin] ?? Number.NaN;
  const equity = amount === 0 ? 0 : floorWorth(exact(amount), price);
  if (Number.isNaN(equity)) {
    countLarge(state, margin, n);
    return;
  }
  worths[at + Worth.equity] = equity;
  worths[at + Worth.effective] = equity < 0 ? equity : collateralNumber(state, coin, equity);
}

/** Coins of small worth come in amounts beyond exact numbers; what they are worth seldom is. */
function countLarge(state: State, { coins, cash, locked, worths }: AccountMargin, n: number): void {
  const at = n * WORTH_COLUMNS;
  const coin = coins[n]!;
  const profit = worths[at + Worth.profit]!;
  if (state.coinPrices[coin] === undefined || Number.isNaN(profit)) {
    worths[at + Worth.equity] = Number.NaN;
    worths[at + Worth.effective] = Number.NaN;
    return;
  }
  const { usd, counted } = collateralValueOf(state, coin, cash[n]! + locked[n]! + BigInt(profit));
  worths[at + Worth.equity] = exactNumber(usd);
  worths[at + Worth.effective] = exactNumber(counted);
}
