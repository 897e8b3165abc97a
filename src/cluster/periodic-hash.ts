/** The hash of the whole state behind the same packs on every node, for the comparison of states. */
import { openOrderCount } from '../core/reads/reads.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import { stateHash } from '../sequencer/state-hash.ts';
import type { NodeFacts } from './membership.ts';

/** How often the whole state is hashed: a small one by time, as that takes some milliseconds, any other by commands. */
const HASH_EACH_MS = 10_000;
const HASH_EACH_COMMANDS = 1_000_000;
const SMALL_STATE = 20_000;

export class PeriodicHash {
  readonly #sequencer: Pick<Sequencer, 'state' | 'appliedSeq'>;
  #period: number;
  /** Undefined until the first period has ended. */
  last: NodeFacts['hash'];

  constructor(sequencer: Pick<Sequencer, 'state' | 'appliedSeq'>, time: number) {
    this.#sequencer = sequencer;
    this.#period = this.#periodAt(time);
  }

  /** A pack was applied. */
  applied(no: number, time: number): void {
    const period = this.#periodAt(time);
    if (period === this.#period) return;
    this.#period = period;
    this.last = { no, bytes: Buffer.from(stateHash(this.#sequencer.state), 'hex') };
  }

  /** Changes behind the same pack on every node. */
  #periodAt(time: number): number {
    const { state, appliedSeq } = this.#sequencer;
    return openOrderCount(state) + state.accounts.length <= SMALL_STATE
      ? Math.floor(time / HASH_EACH_MS)
      : -Math.floor(appliedSeq / HASH_EACH_COMMANDS);
  }
}
