/** Loaded into a server with `--import`: its wall clock is the one that the test holds (`held-wall.ts`). */
import { WallClock } from '../../src/sequencer/clock.ts';
import { heldClock } from './held-clock.ts';

interface Inside {
  now: (this: Inside) => number;
}

const clock = WallClock.prototype as unknown as Inside;
const ofTheMachine = clock.now;
let machineMs = 0;
const held = heldClock(process.env.TEST_WALL_FILE!, () => machineMs);

clock.now = function (this: Inside): number {
  machineMs = ofTheMachine.call(this);
  return held();
};
