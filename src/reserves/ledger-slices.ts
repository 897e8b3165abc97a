/** Reads of the whole ledger as of one command, in slices between which the exchange does its work. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Ledger } from '../core/state/ledger.ts';
import type { RowVisit } from '../core/state/ledger-view.ts';

/** About a millisecond. */
const ROWS_AT_A_TIME = 1000;

/** Visits every row as it is when this is called, in no particular order. */
export async function eachRowInSlices(ledger: Ledger, visit: RowVisit): Promise<void> {
  const view = ledger.view();
  try {
    for (let row = 0; row < view.rowCount; row += ROWS_AT_A_TIME) {
      if (row > 0) await turn();
      view.read(row, row + ROWS_AT_A_TIME, visit);
    }
  } finally {
    view.close();
  }
}
