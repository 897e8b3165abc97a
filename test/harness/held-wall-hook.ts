/** Loaded into a server with `--import`: its wall clock is the one that the test holds (`held-wall.ts`). */
import { openSync, readSync } from 'node:fs';
import { WallClock } from '../../src/sequencer/clock.ts';
import { WALL_BYTES, wallIn } from './wall-record.ts';

interface Inside {
  now: (this: Inside) => number;
}

const file = openSync(process.env.TEST_WALL_FILE!, 'r');
const record = Buffer.alloc(WALL_BYTES);
const clock = WallClock.prototype as unknown as Inside;
const ofTheMachine = clock.now;
let last = 0;

clock.now = function (this: Inside): number {
  const { stands, ms } = told();
  last = Math.max(last, stands ? ms : ofTheMachine.call(this) + ms);
  return last;
};

/** Asked several times for each request: one read of a file that stays open. */
function told(): { readonly stands: boolean; readonly ms: number } {
  for (;;) {
    readSync(file, record, 0, WALL_BYTES, 0);
    const wall = wallIn(record);
    if (wall !== undefined) return wall;
  }
}
