/** What an account may spend or take out of a coin (domain.md 6.6). */
import type { Account } from '../account.ts';
import { Bucket } from '../ledger.ts';
import type { State } from '../state.ts';
import { larger } from '../units.ts';
import { countedValue, inSettleCoin, unrealisedOf } from './margin.ts';
import { accountRisk } from './margin-cache.ts';

/** What may leave a coin: its cash, as far as margin stays free for crossed positions and orders (domain.md 6.6). */
export function spendable(state: State, account: Account, coin: number): bigint {
  const cash = larger(0n, state.ledger.peek(account.index, coin, Bucket.cash));
  if (cash === 0n || (account.positions.size === 0 && account.openFutures === 0)) return cash;
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

/** Balance of a coin with the profit of the crossed positions settled in it. */
function coinEquity(state: State, account: Account, coin: number): bigint {
  const { ledger } = state;
  let amount =
    ledger.peek(account.index, coin, Bucket.cash) + ledger.peek(account.index, coin, Bucket.locked);
  for (const position of account.positions.values()) {
    const instrument = state.instruments[position.instrument]!;
    if (position.isolated || instrument.futures!.settle !== coin) continue;
    amount += inSettleCoin(state, instrument, unrealisedOf(state, position));
  }
  return amount;
}
