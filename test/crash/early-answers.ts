/** A planted bug, loaded into the server with `--import`: answers leave when a command is applied, not when it is safe. */
import { type Waiting, WaitingResults } from '../../src/sequencer/waiting-results.ts';

const honest = WaitingResults.prototype.add;
WaitingResults.prototype.add = function (this: WaitingResults, waiting: Waiting) {
  honest.call(this, waiting);
  const isRead = waiting.time === 0;
  if (!isRead) waiting.resolve(waiting.result);
};
