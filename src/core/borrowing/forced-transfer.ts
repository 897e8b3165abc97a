/** The funding wallet pays what an account still owes when its positions are closed and its coins are sold (rules 16.2). */

import { Wallet } from '../model/enums.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import type { Account } from '../state/account.ts';
import { walletCell } from '../state/ledger-lines.ts';
import { post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';
import { hasCrossed, type Means, payFrom, wouldPay } from './forced-payment.ts';

/** Would a forced transfer pay anything? */
export function hasForcedTransfer(state: State, account: Account): boolean {
  return isBehindDebts(state, account) && wouldPay(state, account, walletOf(state, account));
}

export function payFromFunding(state: State, account: Account, enough: () => boolean): void {
  if (isBehindDebts(state, account)) payFrom(state, account, walletOf(state, account), enough);
}

function isBehindDebts({ rules }: State, account: Account): boolean {
  return rules.forcedTransfer && !hasCrossed(account);
}

function walletOf(state: State, account: Account): Means {
  return {
    held: (coin) => state.ledger.balanceOf(account.index, coin, Bucket.funding),
    take: (coin, amount) => take(state, account, coin, amount),
  };
}

function take(state: State, account: Account, coin: number, amount: bigint): void {
  const transferId = state.nextId();
  post(state, {
    from: walletCell(state, account, coin, Wallet.funding),
    to: walletCell(state, account, coin, Wallet.unified),
    amount,
    fromLine: 'forcedTransferOut',
    toLine: 'forcedTransferIn',
    reference: String(transferId),
  });
  if (account.house) return;
  const { uid } = account;
  state.emit({
    type: 'transfer',
    transferId,
    initiatorUid: 0,
    fromUid: uid,
    toUid: uid,
    fromWallet: Wallet.funding,
    toWallet: Wallet.unified,
    coin,
    amount,
    clientOid: '',
    time: state.now,
  });
}
