/** The wall clock that a test holds, as the process of the exchange reads it. */
import { openSync, readSync } from 'node:fs';
import { WALL_BYTES, wallIn } from './wall-record.ts';

/** Never goes back, whatever the file says. Asked several times for each request: one read of a file that stays open. */
export function heldClock(path: string, ofTheMachine: () => number): () => number {
  const file = openSync(path, 'r');
  const record = Buffer.alloc(WALL_BYTES);
  let last = 0;
  return () => {
    for (;;) {
      readSync(file, record, 0, WALL_BYTES, 0);
      const wall = wallIn(record);
      if (wall === undefined) continue;
      last = Math.max(last, wall.stands ? wall.ms : ofTheMachine() + wall.ms);
      return last;
    }
  };
}
