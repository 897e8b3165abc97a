/**
 * Exchanges inside a test process (docs/testkit.md): how long the first and each further start takes, what fifty of them
 * cost, and an order. From the published package, in a fresh process each time, compiled code kept between them.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildPackage } from '../build/published-package.ts';
import { type Benchmark, printTable } from './report.ts';

const PROCESSES = 5;
const FURTHER = 20;
const MANY = 50;
const ORDERS = 500;

/** What one process measures; times in ms. */
interface Measured {
  readonly first: number;
  readonly further: readonly number[];
  readonly manyReady: number;
  readonly manyTraded: boolean;
  readonly megabytesEach: number;
  readonly orders: readonly number[];
  readonly fetchedOrders: readonly number[];
  readonly hashes: readonly string[];
}

const program = (testkit: string) => `
import { startBourse } from ${JSON.stringify(testkit)};
const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.001', price: '58000' };
const options = { prices: { BTCUSDT: '60000' } };
let bourse = await startBourse(options);
const first = performance.now();
const hashes = [];
const further = [];
for (let n = 0; n < ${FURTHER}; n++) {
  await bourse.account('bot').place(order);
  hashes.push(await bourse.stateHash());
  await bourse.close();
  const began = performance.now();
  bourse = await startBourse(options);
  further.push(performance.now() - began);
}
await bourse.close();
gc();
const before = process.memoryUsage.rss();
const began = performance.now();
const many = await Promise.all(Array.from({ length: ${MANY} }, () => startBourse(options)));
const manyReady = performance.now() - began;
await many[0].account('bot').place(order);
const open = await Promise.all(many.map((each) => each.account('bot').openOrders()));
const manyTraded = open.every((orders, n) => orders.length === (n === 0 ? 1 : 0));
for (const each of many.slice(1)) await each.account('bot').place(order);
const megabytesEach = (process.memoryUsage.rss() - before) / ${MANY} / 2 ** 20;
for (const each of many) await each.close();
const unlimited = await startBourse({ ...options, rateLimits: false });
const { createHmac } = await import('node:crypto');
const { apiKey, secretKey, passphrase } = unlimited.account('bot');
const { request } = await import('node:http');
const path = '/api/v3/trade/place-order';
const overHttp = (headers, body) => new Promise((resolve, reject) => {
  const call = request(unlimited.url + path, { method: 'POST', headers }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part) => { text += part; }).on('end', () => resolve(JSON.parse(text)));
  });
  call.on('error', reject).end(body);
});
const fetched = async (headers, body) => (await fetch(unlimited.url + path, { method: 'POST', headers, body })).json();
async function times(send) {
  const taken = [];
  for (let n = 0; n < ${ORDERS}; n++) {
    // Ends at once, so that the limit of open orders is never met.
    const body = JSON.stringify({ ...order, timeInForce: 'ioc' });
    const began = performance.now();
    const timestamp = String(Date.now());
    const sign = createHmac('sha256', secretKey).update(timestamp + 'POST' + path + body).digest('base64');
    const headers = { 'ACCESS-KEY': apiKey, 'ACCESS-SIGN': sign, 'ACCESS-TIMESTAMP': timestamp, 'ACCESS-PASSPHRASE': passphrase, 'Content-Type': 'application/json' };
    const { code, msg } = await send(headers, body);
    if (code !== '00000') throw new Error(msg);
    taken.push(performance.now() - began);
  }
  return taken;
}
const orders = await times(overHttp);
const fetchedOrders = await times(fetched);
await unlimited.close();
console.log(JSON.stringify({ first, further, manyReady, manyTraded, megabytesEach, orders, fetchedOrders, hashes }));
`;

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

export const testkit: Benchmark = {
  title: 'Testkit: exchanges inside a test process',
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'bourse-bench-'));
    try {
      await buildPackage(join(directory, 'package'));
      const file = join(directory, 'program.mjs');
      writeFileSync(file, program(pathToFileURL(join(directory, 'package/src/testkit/index.js')).href));
      const env = { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') };
      const measured = Array.from({ length: PROCESSES + 1 }, () => {
        const output = execFileSync(process.execPath, ['--expose-gc', file], { encoding: 'utf8', env });
        return JSON.parse(output) as Measured;
      }).slice(1);
      print(measured);
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
};

function print(measured: readonly Measured[]): void {
  const of = (figure: (each: Measured) => number) => measured.map(figure);
  const rows: [string, readonly number[], string, (value: number) => string][] = [
    ['start of the process to the first exchange', of(({ first }) => first), '500 ms', ms],
    ['each further exchange', of(({ further }) => median(further)), '100 ms', ms],
    [`${MANY} exchanges ready`, of(({ manyReady }) => manyReady), '6000 ms', ms],
    [
      'memory of each of them',
      of(({ megabytesEach }) => megabytesEach),
      '25 MB',
      (mb) => `${mb.toFixed(1)} MB`,
    ],
    ['signed order over HTTP, client in the process, p50', of(({ orders }) => median(orders)), '1 ms', ms],
    ['the same with fetch', of(({ fetchedOrders }) => median(fetchedOrders)), '', ms],
  ];
  console.log(`Medians and the least of ${PROCESSES} processes.`);
  printTable(
    ['what', 'median', 'least', 'bound'],
    rows.map(([what, values, bound, form]) => [what, form(median(values)), form(Math.min(...values)), bound]),
  );
  const hashes = new Set(measured.flatMap((each) => each.hashes));
  console.log(`\n${measured.length * FURTHER} runs of one test: ${hashes.size} state hash`);
  if (!measured.every(({ manyTraded }) => manyTraded))
    throw new Error('an exchange sees the orders of another');
}
