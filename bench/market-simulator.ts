/** What the living market costs, and what it does to a user's order: the same server with the market off and on. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningServer, startServer } from '../test/harness/server.ts';
import { SignedClient } from '../test/harness/signed-client.ts';
import { load } from './gateway.ts';
import type { LoadJob, LoadResult } from './http-load.ts';
import { type Benchmark, printTable } from './report.ts';

const PATH = '/api/v3/trade/place-order';
/** Rests far below the market and is cancelled at once by its time in force: the same work with and without quotes. */
const BODY = JSON.stringify({
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  timeInForce: 'ioc',
  price: '40000',
  qty: '0.01',
});
const CONNECTIONS = 8;
const RATE = 50;
const ROUNDS = 6;
const ROUND_SECONDS = 3;
const IDLE_SECONDS = 15;
/** Time for the start, the first quotes and the compiler. */
const WARM_UP_MS = 10_000;

interface Cost {
  readonly cpu: number;
  readonly mebibytes: number;
}

export const market: Benchmark = {
  title: 'living market: cost at normal on the full catalogue, and latency of place-order',
  async run() {
    const args = ['--rate-limits', 'off', '--log-level', 'error', '--backfill', '0'];
    const off = await startServer({ args });
    const on = await startServer({ args: [...args, '--market', 'normal'] });
    await sleep(WARM_UP_MS);
    const costs = await Promise.all([idleCost(off), idleCost(on)]);
    const latencies: [LoadResult[], LoadResult[]] = [[], []];
    for (const server of [off, on]) await firstOrder(server);
    // Turn by turn, so that other work on the machine falls on both.
    for (let round = 0; round < ROUNDS; round++) {
      for (const [n, server] of [off, on].entries()) latencies[n]!.push(await load(job(server)));
    }
    await off.stop();
    await on.stop();

    const row = (name: string, cost: Cost, results: readonly LoadResult[]) => [
      name,
      `${(cost.cpu * 100).toFixed(1)} %`,
      `${cost.mebibytes} MiB`,
      `${quietest(results.map(({ p50Ms }) => p50Ms)).toFixed(2)} ms`,
      `${quietest(results.map(({ p99Ms }) => p99Ms)).toFixed(2)} ms`,
      String(results.reduce((sum, { failures }) => sum + failures, 0)),
    ];
    console.log(
      `Cost over ${IDLE_SECONDS} s without users, both servers at once; latency of ${RATE} signed orders a second on ` +
        `${CONNECTIONS} connections, the quietest of ${ROUNDS} rounds of ${ROUND_SECONDS} s, turn by turn.\n`,
    );
    printTable(
      ['market', 'of one core', 'memory', 'p50', 'p99', 'failures'],
      [row('off', costs[0], latencies[0]), row('normal', costs[1], latencies[1])],
    );
    const times = (pick: (result: LoadResult) => number) =>
      (quietest(latencies[1].map(pick)) / quietest(latencies[0].map(pick))).toFixed(2);
    console.log(
      `\nthe market costs ${((costs[1].cpu - costs[0].cpu) * 100).toFixed(1)} % of a core and ` +
        `${costs[1].mebibytes - costs[0].mebibytes} MiB; latency is ${times(({ p50Ms }) => p50Ms)} times ` +
        `(p50) and ${times(({ p99Ms }) => p99Ms)} times (p99) that without it`,
    );
  },
};

function job(server: RunningServer): LoadJob {
  const keys = server.account('alice');
  return {
    port: Number(new URL(server.url).port),
    connections: CONNECTIONS,
    seconds: ROUND_SECONDS,
    rate: RATE,
    path: PATH,
    body: BODY,
    apiKey: keys.apiKey,
    secret: keys.secretKey,
    passphrase: keys.passphrase,
  };
}

/** The first use of a passphrase is hashed slowly on purpose. */
async function firstOrder(server: RunningServer): Promise<void> {
  const client = new SignedClient(server.url, server.account('alice'));
  await client.post(PATH, JSON.parse(BODY));
  client.close();
}

async function idleCost({ process: { pid } }: RunningServer): Promise<Cost> {
  const before = cpuSeconds(pid!);
  await sleep(IDLE_SECONDS * 1000);
  const cpu = (cpuSeconds(pid!) - before) / IDLE_SECONDS;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return { cpu, mebibytes: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024) };
}

/** User and system time of all threads; a clock tick is a hundredth of a second. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Other work on the machine only ever makes a round slower. */
function quietest(values: readonly number[]): number {
  return Math.min(...values);
}
