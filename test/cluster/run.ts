/**
 * `npm run test:cluster`: a cluster against everything that may fail (cluster 10). First what needs no nodes: the contract of the
 * log, the simulation, the planted bugs; then real nodes on real servers, one trial after the other.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledProgram } from '../bundled-program.ts';
import { NO_SERVER } from '../postgres/server.ts';
import type { Scenario } from './trial/scenarios.ts';

const ROOT = join(import.meta.dirname, '../..');
const SEEDS = Number(process.env.CLUSTER_SEEDS ?? 500);
const SEED = Number(process.env.CLUSTER_SEED ?? Date.now() % 2 ** 31);
/** Of the simulation; one for each core. */
const SHARDS = 2;
const NODE_KILLS = 3;
/** What the runner of tests writes above the failures. */
const FAILING = '✖ failing tests';

interface Outcome {
  readonly name: string;
  readonly seconds: number;
  readonly failure: string | undefined;
  readonly figures: string;
}

process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
process.env.TEST_PROGRAM = await bundledProgram();
// They look for the program when they are loaded.
const { divergence, FAULTS, lostPacks, scenario } = await import('./trial/scenarios.ts');
const begun = performance.now();
const outcomes: Outcome[] = [];

const share = Math.ceil(SEEDS / SHARDS);
await Promise.all(
  Array.from({ length: SHARDS }, (_, n) => {
    const first = 1 + n * share;
    const seeds = Math.min(share, SEEDS - n * share);
    const env = { CLUSTER_SEEDS: String(seeds), CLUSTER_FIRST: String(first) };
    return step(`simulation, seeds ${first} to ${first + seeds - 1}`, () =>
      tests(['simulation.test.ts'], env),
    );
  }),
);
// Real nodes and servers need the processors: an order that waits for longer than its deadline is not carried out.
await step('contract of the log, planted bugs and the longer tests of test/cluster', () =>
  tests(['*.cluster.ts'], {}),
);

const [kill, ...others] = Object.entries(FAULTS);
const SCENARIOS: readonly Scenario[] = [
  scenario('three kills of a node and one of each other fault', [
    ...Array.from({ length: NODE_KILLS }, () => kill!),
    ...others,
  ]),
  lostPacks,
  divergence,
];
if (NO_SERVER !== false) console.log(`skipped: trials with real nodes (${NO_SERVER})`);
else
  for (const [n, each] of SCENARIOS.entries())
    await step(each.name, async () => {
      const counts = await each.run(SEED + n, (line) => console.log(`  ${line}`));
      return Object.entries(counts)
        .map(([what, count]) => `${what} ${count}`)
        .join(', ');
    });

console.log(`\nseed ${SEED}, ${Math.round((performance.now() - begun) / 1000)} s`);
for (const { name, seconds, failure, figures } of outcomes)
  console.log(`${failure === undefined ? 'passed' : 'FAILED'}  ${name} (${seconds} s) ${figures}`);
const failed = outcomes.filter(({ failure }) => failure !== undefined);
process.exit(failed.length === 0 ? 0 : 1);

/** Goes on after a failure: the others may say more about it. */
async function step(name: string, work: () => Promise<string>): Promise<void> {
  console.log(`${name} ...`);
  const from = performance.now();
  const seconds = () => Math.round((performance.now() - from) / 1000);
  try {
    const figures = await work();
    outcomes.push({ name, seconds: seconds(), failure: undefined, figures });
    console.log(`${name}: passed, ${seconds()} s ${figures}`);
  } catch (error) {
    const failure = (error as Error).stack ?? String(error);
    outcomes.push({ name, seconds: seconds(), failure, figures: '' });
    console.log(`${name}: FAILED, ${seconds()} s\n${failure}`);
  }
}

/** Test files in a process of their own; what they say is shown when one of them fails. */
async function tests(files: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const paths = files.map((file) => `test/cluster/${file}`);
  const child = spawn(process.execPath, ['test/run.ts', '--serial', ...paths], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    const logs = [...output.matchAll(/^node \S+ ended with [\s\S]*?(?=^[ℹ✔✖▶]|^ {2,}[✔✖▶])/gm)].map(
      ([log]) => log,
    );
    throw new Error([...logs, output.slice(Math.max(0, output.indexOf(FAILING)))].join('\n'));
  }
  return [...output.matchAll(/^ℹ (?:pass|skipped) \d+$|^ℹ \d+ seeds: .*$/gm)]
    .map(([line]) => line.slice(2))
    .join(', ');
}
