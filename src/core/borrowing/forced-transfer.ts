/**
 * What an account still owes when its positions are closed and its coins are sold is taken from its funding wallet at once
 * (rules 16.2): a claim that waits would be worth less at the next price.
 */

import { Wallet } from '../model/enums.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { walletCell } from '../state/ledger-lines.ts';
import { post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';
import { type Conversion, convert, debtOf, debtsInOrder, inOrderOfPayment, quote } from './conversion.ts';

/** Would a forced transfer pay anything? Not for a crossed position that cannot be closed. */
export function hasForcedTransfer(state: State, account: Account): boolean {
  if (!isBehindDebts(state, account)) return false;
  const held = heldAside(state, account);
  const coins = state.ledger.coinsOf(account.index).filter((coin) => held(coin) > 0n);
  if (coins.length === 0) return false;
  if (coins.some((coin) => debtOf(state, account, coin) > 0n)) return true;
  const payments = inOrderOfPayment(state, account, held);
  return debtsInOrder(state, account).some((debtCoin) =>
    payments.some((payCoin) => quote(state, sale(state, account, debtCoin, payCoin)).received > 0n),
  );
}

/** First each coin that is owed, then others, as much as is sold for the debts that are left. */
export function payFromFunding(state: State, account: Account, enough: () => boolean): void {
  if (!isBehindDebts(state, account)) return;
  const held = heldAside(state, account);
  for (const coin of state.ledger.coinsOf(account.index))
    take(state, account, coin, smaller(held(coin), debtOf(state, account, coin)));
  for (const debtCoin of debtsInOrder(state, account)) {
    for (const payCoin of inOrderOfPayment(state, account, held)) {
      if (enough()) return;
      const conversion = sale(state, account, debtCoin, payCoin);
      const { sold, received } = quote(state, conversion);
      if (received === 0n) continue;
      take(state, account, payCoin, sold);
      convert(state, account, { ...conversion, available: sold });
    }
  }
}

function isBehindDebts({ rules }: State, { positions }: Account): boolean {
  return rules.forcedTransfer && ![...positions.values()].some(({ isolated }) => !isolated);
}

function heldAside({ ledger }: State, { index }: Account): (coin: number) => bigint {
  return (coin) => ledger.balanceOf(index, coin, Bucket.funding);
}

function sale(state: State, account: Account, debtCoin: number, payCoin: number): Conversion {
  const wanted = debtOf(state, account, debtCoin);
  return { debtCoin, payCoin, wanted, available: heldAside(state, account)(payCoin), forced: true };
}

function take(state: State, account: Account, coin: number, amount: bigint): void {
  if (amount === 0n) return;
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
