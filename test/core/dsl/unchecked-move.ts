/**
 * Money moved past the assertions of `Ledger.move`: a state that no command can reach, for tests of the invariants and
 * for examples that begin in one. Rows are written as a snapshot writes them.
 */
import { equal } from 'node:assert/strict';
import { BUCKETS, type Bucket } from '../../../src/core/model/ledger-accounts.ts';
import type { Ledger } from '../../../src/core/state/ledger.ts';

/** `from` and `to` are cells of one coin. */
export function moveUnchecked(ledger: Ledger, from: number, to: number, amount: bigint): void {
  equal(ledger.coinOf(from), ledger.coinOf(to));
  addTo(ledger, from, -amount);
  addTo(ledger, to, amount);
}

function addTo(ledger: Ledger, cell: number, change: bigint): void {
  const [account, coin] = [ledger.accountOf(cell), ledger.coinOf(cell)];
  const buckets = Array.from({ length: BUCKETS }, (_, bucket) =>
    ledger.balanceOf(account, coin, bucket as Bucket),
  );
  buckets[ledger.bucketOf(cell)]! += change;
  ledger.restoreRow(account, coin, buckets);
}
