/** What an account may spend or take out of a coin (rules 6.6). */

import { Bucket } from '../model/ledger-accounts.ts';
import { larger } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { hasUnsafePrice } from './collateral.ts';
import { balanceOf, isInDebt } from './debts.ts';
import { coinEquity, collateralValueOf, hasObligations } from './margin.ts';
import { accountRisk } from './margin-cache.ts';

/**
 * What may leave the account: what it may spend, and nothing while what its coins stand behind is measured by a price that
 * nobody vouches for. Nobody is liquidated at such a price, so what left by it would be missing when the new one is told.
 */
export function withdrawable(state: State, account: Account, coin: number): bigint {
  return awaitsPrice(state, account) ? 0n : spendable(state, account, coin);
}

/** Has the account a crossed position or a debt, and anything of it, or behind it, no price of now? */
function awaitsPrice(state: State, account: Account): boolean {
  const crossed = [...account.positions.values()].filter(({ isolated }) => !isolated);
  if (crossed.some(({ instrument }) => state.market(state.instruments[instrument]!).futures!.index.isUnsafe))
    return true;
  if (crossed.length === 0 && !isInDebt(state, account)) return false;
  return state.ledger
    .coinsOf(account.index)
    .some((held) => balanceOf(state, account, held) !== 0n && hasUnsafePrice(state, held));
}

/** What may leave a coin: its cash, as far as margin stays free for crossed positions and orders (rules 6.6). */
export function spendable(state: State, account: Account, coin: number): bigint {
  const cash = larger(0n, state.ledger.peek(account.index, coin, Bucket.cash));
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
