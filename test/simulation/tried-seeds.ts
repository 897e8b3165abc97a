/** Seeds of the simulated machine, one after the other, for the tests of them. */
import type { TestContext } from 'node:test';
import { Statistics } from './statistics.ts';
import { World } from './world.ts';

/** `SIM_SEED=17` runs one seed again, `SIM_SEEDS` another number of them than the test has. */
export async function trySeeds(t: TestContext, least: number): Promise<{ met: Statistics; tried: number }> {
  const count = Number(process.env.SIM_SEEDS ?? least);
  const only = process.env.SIM_SEED;
  const seeds = only === undefined ? Array.from({ length: count }, (_, n) => n + 1) : [Number(only)];
  const met = new Statistics();
  const started = performance.now();
  for (const seed of seeds) {
    try {
      await new World(seed, met).run();
    } catch (error) {
      const again = `SIM_SEED=${seed} node --test test/simulation/venue.test.ts`;
      throw new Error(`seed ${seed} fails (again with: ${again}): ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  t.diagnostic(`${seeds.length} seeds in ${seconds} s: ${met.line()}`);
  return { met, tried: seeds.length };
}
