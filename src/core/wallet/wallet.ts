/** Money between wallets, and between the venue and the outside world when an operator books it (rules 4.1, 4.2). */
import type { Account } from '../state/account.ts';
import {
  type Deposit,
  OWNERS_CHOICE,
  type SetDepositWallet,
  type Transfer,
  type Withdraw,
} from '../model/command.ts';
import type { LedgerLineKind } from '../model/event.ts';
import type { Instrument } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../state/ledger.ts';
import { MONEY_MAX } from '../model/limits.ts';
import { withdrawable } from '../margin/available-balance.ts';
import { DONE, type Outcome, refused } from '../model/command-result.ts';
import { Refusal } from '../model/reject-reason.ts';
import type { State } from '../state/state.ts';
import { Category, Wallet } from '../model/enums.ts';

const BUCKET_OF: Readonly<Record<Wallet, Bucket>> = {
  [Wallet.unified]: Bucket.cash,
  [Wallet.funding]: Bucket.funding,
};

export function deposit(state: State, command: Deposit): Outcome {
  const failure = checkMovement(state, command.uid, command.coin, command.amount);
  if (failure !== undefined) return failure;
  const { coin, amount } = command;
  const account = state.accountByUid.get(command.uid)!;
  // An operator who hears no answer asks again: the reference tells the retry from a second deposit.
  const byOperator = command.by !== undefined && command.by !== '';
  const reference = `${account.uid} ${coin} ${command.reference}`;
  if (byOperator && state.depositReferences.has(reference)) {
    const detail = `deposit ${command.reference} was credited before`;
    return { ...refused(Refusal.alreadyExists), detail };
  }
  if (byOperator) state.depositReferences.remember(reference);
  const named = command.wallet ?? Wallet.unified;
  const wallet = named === OWNERS_CHOICE ? depositWallet(account, coin, Wallet.unified) : named;
  state.ledger.move(outside(state, coin), walletCell(state, account, coin, wallet), amount);
  foldMoney(state, amount);
  emitLine(state, account, wallet, coin, 'deposit', amount, command.reference);
  const recordId = state.nextId();
  state.events.push({
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
  return { ...DONE, orderId: recordId };
}

/** The owner's choice for the coin, else where such money goes by itself. */
export function depositWallet(account: Account, coin: number, byItself: Wallet): Wallet {
  return account.depositWallets.get(coin) ?? byItself;
}

export function setDepositWallet(state: State, command: SetDepositWallet): Outcome {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return refused(Refusal.unknownAccount);
  if (state.coins[command.coin] === undefined) return refused(Refusal.unknownCoin);
  account.depositWallets.set(command.coin, command.wallet);
  return DONE;
}

/** Only free money can leave: what orders hold stays. */
export function withdraw(state: State, command: Withdraw): Outcome {
  const failure = checkMovement(state, command.uid, command.coin, command.amount);
  if (failure !== undefined) return failure;
  const { coin, amount } = command;
  const account = state.accountByUid.get(command.uid)!;
  const available = freeIn(state, account, coin, Wallet.unified);
  if (available < amount) return shortOf(coin, available);
  state.ledger.move(walletCell(state, account, coin, Wallet.unified), outside(state, coin), amount);
  foldMoney(state, amount);
  emitLine(state, account, Wallet.unified, coin, 'withdrawal', -amount, command.reference);
  return DONE;
}

export function transfer(state: State, command: Transfer): Outcome {
  const { coin, amount, fromWallet, toWallet } = command;
  const failure = checkMovement(state, command.fromUid, coin, amount);
  if (failure !== undefined) return failure;
  const from = state.accountByUid.get(command.fromUid)!;
  const to = state.accountByUid.get(command.toUid);
  const initiator = state.accountByUid.get(command.initiatorUid);
  if (to === undefined || initiator === undefined) return refused(Refusal.unknownAccount);
  if (from === to && fromWallet === toWallet) return refused(Refusal.sameWallet);
  if (from.party !== to.party || !mayMove(initiator, from, to)) return refused(Refusal.notOneParty);
  const oid = `${initiator.uid} ${command.clientOid}`;
  if (command.clientOid !== '' && state.transferOids.has(oid)) return refused(Refusal.transferOidInUse);
  const available = freeIn(state, from, coin, fromWallet);
  if (available < amount) return shortOf(coin, available);

  if (command.clientOid !== '') state.transferOids.remember(oid);
  const source = walletCell(state, from, coin, fromWallet);
  state.ledger.move(source, walletCell(state, to, coin, toWallet), amount);
  foldMoney(state, amount);
  const transferId = state.nextId();
  emitLine(state, from, fromWallet, coin, 'transferOut', -amount, String(transferId));
  emitLine(state, to, toWallet, coin, 'transferIn', amount, String(transferId));
  state.events.push({
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
  return { refusal: Refusal.none, orderId: transferId, clientOid: command.clientOid };
}

/** A master moves money anywhere in its party; a sub-account only its own, to itself or up to its master. */
function mayMove(initiator: Account, from: Account, to: Account): boolean {
  if (initiator.index === from.party) return true;
  return initiator === from && (to === from || to.index === from.party);
}

export function checkMovement(state: State, uid: number, coin: number, amount: bigint): Outcome | undefined {
  if (!state.accountByUid.has(uid)) return refused(Refusal.unknownAccount);
  if (state.coins[coin] === undefined) return refused(Refusal.unknownCoin);
  if (amount <= 0n || amount > MONEY_MAX) return refused(Refusal.amountOutOfRange);
  return undefined;
}

export function shortOf(coin: number, available: bigint): Outcome {
  return { refusal: Refusal.insufficientBalance, orderId: 0, clientOid: '', available, coin };
}

/** What a wallet can give; looking opens no row, so that a refusal changes nothing. */
export function freeIn(state: State, account: Account, coin: number, wallet: Wallet): bigint {
  if (wallet === Wallet.unified) return withdrawable(state, account, coin);
  return state.ledger.peek(account.index, coin, BUCKET_OF[wallet]);
}

export function walletCell(state: State, account: Account, coin: number, wallet: Wallet): number {
  return state.ledger.cell(account.index, coin, BUCKET_OF[wallet]);
}

export function outside(state: State, coin: number): number {
  return state.ledger.cell(SystemAccount.external, coin, Bucket.cash);
}

export function foldMoney(state: State, amount: bigint): void {
  state.digest.fold(Number(BigInt.asIntN(32, amount)));
}

interface LineDetails {
  readonly fee?: bigint;
  /** The contract it is about; none for money that only moves. */
  readonly instrument?: Instrument;
  /** What the margin of an isolated position gained by the same step, which is a line of its own. */
  readonly intoMargin?: bigint;
}

/** What the last line of the unified wallet says is there: cash, and what orders hold. Isolated margin is not. */
export function toldBalance({ ledger }: State, { index }: Account, coin: number): bigint {
  return (
    ledger.peek(index, coin, Bucket.cash) +
    ledger.peek(index, coin, Bucket.locked) +
    ledger.peek(index, coin, Bucket.isolatedOrders)
  );
}

export function emitLine(
  state: State,
  account: Account,
  wallet: Wallet,
  coin: number,
  kind: LedgerLineKind,
  amount: bigint,
  reference: string,
  { fee = 0n, instrument, intoMargin = 0n }: LineDetails = {},
): void {
  if (account.mayOwe) state.touch(account);
  if (account.house) return;
  const held =
    wallet === Wallet.unified
      ? toldBalance(state, account, coin)
      : state.ledger.peek(account.index, coin, BUCKET_OF[wallet]);
  const common = {
    type: 'ledgerLine',
    uid: account.uid,
    coin,
    instrument: instrument?.index ?? -1,
    category: instrument?.category ?? Category.spot,
    wallet,
    reference,
    time: state.now,
  } as const;
  const line = (what: LedgerLineKind, moved: bigint, cost: bigint, balance: bigint): void => {
    state.events.push({ ...common, lineId: state.nextId(), kind: what, amount: moved, fee: cost, balance });
  };
  // Margin that pays a loss comes before the loss, margin that a step puts in after it: no line shows a debt in between.
  if (intoMargin < 0n) line('marginRemoved', -intoMargin, 0n, held - amount + fee);
  line(kind, amount, fee, intoMargin > 0n ? held + intoMargin : held);
  if (intoMargin > 0n) line('marginAdded', -intoMargin, 0n, held);
}
