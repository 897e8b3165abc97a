/** How much of a coin an account may spend or withdraw (rules 6.6). */

import { Bucket } from '../model/ledger-accounts.ts';
import { larger } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { hasUnreliablePrice, isUnreliable } from './collateral.ts';
import { balanceOf, isInDebt } from './debts.ts';
import { coinEquity, collateralValueOf, hasObligations } from './margin.ts';
import { accountRisk } from './margin-cache.ts';

/**
 * What may leave the account: the spendable amount, or nothing while its crossed positions or debts depend on an old
 * price. A stale price liquidates nobody, so an amount that left at it would be missing at the next price.
 */
export function withdrawable(state: State, account: Account, coin: number): bigint {
  return awaitsPrice(state, account) ? 0n : spendable(state, account, coin);
}

/** Does the account have a crossed position or a debt while that or its collateral has an unreliable price? */
export function awaitsPrice(state: State, account: Account): boolean {
  const crossed = [...account.positions.values()].filter(({ isolated }) => !isolated);
  const indexOf = (instrument: number) => state.market(state.instruments[instrument]!).futures!.index;
  if (crossed.some(({ instrument }) => isUnreliable(state, indexOf(instrument)))) return true;
  if (crossed.length === 0 && !isInDebt(state, account)) return false;
  return state.ledger
    .coinsOf(account.index)
    .some((held) => balanceOf(state, account, held) !== 0n && hasUnreliablePrice(state, held));
}

/** Cash of a coin that is not needed as margin for crossed positions and orders (rules 6.6). */
export function spendable(state: State, account: Account, coin: number): bigint {
  const cash = larger(0n, state.ledger.balanceOf(account.index, coin, Bucket.cash));
  if (cash === 0n || !hasObligations(state, account)) return cash;
  const { effective, initial } = accountRisk(state, account);
  if (initial === 0n) return cash;
  const amount = coinEquity(state, account, coin);
  const others = effective - collateralValueOf(state, coin, amount).counted;
  const keeps = (spent: bigint) => others + collateralValueOf(state, coin, amount - spent).counted >= initial;
  if (keeps(cash)) return cash;
  let low = 0n;
  let high = cash;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (keeps(middle)) low = middle;
    else high = middle;
  }
  return low;
}
