/** Loaded into a server with `--import`: its wall clock is the one that the test holds (`held-wall.ts`). */
import { readFileSync } from 'node:fs';
import { WallClock } from '../../src/venue/clock.ts';

const file = process.env.TEST_WALL_FILE!;
const ofTheMachine = WallClock.prototype.now;
let last = 0;

WallClock.prototype.now = function (this: WallClock): number {
  const [state, ms] = readFileSync(file, 'latin1').split(' ');
  last = Math.max(last, state === 'stands' ? Number(ms) : ofTheMachine.call(this) + Number(ms));
  return last;
};
