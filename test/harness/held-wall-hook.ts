/** Loaded into a server with `--import`: its wall clock is the one that the test holds (`held-wall.ts`). */
import { WallClock } from '../../src/sequencer/clock.ts';
import { heldClock } from './held-clock.ts';

interface Inside {
  now: (this: Inside) => number;
}

const clock = WallClock.prototype as unknown as Inside;
const ofTheMachine = clock.now;
let asked: Inside = clock;
const held = heldClock(process.env.TEST_WALL_FILE!, () => ofTheMachine.call(asked));

clock.now = function (this: Inside): number {
  asked = this;
  return held();
};
