/** Reads of the whole ledger and of all loans as of one command, in slices between which the exchange does its work. */
import { setImmediate as turn } from 'node:timers/promises';
import { beginLedgerRead, type RowVisit } from '../core/reads/ledger-reads.ts';
import { type DebtVisit, LoanDebtRead } from '../core/reads/loan-debt-read.ts';
import type { State } from '../core/state/state.ts';

/** A quarter of a millisecond: an audit takes several such slices in one turn of the loop. */
const ROWS_AT_A_TIME = 250;
const ACCOUNTS_AT_A_TIME = 250;

/** Visits every row as it is when this is called, in no particular order. */
export async function eachRowInSlices(state: State, visit: RowVisit): Promise<void> {
  const read = beginLedgerRead(state);
  try {
    for (let place = 0; place < read.rowCount; place += ROWS_AT_A_TIME) {
      if (place > 0) await turn();
      read.read(place, place + ROWS_AT_A_TIME, visit);
    }
  } finally {
    read.close();
  }
}

/** Visits every debt of a pledge loan as it is when this is called. */
export async function eachLoanDebtInSlices(state: State, visit: DebtVisit): Promise<void> {
  const read = new LoanDebtRead(state, visit);
  try {
    while (!read.advance(ACCOUNTS_AT_A_TIME)) await turn();
  } finally {
    read.close();
  }
}
