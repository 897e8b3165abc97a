/** Signed, durable place-order over HTTP, beside a bare `node:http` server under the same load. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { startServer } from '../test/harness/server.ts';
import { SignedClient } from '../test/harness/signed-client.ts';
import type { LoadJob, LoadResult } from './http-load.ts';
import { type Benchmark, printTable, rate } from './report.ts';

const CONNECTIONS = 64;
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

export const gateway: Benchmark = {
  title: 'gateway: signed, durable place-order over HTTP keep-alive',
  async run() {
    const server = await startServer({ args: ['--rate-limits', 'off', '--log-level', 'error'] });
    const keys = server.account('alice');
    const job: LoadJob = {
      port: Number(new URL(server.url).port),
      connections: CONNECTIONS,
      seconds: SECONDS,
      rate: 0,
      path: PATH,
      body: BODY,
      apiKey: keys.apiKey,
      secret: keys.secretKey,
      passphrase: keys.passphrase,
    };
    // The first use of a passphrase is hashed slowly on purpose; it is not what is measured here.
    const client = new SignedClient(server.url, keys);
    const { text } = await client.post(PATH, JSON.parse(BODY));
    client.close();
    const ours = await load(job);
    const half = await load({ ...job, rate: Math.floor(ours.requests / ours.seconds / 2) });
    await server.stop();

    const bare = await startBare(text);
    const baseline = await load({ ...job, port: bare.port });
    const bareHalf = await load({
      ...job,
      port: bare.port,
      rate: Math.floor(ours.requests / ours.seconds / 2),
    });
    bare.process.kill();

    const share = ours.requests / ours.seconds / (baseline.requests / baseline.seconds);
    console.log(
      `${CONNECTIONS} connections, ${SECONDS} s after 1 s of warm-up, load generator on the same machine;`,
    );
    console.log('each order signed, checked, locked, matched, cancelled, on disk before its answer.\n');
    const row = (name: string, full: LoadResult, part: LoadResult) => [
      name,
      rate(full.requests, full.seconds),
      `${full.p50Ms.toFixed(2)} ms`,
      `${full.p99Ms.toFixed(2)} ms`,
      `${part.p50Ms.toFixed(2)} ms`,
      `${part.p99Ms.toFixed(2)} ms`,
      String(full.failures + part.failures),
    ];
    printTable(
      ['', 'full load', 'p50', 'p99', 'p50 at half load', 'p99 at half load', 'failures'],
      [row('bourse', ours, half), row('bare node:http', baseline, bareHalf)],
    );
    console.log(`\nshare of the bare server: ${share.toFixed(2)}`);
    if (ours.firstFailure !== '') console.log(`first failure: ${ours.firstFailure}`);
  },
};

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

async function startBare(answer: string): Promise<{ port: number; process: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.ts'), answer], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').once('data', (chunk: string) => resolve(chunk));
  });
  return { port: Number(/:(\d+)\s*$/.exec(line)![1]), process: child };
}
