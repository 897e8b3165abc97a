/** Coin rows of the margin cache: equity and collateral value of each coin, and the margin of debts and spot orders. */

import { Bucket } from '../../model/ledger-accounts.ts';
import { OPEN_ORDERS_PER_LINE_MAX } from '../../model/limits.ts';
import { ceilWorth, exact, exactNumber, floorWorth } from '../../model/safe-integers.ts';
import type { Account } from '../../state/account.ts';
import type { Ledger } from '../../state/ledger.ts';
import { COIN_COLUMNS, CoinRow, type MarginCache, Stale, Total } from '../../state/margin-cache-state.ts';
import type { State } from '../../state/state.ts';
import { collateralNumber } from '../collateral.ts';
import { collateralValueOf, debtAmounts } from '../margin.ts';

/** More than all roundings of the orders of an account together, in 10^-8. */
const ORDERS_DUST = 2 * OPEN_ORDERS_PER_LINE_MAX;
const NO_DEBTS: ReadonlyMap<number, bigint> = new Map();

/** Returns whether any coin was revalued. */
export function sumCoins(state: State, account: Account, margin: MarginCache, stale: number): boolean {
  const { ledger } = state;
  const moved = (stale & Stale.prices) !== 0;
  const paid = (stale & Stale.balances) !== 0;
  if (paid) reloadCoins(state, account, margin);
  let revalued = false;
  let equity = 0;
  let effective = 0;
  const { coins, coinRows } = margin;
  for (let n = 0; n < coins.length; n++) {
    const at = n * COIN_COLUMNS;
    const changed = paid && reloadBalance(ledger, margin, n);
    if (changed || moved || coinRows[at + CoinRow.profit] !== coinRows[at + CoinRow.countedProfit]) {
      revalue(state, margin, n);
      revalued = true;
    }
    equity += coinRows[at + CoinRow.equity]!;
    effective += coinRows[at + CoinRow.effective]!;
  }
  margin.totals[Total.equity] = exact(equity);
  margin.totals[Total.effective] = exact(effective);
  return revalued;
}

/** Most accounts owe nothing and have no spot orders; the others are computed in big integers. */
export function reloadDebts(state: State, account: Account, margin: MarginCache, exactly: boolean): void {
  margin.haircutEstimated = false;
  const { coins, coinRows } = margin;
  let debts: Map<number, bigint> | undefined;
  for (let n = 0; n < coins.length; n++) {
    const profit = coinRows[n * COIN_COLUMNS + CoinRow.profit]!;
    // NaN where balance or profit is beyond exact numbers.
    if (coinRows[n * COIN_COLUMNS + CoinRow.balance]! + profit >= 0) continue;
    const amount = Number.isNaN(profit) ? 0n : balanceOf(state.ledger, margin, n) + BigInt(profit);
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
  // Without debts a bound is enough while margin is ample: hundreds of orders are not visited.
  if (debts === undefined && !exactly && account.openMargin === 0) {
    margin.debtInitial = 0;
    margin.debtMaintenance = 0;
    margin.haircut = lockedValue(state, margin);
    margin.haircutEstimated = true;
    return;
  }
  const figures = debtAmounts(state, account, debts ?? NO_DEBTS);
  margin.debtInitial = exactNumber(figures.initial);
  margin.debtMaintenance = exactNumber(figures.maintenance);
  margin.haircut = exactNumber(figures.haircut);
}

/** Dollars of everything that orders hold, rounded up. */
function lockedValue(state: State, { coins, coinRows }: MarginCache): number {
  let sum = 0;
  for (let n = 0; n < coins.length; n++) {
    const locked = coinRows[n * COIN_COLUMNS + CoinRow.locked]!;
    if (locked === 0) continue;
    const price = state.coinPriceNumbers[coins[n]!] ?? Number.NaN;
    // A unit for each order, which is rounded up alone.
    sum += ceilWorth(locked, price) + ORDERS_DUST;
  }
  return exact(sum);
}

/** Returns whether the balance of a coin has changed, or may have: one that is not exact is not compared. */
function reloadBalance(ledger: Ledger, { coinRows }: MarginCache, n: number): boolean {
  const at = n * COIN_COLUMNS;
  const first = coinRows[at + CoinRow.cells]!;
  if (first < 0) return false;
  const cash = ledger.balanceNumber(first + Bucket.cash);
  const locked = ledger.balanceNumber(first + Bucket.locked);
  if (cash === coinRows[at + CoinRow.cash] && locked === coinRows[at + CoinRow.locked]) return false;
  coinRows[at + CoinRow.cash] = cash;
  coinRows[at + CoinRow.locked] = locked;
  coinRows[at + CoinRow.balance] = exact(cash + locked);
  return true;
}

/** Cash and locked of a coin, whatever their size. */
function balanceOf(ledger: Ledger, { coinRows }: MarginCache, n: number): bigint {
  const first = coinRows[n * COIN_COLUMNS + CoinRow.cells]!;
  return first < 0 ? 0n : ledger.balance(first + Bucket.cash) + ledger.balance(first + Bucket.locked);
}

/** Adds the coins whose rows were opened in the ledger since. */
function reloadCoins({ ledger }: State, account: Account, margin: MarginCache): void {
  const coins = ledger.coinsOf(account.index);
  if (coins.length === margin.ledgerRows) return;
  margin.ledgerRows = coins.length;
  for (const coin of coins) {
    const at = margin.coinAt(coin) * COIN_COLUMNS;
    margin.coinRows[at + CoinRow.cells] = ledger.row(account.index, coin);
  }
}

/** Dollars of one coin, in full and as collateral. */
function revalue(state: State, margin: MarginCache, n: number): void {
  const { coinRows } = margin;
  const at = n * COIN_COLUMNS;
  const coin = margin.coins[n]!;
  const profit = coinRows[at + CoinRow.profit]!;
  coinRows[at + CoinRow.countedProfit] = profit;
  const amount = coinRows[at + CoinRow.balance]! + profit;
  const price = state.coinPriceNumbers[coin] ?? Number.NaN;
  const equity = amount === 0 ? 0 : floorWorth(exact(amount), price);
  if (Number.isNaN(equity)) {
    revalueLarge(state, margin, n);
    return;
  }
  coinRows[at + CoinRow.equity] = equity;
  coinRows[at + CoinRow.effective] = equity < 0 ? equity : collateralNumber(state, coin, equity);
}

/** A coin of small value may have an amount beyond exact numbers; its dollar value seldom is. */
function revalueLarge(state: State, margin: MarginCache, n: number): void {
  const { coins, coinRows } = margin;
  const at = n * COIN_COLUMNS;
  const coin = coins[n]!;
  const profit = coinRows[at + CoinRow.profit]!;
  if (state.coinPrices[coin] === undefined || Number.isNaN(profit)) {
    coinRows[at + CoinRow.equity] = Number.NaN;
    coinRows[at + CoinRow.effective] = Number.NaN;
    return;
  }
  const { usd, counted } = collateralValueOf(
    state,
    coin,
    balanceOf(state.ledger, margin, n) + BigInt(profit),
  );
  coinRows[at + CoinRow.equity] = exactNumber(usd);
  coinRows[at + CoinRow.effective] = exactNumber(counted);
}
