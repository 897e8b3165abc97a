/**
 * A posting moves money from one cell to another, writes the ledger lines of the two owners and folds the amount into
 * the digest (rules 4). Two kinds of movement are not postings: money that stays in its account
 * (holds of orders, isolated margin) is a plain `Ledger.move`; a trade moves several amounts that one line sums up
 * (`trade-events.ts`, `futures-fill-events.ts`).
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

/** `digest` is folded instead of the amount, if given. */
export function post(state: State, posting: Posting, digest = posting.amount): void {
  postStep(state, posting);
  digestAmount(state, digest);
}

/** Several postings of one operation; the digest gets their sum. */
export function postAll(state: State, postings: readonly Posting[], digest = sumOf(postings)): void {
  for (const posting of postings) postStep(state, posting);
  digestAmount(state, digest);
}

/** A posting whose amount follows from values that are in the digest already. An amount of 0n writes no lines. */
export function postStep(state: State, posting: Posting): void {
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

function sumOf(postings: readonly Posting[]): bigint {
  return postings.reduce((sum, { amount }) => sum + amount, 0n);
}
