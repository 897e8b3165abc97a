/** The same state with other numbers of accounts, for copies that must not tell whose they are. */
import type { State } from '../state/state.ts';
import { StateWriter } from './fields.ts';
import { loadState, STATE_FORMAT, saveState } from './snapshot.ts';

/** The new number of an account. Ascending numbers stay ascending: the order of some work follows them. */
export type NewUid = (uid: number) => number;

class RenumberingWriter extends StateWriter {
  readonly #newUid: NewUid;

  constructor(newUid: NewUid) {
    super(STATE_FORMAT);
    this.#newUid = newUid;
  }

  override uid(value: number): number {
    super.uid(this.#newUid(value));
    return value;
  }

  override uidText(value: string): string {
    super.uidText(value.replace(/^\d+(?= )/, (uid) => String(this.#newUid(Number(uid)))));
    return value;
  }
}

export function renumbered(state: State, newUid: NewUid): State {
  return loadState(saveState(state, new RenumberingWriter(newUid)));
}
