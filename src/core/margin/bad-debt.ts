/**
 * Accounts that owe more than they own (rules 13.7 (e)). Everything an account has counts here, in every wallet: who
 * keeps money beside a debt is neither paid for nor let go with it.
 */

import { BUCKETS, Bucket } from '../model/ledger-accounts.ts';
import { divCeil, divFloor, larger, MONEY_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { InstantPrices } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { coinUsd, isIndexed } from './collateral.ts';
import { crossedProfits, inSettleCoin, unrealisedOf } from './margin.ts';
import { accountRisk } from './margin-cache.ts';

/**
 * Dollars that the account is worth over all coins and wallets, with positions at the mark and less its loans; at present
 * prices or those of an instant before.
 */
export function wholeEquity(state: State, account: Account, at?: InstantPrices): bigint {
  let equity = 0n;
  for (const [coin, amount] of amountsOf(state, account, at)) {
    // Of a coin that was listed since the instant the account has nothing.
    const price = at === undefined ? coinUsd(state, coin) : (at.coins[coin] ?? 0n);
    equity += divFloor(amount * price, MONEY_ONE);
  }
  return equity;
}

/**
 * What of that stands behind debts: not what is on its way out, and not what only the own book prices, for its owner makes
 * that price. `isolated`: does what isolated positions are worth count?
 */
function standingEquity(state: State, account: Account, isolated: boolean): bigint {
  const { ledger } = state;
  let equity = 0n;
  for (const [coin, all] of amountsOf(state, account, undefined, isolated)) {
    const amount = all - ledger.balanceOf(account.index, coin, Bucket.withdrawing);
    if (amount < 0n || isIndexed(state, coin)) equity += divFloor(amount * coinUsd(state, coin), MONEY_ONE);
  }
  return equity;
}

/** By coin: all buckets, unrealised profits, less what loans owe; with or without isolated positions. */
function amountsOf(state: State, account: Account, at?: InstantPrices, isolated = true): Map<number, bigint> {
  const { ledger } = state;
  const amounts = crossedProfits(state, account, at);
  const add = (coin: number, amount: bigint) => amounts.set(coin, (amounts.get(coin) ?? 0n) + amount);
  for (const coin of ledger.coinsOf(account.index))
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      if (isolated || bucket !== Bucket.isolated)
        add(coin, ledger.balanceOf(account.index, coin, bucket as Bucket));
  for (const position of account.positions.values()) {
    if (!isolated || !position.isolated) continue;
    const instrument = state.instruments[position.instrument]!;
    const { settle } = instrument.futures!;
    const unrealised = unrealisedOf(state, position, at?.marks[position.instrument]);
    const profit = inSettleCoin(state, instrument, unrealised, at?.coins[settle]);
    // It can lose its margin and no more.
    add(settle, larger(profit, -position.iso));
  }
  for (const loan of state.loans.of(account.index)) add(loan.loanCoin, -loan.debt());
  return amounts;
}

/** Has the account a negative coin, and nothing to outweigh it? It may not borrow, open, or take anything out. */
export function owesBeyondMeans(state: State, account: Account): boolean {
  if (!state.rules.fundReach || !state.ledger.hasNegativeCash(account.index)) return false;
  return standingEquity(state, account, true) <= 0n;
}

/**
 * May so much leave the account? What margin allows is another matter. A unified account that owes more than it has
 * is backed by the other wallets: they may give only what is beyond that. Isolated positions do not back it (rules 16.1 (b)):
 * their worth can be moved to another account, or lost to one by a close at a bad price.
 */
export function mayLeave(state: State, account: Account, coin: number, amount: bigint): boolean {
  if (!state.rules.fundReach) return true;
  // A loss that is not realised yet counts as well: at a thin index nobody is closed in time.
  const lacks = accountRisk(state, account).effective < 0n;
  if (!lacks && !state.ledger.hasNegativeCash(account.index)) return true;
  const standing = standingEquity(state, account, !state.rules.otherWallets);
  if (standing <= 0n) return false;
  if (!lacks || !isIndexed(state, coin)) return true;
  return standing >= divCeil(amount * coinUsd(state, coin), MONEY_ONE);
}
