/**
 * A posting moves money from one cell to another, writes the ledger lines of the two owners and folds the amount into
 * the digest (rules 4), in one act. Two kinds of movement are not postings: money that orders hold stays in its wallet and
 * is a plain `Ledger.move`; a trade moves several amounts that one line sums up (`trade-events.ts`,
 * `futures-fill-events.ts`).
 */

import { Wallet } from '../model/enums.ts';
import type { LedgerLineKind } from '../model/event.ts';
import type { Instrument } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { digestAmount, emitLedgerLine } from './ledger-lines.ts';
import type { State } from './state.ts';

export interface Posting {
  /** Cells of the ledger. */
  readonly from: number;
  readonly to: number;
  readonly amount: bigint;
  /** Kinds of the two owners' ledger lines; without a kind there is no line. */
  readonly fromLine?: LedgerLineKind;
  readonly toLine?: LedgerLineKind;
  /** Reference of the lines. */
  readonly reference?: string;
  /** The contract that the lines are about. */
  readonly instrument?: Instrument;
}

/**
 * What the digest gets of an operation instead of the sum of its amounts: a number that says more, or nothing because
 * the amounts follow from values that it has.
 */
type Digested = bigint | 'implied';

/** Carries out the postings of one operation, in their order. A posting of 0n writes no lines. */
export function post(
  state: State,
  operation: Posting | readonly Posting[],
  digested: Digested = sumOf(operation),
): void {
  if (isList(operation)) for (const posting of operation) moveAndRecord(state, posting);
  else moveAndRecord(state, operation);
  if (digested !== 'implied') digestAmount(state, digested);
}

function moveAndRecord(state: State, posting: Posting): void {
  const { from, to, amount, fromLine, toLine } = posting;
  state.ledger.move(from, to, amount);
  if (amount === 0n) return;
  if (fromLine !== undefined) writeLine(state, posting, from, fromLine, -amount);
  if (toLine !== undefined) writeLine(state, posting, to, toLine, amount);
}

/** Margin of an isolated position changes by the same amount as the wallet's statement says. */
function writeLine(
  state: State,
  { reference = '', instrument }: Posting,
  cell: number,
  kind: LedgerLineKind,
  change: bigint,
): void {
  const { ledger } = state;
  const account = state.accounts[ledger.accountOf(cell)]!;
  const bucket = ledger.bucketOf(cell);
  const wallet = bucket === Bucket.funding ? Wallet.funding : Wallet.unified;
  const intoMargin = bucket === Bucket.isolated ? change : 0n;
  emitLedgerLine(state, account, wallet, ledger.coinOf(cell), kind, change, reference, {
    instrument,
    intoMargin,
  });
}

function sumOf(operation: Posting | readonly Posting[]): bigint {
  return isList(operation) ? operation.reduce((sum, { amount }) => sum + amount, 0n) : operation.amount;
}

/** `Array.isArray` does not tell a read-only list from another type. */
function isList(operation: Posting | readonly Posting[]): operation is readonly Posting[] {
  return Array.isArray(operation);
}
