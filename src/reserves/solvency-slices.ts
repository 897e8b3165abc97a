/** Solvency as of one command, in slices between which the exchange does its work. */
import { setImmediate as turn } from 'node:timers/promises';
import { type CoinSolvency, SolvencyRead } from '../core/reads/solvency-reads.ts';
import type { State } from '../core/state/state.ts';

/** A quarter of a millisecond: an audit takes several such slices in one turn of the loop. */
export const LOOKS_AT_A_TIME = 250;

/** As it is when this is called. */
export async function solvencyInSlices(state: State): Promise<CoinSolvency[]> {
  const read = new SolvencyRead(state);
  try {
    while (!read.advance(LOOKS_AT_A_TIME)) await turn();
    return read.result();
  } finally {
    read.close();
  }
}
