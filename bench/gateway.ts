/**
 * Durable place-order, signed over HTTP and over one WebSocket with as many in flight, in turns with an exchange that records
 * its requests and with two baselines over HTTP: a bare `node:http` server, and one that also parses the same JSON and
 * checks the same signature. With `--against DIR` several processes of this and of another checkout are compared first.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startServer } from '../test/harness/server.ts';
import { SignedClient } from '../test/harness/signed-client.ts';
import type { Block, BlockResult } from './http-blocks.ts';
import type { LoadJob, LoadResult } from './http-load.ts';
import { mainThreadSeconds } from './main-thread.ts';
import { quantile } from './pairs.ts';
import { type Benchmark, type BenchmarkOptions, printTable, rate } from './report.ts';
import { compareSides, PROCESSES, type Sides } from './sides.ts';

const CONNECTIONS = 64;
const ROUNDS = 20;
/** Rounds before the first that counts: all servers are compiled then. */
const WARM_UP_ROUNDS = 3;
const REQUESTS = 4_000;
const SECONDS = 5;
const PATH = '/api/v3/trade/place-order';
/** Finds no seller and is cancelled: the whole path, lock and record included, without a book that grows for ever. */
const BODY = JSON.stringify({
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  timeInForce: 'ioc',
  price: '59000',
  qty: '0.01',
});
const ARGS = ['--rate-limits', 'off', '--log-level', 'error'];

interface Contestant {
  readonly name: string;
  readonly job: LoadJob;
  readonly pid: number;
  readonly stop: () => Promise<unknown>;
}

export const gateway: Benchmark = {
  title: 'gateway: durable place-order over HTTP keep-alive and over a WebSocket',
  async run({ against }: BenchmarkOptions) {
    if (against !== undefined) await compareCheckouts(against);
    const ours = await openExchange('bourse', undefined, '--inspect', 'off');
    const recording = await openExchange('bourse --inspect on', undefined, '--inspect', 'on');
    await firstAnswer(recording.job);
    const { job } = ours;
    const answer = await firstAnswer(job);
    const contestants = [
      await openBare('node:http, JSON and HMAC', ['checked', answer, job.secret], job),
      ours,
      { ...ours, name: 'bourse, one WebSocket', job: { ...job, socket: true }, stop: async () => {} },
      recording,
      await openBare('node:http alone', ['bare', answer], job),
    ];
    const generator = await openGenerator(contestants.map(({ job }) => job));
    await compare(contestants, generator);
    generator.close();
    await latencies(ours);
    for (const { stop } of contestants) await stop();
    await recorderCost();
  },
};

/** Seconds and main-thread seconds of every block of each contestant, in turns. */
async function compare(contestants: readonly Contestant[], generator: Generator): Promise<void> {
  const walls = contestants.map((): number[] => []);
  const threads = contestants.map((): number[] => []);
  let failures = 0;
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [server, { pid }] of contestants.entries()) {
      const spent = await runBlock(generator, pid, { server, requests: REQUESTS });
      failures += spent.failures;
      if (round < 0) continue;
      walls[server]!.push(spent.wall);
      threads[server]!.push(spent.thread);
    }
  }
  console.log(
    `${CONNECTIONS} connections, ${ROUNDS} rounds of ${REQUESTS} requests to each in turn, generator on the same machine;`,
  );
  console.log('each order signed, checked, locked, matched, cancelled, on disk before its answer.\n');
  const micros = (seconds: number) => ((seconds / REQUESTS) * 1e6).toFixed(1);
  const row = ({ name }: Contestant, n: number) => {
    const ratios = walls[n]!.map((seconds, round) => walls[0]![round]! / seconds);
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2));
    return [
      name,
      rate(REQUESTS, quantile(walls[n]!, 0.5)),
      middle!,
      `${low} to ${high}`,
      micros(quantile(threads[n]!, 0.5)),
      micros(Math.min(...threads[n]!)),
    ];
  };
  printTable(
    ['', 'median rate', 'to the first', 'quartiles', 'main thread us, median', 'least'],
    contestants.map(row),
  );
  console.log(`\nfailures: ${failures}`);
}

/** Seconds of a block by the clock and of the server's main thread. */
async function runBlock(generator: Generator, pid: number, block: Block) {
  const before = mainThreadSeconds(pid);
  const { seconds: wall, failures } = await generator.run(block);
  return { wall, failures, thread: mainThreadSeconds(pid) - before };
}

function recorderCost(): Promise<void> {
  const open = (inspect: string) => openExchange(inspect, undefined, '--inspect', inspect);
  return compareExchanges(
    'recorder on and off',
    ['off', 'on'],
    () => open('off'),
    () => open('on'),
  );
}

function compareCheckouts(against: string): Promise<void> {
  return compareExchanges(
    'this checkout and the other',
    ['the other', 'this'],
    () => openExchange('the other', against),
    // The recorder is compared below.
    () => openExchange('this', undefined, '--inspect', 'off'),
  );
}

async function compareExchanges(
  title: string,
  names: Sides<Contestant>['names'],
  openBase: () => Promise<Contestant>,
  openCompared: () => Promise<Contestant>,
): Promise<void> {
  const [base, compared, control]: [Contestant[], Contestant[], Contestant[]] = [[], [], []];
  for (let n = 0; n < PROCESSES; n++) {
    base.push(await openBase());
    compared.push(await openCompared());
    control.push(await openBase());
  }
  const all = [...base, ...compared, ...control];
  for (const { job } of all) await firstAnswer(job);
  const generator = await openGenerator(all.map(({ job }) => job));
  await compareSides({ title, names, base, compared, control }, (contestant, requests) =>
    runBlock(generator, contestant.pid, { server: all.indexOf(contestant), requests }),
  );
  generator.close();
  for (const { stop } of all) await stop();
}

async function latencies({ job }: Contestant): Promise<void> {
  const full = await load(job);
  const half = await load({ ...job, rate: Math.floor(full.requests / full.seconds / 2) });
  const row = (name: string, { requests, seconds, p50Ms, p99Ms, failures }: LoadResult) => [
    name,
    rate(requests, seconds),
    `${p50Ms.toFixed(2)} ms`,
    `${p99Ms.toFixed(2)} ms`,
    String(failures),
  ];
  console.log('');
  printTable(['bourse', 'rate', 'p50', 'p99', 'failures'], [row('full load', full), row('half load', half)]);
  if (full.firstFailure !== '') console.log(`first failure: ${full.firstFailure}`);
}

async function openExchange(
  name: string,
  checkout: string | undefined,
  ...args: readonly string[]
): Promise<Contestant> {
  const server = await startServer({ args: [...ARGS, ...args], ...(checkout !== undefined && { checkout }) });
  const { apiKey, secretKey: secret, passphrase } = server.account('alice');
  const job: LoadJob = {
    port: Number(new URL(server.url).port),
    connections: CONNECTIONS,
    seconds: SECONDS,
    rate: 0,
    path: PATH,
    body: BODY,
    apiKey,
    secret,
    passphrase,
  };
  return { name, job, pid: server.process.pid!, stop: () => server.stop() };
}

/** The first use of a passphrase is hashed slowly on purpose; it is not what is measured here. */
async function firstAnswer({ port, apiKey, secret, passphrase }: LoadJob): Promise<string> {
  const keys = { name: '', uid: 0, apiKey, secretKey: secret, passphrase };
  const client = new SignedClient(`http://127.0.0.1:${port}`, keys);
  const { text } = await client.post(PATH, JSON.parse(BODY));
  client.close();
  return text;
}

interface Generator {
  run(block: Block): Promise<BlockResult>;
  close(): void;
}

async function openGenerator(jobs: readonly LoadJob[]): Promise<Generator> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'http-blocks.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const ask = async (message: unknown) => {
    const answered = once(lines, 'line');
    child.stdin.write(`${JSON.stringify(message)}\n`);
    return JSON.parse((await answered)[0] as string) as BlockResult;
  };
  await ask(jobs);
  return { run: ask, close: () => child.stdin.end() };
}

export function load(job: LoadJob): Promise<LoadResult> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'http-load.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(job));
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    child.once('exit', (code) => {
      if (code === 0) resolve(JSON.parse(text) as LoadResult);
      else reject(new Error(`the load generator ended with code ${code}`));
    });
  });
}

async function openBare(name: string, args: readonly string[], job: LoadJob): Promise<Contestant> {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, 'bare-server.ts'), ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(child.stdout!.setEncoding('utf8'), 'data')) as [string];
  const port = Number(/:(\d+)\s*$/.exec(line)![1]);
  return { name, job: { ...job, port }, pid: child.pid!, stop: async () => child.kill() };
}
