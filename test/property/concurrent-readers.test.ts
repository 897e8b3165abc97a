/** Nobody who looks changes what happens: exchanges that are asked much, little or nothing come to the same. */
import { test } from 'node:test';
import { assertLooksChangeNothing } from './concurrent-readers.ts';
import { FLOWS } from './flows.ts';
import { Seeds, sizeOf } from './seeds.ts';

const SEEDS = new Seeds({ all: 3, first: 1001 });
const COMMANDS = sizeOf(250, 500);

for (const [name, { setUp, flowOf }] of Object.entries(FLOWS)) {
  test(`${name}: what happens does not depend on who has looked`, () => {
    for (const seed of SEEDS) assertLooksChangeNothing(seed, setUp, COMMANDS, (state) => flowOf(seed, state));
  });
}
