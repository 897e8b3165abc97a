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
  const reserved = new Map<number, bigint>();
  for (const [slot, { borrowed }] of slab.marginHolds) {
    const coin = heldCoin(state.instrumentOf(slot), slab.side[slot] as Side);
    reserved.set(coin, (reserved.get(coin) ?? 0n) + borrowed);
  }
  for (const [coin, lending] of state.lending.entries()) {
    const owing = owed.get(coin) ?? 0n;
    assert(
      ledger.totalDebt(coin) === owing,
      () => `I44: coin ${coin}: ${ledger.totalDebt(coin)} lent, ${owing} owed`,
    );
    assert(
      lending.reserved === (reserved.get(coin) ?? 0n),
      () => `I44: coin ${coin}: reserved ${lending.reserved}`,
    );
  }
}
