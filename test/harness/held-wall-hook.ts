/** Loaded into a server with `--import`: its wall clock is the one that the test holds (`held-wall.ts`). */
import { readFileSync } from 'node:fs';
import { WallClock } from '../../src/sequencer/clock.ts';

interface Inside {
  now: (this: Inside) => number;
}

const file = process.env.TEST_WALL_FILE!;
const clock = WallClock.prototype as unknown as Inside;
const ofTheMachine = clock.now;
let last = 0;

clock.now = function (this: Inside): number {
  const [state, ms] = readFileSync(file, 'latin1').split(' ');
  last = Math.max(last, state === 'stands' ? Number(ms) : ofTheMachine.call(this) + Number(ms));
  return last;
};
