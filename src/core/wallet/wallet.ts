/** Transfers between wallets, and deposits and withdrawals booked by an operator (rules 4.1, 4.2). */

import { withdrawable } from '../margin/available-balance.ts';
import { isInCustody } from '../margin/custody.ts';
import { leavingRejectReason } from '../margin/other-wallets.ts';
import {
  DEFAULT_WALLET,
  type Deposit,
  type SetDepositWallet,
  type Transfer,
  type Withdraw,
} from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { Wallet } from '../model/enums.ts';
import { MONEY_MAX } from '../model/limits.ts';
import { RejectReason } from '../model/reject-reason.ts';
import type { Account } from '../state/account.ts';
import { externalCell, WALLET_BUCKET, walletCell } from '../state/ledger-lines.ts';
import { post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';

export function deposit(state: State, command: Deposit): CommandResult {
  const failure = checkMovement(state, command.uid, command.coin, command.amount);
  if (failure !== undefined) return failure;
  const { coin, amount } = command;
  const account = state.accountByUid.get(command.uid)!;
  // An operator that got no response retries: the reference distinguishes the retry from a second deposit.
  const byOperator = command.by !== undefined && command.by !== '';
  const reference = `${account.uid} ${coin} ${command.reference}`;
  if (byOperator && state.depositReferences.has(reference)) {
    const detail = `deposit ${command.reference} was credited before`;
    return { ...rejected(RejectReason.alreadyExists), detail };
  }
  if (byOperator) state.depositReferences.remember(reference);
  const named = command.wallet ?? Wallet.unified;
  const wallet = named === DEFAULT_WALLET ? depositWallet(account, coin, Wallet.unified) : named;
  post(state, {
    from: externalCell(state, coin),
    to: walletCell(state, account, coin, wallet),
    amount,
    toLine: 'deposit',
    reference: command.reference,
  });
  const recordId = state.nextId();
  state.emit({
    type: 'walletRecord',
    recordId,
    uid: account.uid,
    kind: 'deposit',
    status: 'success',
    coin,
    amount,
    fee: 0n,
    address: command.address ?? '',
    chain: command.chain ?? '',
    tag: '',
    counterUid: 0,
    clientOid: '',
    reference: command.reference,
    createdTime: state.now,
    updatedTime: state.now,
  });
  return { ...OK, orderId: recordId };
}

/** The wallet that the owner has chosen for deposits of the coin, else the default. */
export function depositWallet(account: Account, coin: number, byItself: Wallet): Wallet {
  return account.depositWallets.get(coin) ?? byItself;
}

export function setDepositWallet(state: State, command: SetDepositWallet): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  if (state.coins[command.coin] === undefined) return rejected(RejectReason.unknownCoin);
  account.chooseDepositWallet(command.coin, command.wallet);
  return OK;
}

/** Only free money can leave: holds of orders stay. */
export function withdraw(state: State, command: Withdraw): CommandResult {
  const failure = checkMovement(state, command.uid, command.coin, command.amount);
  if (failure !== undefined) return failure;
  const { coin, amount } = command;
  const account = state.accountByUid.get(command.uid)!;
  const available = freeIn(state, account, coin, Wallet.unified);
  if (available < amount) return insufficientBalance(coin, available);
  const rejectReason = leavingRejectReason(state, account, coin, amount);
  if (rejectReason !== RejectReason.none) return rejected(rejectReason);
  if (!isInCustody(state, coin, amount)) return rejected(RejectReason.custodyTooSmall);
  post(state, {
    from: walletCell(state, account, coin, Wallet.unified),
    to: externalCell(state, coin),
    amount,
    fromLine: 'withdrawal',
    reference: command.reference,
  });
  return OK;
}

export function transfer(state: State, command: Transfer): CommandResult {
  const { coin, amount, fromWallet, toWallet } = command;
  const failure = checkMovement(state, command.fromUid, coin, amount);
  if (failure !== undefined) return failure;
  const from = state.accountByUid.get(command.fromUid)!;
  const to = state.accountByUid.get(command.toUid);
  const initiator = state.accountByUid.get(command.initiatorUid);
  if (to === undefined || initiator === undefined) return rejected(RejectReason.unknownAccount);
  if (from === to && fromWallet === toWallet) return rejected(RejectReason.sameWallet);
  if (from.party !== to.party || !mayMove(initiator, from, to)) return rejected(RejectReason.notOneParty);
  const oid = `${initiator.uid} ${command.clientOid}`;
  if (command.clientOid !== '' && state.transferOids.has(oid)) return rejected(RejectReason.transferOidInUse);
  const available = freeIn(state, from, coin, fromWallet);
  if (available < amount) return insufficientBalance(coin, available);
  // What goes into the own unified account pays its debts.
  const leaves = from === to ? 0n : amount;
  const repays = from === to && toWallet === Wallet.unified;
  const rejectReason = repays ? RejectReason.none : leavingRejectReason(state, from, coin, leaves);
  if (rejectReason !== RejectReason.none) return rejected(rejectReason);

  if (command.clientOid !== '') state.transferOids.remember(oid);
  const transferId = state.nextId();
  post(state, {
    from: walletCell(state, from, coin, fromWallet),
    to: walletCell(state, to, coin, toWallet),
    amount,
    fromLine: 'transferOut',
    toLine: 'transferIn',
    reference: String(transferId),
  });
  state.emit({
    type: 'transfer',
    transferId,
    initiatorUid: initiator.uid,
    fromUid: from.uid,
    toUid: to.uid,
    fromWallet,
    toWallet,
    coin,
    amount,
    clientOid: command.clientOid,
    time: state.now,
  });
  return { rejectReason: RejectReason.none, orderId: transferId, clientOid: command.clientOid };
}

/** A master moves money anywhere in its party; a sub-account only its own, to itself or up to its master. */
function mayMove(initiator: Account, from: Account, to: Account): boolean {
  if (initiator.index === from.party) return true;
  return initiator === from && (to === from || to.index === from.party);
}

export function checkMovement(
  state: State,
  uid: number,
  coin: number,
  amount: bigint,
): CommandResult | undefined {
  if (!state.accountByUid.has(uid)) return rejected(RejectReason.unknownAccount);
  if (state.coins[coin] === undefined) return rejected(RejectReason.unknownCoin);
  if (amount <= 0n || amount > MONEY_MAX) return rejected(RejectReason.amountOutOfRange);
  return undefined;
}

export function insufficientBalance(coin: number, available: bigint): CommandResult {
  return { rejectReason: RejectReason.insufficientBalance, orderId: 0, clientOid: '', available, coin };
}

/** Amount that may leave a wallet. Opens no ledger row, because a rejected command must not change the state. */
export function freeIn(state: State, account: Account, coin: number, wallet: Wallet): bigint {
  if (wallet === Wallet.unified) return withdrawable(state, account, coin);
  return state.ledger.balanceOf(account.index, coin, WALLET_BUCKET[wallet]);
}
