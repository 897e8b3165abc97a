/** `npm run campaign -- NAME [--minutes N] [--trials N] [--seed N] [--first N]`: one campaign, with progress, ended by its figures. */
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledProgram } from '../bundled-program.ts';
import { readCommandLine } from '../harness/command-line.ts';
import { type Campaign, type Figures, runCampaign } from './campaign.ts';

const SUFFIX = '.campaign.ts';
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length));

const USAGE = 'usage: npm run campaign -- NAME [--minutes N] [--trials N] [--seed N] [--first N]';
const { values, names: given } = readCommandLine(
  ['minutes', 'trials', 'seed', 'first'],
  `${USAGE}, where NAME is one of ${names.join(', ')}`,
);
// As in `test/run.ts`: the programs that trials start are bundled once.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
process.env.TEST_PROGRAM = await bundledProgram();
const name = given[0];
if (name === undefined || given.length > 1 || !names.includes(name)) {
  console.error(USAGE);
  for (const each of names) console.error(`  ${each.padEnd(16)} ${(await load(each)).summary}`);
  process.exit(2);
}

const campaign = await load(name);
const minutes = positive('minutes');
const seed = positive('seed') ?? Math.floor(Math.random() * 2 ** 31);
const trials = positive('trials') ?? (minutes === undefined ? campaign.trials : Number.POSITIVE_INFINITY);
console.log(`${name}: seed ${seed}, Node ${process.version}`);
let shownMs = 0;
let failures = 0;
const figures = await runCampaign(campaign, { seed, trials, minutes, first: positive('first') }, (now) => {
  const found = now.failures.slice(failures);
  failures = now.failures.length;
  for (const failure of found) console.error(`failed: ${failure}`);
  if (found.length === 0 && performance.now() - shownMs < 5000) return;
  shownMs = performance.now();
  console.log(line(now));
});
console.log(line(figures));
for (const failure of figures.failures) console.error(`failed: ${failure}`);
console.log(`${figures.trials - figures.failures.length} passed, ${figures.failures.length} failed`);
process.exitCode = figures.failures.length === 0 ? 0 : 1;

async function load(campaignName: string): Promise<Campaign> {
  const module: { campaign: Campaign } = await import(join(import.meta.dirname, campaignName + SUFFIX));
  return module.campaign;
}

function positive(option: 'minutes' | 'trials' | 'seed' | 'first'): number | undefined {
  const text = values[option];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  console.error(`--${option} ${text}: a number above 0 is wanted`);
  process.exit(2);
}

function line({ trials, seconds, results, counts }: Figures): string {
  const parts = [...results, ...counts].map(([what, count]) => `${what} ${count}`);
  return `${trials} trials in ${seconds.toFixed(0)} s: ${parts.join(', ')}`;
}
