/** A planted bug, loaded into the server with `--import`: answers leave when a command is applied, not when it is safe. */
import { Sequencer } from '../../src/sequencer/sequencer.ts';

interface Inside {
  apply: (this: Inside, ...args: unknown[]) => void;
  readonly waiting: { readonly result: unknown; readonly resolve: (result: unknown) => void }[];
}

const venue = Sequencer.prototype as unknown as Inside;
const honest = venue.apply;
if (typeof honest !== 'function') throw new Error('the planted bug has lost its place');
venue.apply = function (this: Inside, ...args) {
  honest.apply(this, args);
  const last = this.waiting.at(-1);
  last?.resolve(last.result);
};
