/** Nobody who looks changes what happens: exchanges that are asked much, little or nothing come to the same. */
import { test } from 'node:test';
import { FLOWS } from './flows.ts';
import { assertLooksChangeNothing } from './onlookers.ts';

const FIRST_SEED = 1001;
const SEEDS = 3;
const COMMANDS = 500;

for (const [name, { setUp, flowOf }] of Object.entries(FLOWS)) {
  test(`${name}: what happens does not depend on who has looked`, () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
      assertLooksChangeNothing(seed, setUp, COMMANDS, (state) => flowOf(seed, state));
  });
}
