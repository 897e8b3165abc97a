/**
 * Withdrawals take two steps. The owner's request moves the money out of the wallets into a bucket of its own, where
 * it can neither be spent nor asked for again; the operator then pays it out or refuses it, or the owner takes it back.
 * Whichever comes first ends it: nothing leaves an account twice.
 */
import type { EndWithdrawal, RequestWithdrawal } from './command.ts';
import { Bucket, SystemAccount } from './ledger.ts';
import { PENDING_WITHDRAWALS_MAX } from './limits.ts';
import { DONE, type Outcome, refused } from './outcome.ts';
import type { PendingWithdrawal } from './pending-withdrawal.ts';
import { Refusal } from './refusal.ts';
import type { State } from './state.ts';
import { Wallet } from './terms.ts';
import { checkMovement, emitLine, foldMoney, outside, shortOf, walletCell } from './wallet.ts';

export function requestWithdrawal(state: State, command: RequestWithdrawal): Outcome {
  const { coin, amount } = command;
  const failure = checkMovement(state, command.uid, coin, amount);
  if (failure !== undefined) return failure;
  if (command.fee < 0n || command.fee >= amount) return refused(Refusal.feeAboveAmount);
  if (state.withdrawals.size >= PENDING_WITHDRAWALS_MAX) return refused(Refusal.tooManyWithdrawals);
  const account = state.accountByUid.get(command.uid)!;
  const oid = `${account.uid} ${command.clientOid}`;
  if (command.clientOid !== '' && state.transferOids.has(oid)) return refused(Refusal.transferOidInUse);
  const { ledger } = state;
  const funding = walletCell(state, account, coin, Wallet.funding);
  const unified = walletCell(state, account, coin, Wallet.unified);
  const inFunding = command.fromFunding ? ledger.balance(funding) : 0n;
  const inUnified = command.fromUnified ? ledger.balance(unified) : 0n;
  if (inFunding + inUnified < amount) return shortOf(coin, inFunding + inUnified);

  if (command.clientOid !== '') state.transferOids.remember(oid);
  const fromFunding = smaller(inFunding, amount);
  const fromUnified = amount - fromFunding;
  const held = ledger.cell(account.index, coin, Bucket.withdrawing);
  const withdrawal: PendingWithdrawal = {
    id: state.nextId(),
    uid: account.uid,
    coin,
    fromFunding,
    fromUnified,
    fee: command.fee,
    address: command.address,
    chain: command.chain,
    tag: command.tag,
    clientOid: command.clientOid,
    createdTime: state.now,
  };
  state.withdrawals.set(withdrawal.id, withdrawal);
  foldMoney(state, amount);
  const reference = String(withdrawal.id);
  if (fromFunding > 0n) {
    ledger.move(funding, held, fromFunding);
    emitLine(state, account, Wallet.funding, coin, 'withdrawal', -fromFunding, reference);
  }
  if (fromUnified > 0n) {
    ledger.move(unified, held, fromUnified);
    emitLine(state, account, Wallet.unified, coin, 'withdrawal', -fromUnified, reference);
  }
  emitRecord(state, withdrawal, 'pending', '');
  return { refusal: Refusal.none, orderId: withdrawal.id, clientOid: withdrawal.clientOid };
}

export function endWithdrawal(state: State, command: EndWithdrawal): Outcome {
  const withdrawal = state.withdrawals.get(command.withdrawalId);
  const foreign = command.uid !== 0 && (withdrawal?.uid !== command.uid || command.paid);
  if (withdrawal === undefined || foreign) return refused(Refusal.unknownWithdrawal);
  const { ledger } = state;
  const { coin, fee, fromFunding, fromUnified } = withdrawal;
  const account = state.accountByUid.get(withdrawal.uid)!;
  const held = ledger.cell(account.index, coin, Bucket.withdrawing);
  state.withdrawals.delete(withdrawal.id);
  foldMoney(state, fromFunding + fromUnified);
  if (command.paid) {
    ledger.move(held, outside(state, coin), fromFunding + fromUnified - fee);
    ledger.move(held, ledger.cell(SystemAccount.fee, coin, Bucket.cash), fee);
  } else {
    const reference = String(withdrawal.id);
    if (fromFunding > 0n) {
      ledger.move(held, walletCell(state, account, coin, Wallet.funding), fromFunding);
      emitLine(state, account, Wallet.funding, coin, 'withdrawalReturned', fromFunding, reference);
    }
    if (fromUnified > 0n) {
      ledger.move(held, walletCell(state, account, coin, Wallet.unified), fromUnified);
      emitLine(state, account, Wallet.unified, coin, 'withdrawalReturned', fromUnified, reference);
    }
  }
  emitRecord(state, withdrawal, command.paid ? 'success' : 'fail', command.reference);
  return { ...DONE, orderId: withdrawal.id, clientOid: withdrawal.clientOid };
}

function emitRecord(
  state: State,
  withdrawal: PendingWithdrawal,
  status: 'pending' | 'success' | 'fail',
  reference: string,
): void {
  state.events.push({
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
    clientOid: withdrawal.clientOid,
    reference,
    createdTime: withdrawal.createdTime,
    updatedTime: state.now,
  });
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
