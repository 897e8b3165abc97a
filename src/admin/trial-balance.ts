/** Per coin, the sums of users, house and outside world; their total must be zero. */

import { FIRST_USER_ACCOUNT, SystemAccount } from '../core/model/ledger-accounts.ts';
import { houseShortfall } from '../core/reads/house-reads.ts';
import { eachLedgerRow } from '../core/reads/ledger-reads.ts';
import type { State } from '../core/state/state.ts';
import { eachRowInSlices } from '../reserves/ledger-slices.ts';

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
  const sums = new Sums(state);
  eachLedgerRow(state, (account, coin, buckets) => sums.add(account, coin, buckets));
  return sums.list();
}

/** The same, of the state as it is at the call, without holding the exchange. */
export async function coinSumsInSlices(state: State): Promise<CoinSums[]> {
  const sums = new Sums(state);
  await eachRowInSlices(state, (account, coin, buckets) => sums.add(account, coin, buckets));
  return sums.list();
}

class Sums {
  readonly #coins: { coin: string; users: bigint; house: bigint; external: bigint; clearingShort: bigint }[];

  constructor(state: State) {
    this.#coins = state.coins.map(({ coin }, index) => ({
      coin,
      users: 0n,
      house: 0n,
      external: 0n,
      clearingShort: houseShortfall(state, index),
    }));
  }

  add(account: number, coin: number, buckets: readonly bigint[]): void {
    const isOutside = account === SystemAccount.external;
    const whose = account >= FIRST_USER_ACCOUNT ? 'users' : isOutside ? 'external' : 'house';
    const sums = this.#coins[coin]!;
    for (const amount of buckets) if (amount !== 0n) sums[whose] += amount;
  }

  list(): CoinSums[] {
    return this.#coins.map((sums) => ({ ...sums, total: sums.users + sums.house + sums.external }));
  }
}
