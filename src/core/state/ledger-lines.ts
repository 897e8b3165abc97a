/** Lines of the statements that users read (rules 4), and the cells that they are about. */

import { type Amount, sumOf } from '../model/amount.ts';
import { Category, Wallet } from '../model/enums.ts';
import type { LedgerLineKind } from '../model/event.ts';
import type { Instrument } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { InvariantBroken } from '../model/units.ts';
import type { Account } from './account.ts';
import type { State } from './state.ts';

export const WALLET_BUCKET: Readonly<Record<Wallet, Bucket>> = {
  [Wallet.unified]: Bucket.cash,
  [Wallet.funding]: Bucket.funding,
};

export function walletCell(state: State, account: Account, coin: number, wallet: Wallet): number {
  const bucket: Bucket | undefined = WALLET_BUCKET[wallet];
  // A cell that is no number would be taken for the first cell of the ledger.
  if (bucket === undefined) throw new InvariantBroken(`there is no wallet ${wallet}`);
  return state.ledger.cell(account.index, coin, bucket);
}

/** The account of the outside world: deposits come from it, withdrawals go to it. */
export function externalCell(state: State, coin: number): number {
  return state.ledger.cell(SystemAccount.external, coin, Bucket.cash);
}

export function digestAmount(state: State, amount: bigint): void {
  state.digest.fold(Number(BigInt.asIntN(32, amount)));
}

interface LineDetails {
  readonly fee?: Amount;
  /** The contract it is about; none for money that only moves. */
  readonly instrument?: Instrument | undefined;
  /** Margin that the same step added to an isolated position; it has a separate line. */
  readonly intoMargin?: Amount;
}

/** Balance that the last line of the unified wallet states: cash and what orders hold, without isolated margin. */
export function reportedBalance({ ledger }: State, { index }: Account, coin: number): bigint {
  const row = ledger.find(index, coin);
  if (row < 0) return 0n;
  const own = sumOf(ledger.amount(row + Bucket.cash), ledger.amount(row + Bucket.locked));
  return BigInt(sumOf(own, ledger.amount(row + Bucket.isolatedOrders)));
}

export function emitLedgerLine(
  state: State,
  account: Account,
  wallet: Wallet,
  coin: number,
  kind: LedgerLineKind,
  change: Amount,
  reference: string,
  { fee: cost = 0, instrument, intoMargin: added = 0 }: LineDetails = {},
): void {
  if (account.cashCanBeNegative) state.markDirty(account);
  if (account.house) return;
  if (state.suppressEvents) {
    state.passIds(Number(added) === 0 ? 1 : 2);
    return;
  }
  const amount = BigInt(change);
  const fee = BigInt(cost);
  const intoMargin = BigInt(added);
  const held =
    wallet === Wallet.unified
      ? reportedBalance(state, account, coin)
      : state.ledger.balanceOf(account.index, coin, WALLET_BUCKET[wallet]);
  const line = (what: LedgerLineKind, moved: bigint, taken: bigint, balance: bigint): void => {
    state.emit({
      type: 'ledgerLine',
      lineId: state.nextId(),
      uid: account.uid,
      coin,
      kind: what,
      instrument: instrument?.index ?? -1,
      category: instrument?.category ?? Category.spot,
      amount: moved,
      fee: taken,
      balance,
      wallet,
      reference,
      time: state.now,
    });
  };
  // Margin that pays a loss comes before the loss, margin that a step puts in after it: no line shows a debt in between.
  if (intoMargin < 0n) line('marginRemoved', -intoMargin, 0n, held - amount + fee);
  line(kind, amount, fee, intoMargin > 0n ? held + intoMargin : held);
  if (intoMargin > 0n) line('marginAdded', -intoMargin, 0n, held);
}
