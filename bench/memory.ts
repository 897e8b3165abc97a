/**
 * Bytes a resting order costs at a million of them, in a fresh process for each case, and the longest pause of the
 * collector while that book is churned. What of it is the machine's: the longest stop of a loop that makes no garbage, run
 * for as long right after it.
 */
import { spawnSync } from 'node:child_process';
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Exchange } from '../src/core/engine/exchange.ts';
import { ANY } from '../src/core/model/command.ts';
import { Side } from '../src/core/model/enums.ts';
import { OPENING_TIME, order } from '../test/property/venue.ts';
import { venueOf } from './market.ts';
import { Random } from './random.ts';
import { type Benchmark, printTable } from './report.ts';

const ORDERS = 1_000_000;
const ORDERS_PER_ACCOUNT = 400;
const ACCOUNTS = ORDERS / ORDERS_PER_ACCOUNT;
const CHURN = 300_000;
const CHURN_SLICE = 1000;
const MIDDLE_TICKS = 6_000_000;

interface Measured {
  readonly arrayBuffers: number;
  readonly heapUsed: number;
  readonly rss: number;
  readonly longestPauseMs: number;
  readonly pauses: number;
  readonly churnMs: number;
  readonly machineMs: number;
}

function settled(): NodeJS.MemoryUsage {
  for (let n = 0; n < 3; n++) globalThis.gc?.();
  return process.memoryUsage();
}

function place(exchange: Exchange, random: Random, uid: number, clientOid: string): number {
  const side = random.next() < 0.5 ? Side.buy : Side.sell;
  const distance = 1 + random.distance(5000);
  const priceTicks = side === Side.buy ? MIDDLE_TICKS - distance : MIDDLE_TICKS + distance;
  const outcome = exchange.apply(
    order({ time: OPENING_TIME, uid, side, priceTicks, sizeLots: 100, clientOid }),
  );
  exchange.takeEvents();
  return outcome.orderId;
}

/** Fills a book, weighs it, then replaces orders one by one while the collector is watched. */
async function measure(withClientOids: boolean): Promise<Measured> {
  const random = new Random(7);
  const exchange = new Exchange();
  for (const command of venueOf(ACCOUNTS)) exchange.apply(command);
  exchange.takeEvents();
  const orderIds = new Float64Array(ORDERS);
  const clientOid = (n: number) => (withClientOids ? `client-order-${String(n).padStart(10, '0')}` : '');
  const before = settled();
  for (let n = 0; n < ORDERS; n++) orderIds[n] = place(exchange, random, 1 + (n % ACCOUNTS), clientOid(n));
  const after = settled();

  let longestPauseMs = 0;
  let pauses = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      pauses++;
      longestPauseMs = Math.max(longestPauseMs, entry.duration);
    }
  });
  await setImmediate();
  const began = performance.now();
  observer.observe({ entryTypes: ['gc'] });
  for (let n = 0; n < CHURN; n++) {
    const at = random.below(ORDERS);
    const uid = 1 + (at % ACCOUNTS);
    const name = { clientOid: '', category: ANY, instrument: ANY } as const;
    exchange.apply({ type: 'cancelOrder', time: OPENING_TIME, uid, orderId: orderIds[at]!, ...name });
    orderIds[at] = place(exchange, random, uid, clientOid(ORDERS + n));
    if (n % CHURN_SLICE === 0) await setImmediate();
  }
  await setImmediate();
  observer.disconnect();
  const churnMs = performance.now() - began;
  return {
    arrayBuffers: (after.arrayBuffers - before.arrayBuffers) / ORDERS,
    heapUsed: (after.heapUsed - before.heapUsed) / ORDERS,
    rss: (after.rss - before.rss) / ORDERS,
    longestPauseMs,
    pauses,
    churnMs,
    machineMs: longestStop(churnMs),
  };
}

function longestStop(durationMs: number): number {
  const end = performance.now() + durationMs;
  let longest = 0;
  for (let last = performance.now(); last < end; ) {
    const now = performance.now();
    if (now - last > longest) longest = now - last;
    last = now;
  }
  return longest;
}

function inFreshProcess(withClientOids: boolean): Measured {
  const file = fileURLToPath(import.meta.url);
  const child = spawnSync(process.execPath, ['--expose-gc', file, String(withClientOids)], {
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as Measured;
}

export const memory: Benchmark = {
  title: 'Memory: a million resting orders',
  run() {
    console.log(
      `${ORDERS.toLocaleString('en-US')} orders of ${ACCOUNTS.toLocaleString('en-US')} accounts on one spot pair through ` +
        `Exchange.apply, then ${CHURN.toLocaleString('en-US')} cancels, each with a new order. Bytes are per order, ` +
        'after a collection.',
    );
    const rows = [false, true].map((withClientOids) => {
      const { arrayBuffers, heapUsed, rss, longestPauseMs, pauses, churnMs, machineMs } =
        inFreshProcess(withClientOids);
      return [
        withClientOids ? 'with client ids of 23 characters' : 'without client ids',
        arrayBuffers.toFixed(0),
        heapUsed.toFixed(0),
        (arrayBuffers + heapUsed).toFixed(0),
        rss.toFixed(0),
        `${longestPauseMs.toFixed(1)} ms of ${pauses}`,
        `${machineMs.toFixed(1)} ms in ${(churnMs / 1000).toFixed(1)} s`,
      ];
    });
    printTable(
      ['orders', 'array buffers', 'heap', 'together', 'rss', 'longest pause', 'the machine alone'],
      rows,
    );
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await measure(process.argv[2] === 'true')));
}
