/** What must hold of debts after every command (rules 10.1). */

import type { Side } from '../model/enums.ts';
import { Bucket, FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import { assert } from '../model/units.ts';
import { heldCoin } from '../orders/order-lifecycle.ts';
import type { State } from '../state/state.ts';

/** The running sums of what is owed and of what open orders would borrow are those of the accounts and orders. */
export function checkLending(state: State): void {
  const owed = new Map<number, bigint>();
  state.ledger.eachRow((account, coin, buckets) => {
    const balance = buckets[Bucket.cash]! + buckets[Bucket.locked]!;
    if (account < FIRST_USER_ACCOUNT || balance >= 0n) return;
    owed.set(coin, (owed.get(coin) ?? 0n) - balance);
  });
  const reserved = new Map<number, bigint>();
  const { slab } = state;
  for (const [slot, { borrowed }] of slab.marginHolds) {
    const coin = heldCoin(state.instrumentOf(slot), slab.side[slot] as Side);
    reserved.set(coin, (reserved.get(coin) ?? 0n) + borrowed);
  }
  for (const [coin, lending] of state.lending.entries()) {
    const owing = owed.get(coin) ?? 0n;
    assert(
      state.ledger.totalDebt(coin) === owing,
      `I44: coin ${coin}: ${state.ledger.totalDebt(coin)} lent, ${owing} owed`,
    );
    assert(
      lending.reserved === (reserved.get(coin) ?? 0n),
      `I44: coin ${coin}: reserved ${lending.reserved}`,
    );
  }
}
