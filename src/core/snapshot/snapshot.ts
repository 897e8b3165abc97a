/**
 * The payload of snapshot files: the number of its format, then the fields of the state. An older format is read with the
 * fields it had; the upgrades bring the state from each format to the next. A newer one is refused.
 *
 * A new field of the state goes into its list of fields `if (f.format >= N)`, N being the next format, and an upgrade is
 * added below, which may do nothing where the value of a new state is right. `canonical-state.ts` says what the state
 * hash makes of it.
 */

import { scheduleCalendar } from '../listing/status-calendar.ts';
import { UnreadableRecord } from '../model/bytes.ts';
import { scheduleCountdowns } from '../orders/cancel.ts';
import { earliestCandleEnd } from '../state/market.ts';
import { State } from '../state/state.ts';
import { scheduleDelivery, scheduleFunding } from '../state/timers.ts';
import { StateReader, StateWriter } from './fields.ts';
import { stateFields } from './state-fields.ts';

/** Gives a state that was read from one format what the next one has. */
export type Upgrade = (state: State) => void;

/** From format 1 to 2, from 2 to 3, and so on. */
const UPGRADES: readonly Upgrade[] = [
  // A state of format 1 is of the first edition of the rule book and stays so until the command that changes it.
  (state) => state.ledger.beginPeaks(),
  // No contract was ever paused under the second edition.
  () => {},
  // Before the fourth edition no work stays open.
  () => {},
  // The fifth edition has no field of its own; a program that does not know its rule must not go on from its state.
  () => {},
  // Nor has the sixth.
  () => {},
  // Nor the seventh.
  () => {},
  // The same fields; orders are in columns.
  () => {},
  // Before the eighth edition no check by the prices of a second waits.
  () => {},
  // Before the ninth no account waits for its liquidation, or for its orders to be cancelled.
  () => {},
];

export function saveState(
  state: State,
  w = new StateWriter(newestFormat(UPGRADES), state.slab.count),
): Uint8Array<ArrayBuffer> {
  w.u16(w.format);
  stateFields(w, state);
  return w.written();
}

export function loadState(bytes: Uint8Array, upgrades: readonly Upgrade[] = UPGRADES): State {
  const r = new StateReader(bytes);
  const newest = newestFormat(upgrades);
  if (r.format < 1 || r.format > newest) throw unknownFormat(r.format, newest);
  const state = new State();
  stateFields(r, state);
  r.finish();
  for (const upgrade of upgrades.slice(r.format - 1)) upgrade(state);
  schedule(state);
  return state;
}

/** Format of the newest snapshots. */
export const STATE_FORMAT = newestFormat(UPGRADES);

/** Format of a snapshot, from its first bytes. */
export function formatOf(bytes: Uint8Array): number {
  return new StateReader(bytes).format;
}

/** Would the state that it holds be saved as the same bytes? */
export function hasNewestFormat(bytes: Uint8Array): boolean {
  return formatOf(bytes) === STATE_FORMAT;
}

function newestFormat(upgrades: readonly Upgrade[]): number {
  return upgrades.length + 1;
}

function unknownFormat(format: number, newest: number): UnreadableRecord {
  const known = newest === 1 ? 'format 1' : `formats 1 to ${newest}`;
  const advice = 'start the version of the program that wrote it, or a newer one';
  return new UnreadableRecord(`the snapshot has format ${format}, this version reads ${known}: ${advice}`);
}

/** The next instants of timed work follow from the state. */
function schedule(state: State): void {
  scheduleCountdowns(state);
  scheduleFunding(state);
  scheduleDelivery(state);
  scheduleCalendar(state);
  for (const market of state.markets) {
    state.nextCandleEnd = Math.min(state.nextCandleEnd, earliestCandleEnd(market));
  }
}
