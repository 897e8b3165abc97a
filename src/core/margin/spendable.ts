/** What an account may spend or take out of a coin (domain.md 6.6). */
import type { Account } from '../account.ts';
import { Bucket } from '../ledger.ts';
import type { State } from '../state.ts';
import { larger } from '../units.ts';
import { coinEquity, countedValue, isLiable } from './margin.ts';
import { accountRisk } from './margin-cache.ts';

/** What may leave a coin: its cash, as far as margin stays free for crossed positions and orders (domain.md 6.6). */
export function spendable(state: State, account: Account, coin: number): bigint {
  const cash = larger(0n, state.ledger.peek(account.index, coin, Bucket.cash));
  if (cash === 0n || !isLiable(state, account)) return cash;
  const { effective, initial } = accountRisk(state, account);
  if (initial === 0n) return cash;
  const amount = coinEquity(state, account, coin);
  const others = effective - countedValue(state, coin, amount).counted;
  const keeps = (spent: bigint) => others + countedValue(state, coin, amount - spent).counted >= initial;
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
