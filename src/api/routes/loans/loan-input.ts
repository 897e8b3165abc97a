/** Input of the loan routes: terms, coins, loan ids, statuses. */

import { LOAN_TERM_NAMES, type LoanTerm, type LoanTermName } from '../../../core/model/loan-terms.ts';
import { parseOrderId } from '../../../core/model/order-id.ts';
import type { State } from '../../../core/state/state.ts';
import { Type } from '../../../validation/schema.ts';
import { findCoin, type NamedCoin, unknownCoin } from '../../wire/money-input.ts';
import { type WireError, wireError } from '../../wire/wire-error.ts';

/** Group and limit of all loan routes. */
export const LOANS = { group: 'Loans', perSecond: 10 } as const;

export const Daily = Type.Enum([...LOAN_TERM_NAMES], {
  description: 'term: seven days, thirty days or flexible',
});

export function termOf(name: LoanTermName): LoanTerm {
  return LOAN_TERM_NAMES.indexOf(name) as LoanTerm;
}

export interface CoinPair {
  readonly loan: NamedCoin;
  readonly pledge: NamedCoin;
}

export function findPair(
  state: State,
  { loanCoin, pledgeCoin }: { readonly loanCoin: string; readonly pledgeCoin: string },
): CoinPair | WireError {
  const loan = findCoin(state, loanCoin);
  if (loan === undefined) return unknownCoin('loanCoin');
  const pledge = findCoin(state, pledgeCoin);
  if (pledge === undefined) return unknownCoin('pledgeCoin');
  return { loan, pledge };
}

/** An id that no loan can have matches no loan. */
export function loanIdOf(text: string): number {
  return parseOrderId(text) ?? 0;
}

/** The index of a coin as a filter. An unknown coin gives -1, which matches no row. */
export function coinChoice(state: State, name: string | undefined): number | undefined {
  return name === undefined ? undefined : (findCoin(state, name)?.index ?? -1);
}

/** Other routes have a `status` in another letter case, so `FIELD_CASE` cannot convert it for all. */
export function statusOf(text: string | undefined, known: readonly string[]): string | undefined | WireError {
  const status = text?.toUpperCase();
  if (status === undefined || known.includes(status)) return status;
  return wireError('40020', `parameter status must be one of ${known.join(', ')}`);
}
