/** Coin rows of the margin cache: equity and collateral value of each coin, and the margin of debts and spot orders. */

import { Bucket } from '../../model/ledger-accounts.ts';
import { OPEN_ORDERS_PER_PRODUCT_LINE_MAX } from '../../model/limits.ts';
import { ceilValue, exact, exactNumber, floorValue } from '../../model/safe-integers.ts';
import type { Account } from '../../state/account.ts';
import type { Ledger } from '../../state/ledger.ts';
import { COIN_COLUMNS, CoinRow, type MarginCache, Stale } from '../../state/margin-cache-state.ts';
import type { State } from '../../state/state.ts';
import { collateralNumber } from '../collateral.ts';
import { collateralValueOf, debtMargin } from '../margin.ts';

/** More than all roundings of the orders of an account together, in 10^-8. */
const ORDERS_ROUNDING = 2 * OPEN_ORDERS_PER_PRODUCT_LINE_MAX;
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
  const { numbers, coinCount } = margin;
  for (let n = 0, at = margin.firstCoin; n < coinCount; n++, at += COIN_COLUMNS) {
    const changed = paid && reloadBalance(ledger, numbers, at);
    if (changed || moved || numbers[at + CoinRow.profit] !== numbers[at + CoinRow.countedProfit]) {
      revalue(state, numbers, at);
      revalued = true;
    }
    // A debt may bring a sum back below 2^53 that was rounded above it.
    equity = exact(equity + numbers[at + CoinRow.equity]!);
    effective = exact(effective + numbers[at + CoinRow.effective]!);
  }
  margin.setEquity(equity, effective);
  return revalued;
}

/** Most accounts owe nothing and have no spot orders; the others are computed in big integers. */
export function reloadDebts(state: State, account: Account, margin: MarginCache, exactly: boolean): void {
  const { numbers, coinCount } = margin;
  let debts: Map<number, bigint> | undefined;
  for (let n = 0, at = margin.firstCoin; n < coinCount; n++, at += COIN_COLUMNS) {
    const profit = numbers[at + CoinRow.profit]!;
    // NaN where balance or profit is beyond exact numbers.
    if (numbers[at + CoinRow.balance]! + profit >= 0) continue;
    const amount = Number.isNaN(profit) ? 0n : balanceOf(state.ledger, numbers, at) + BigInt(profit);
    if (amount >= 0n) continue;
    debts ??= new Map();
    debts.set(numbers[at + CoinRow.coin]!, -amount);
  }
  if (debts === undefined && account.openSpot === 0) {
    margin.setClaims(0, 0, 0);
    return;
  }
  // Without debts a bound is enough while margin is ample: hundreds of orders are not visited.
  if (debts === undefined && !exactly && account.openMargin === 0) {
    margin.boundClaims(lockedValue(state, margin));
    return;
  }
  const { initial, maintenance, haircut } = debtMargin(state, account, debts ?? NO_DEBTS);
  margin.setClaims(exactNumber(initial), exactNumber(maintenance), exactNumber(haircut));
}

/** Dollars of everything that orders hold, rounded up. */
function lockedValue(state: State, { numbers, firstCoin, coinCount }: MarginCache): number {
  let sum = 0;
  for (let n = 0, at = firstCoin; n < coinCount; n++, at += COIN_COLUMNS) {
    const locked = numbers[at + CoinRow.locked]!;
    if (locked === 0) continue;
    const price = state.coinPriceNumbers[numbers[at + CoinRow.coin]!] ?? Number.NaN;
    // A unit for each order, which is rounded up alone.
    sum += ceilValue(locked, price) + ORDERS_ROUNDING;
  }
  return exact(sum);
}

/** Returns whether the balance of a coin has changed, or may have: one that is not exact is not compared. */
function reloadBalance(ledger: Ledger, numbers: Float64Array, at: number): boolean {
  const first = numbers[at + CoinRow.cells]!;
  if (first < 0) return false;
  const locked = ledger.balanceNumber(first + Bucket.locked);
  const balance = exact(ledger.balanceNumber(first + Bucket.cash) + locked);
  if (balance === numbers[at + CoinRow.balance] && locked === numbers[at + CoinRow.locked]) return false;
  numbers[at + CoinRow.locked] = locked;
  numbers[at + CoinRow.balance] = balance;
  return true;
}

/** Cash and locked of a coin, whatever their size. */
function balanceOf(ledger: Ledger, numbers: Float64Array, at: number): bigint {
  const first = numbers[at + CoinRow.cells]!;
  return first < 0 ? 0n : ledger.balance(first + Bucket.cash) + ledger.balance(first + Bucket.locked);
}

/** Adds the coins whose rows were opened in the ledger since. */
function reloadCoins({ ledger }: State, account: Account, margin: MarginCache): void {
  const coins = ledger.coinsOf(account.index);
  if (!margin.ledgerRowsOpened(coins.length)) return;
  for (const coin of coins) {
    const n = margin.coinAt(coin);
    const at = margin.firstCoin + n * COIN_COLUMNS;
    margin.numbers[at + CoinRow.cells] = ledger.row(account.index, coin);
  }
}

/** Dollars of one coin, in full and as collateral. */
function revalue(state: State, numbers: Float64Array, at: number): void {
  const coin = numbers[at + CoinRow.coin]!;
  const profit = numbers[at + CoinRow.profit]!;
  numbers[at + CoinRow.countedProfit] = profit;
  const amount = numbers[at + CoinRow.balance]! + profit;
  const price = state.coinPriceNumbers[coin] ?? Number.NaN;
  const equity = amount === 0 ? 0 : floorValue(exact(amount), price);
  if (Number.isNaN(equity)) {
    revalueLarge(state, numbers, at);
    return;
  }
  numbers[at + CoinRow.equity] = equity;
  numbers[at + CoinRow.effective] = equity < 0 ? equity : collateralNumber(state, coin, equity);
}

/** A coin of small value may have an amount beyond exact numbers; its dollar value seldom is. */
function revalueLarge(state: State, numbers: Float64Array, at: number): void {
  const coin = numbers[at + CoinRow.coin]!;
  const profit = numbers[at + CoinRow.profit]!;
  if (state.coinPrices[coin] === undefined || Number.isNaN(profit)) {
    numbers[at + CoinRow.equity] = Number.NaN;
    numbers[at + CoinRow.effective] = Number.NaN;
    return;
  }
  const { usd, counted } = collateralValueOf(
    state,
    coin,
    balanceOf(state.ledger, numbers, at) + BigInt(profit),
  );
  numbers[at + CoinRow.equity] = exactNumber(usd);
  numbers[at + CoinRow.effective] = exactNumber(counted);
}
