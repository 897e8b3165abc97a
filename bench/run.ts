/**
 * `npm run bench` runs every benchmark, `npm run bench -- book core` the named ones. `npm run bench -- core --against DIR`
 * also compares with the checkout in a directory, in interleaved pairs.
 */
import { endWith, readCommandLine } from '../test/harness/command-line.ts';
import { accounts } from './accounts.ts';
import { book } from './book.ts';
import { cluster } from './cluster.ts';
import { core } from './core.ts';
import { futures } from './futures.ts';
import { gateway } from './gateway.ts';
import { history } from './history.ts';
import { lab } from './lab.ts';
import { market } from './market-simulator.ts';
import { memory } from './memory.ts';
import { coldPauses, pauses } from './pauses.ts';
import { recovery } from './recovery.ts';
import { type Benchmark, printConditions } from './report.ts';
import { slowSenders } from './slow-senders.ts';
import { start } from './start.ts';
import { strategy } from './strategy.ts';
import { streams } from './streams.ts';
import { testkit } from './testkit.ts';

const BENCHMARKS: Record<string, Benchmark> = {
  book,
  core,
  futures,
  strategy,
  memory,
  accounts,
  pauses,
  'cold-pauses': coldPauses,
  recovery,
  start,
  history,
  gateway,
  'slow-senders': slowSenders,
  streams,
  cluster,
  testkit,
  lab,
  market,
};

const ALL = Object.keys(BENCHMARKS).join(', ');
const usage = `Usage: npm run bench -- [NAME ...] [--against DIR], where NAME is one of ${ALL}.`;
const { values, names } = readCommandLine(['against'], usage);
const unknown = names.filter((name) => BENCHMARKS[name] === undefined);
if (unknown.length > 0) endWith(`No benchmark ${unknown.join(', ')}; there are ${ALL}.`);
printConditions();
for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`\n## ${benchmark.title}\n`);
  await benchmark.run({ against: values.against });
}
