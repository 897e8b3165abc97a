/**
 * Withdrawals take two steps. The owner's request moves the money from the wallets into a separate bucket, where it can
 * be neither spent nor withdrawn again; then the operator pays or rejects it, or the owner cancels it. The first of these
 * ends it, so no money leaves an account twice.
 */

import { custodyOf, isInCustody } from '../margin/custody.ts';
import { leavingRejectReason } from '../margin/other-wallets.ts';
import type { EndWithdrawal, InternalWithdrawal, RequestWithdrawal } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { Wallet } from '../model/enums.ts';
import type { WalletRecord } from '../model/event.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { PENDING_WITHDRAWALS_MAX } from '../model/limits.ts';
import type { PendingWithdrawal } from '../model/pending-withdrawal.ts';
import { RejectReason } from '../model/reject-reason.ts';
import type { Account } from '../state/account.ts';
import { externalCell, walletCell } from '../state/ledger-lines.ts';
import { type Posting, post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';
import { checkMovement, depositWallet, freeIn, insufficientBalance } from './wallet.ts';

export function requestWithdrawal(state: State, command: RequestWithdrawal): CommandResult {
  const { coin, amount } = command;
  const failure = checkMovement(state, command.uid, coin, amount);
  if (failure !== undefined) return failure;
  if (command.fee < 0n || command.fee >= amount) return rejected(RejectReason.feeAboveAmount);
  if (state.withdrawals.size >= PENDING_WITHDRAWALS_MAX) return rejected(RejectReason.tooManyWithdrawals);
  const account = state.accountByUid.get(command.uid)!;
  const shares = sharesOf(state, account, command);
  if (!('fromFunding' in shares)) return shares;
  if (!isInCustody(state, coin, amount - command.fee)) return rejected(RejectReason.custodyTooSmall);

  const withdrawal: PendingWithdrawal = {
    id: state.nextId(),
    uid: account.uid,
    coin,
    ...shares,
    fee: command.fee,
    address: command.address,
    chain: command.chain,
    tag: command.tag,
    clientOid: command.clientOid,
    createdTime: state.now,
  };
  state.withdrawals.set(withdrawal.id, withdrawal);
  rememberOid(state, account, command.clientOid);
  post(state, takenOut(state, account, coin, shares, withdrawal.id));
  emitRecord(state, withdrawal, 'pending', '');
  return { rejectReason: RejectReason.none, orderId: withdrawal.id, clientOid: withdrawal.clientOid };
}

/** A withdrawal to another account of the exchange: carried out at once, cannot be rejected later or cancelled. */
export function internalWithdrawal(state: State, command: InternalWithdrawal): CommandResult {
  const { coin, amount, clientOid } = command;
  const failure = checkMovement(state, command.uid, coin, amount);
  if (failure !== undefined) return failure;
  const from = state.accountByUid.get(command.uid)!;
  const to = state.accountByUid.get(command.toUid);
  if (to === undefined) return rejected(RejectReason.unknownAccount);
  if (to === from) return rejected(RejectReason.sameWallet);
  const shares = sharesOf(state, from, command);
  if (!('fromFunding' in shares)) return shares;

  const id = state.nextId();
  // The receiver gets one ledger line, also when both wallets of the sender paid.
  const received: Posting = {
    from: state.ledger.cell(from.index, coin, Bucket.withdrawing),
    to: walletCell(state, to, coin, depositWallet(to, coin, Wallet.funding)),
    amount,
    toLine: 'deposit',
    reference: String(id),
  };
  rememberOid(state, from, clientOid);
  post(state, [...takenOut(state, from, coin, shares, id), received], amount);
  const record = {
    type: 'walletRecord',
    status: 'success',
    coin,
    amount,
    fee: 0n,
    address: '',
    chain: '',
    tag: '',
    reference: String(id),
    createdTime: state.now,
    updatedTime: state.now,
  } as const;
  const sent = { recordId: id, uid: from.uid, kind: 'withdrawal', counterUid: to.uid, clientOid } as const;
  const arrived = { recordId: state.nextId(), uid: to.uid, kind: 'deposit', counterUid: from.uid } as const;
  state.emit({ ...record, ...sent });
  state.emit({ ...record, ...arrived, clientOid: '' });
  return { rejectReason: RejectReason.none, orderId: id, clientOid };
}

export function endWithdrawal(state: State, command: EndWithdrawal): CommandResult {
  const withdrawal = state.withdrawals.get(command.withdrawalId);
  const foreign = command.uid !== 0 && (withdrawal?.uid !== command.uid || command.paid);
  if (withdrawal === undefined || foreign) return rejected(RejectReason.unknownWithdrawal);
  const { ledger } = state;
  const { coin, fee, fromFunding, fromUnified } = withdrawal;
  const leaving = fromFunding + fromUnified - fee;
  // It stays pending until the venue holds as much.
  if (command.paid && state.rules.custodyLimits && leaving > custodyOf(state, coin))
    return rejected(RejectReason.custodyTooSmall);
  const account = state.accountByUid.get(withdrawal.uid)!;
  const held = ledger.cell(account.index, coin, Bucket.withdrawing);
  state.withdrawals.delete(withdrawal.id);
  if (command.paid) {
    post(state, [
      { from: held, to: externalCell(state, coin), amount: leaving },
      { from: held, to: ledger.cell(SystemAccount.fee, coin, Bucket.cash), amount: fee },
    ]);
  } else {
    const returned = byWallet(withdrawal).map(([wallet, amount]) => ({
      from: held,
      to: walletCell(state, account, coin, wallet),
      amount,
      toLine: 'withdrawalReturned' as const,
      reference: String(withdrawal.id),
    }));
    post(state, returned);
  }
  emitRecord(state, withdrawal, command.paid ? 'success' : 'fail', command.reference);
  return { ...OK, orderId: withdrawal.id, clientOid: withdrawal.clientOid };
}

/** Amounts from each wallet; their sum is the whole amount. */
type Shares = Pick<PendingWithdrawal, 'fromFunding' | 'fromUnified'>;

/** The funding wallet pays first, the unified account the rest; or the rejection. */
function sharesOf(
  state: State,
  account: Account,
  command: RequestWithdrawal | InternalWithdrawal,
): Shares | CommandResult {
  const { coin, amount, clientOid } = command;
  if (clientOid !== '' && state.transferOids.has(oidOf(account, clientOid)))
    return rejected(RejectReason.transferOidInUse);
  const inFunding = command.fromFunding ? freeIn(state, account, coin, Wallet.funding) : 0n;
  const inUnified = command.fromUnified ? freeIn(state, account, coin, Wallet.unified) : 0n;
  if (inFunding + inUnified < amount) return insufficientBalance(coin, inFunding + inUnified);
  const rejectReason = leavingRejectReason(state, account, coin, amount);
  if (rejectReason !== RejectReason.none) return rejected(rejectReason);
  const fromUnified = inFunding < amount ? amount - inFunding : 0n;
  return { fromFunding: amount - fromUnified, fromUnified };
}

/** From the wallets into the bucket of withdrawals. */
function takenOut(state: State, account: Account, coin: number, shares: Shares, id: number): Posting[] {
  return byWallet(shares).map(([wallet, amount]) => ({
    from: walletCell(state, account, coin, wallet),
    to: state.ledger.cell(account.index, coin, Bucket.withdrawing),
    amount,
    fromLine: 'withdrawal' as const,
    reference: String(id),
  }));
}

function byWallet({ fromFunding, fromUnified }: Shares): (readonly [Wallet, bigint])[] {
  const both = [
    [Wallet.funding, fromFunding],
    [Wallet.unified, fromUnified],
  ] as const;
  return both.filter(([, share]) => share > 0n);
}

/** Transfers and withdrawals of one account share their client ids. */
function oidOf(account: Account, clientOid: string): string {
  return `${account.uid} ${clientOid}`;
}

function rememberOid(state: State, account: Account, clientOid: string): void {
  if (clientOid !== '') state.transferOids.remember(oidOf(account, clientOid));
}

function emitRecord(
  state: State,
  withdrawal: PendingWithdrawal,
  status: WalletRecord['status'],
  reference: string,
): void {
  state.emit({
    type: 'walletRecord',
    recordId: withdrawal.id,
    uid: withdrawal.uid,
    kind: 'withdrawal',
    status,
    coin: withdrawal.coin,
    amount: withdrawal.fromFunding + withdrawal.fromUnified,
    fee: withdrawal.fee,
    address: withdrawal.address,
    chain: withdrawal.chain,
    tag: withdrawal.tag,
    counterUid: 0,
    clientOid: withdrawal.clientOid,
    reference,
    createdTime: withdrawal.createdTime,
    updatedTime: state.now,
  });
}
