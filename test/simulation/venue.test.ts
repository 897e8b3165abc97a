/**
 * The whole venue on a simulated machine (reliability 4, T1); the short form of `npm run campaign -- simulation`.
 * `SIM_SEED=17` runs one seed again, `SIM_SEEDS` another number of them.
 */
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { Statistics } from './statistics.ts';
import { World } from './world.ts';

/** Enough to meet every kind of fault. */
const SEEDS_LEAST = 60;
const SEEDS = Number(process.env.SIM_SEEDS ?? SEEDS_LEAST);
const ONLY_SEED = process.env.SIM_SEED;

before(() => mock.timers.enable({ apis: ['setInterval'] }));
after(() => mock.timers.reset());

test('whatever fails and whenever: nothing that was shown is lost, no money appears or goes', async (t) => {
  const statistics = new Statistics();
  const seeds =
    ONLY_SEED === undefined ? Array.from({ length: SEEDS }, (_, n) => n + 1) : [Number(ONLY_SEED)];
  const started = performance.now();
  for (const seed of seeds) {
    try {
      await new World(seed, statistics).run();
    } catch (error) {
      const again = `SIM_SEED=${seed} node --test test/simulation/venue.test.ts`;
      throw new Error(`seed ${seed} fails (again with: ${again}): ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  t.diagnostic(`${seeds.length} seeds in ${seconds} s: ${statistics.line()}`);
  if (seeds.length >= SEEDS_LEAST) {
    for (const what of ['crashes', 'torn tails cut', 'disk errors', 'read-only', 'faults during recovery']) {
      assert.ok(statistics.of(what) > 0, `the simulation never met: ${what}`);
    }
  }
});
