/** A planted bug, loaded into the server with `--import`: answers leave when a command is applied, not when it is safe. */
import { type Waiting, WaitingResults } from '../../src/sequencer/waiting-results.ts';

interface Inside {
  add: (this: Inside, waiting: Waiting) => void;
}

const results = WaitingResults.prototype as unknown as Inside;
const honest = results.add;
results.add = function (this: Inside, waiting) {
  honest.call(this, waiting);
  const isRead = waiting.time === 0;
  if (!isRead) waiting.resolve(waiting.result);
};
