/**
 * A cluster of three nodes over two PostgreSQL servers beside an exchange with its file log, all on this machine: durable signed
 * orders to one node and to all at once, how soon another node has what one has answered, and what a loss of the primary costs.
 */
import { join } from 'node:path';
import { Trial } from '../src/app/cluster/trial/trial.ts';
import { demoAccount } from '../src/identity/demo-accounts.ts';
import { startServer } from '../test/harness/server.ts';
import { SignedClient } from '../test/harness/signed-client.ts';
import { load } from './gateway.ts';
import type { LoadJob, LoadResult } from './http-load.ts';
import { quantile } from './pairs.ts';
import { type Benchmark, printTable, rate, ratio } from './report.ts';

const CONNECTIONS = 63;
const SECONDS = 5;
const ROUNDS = 3;
const LAG_READS = 300;
const FAIL_OVERS = 3;
const PATH = '/api/v3/trade/place-order';
const ASSETS = '/api/v3/account/assets';
/** Finds no seller and is cancelled. */
const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  timeInForce: 'ioc',
  price: '59000',
  qty: '0.01',
};
const ARGS = ['--rate-limits', 'off', '--log-level', 'error', '--inspect', 'off'];
const PROGRAM = [process.execPath, join(import.meta.dirname, '../src/bourse.ts')];
const ALICE = { ...demoAccount('alice', '', {}), uid: 0 };

export const cluster: Benchmark = {
  title: 'cluster: one and three nodes over two PostgreSQL servers beside the file log',
  async run() {
    const alone = await startServer({ args: ARGS });
    const trial = await Trial.start({
      program: PROGRAM,
      report: () => {},
      nodeArgs: ['--market', 'off', ...ARGS],
    });
    try {
      const urls = trial.nodes.map(({ url }) => url);
      for (const url of [alone.url, ...urls]) await firstAnswer(url);
      await speeds(alone.url, urls);
      await lags(urls);
      await failOvers(trial);
    } finally {
      await trial.end();
      await alone.stop();
    }
  },
};

/** In turns, so that other work on the machine meets all alike. */
async function speeds(alone: string, nodes: readonly string[]): Promise<void> {
  const sides = [
    { name: 'file log', urls: [alone] },
    { name: 'one node of three', urls: nodes.slice(0, 1) },
    { name: 'three nodes at once', urls: nodes },
  ];
  const results = sides.map((): LoadResult[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [n, { urls }] of sides.entries()) results[n]!.push(await loadAll(urls));
  console.log(
    `${CONNECTIONS} connections in all, ${ROUNDS} rounds of ${SECONDS} s to each in turn, generators, nodes and servers on this machine;`,
  );
  console.log(
    'each order signed, checked, locked, matched, cancelled; on disk, or on both servers, before its answer.\n',
  );
  const median = (n: number, of: (result: LoadResult) => number) => quantile(results[n]!.map(of), 0.5);
  const perSecond = ({ requests, seconds }: LoadResult) => requests / seconds;
  printTable(
    ['', 'median rate', 'to the file log', 'p50', 'p99', 'failures'],
    sides.map(({ name }, n) => [
      name,
      rate(median(n, perSecond), 1),
      ratio(median(n, perSecond), median(0, perSecond)),
      `${median(n, ({ p50Ms }) => p50Ms).toFixed(1)} ms`,
      `${median(n, ({ p99Ms }) => p99Ms).toFixed(1)} ms`,
      String(results[n]!.reduce((sum, { failures }) => sum + failures, 0)),
    ]),
  );
  const failure = results.flat().find(({ firstFailure }) => firstFailure !== '')?.firstFailure;
  if (failure !== undefined) console.log(`first failure: ${failure}`);
}

async function loadAll(urls: readonly string[]): Promise<LoadResult> {
  const results = await Promise.all(urls.map((url) => load(jobFor(url, CONNECTIONS / urls.length))));
  return {
    ...results[0]!,
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    failures: results.reduce((sum, { failures }) => sum + failures, 0),
    firstFailure: results.find(({ firstFailure }) => firstFailure !== '')?.firstFailure ?? '',
    p50Ms: quantile(
      results.map(({ p50Ms }) => p50Ms),
      0.5,
    ),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
  };
}

/** From the answer of one node to the answer of another that has applied the same command. */
async function lags([first, second]: readonly string[]): Promise<void> {
  const [writer, reader] = [new SignedClient(first!, ALICE), new SignedClient(second!, ALICE)];
  const [plain, after]: [number[], number[]] = [[], []];
  for (let n = 0; n < LAG_READS; n++) {
    const placed = await writer.post(PATH, ORDER);
    const seq = placed.headers['x-bourse-seq'];
    if (seq === undefined) throw new Error(`no X-Bourse-Seq: ${placed.text}`);
    const startMs = performance.now();
    await reader.send('GET', ASSETS, '', { 'x-bourse-after': String(seq) });
    after.push(performance.now() - startMs);
    const plainMs = performance.now();
    await reader.get(ASSETS);
    plain.push(performance.now() - plainMs);
  }
  writer.close();
  reader.close();
  const row = (name: string, times: readonly number[]) => [
    name,
    ...[0.5, 0.99, 1].map((share) => `${quantile(times, share).toFixed(1)} ms`),
  ];
  console.log(
    `\nan order on one node, then a read on another, ${LAG_READS} times, nothing else under way:\n`,
  );
  printTable(
    ['', 'p50', 'p99', 'longest'],
    [row('a read', plain), row('a read that waits for the order', after)],
  );
}

async function failOvers(trial: Trial): Promise<void> {
  const rows: string[][] = [];
  for (let n = 1; n <= FAIL_OVERS; n++) {
    const { promotedMs, answeredMs, orders } = await trial.failOver();
    rows.push([
      String(n),
      `${promotedMs} ms`,
      `${answeredMs} ms`,
      String(orders.acknowledged),
      String(orders.unanswered),
      String(orders.lost),
    ]);
  }
  console.log('\nkill -9 of the primary under orders, standby promoted at once:\n');
  printTable(['', 'promoted after', 'answers again after', 'acknowledged', 'not', 'lost'], rows);
}

function jobFor(url: string, connections: number): LoadJob {
  return {
    port: Number(new URL(url).port),
    connections,
    seconds: SECONDS,
    rate: 0,
    path: PATH,
    body: JSON.stringify(ORDER),
    apiKey: ALICE.apiKey,
    secret: ALICE.secretKey,
    passphrase: ALICE.passphrase,
  };
}

/** The first use of a passphrase is hashed slowly on purpose; it is not what is measured here. */
async function firstAnswer(url: string): Promise<void> {
  const client = new SignedClient(url, ALICE);
  const { code, text } = await client.post(PATH, ORDER);
  client.close();
  if (code !== '00000') throw new Error(text);
}
