/** The whole venue on a simulated machine (reliability 4, T1); the short form of `npm run campaign -- simulation`. */
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { trySeeds } from './tried-seeds.ts';

/** Enough to meet every kind of fault. */
const SEEDS_LEAST = 60;

before(() => mock.timers.enable({ apis: ['setInterval'] }));
after(() => mock.timers.reset());

test('whatever fails and whenever: nothing that was shown is lost, no money appears or goes', async (t) => {
  const { met, tried } = await trySeeds(t, SEEDS_LEAST);
  if (tried >= SEEDS_LEAST) {
    for (const what of ['crashes', 'torn tails cut', 'disk errors', 'read-only', 'faults during recovery']) {
      assert.ok(met.of(what) > 0, `the simulation never met: ${what}`);
    }
  }
});
