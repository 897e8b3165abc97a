/**
 * What holds the main thread, kind by kind, against the aim that nothing does for longer than 5 ms: in processes that are as
 * warm as an exchange that has been open for a minute, or in new ones.
 */
import { spawnSync } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { warmUp } from '../src/warmup/warmup.ts';
import { measureAccounts } from './pauses/accounts.ts';
import { measureCrash } from './pauses/crash.ts';
import { measureDeepBook } from './pauses/deep-book.ts';
import { measureOneClient } from './pauses/one-client.ts';
import { measureOrders } from './pauses/orders.ts';
import { measureSnapshots } from './pauses/snapshots.ts';
import type { Part } from './pauses/stopwatch.ts';
import { type Benchmark, printTable } from './report.ts';

const AIM_MS = 5;
const PARTS: Record<string, () => Promise<Part>> = {
  accounts: measureAccounts,
  crash: measureCrash,
  deepBook: measureDeepBook,
  oneClient: measureOneClient,
  orders: measureOrders,
  snapshots: measureSnapshots,
};

const COLD = '--cold';

function inFreshProcess(name: string, ...more: string[]): Part {
  const file = fileURLToPath(import.meta.url);
  const child = spawnSync(process.execPath, ['--expose-gc', file, name, ...more], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.status !== 0) throw new Error(`${name} ended with ${child.status ?? child.signal}`);
  return JSON.parse(child.stdout) as Part;
}

function printPart({ title, rows, collections }: Part): void {
  console.log(`\n${title}\n`);
  const sorted = [...rows].sort((a, b) => b.ownMs - a.ownMs);
  printTable(
    ['what', 'longest', 'of its own', '99 of 100', 'times', `of ${AIM_MS} ms`, 'over'],
    sorted.map(({ kind, longestMs, ownMs, mostlyMs, times, over }) => [
      kind,
      `${longestMs.toFixed(2)} ms`,
      `${ownMs.toFixed(2)} ms`,
      `${mostlyMs.toFixed(2)} ms`,
      times.toLocaleString('en-US'),
      ownMs > AIM_MS ? 'above' : 'within',
      over,
    ]),
  );
  const { times, longestMs } = collections;
  console.log(`\nlongest pause of the collector in this part: ${longestMs.toFixed(1)} ms of ${times}`);
}

export const pauses: Benchmark = {
  title: 'Pauses: what holds the main thread, and how long',
  run() {
    for (const name of Object.keys(PARTS)) printPart(inFreshProcess(name));
  },
};

export const coldPauses: Benchmark = {
  title: 'Pauses of a new process, whose code is not compiled yet',
  run() {
    for (const name of Object.keys(PARTS)) printPart(inFreshProcess(name, COLD));
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes(COLD)) await warmUp(() => turn());
  console.log(JSON.stringify(await PARTS[process.argv[2]!]!()));
}
