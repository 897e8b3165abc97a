/** The properties of `test/property` under seeds that nobody has tried: one property and one seed a trial. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram } from '../harness/child-programs.ts';
import { Rng } from '../security/hostile/rng.ts';
import type { Campaign, TrialResult } from './campaign.ts';

const PROPERTIES = join(import.meta.dirname, '../property');
const SEEDED = readdirSync(PROPERTIES).filter(
  (name) => name.endsWith('.test.ts') && readFileSync(join(PROPERTIES, name), 'utf8').includes('./seeds.ts'),
);
const SEED_MAX = 1_000_000_000;
const OUTPUT_MAX = 4000;

async function tried(name: string, first: number): Promise<TrialResult> {
  const env = { ...process.env, PROPERTY_SEEDS: '1', PROPERTY_FIRST: String(first) };
  const { code, output } = await startProgram([join(PROPERTIES, name)], { env }).ended;
  if (code === 0) return { name: 'held', counts: { [name.replace('.test.ts', '')]: 1 } };
  const again = `PROPERTY_SEEDS=1 PROPERTY_FIRST=${first} test/property/${name}`;
  return { name: 'failed', failure: `${again}: ${output.slice(0, OUTPUT_MAX)}` };
}

export const campaign: Campaign = {
  summary: 'the properties under seeds that were not tried yet, one property and one seed a trial',
  trials: 30,
  open: (seed) => {
    const dice = new Rng(seed);
    return {
      trial: (number) => tried(SEEDED[number % SEEDED.length]!, 1 + dice.below(SEED_MAX)),
      [Symbol.asyncDispose]: async () => {},
    };
  },
};
