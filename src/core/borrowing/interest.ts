/**
 * Interest on what accounts owe, at every full hour (domain.md 6.8): on the debt of that instant, less the free part of
 * an unrealised loss. A debt that comes and goes within the hour costs nothing.
 */
import type { Account } from '../account.ts';
import { coinsOf, profitIn } from '../futures/margin.ts';
import { Bucket, SystemAccount } from '../ledger.ts';
import type { State } from '../state.ts';
import { Wallet } from '../terms.ts';
import { divCeil, larger, RATE_ONE, smaller } from '../units.ts';
import { emitLine, foldMoney } from '../wallet/wallet.ts';
import { balanceOf } from './debts.ts';

export const INTEREST_MS = 3_600_000;
export const HOURS_A_YEAR = 8760n;

/** Could anybody owe anything? */
export function mayBearInterest(state: State): boolean {
  return (
    state.ledger.isOwed() ||
    state.markets.some(({ futures }) => futures !== undefined && futures.openInterest > 0)
  );
}

/** Ascending uid, then coin. */
export function chargeInterest(state: State): void {
  const indebted = new Set(state.ledger.accountsInDebt());
  const accounts = [...state.accountByUid.values()].filter(
    (account) => account.positions.size > 0 || indebted.has(account.index),
  );
  accounts.sort((a, b) => a.uid - b.uid);
  for (const account of accounts) {
    for (const coin of coinsOf(state, account)) charge(state, account, coin);
  }
}

/** What an hour costs on the debt of now: the whole debt, its free part, and the interest. */
export function interestOf(
  state: State,
  account: Account,
  coin: number,
): { debt: bigint; free: bigint; interest: bigint } {
  const { freeLimit, yearRate } = state.lending[coin]!.terms;
  const profit = profitIn(state, account, coin);
  const debt = larger(0n, -(balanceOf(state, account, coin) + profit));
  const free = smaller(debt, smaller(larger(0n, -profit), freeLimit));
  return { debt, free, interest: divCeil((debt - free) * yearRate, RATE_ONE * HOURS_A_YEAR) };
}

function charge(state: State, account: Account, coin: number): void {
  const { interest } = interestOf(state, account, coin);
  if (interest === 0n) return;
  const { ledger } = state;
  const house = ledger.cell(SystemAccount.interest, coin, Bucket.cash);
  ledger.move(ledger.cell(account.index, coin, Bucket.cash), house, interest);
  foldMoney(state, interest);
  emitLine(state, account, Wallet.unified, coin, 'interest', -interest, '');
  state.touch(account);
}
