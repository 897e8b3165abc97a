/**
 * The bytes that the state hash is taken over: equal states have equal bytes, in every version of the program. They are
 * frozen as the fields of format 1, whatever the format of snapshot files, so that a file format may change and the hash
 * of a journal stays what it was.
 *
 * A field that joins the state later is written behind the frozen ones, with its name and only where it has a value that
 * a state before it could not have: states that do not use it keep their hash.
 */
import type { State } from '../state/state.ts';
import { StateWriter } from './fields.ts';
import { fundFields } from './fund-fields.ts';
import { clearingFields, feeFloorFields, partyLimitFields, silenceFields } from './limit-fields.ts';
import { dueAccountFields, openWorkFields, priceCheckFields, pulledFields } from './open-work-fields.ts';
import { priceFields } from './price-fields.ts';
import { stateFields } from './state-fields.ts';

const CANONICAL_FORMAT = 1;

export function canonicalState(state: State): Uint8Array<ArrayBuffer> {
  const w = new StateWriter(CANONICAL_FORMAT, state.slab.count);
  w.u16(CANONICAL_FORMAT);
  stateFields(w, state);
  if (state.edition > 1) {
    w.text('edition');
    w.u8(state.edition);
    fundFields(w, state);
    w.text('prices');
    priceFields(w, state);
    w.text('feeFloors');
    feeFloorFields(w, state);
    w.text('partyLimits');
    partyLimitFields(w, state);
    w.text('clearingShortfall');
    clearingFields(w, state);
  }
  if (state.edition > 2) {
    w.text('silentIndex');
    silenceFields(w, state);
  }
  // Strategy orders that wait for their turn are among the frozen fields.
  if (state.delistings.length > 0 || state.works.length > 0) {
    w.text('openWork');
    openWorkFields(w, state);
  }
  if (state.priceCheckRound !== undefined || state.loanChecksPending) {
    w.text('priceTests');
    priceCheckFields(w, state);
  }
  if (state.dueAccounts.size > 0) {
    w.text('dueAccounts');
    dueAccountFields(w, state);
  }
  if (state.pulled.size > 0) {
    w.text('pulled');
    pulledFields(w, state);
  }
  return w.written();
}
