/** A planted bug, loaded into the server with `--import`: answers leave when a command is applied, not when it is safe. */
import { Sequencer } from '../../src/sequencer/sequencer.ts';

interface Inside {
  sequence: (this: Inside, ...args: unknown[]) => void;
  readonly waiting: { readonly result: unknown; readonly resolve: (result: unknown) => void }[];
}

const venue = Sequencer.prototype as unknown as Inside;
const honest = venue.sequence;
venue.sequence = function (this: Inside, ...args) {
  honest.apply(this, args);
  const last = this.waiting.at(-1);
  last?.resolve(last.result);
};
