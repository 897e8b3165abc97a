/** What must hold of debts after every command (rules 10.1). */

import type { Side } from '../model/enums.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { assert } from '../model/units.ts';
import { heldCoin } from '../orders/order-lifecycle.ts';
import type { State } from '../state/state.ts';

/** The running sums of what is owed and of what open orders would borrow are those of the accounts and orders. */
export function checkLending(state: State): void {
  const { ledger, slab } = state;
  const owed = new Map<number, bigint>();
  for (const { index } of state.accountByUid.values()) {
    for (const coin of ledger.coinsOf(index)) {
      const balance =
        ledger.balanceOf(index, coin, Bucket.cash) + ledger.balanceOf(index, coin, Bucket.locked);
      if (balance < 0n) owed.set(coin, (owed.get(coin) ?? 0n) - balance);
    }
  }
  const reserved = state.lending.map(() => new Map<number, bigint>());
  for (const [slot, { borrowed }] of slab.marginHolds) {
    const by = reserved[heldCoin(state.instrumentOf(slot), slab.side[slot] as Side)]!;
    const account = slab.account[slot]!;
    if (borrowed !== 0n) by.set(account, (by.get(account) ?? 0n) + borrowed);
  }
  for (const [coin, lending] of state.lending.entries()) {
    const owing = owed.get(coin) ?? 0n;
    assert(
      ledger.totalDebt(coin) === owing,
      () => `I44: coin ${coin}: ${ledger.totalDebt(coin)} lent, ${owing} owed`,
    );
    const by = reserved[coin]!;
    const all = [...by.values()].reduce((sum, each) => sum + each, 0n);
    assert(lending.reserved === all, () => `I44: coin ${coin}: reserved ${lending.reserved}`);
    const same = by.size === lending.reservedBy.size;
    assert(
      same && [...by].every(([account, each]) => lending.reservedBy.get(account) === each),
      () => `I44: coin ${coin}: reserved by account`,
    );
  }
}
