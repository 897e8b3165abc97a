/** The wall clock that a test holds, as the process of the exchange reads it. */
import { readFileSync } from 'node:fs';

/** Never goes back, whatever the file says. */
export function heldClock(file: string, ofTheMachine: () => number): () => number {
  let last = 0;
  return () => {
    const [state, ms] = readFileSync(file, 'latin1').split(' ');
    last = Math.max(last, state === 'stands' ? Number(ms) : ofTheMachine() + Number(ms));
    return last;
  };
}
