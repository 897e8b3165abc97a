/** Per coin, the sums of users, house and outside world; their total must be zero. */
import { FIRST_USER_ACCOUNT, SystemAccount } from '../core/model/ledger-accounts.ts';
import { houseShortfall } from '../core/reads/house-reads.ts';
import type { State } from '../core/state/state.ts';

export interface CoinSums {
  readonly coin: string;
  readonly users: bigint;
  readonly house: bigint;
  readonly external: bigint;
  readonly total: bigint;
  /** What the house would lack if everybody closed the coin's contracts now (rules 13.2). */
  readonly clearingShort: bigint;
}

export function coinSums(state: State): CoinSums[] {
  const users = state.coins.map(() => 0n);
  const house = state.coins.map(() => 0n);
  const external = state.coins.map(() => 0n);
  state.ledger.eachRow((account, coin, buckets) => {
    const isOutside = account === SystemAccount.external;
    const sums = account >= FIRST_USER_ACCOUNT ? users : isOutside ? external : house;
    sums[coin] = buckets.reduce((sum, amount) => sum + amount, sums[coin]!);
  });
  return state.coins.map(({ coin }, index) => ({
    coin,
    users: users[index]!,
    house: house[index]!,
    external: external[index]!,
    total: users[index]! + house[index]! + external[index]!,
    clearingShort: houseShortfall(state, index),
  }));
}
