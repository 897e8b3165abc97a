/**
 * The whole venue on a simulated machine whose disk and clocks fail (reliability 4, T1): one seed a trial. `SIM_SEED=N`
 * with `test/simulation/venue.test.ts` runs a failed one again.
 */
import { mock } from 'node:test';
import { Statistics } from '../simulation/statistics.ts';
import { World } from '../simulation/world.ts';
import type { Campaign, TrialResult } from './campaign.ts';

async function live(seed: number): Promise<TrialResult> {
  const statistics = new Statistics();
  try {
    await new World(seed, statistics).run();
    return { name: 'sound', counts: statistics.all() };
  } catch (error) {
    return { name: 'failed', failure: `SIM_SEED=${seed}: ${(error as Error).message}` };
  }
}

export const campaign: Campaign = {
  summary: 'the venue on a machine whose disk and clocks fail, one seed a trial',
  trials: 1000,
  open: (seed) => {
    // The sequencer ticks when the simulated clock says so.
    mock.timers.enable({ apis: ['setInterval'] });
    return {
      trial: (number) => live(seed + number),
      [Symbol.asyncDispose]: async () => mock.timers.reset(),
    };
  },
};
