/**
 * What a start costs: on existing data until it listens, and the first one until an order is accepted, from the sources and
 * from the bundle that is published. Baselines in the same run: a Node that listens, and Fastify that listens.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, PROGRAM } from '../build/bundle.ts';
import { accountIn, flagsOf, readAccounts } from '../test/harness/server.ts';
import { SignedClient } from '../test/harness/signed-client.ts';
import { temporaryDirectory } from '../test/harness/temporary-directory.ts';
import { mainThreadSeconds } from './main-thread.ts';
import { quantile } from './pairs.ts';
import { type Benchmark, printTable } from './report.ts';

const ROUNDS = 5;
/** Rounds before the first that counts: compiled code and files are cached then, as after any other start. */
const WARM_UP_ROUNDS = 1;
const ROOT = join(import.meta.dirname, '..');
const LISTENING = /Listening on (http:\S+)/;
const BARE = `require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('Listening on http://'))`;
const FASTIFY = `require('fastify')().listen({ port: 0 }, () => console.log('Listening on http://'))`;
const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '59000',
  qty: '0.001',
};

interface Spent {
  /** Seconds of the main thread, and by the clock. */
  readonly thread: number;
  readonly wall: number;
}

interface Contestant {
  readonly name: string;
  readonly run: () => Promise<Spent>;
  readonly spent: Spent[];
}

export const start: Benchmark = {
  title: 'Start: processor time of the main thread until it listens or accepts an order',
  async run() {
    await compare(temporaryDirectory());
  },
};

async function compare(directory: string): Promise<void> {
  const bundled = join(directory, 'bundle');
  mkdirSync(bundled);
  await bundle(bundled, PROGRAM, { whole: true });
  symlinkSync(join(ROOT, 'node_modules'), join(bundled, 'node_modules'));
  const sources = join(ROOT, 'src/main.ts');
  const published = join(bundled, 'src/main.js');
  const existing = join(directory, 'existing');
  await firstOrder(sources, existing);
  let fresh = 0;
  const first = (program: string) => () => firstOrder(program, join(directory, `fresh-${fresh++}`));
  const contestants: Contestant[] = [
    { name: 'node:http, listening', run: () => listening(['-e', BARE]), spent: [] },
    { name: 'fastify, listening', run: () => listening(['-e', FASTIFY]), spent: [] },
    { name: 'existing data, sources, listening', run: () => restart(sources, existing), spent: [] },
    { name: 'existing data, bundle, listening', run: () => restart(published, existing), spent: [] },
    { name: 'first start, sources, an order', run: first(sources), spent: [] },
    { name: 'first start, bundle, an order', run: first(published), spent: [] },
  ];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++)
    for (const { run, spent } of contestants) {
      const used = await run();
      if (round >= 0) spent.push(used);
    }
  const seconds = (values: readonly number[], share: number) => `${quantile(values, share).toFixed(2)} s`;
  console.log(`${ROUNDS} starts of each in turn, the market off, no cache of the machine dropped.\n`);
  printTable(
    ['', 'main thread, median', 'least', 'by the clock, median'],
    contestants.map(({ name, spent }) => {
      const threads = spent.map(({ thread }) => thread);
      return [
        name,
        seconds(threads, 0.5),
        seconds(threads, 0),
        seconds(
          spent.map(({ wall }) => wall),
          0.5,
        ),
      ];
    }),
  );
}

function restart(program: string, data: string): Promise<Spent> {
  return listening([join(ROOT, 'launch.cjs'), program, ...flagsOf(data)]);
}

/** The start of an exchange without data, until it has accepted an order. */
function firstOrder(program: string, data: string): Promise<Spent> {
  return listening([join(ROOT, 'launch.cjs'), program, ...flagsOf(data)], async (url) => {
    const client = new SignedClient(url, accountIn(readAccounts(data), 'alice'));
    const { code, msg } = await client.post('/api/v3/trade/place-order', ORDER);
    client.close();
    if (code !== '00000') throw new Error(msg);
  });
}

/** What a program has used until it listens, and `then` is done. */
async function listening(args: readonly string[], then?: (url: string) => Promise<void>): Promise<Spent> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const url = await address(child);
  await then?.(url);
  const thread = mainThreadSeconds(child.pid!);
  const wall = (performance.now() - began) / 1000;
  child.kill('SIGINT');
  await ended;
  return { thread, wall };
}

function address(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const found = LISTENING.exec(text);
      if (found !== null) resolve(found[1]!);
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code} before it listened\n${text}`)));
  });
}
