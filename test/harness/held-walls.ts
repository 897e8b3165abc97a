/** In a host of exchanges: those whose wall clock a test holds (`held-wall.ts`). The others have that of the machine. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { WallClock } from '../../src/sequencer/clock.ts';
import { heldClock } from './held-clock.ts';

interface Inside {
  now: (this: Inside) => number;
}

const file = new AsyncLocalStorage<string>();
const clocks = new WeakMap<Inside, () => number>();
const clock = WallClock.prototype as unknown as Inside;
const ofTheMachine = clock.now;

clock.now = function (this: Inside): number {
  let now = clocks.get(this);
  if (now === undefined) {
    // Asked first while its exchange starts.
    const held = file.getStore();
    const machine = () => ofTheMachine.call(this);
    now = held === undefined ? machine : heldClock(held, machine);
    clocks.set(this, now);
  }
  return now();
};

/** What is started in `work` goes by the wall clock of this file. */
export function withHeldWall<Result>(held: string | undefined, work: () => Result): Result {
  return held === undefined ? work() : file.run(held, work);
}
