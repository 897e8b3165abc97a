/**
 * How an open margin order is paid (rules 4.2, 6.5): it locks the available cash; the rest is borrowed when the order
 * trades. The amounts that open orders would borrow count against the pool, so that they cannot overdraw it together.
 */
import { Bucket } from '../model/ledger-accounts.ts';
import { larger, smaller } from '../model/units.ts';
import type { State } from '../state/state.ts';

/** Locks as much of `need` as the account has in cash; the rest counts as borrowed. */
export function openMarginLock(state: State, slot: number, coin: number, need: bigint): void {
  state.slab.marginLocks.set(slot, { held: 0n, borrowed: 0n });
  changeMarginLock(state, slot, coin, need);
}

/** Sets the amount that the order needs: the borrowed part shrinks first and grows last. */
export function changeMarginLock(state: State, slot: number, coin: number, need: bigint): void {
  const { ledger, slab } = state;
  const lock = slab.marginLocks.get(slot)!;
  const cash = ledger.cell(slab.account[slot]!, coin, Bucket.cash);
  const locked = ledger.cell(slab.account[slot]!, coin, Bucket.locked);
  const before = lock.held + lock.borrowed;
  if (need > before) {
    const more = smaller(larger(0n, ledger.balance(cash)), need - before);
    ledger.move(cash, locked, more);
    lock.held += more;
  } else if (need < lock.held) {
    ledger.move(locked, cash, lock.held - need);
    lock.held = need;
  }
  setBorrowed(state, slot, coin, need - lock.held);
}

/** Pays for a trade, the lock first and then cash, which may become negative; `need` is the amount that remains. */
export function payFromMarginLock(
  state: State,
  slot: number,
  coin: number,
  amount: bigint,
  need: bigint,
  to: number,
): void {
  const { ledger, slab } = state;
  const lock = slab.marginLocks.get(slot)!;
  const account = slab.account[slot]!;
  const held = smaller(lock.held, amount);
  ledger.move(ledger.cell(account, coin, Bucket.locked), to, held);
  ledger.move(ledger.cell(account, coin, Bucket.cash), to, amount - held);
  lock.held -= held;
  setBorrowed(state, slot, coin, larger(0n, lock.borrowed - (amount - held)));
  if (need < lock.held + lock.borrowed) changeMarginLock(state, slot, coin, need);
}

/** Ends the hold: the locked amount returns to cash, the amount to borrow no longer counts against the pool. */
export function closeMarginLock(state: State, slot: number, coin: number): void {
  changeMarginLock(state, slot, coin, 0n);
  state.slab.marginLocks.delete(slot);
}

/** Used by snapshots only. */
export function restoreMarginLock(
  state: State,
  slot: number,
  coin: number,
  held: bigint,
  need: bigint,
): void {
  state.slab.marginLocks.set(slot, { held, borrowed: 0n });
  setBorrowed(state, slot, coin, need - held);
}

function setBorrowed(state: State, slot: number, coin: number, borrowed: bigint): void {
  const lock = state.slab.marginLocks.get(slot)!;
  state.lending[coin]!.reserved += borrowed - lock.borrowed;
  lock.borrowed = borrowed;
  state.accountOf(slot).margin?.claimsChanged();
}
