/** Whatever fails on the way to the database: nothing acknowledged is lost, nothing happens twice, all nodes agree (cluster 10). */
import { test } from 'node:test';
import { Simulation, type Statistics } from './simulation.ts';

const SEEDS = Number(process.env.CLUSTER_SEEDS ?? 10);
const FIRST = Number(process.env.CLUSTER_FIRST ?? 1);

test('three nodes on servers that restart, are lost and stop', async (context) => {
  const sums: Record<string, number> = {};
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    let found: Statistics;
    try {
      found = await new Simulation(seed).run();
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
    for (const [name, count] of Object.entries(found)) sums[name] = (sums[name] ?? 0) + count;
  }
  context.diagnostic(`${SEEDS} seeds: ${JSON.stringify(sums)}`);
});
