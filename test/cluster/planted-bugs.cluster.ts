/** The simulation finds each of seven mistakes, and for the right reason (cluster 10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLANTED_BUGS } from './planted-bugs.ts';
import { Simulation } from './simulation.ts';

const SEEDS_MAX = 200;

for (const [name, { bug, foundAs }] of Object.entries(PLANTED_BUGS)) {
  test(`the simulation finds: ${name}`, async (context) => {
    for (let seed = 1; seed <= SEEDS_MAX; seed++) {
      try {
        await new Simulation(seed, bug).run();
      } catch (error) {
        const { message } = error as Error;
        assert.match(message, foundAs);
        context.diagnostic(`seed ${seed}: ${message}`);
        return;
      }
    }
    assert.fail(`not found by ${SEEDS_MAX} seeds`);
  });
}
