/**
 * A cluster under faults (cluster 10): a trial is three real nodes on two real servers with clients under load, four faults and the
 * judge. Now and then it is a node with a changed rule, or servers that lose what they had confirmed.
 */
import { Simulation } from '../cluster/simulation.ts';
import {
  divergence,
  FAULTS,
  LOSE_PRIMARY,
  lostPacks,
  type Scenario,
  scenario,
} from '../cluster/trial/scenarios.ts';
import { seededRandom } from '../simulation/disk.ts';
import type { Campaign, TrialResult } from './campaign.ts';

const FAULTS_A_TRIAL = 4;
const SIMULATIONS_A_TRIAL = 50;
const SEED_STEP = 1009;

/** The primary can be lost once: its standby is alone then. */
function chosen(random: () => number): Scenario {
  const roll = random();
  if (roll < 0.05) return divergence;
  if (roll < 0.1) return lostPacks;
  const all = Object.entries(FAULTS);
  // Each once: nodes save their state when they stop, and a second time deletes the beginning of the log.
  const faults = Array.from(
    { length: FAULTS_A_TRIAL },
    () => all.splice(Math.floor(random() * all.length), 1)[0]!,
  );
  return scenario('faults', random() < 0.5 ? [...faults, LOSE_PRIMARY] : faults);
}

async function trial(seed: number): Promise<TrialResult> {
  const said: string[] = [];
  try {
    for (let n = 0; n < SIMULATIONS_A_TRIAL; n++) await new Simulation(seed + n * SEED_STEP).run();
    const counts = await chosen(seededRandom(seed)).run(seed, (line) => said.push(line));
    return { name: 'nothing lost', counts: { ...counts, faults: said.length } };
  } catch (error) {
    return { name: 'failed', failure: [...said, (error as Error).message].join('\n') };
  }
}

export const campaign: Campaign = {
  summary:
    'three nodes on two PostgreSQL servers under load and faults: nothing is lost, doubled or wrongly told',
  trials: 10,
  open: (seed) => ({
    trial: (number) => trial(seed * SEED_STEP + number),
    [Symbol.asyncDispose]: async () => {},
  }),
};
