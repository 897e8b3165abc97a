import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { PLANTED_BUGS, type PlantedBug } from './planted-bugs.ts';
import { Statistics } from './statistics.ts';
import { World } from './world.ts';

/** An fsync fails in few lives, and in fewer the power does after it. */
const SEEDS_MAX = 120;

before(() => mock.timers.enable({ apis: ['setInterval'] }));
after(() => mock.timers.reset());

for (const bug of PLANTED_BUGS) {
  test(`the simulation finds: ${bug.name}`, async (t) => {
    const { seed, message } = await seedsUntilFound(bug);
    t.diagnostic(`${bug.name}: seed ${seed}: ${message.split('\n')[0]}`);
    assert.match(message, bug.foundAs);
  });
}

async function seedsUntilFound({
  seams,
  plant,
  name,
  foundAt = 1,
}: PlantedBug): Promise<{ seed: number; message: string }> {
  const remove = plant?.();
  try {
    for (const seed of new Set([foundAt, ...Array.from({ length: SEEDS_MAX }, (_, n) => n + 1)])) {
      try {
        await new World(seed, new Statistics(), seams).run();
      } catch (error) {
        return { seed, message: (error as Error).message };
      }
    }
  } finally {
    remove?.();
  }
  return assert.fail(`${name} was not found in ${SEEDS_MAX} seeds`);
}
