/**
 * How an open margin order is paid (rules 4.2, 6.5): it holds the available cash; the rest is borrowed when the order
 * trades. The amounts that open orders would borrow count against the pool, so that they cannot overdraw it together.
 */
import { Bucket } from '../model/ledger-accounts.ts';
import { larger, smaller } from '../model/units.ts';
import type { State } from '../state/state.ts';

/** Locks as much of `need` as the account has in cash; the rest counts as borrowed. */
export function openMarginHold(state: State, slot: number, coin: number, need: bigint): void {
  state.slab.marginHolds.set(slot, { held: 0n, borrowed: 0n });
  changeMarginHold(state, slot, coin, need);
}

/** Sets the amount that the order needs: the borrowed part shrinks first and grows last. */
export function changeMarginHold(state: State, slot: number, coin: number, need: bigint): void {
  const { ledger, slab } = state;
  const hold = slab.marginHolds.get(slot)!;
  const cash = ledger.cell(slab.account[slot]!, coin, Bucket.cash);
  const locked = ledger.cell(slab.account[slot]!, coin, Bucket.locked);
  const before = hold.held + hold.borrowed;
  if (need > before) {
    const more = smaller(larger(0n, ledger.balance(cash)), need - before);
    ledger.move(cash, locked, more);
    hold.held += more;
  } else if (need < hold.held) {
    ledger.move(locked, cash, hold.held - need);
    hold.held = need;
  }
  setBorrowed(state, slot, coin, need - hold.held);
}

/** Pays for a trade, the hold first and then cash, which may become negative; `need` is the amount that remains. */
export function payFromMarginHold(
  state: State,
  slot: number,
  coin: number,
  amount: bigint,
  need: bigint,
  to: number,
): void {
  const { ledger, slab } = state;
  const hold = slab.marginHolds.get(slot)!;
  const account = slab.account[slot]!;
  const held = smaller(hold.held, amount);
  ledger.move(ledger.cell(account, coin, Bucket.locked), to, held);
  ledger.move(ledger.cell(account, coin, Bucket.cash), to, amount - held);
  hold.held -= held;
  setBorrowed(state, slot, coin, larger(0n, hold.borrowed - (amount - held)));
  if (need < hold.held + hold.borrowed) changeMarginHold(state, slot, coin, need);
}

/** Ends the hold: the locked amount returns to cash, the amount to borrow no longer counts against the pool. */
export function closeMarginHold(state: State, slot: number, coin: number): void {
  changeMarginHold(state, slot, coin, 0n);
  state.slab.marginHolds.delete(slot);
}

/** Used by snapshots only. */
export function restoreMarginHold(
  state: State,
  slot: number,
  coin: number,
  held: bigint,
  need: bigint,
): void {
  state.slab.marginHolds.set(slot, { held, borrowed: 0n });
  setBorrowed(state, slot, coin, need - held);
}

function setBorrowed(state: State, slot: number, coin: number, borrowed: bigint): void {
  const hold = state.slab.marginHolds.get(slot)!;
  const lending = state.lending[coin]!;
  const account = state.slab.account[slot]!;
  const ofAccount = (lending.reservedBy.get(account) ?? 0n) + borrowed - hold.borrowed;
  if (ofAccount === 0n) lending.reservedBy.delete(account);
  else lending.reservedBy.set(account, ofAccount);
  lending.reserved += borrowed - hold.borrowed;
  hold.borrowed = borrowed;
  state.accountOf(slot).margin?.claimsChanged();
}
