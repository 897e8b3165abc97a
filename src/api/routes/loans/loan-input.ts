/** What requests about loans name: terms, coins of the desk, loans, words of the records. */
import Type from 'typebox';
import { LOAN_TERM_NAMES, type LoanTerm, type LoanTermName } from '../../../core/model/loan-terms.ts';
import { parseOrderId } from '../../../core/model/order-id.ts';
import type { State } from '../../../core/state/state.ts';
import { findCoin, type NamedCoin, unknownCoin } from '../../wire/money-input.ts';
import { type WireError, wireError } from '../../wire/wire-error.ts';

/** What the routes of the desk have in common. */
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

/** An id that nothing can have finds nothing. */
export function loanIdOf(text: string): number {
  return parseOrderId(text) ?? 0;
}

/** A coin to choose by: one that nobody knows chooses nothing, which is what -1 does. */
export function coinChoice(state: State, name: string | undefined): number | undefined {
  return name === undefined ? undefined : (findCoin(state, name)?.index ?? -1);
}

/** Other calls have a `status` of their own in other letters, so its case is not settled for all (`FIELD_CASE`). */
export function statusOf(text: string | undefined, known: readonly string[]): string | undefined | WireError {
  const status = text?.toUpperCase();
  if (status === undefined || known.includes(status)) return status;
  return wireError('40020', `parameter status must be one of ${known.join(', ')}`);
}
