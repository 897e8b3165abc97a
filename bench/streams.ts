/**
 * Streams: what reaches many readers, how old it is, what that costs those who place orders, what readers that stop
 * reading cost the others, and orders over the socket beside orders over HTTP. All in one run on one machine.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningServer, startServer } from '../test/harness/server.ts';
import { StreamClient } from '../test/harness/stream-client.ts';
import type { LoadJob, LoadResult } from './http-load.ts';
import { type Benchmark, printTable, rate } from './report.ts';
import type { StreamLoadJob } from './stream-load.ts';
import type { ReaderCommand, ReaderCount } from './stream-readers.ts';

const SECONDS = 5;
const CONNECTIONS = 64;
const SYMBOL = 'BTCUSDT';
const TOPICS = ['publicTrade', 'books', 'ticker'].map((topic) => ({
  instType: 'spot',
  topic,
  symbol: SYMBOL,
}));
const EXACT_TOPICS = TOPICS.slice(0, 2);
/**
 * Readers live on other machines. Here they share the server's processors, and at equal rights what was measured was how
 * long the kernel lets a thousand of them go before it wakes the server.
 */
const READER_NICENESS = 10;
/** Trades a second while readers are measured. */
const TRADES_PER_SECOND = 100;
const PATH = '/api/v3/trade/place-order';
/** Finds no seller and is cancelled, like in the benchmark of the gateway. */
const ORDER = {
  symbol: SYMBOL,
  side: 'buy',
  orderType: 'limit',
  timeInForce: 'ioc',
  price: '59000',
  qty: '0.01',
};

export const streams: Benchmark = {
  title: 'streams: fan-out, push latency, orders over the socket, readers that stop reading',
  async run() {
    const server = await startServer({ args: ['--rate-limits', 'off', '--log-level', 'error'] });
    try {
      await orders(server);
      const idle = await fanout(server);
      await stalled(server, idle);
    } finally {
      await server.stop();
    }
  },
};

interface Measured extends LoadResult {
  /** Processor time of the server for one order, warm-up included. */
  readonly cpuMicroseconds: number;
}

async function measured(server: RunningServer, file: string, job: object): Promise<Measured> {
  const before = await metrics(server);
  const result = await child<LoadResult>(file, job);
  const after = await metrics(server);
  const orders = after.applied - before.applied;
  return { ...result, cpuMicroseconds: ((after.cpu - before.cpu) / orders) * 1e6 };
}

async function orders(server: RunningServer): Promise<void> {
  const http = await measured(server, 'http-load.ts', httpJob(server, 0));
  const one = await measured(server, 'stream-load.ts', streamJob(server, CONNECTIONS, 1));
  const many = await measured(server, 'stream-load.ts', streamJob(server, 4, 64));
  console.log(
    `Durable place-order round trips, ${SECONDS} s each after 1 s of warm-up, load on the same machine.\n`,
  );
  const row = (name: string, result: Measured) => [
    name,
    rate(result.requests, result.seconds),
    `${(result.requests / result.seconds / (http.requests / http.seconds)).toFixed(2)}x`,
    `${result.p50Ms.toFixed(2)} ms`,
    `${result.p99Ms.toFixed(2)} ms`,
    `${result.cpuMicroseconds.toFixed(0)} µs`,
    String(result.failures),
  ];
  printTable(
    ['', 'orders', 'of HTTP', 'p50', 'p99', 'server CPU an order', 'failures'],
    [
      row(`HTTP, ${CONNECTIONS} connections, 1 in flight each`, http),
      row(`socket, ${CONNECTIONS} connections, 1 in flight each`, one),
      row('socket, 4 connections, 64 in flight each', many),
    ],
  );
  for (const { firstFailure } of [http, one, many]) if (firstFailure !== '') console.log(firstFailure);
}

/** Returns what orders over HTTP take while nobody reads. */
async function fanout(server: RunningServer): Promise<LoadResult> {
  console.log(
    `\n${TRADES_PER_SECOND} trades a second; each reader has ${TOPICS.map(({ topic }) => topic).join(', ')}.`,
  );
  console.log(
    'Push: from sending the order to the trade at the reader that joined last, durability included.\n',
  );
  const idle = await underTrades(server, () => child<LoadResult>('http-load.ts', httpJob(server, 200)));
  const rows: string[][] = [];
  for (const count of [100, 1_000]) {
    const readers = await openReaders(server, count, TOPICS);
    const [before, cpu] = [await readers.count(), await cpuSeconds(server)];
    const started = performance.now();
    const pushMs: number[] = [];
    const http = await underTrades(
      server,
      () => child<LoadResult>('http-load.ts', httpJob(server, 200)),
      TRADES_PER_SECOND,
      pushMs,
    );
    const after = await readers.count();
    const seconds = (performance.now() - started) / 1000;
    const messages = sum(after.frames) - sum(before.frames);
    const busy = ((await cpuSeconds(server)) - cpu) / seconds;
    pushMs.sort((a, b) => a - b);
    const push = (share: number) => `${(pushMs[Math.floor(share * (pushMs.length - 1))] ?? 0).toFixed(1)} ms`;
    rows.push([
      String(count),
      rate(messages, seconds),
      push(0.5),
      push(0.99),
      `${http.p50Ms.toFixed(2)} ms`,
      `${http.p99Ms.toFixed(2)} ms`,
      `${(http.p99Ms / idle.p99Ms).toFixed(2)}x`,
      `${Math.round(busy * 100)} %`,
    ]);
    readers.end();
  }
  printTable(
    ['readers', 'delivered', 'push p50', 'push p99', 'HTTP order p50', 'p99', 'p99 of idle', 'server CPU'],
    [['0', '', '', '', `${idle.p50Ms.toFixed(2)} ms`, `${idle.p99Ms.toFixed(2)} ms`, '', ''], ...rows],
  );
  console.log(
    `(HTTP orders: 200 a second on 16 connections, latency from when each was due. Readers run at niceness ` +
      `${READER_NICENESS}: they stand for other machines.)`,
  );
  const flood = await openReaders(server, 1_000, EXACT_TOPICS);
  const before = await flood.count();
  const started = performance.now();
  await underTrades(server, () => sleep(SECONDS * 1000), 2_000);
  const seconds = (performance.now() - started) / 1000;
  await sleep(1_000);
  const after = await flood.count();
  console.log(
    `\nAs fast as it goes: 2,000 trades a second wanted, 1,000 readers: ` +
      `${rate(sum(after.frames) - sum(before.frames), seconds)} messages, ` +
      `${((sum(after.bytes) - sum(before.bytes)) / seconds / 2 ** 20).toFixed(0)} MiB/s; ` +
      `every reader the same ${new Set(after.frames).size === 1 ? 'frames' : 'FRAMES DIFFER'}.`,
  );
  flood.end();
  return idle;
}

async function stalled(server: RunningServer, idle: LoadResult): Promise<void> {
  const count = 1_000;
  const readers = await openReaders(server, count, EXACT_TOPICS);
  readers.stall(count / 10);
  const before = await metrics(server);
  let unsentMax = 0;
  let rssMax = 0;
  let firstDropMs = 0;
  let goneMs = 0;
  const started = performance.now();
  const http = await underTrades(server, async () => {
    const load = child<LoadResult>('http-load.ts', httpJob(server, 200));
    for (const end = performance.now() + 90_000; performance.now() < end && goneMs === 0; ) {
      await sleep(100);
      const now = await metrics(server);
      unsentMax = Math.max(unsentMax, now.unsent);
      rssMax = Math.max(rssMax, now.rss);
      const dropped = now.dropped - before.dropped;
      if (firstDropMs === 0 && dropped > 0) firstDropMs = performance.now() - started;
      if (dropped >= count / 10) goneMs = performance.now() - started;
    }
    return load;
  });
  await sleep(1_000);
  const { frames, bytes } = await readers.count();
  const { connections } = await metrics(server);
  const healthy = frames.slice(count / 10);
  const healthyBytes = bytes.slice(count / 10);
  const seconds = (ms: number) => (ms === 0 ? 'never' : `${(ms / 1000).toFixed(1)} s`);
  console.log(
    `\n${count} readers of trades and book, ${TRADES_PER_SECOND} trades a second, ${count / 10} of them stop reading.\n`,
  );
  printTable(
    ['', ''],
    [
      ['first stalled reader cut', seconds(firstDropMs)],
      ['last stalled reader cut', seconds(goneMs)],
      ['readers still connected', String(connections)],
      [
        'healthy readers with exactly the same frames',
        `${new Set(healthy).size === 1 && new Set(healthyBytes).size === 1 ? 'all' : 'NOT ALL'} of ${healthy.length}`,
      ],
      [
        'HTTP order p99 meanwhile, and to that without readers',
        `${http.p99Ms.toFixed(2)} ms, ${(http.p99Ms / idle.p99Ms).toFixed(2)}x`,
      ],
      ['most bytes waiting for readers', `${(unsentMax / 2 ** 20).toFixed(1)} MiB`],
      [
        'memory of the server before and at most',
        `${(before.rss / 2 ** 20).toFixed(0)} and ${(rssMax / 2 ** 20).toFixed(0)} MiB`,
      ],
    ],
  );
  readers.end();
}

/** Two accounts trade with each other over sockets while `work` goes on. */
async function underTrades<T>(
  server: RunningServer,
  work: () => Promise<T>,
  perSecond = TRADES_PER_SECOND,
  /** Takes the time from each buy order to its trade at a reader. */
  pushMs?: number[],
): Promise<T> {
  const sentMs: number[] = [];
  const reader = pushMs === undefined ? undefined : await tradeReader(server, pushMs, sentMs);
  const pair = await Promise.all(
    ['maker', 'bot'].map((name) => StreamClient.login(server.url, server.account(name))),
  );
  let going = true;
  let id = 0;
  let round = 0;
  const batch = Math.min(20, Math.ceil(perSecond / 50));
  const side = (side: string) =>
    Array.from({ length: batch }, () => ({
      symbol: SYMBOL,
      side,
      orderType: 'limit',
      timeInForce: side === 'buy' ? 'ioc' : 'gtc',
      price: '60000',
      qty: '0.0002',
    }));
  const trading = (async () => {
    for (let due = performance.now(); going; due += (batch / perSecond) * 1000) {
      // Each sells back what it has bought: nobody runs out of coins or money.
      const [seller, buyer] = round++ % 2 === 0 ? pair : pair.toReversed();
      await seller!.trade(`s${++id}`, 'batch-place', 'spot', ...side('sell'));
      for (let n = 0; n < batch; n++) sentMs.push(performance.now());
      await buyer!.trade(`b${++id}`, 'batch-place', 'spot', ...side('buy'));
      for (const { frames } of pair) frames.length = 0;
      const wait = due - performance.now();
      if (wait > 0) await sleep(wait);
    }
  })();
  try {
    return await work();
  } finally {
    going = false;
    await trading;
    for (const client of pair) client.close();
    reader?.close();
  }
}

/** Every buy order makes one trade, so the n-th trade belongs to the n-th order. */
async function tradeReader(server: RunningServer, pushMs: number[], sentMs: number[]): Promise<StreamClient> {
  const reader = await StreamClient.open(server.url);
  await reader.subscribe(TOPICS[0]!);
  reader.ws.on('message', () => {
    const { action, data } = reader.frames.pop();
    if (action !== 'update') return;
    for (const _ of data) pushMs.push(performance.now() - sentMs[pushMs.length]!);
  });
  return reader;
}

class Readers {
  private readonly process: ChildProcess;

  constructor(process: ChildProcess) {
    this.process = process;
  }

  count(): Promise<ReaderCount> {
    const answer = new Promise<ReaderCount>((resolve) => {
      this.process.once('message', (count) => resolve(count as ReaderCount));
    });
    this.tell({ type: 'count' });
    return answer;
  }

  stall(readers: number): void {
    this.tell({ type: 'stall', readers });
  }

  end(): void {
    this.process.disconnect();
  }

  tell(command: ReaderCommand): void {
    this.process.send(command);
  }
}

async function openReaders(
  server: RunningServer,
  readers: number,
  args: readonly object[],
): Promise<Readers> {
  const child = fork(join(import.meta.dirname, 'stream-readers.ts'), { execArgv: [] });
  setPriority(child.pid!, READER_NICENESS);
  const opened = new Readers(child);
  const ready = new Promise((resolve) => child.once('message', resolve));
  opened.tell({ type: 'job', job: { port: portOf(server), readers, args } });
  await ready;
  // The first pushes of all of them must not be counted with what comes after.
  await sleep(1_000);
  return opened;
}

function httpJob(server: RunningServer, perSecond: number): LoadJob {
  const { apiKey, secretKey, passphrase } = server.account('alice');
  return {
    port: portOf(server),
    connections: perSecond === 0 ? CONNECTIONS : 16,
    seconds: SECONDS,
    rate: perSecond,
    path: PATH,
    body: JSON.stringify({ category: 'SPOT', ...ORDER }),
    apiKey,
    secret: secretKey,
    passphrase,
  };
}

function streamJob(server: RunningServer, connections: number, inFlight: number): StreamLoadJob {
  const { apiKey, secretKey, passphrase } = server.account('alice');
  return {
    port: portOf(server),
    connections,
    inFlight,
    seconds: SECONDS,
    order: ORDER,
    category: 'spot',
    apiKey,
    secret: secretKey,
    passphrase,
  };
}

function child<T>(file: string, job: object): Promise<T> {
  const process = spawn(globalThis.process.execPath, [join(import.meta.dirname, file)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  process.stdin.end(JSON.stringify(job));
  return new Promise((resolve, reject) => {
    let text = '';
    process.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    process.once('exit', (code) => {
      if (code === 0) resolve(JSON.parse(text) as T);
      else reject(new Error(`${file} ended with code ${code}`));
    });
  });
}

async function metrics(server: RunningServer) {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  return {
    connections: value('bourse_stream_connections'),
    dropped: value('bourse_stream_dropped_total'),
    unsent: value('bourse_stream_unsent_bytes'),
    rss: value('process_resident_memory_bytes'),
    cpu: value('process_cpu_seconds_total'),
    applied: value('bourse_applied_seq'),
  };
}

async function cpuSeconds(server: RunningServer): Promise<number> {
  return (await metrics(server)).cpu;
}

function portOf(server: RunningServer): number {
  return Number(new URL(server.url).port);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
