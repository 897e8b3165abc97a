/**
 * Families of colluding accounts against the whole rule book (rules 13): one seed a trial. A finding is cut down to a script
 * of commands; `PROPERTY_SEEDS=1 PROPERTY_FIRST=N` with `test/property/families.test.ts` runs its seed again.
 */
import { run } from '../property/families-run.ts';
import { report } from '../property/families-shrink.ts';
import type { Campaign, TrialResult } from './campaign.ts';

/** More than a run has trials, so that neighbouring seeds do not repeat each other's. */
const SEED_STEP = 1_000_003;

/** So small that the family acts between the portions of an hour or of the end of a contract (rules 14). */
function portionOf(seed: number): number {
  return 1 + (seed % 3);
}

function tried(seed: number): TrialResult {
  const tried = run(seed, { portion: portionOf(seed) });
  const counts = {
    commands: tried.commands,
    fills: tried.fills,
    'hours in portions': tried.hours,
    'contracts ended in portions': tried.ends,
    'commands while somebody was due': tried.betweenTests,
  };
  if (tried.finding === undefined) return { name: 'nothing taken', counts };
  return { name: tried.finding.kind, failure: report(tried), counts };
}

export const campaign: Campaign = {
  summary: 'families of colluding accounts that look for a hole in the rules, one seed a trial',
  trials: 200,
  open: (seed) => ({
    trial: async (number) => tried((seed * SEED_STEP + number) % 2 ** 32),
    [Symbol.asyncDispose]: async () => {},
  }),
};
