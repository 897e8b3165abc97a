/**
 * The laboratory (docs/lab.md): a snapshot, a revert and a fork of an exchange in memory and of one on disk, over its
 * operator's listener. `LAB_ORDERS=1000000 npm run bench -- lab` measures a book of that many orders besides.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OrderType, Side, Source, StpMode, TimeInForce } from '../src/core/model/enums.ts';
import { openOrderCount } from '../src/core/reads/reads.ts';
import { temporaryDirectory } from '../test/harness/temporary-directory.ts';
import { type Flags, operate, startInMemory } from '../test/memory/in-process.ts';
import { measureExplanations } from './lab-explain.ts';
import { type Benchmark, printTable } from './report.ts';

type Running = Awaited<ReturnType<typeof startInMemory>>;

const ROUNDS = 15;
const ORDERS_PER_ACCOUNT = 200;

interface World {
  readonly name: string;
  readonly flags: Flags;
  readonly onDisk?: boolean;
  readonly fill?: (exchange: Running) => Promise<void>;
  /** Of snapshot, revert and fork, in ms. */
  readonly bounds: readonly [number, number, number];
}

/** Where the design has no bound. */
const NONE = Number.NaN;
const LARGE = (process.env.LAB_ORDERS ?? '').split(',').filter((text) => text !== '');

const WORLDS: readonly World[] = [
  { name: 'bare demo', flags: { clock: 'manual' }, bounds: [5, 40, 80] },
  {
    name: 'default demo, 30 days of past',
    flags: { market: 'normal', backfill: '30' },
    fill: pastMade,
    bounds: [30, 80, 150],
  },
  { name: 'bare demo, on disk', flags: { clock: 'manual' }, onDisk: true, bounds: [NONE, 80, NONE] },
  {
    name: 'default demo, on disk',
    flags: { market: 'normal', backfill: '30' },
    onDisk: true,
    fill: pastMade,
    bounds: [30, 80, 150],
  },
  {
    name: '100,000 orders',
    flags: { clock: 'manual' },
    fill: (exchange) => placeOrders(exchange, 100_000),
    bounds: [200, 600, 700],
  },
  ...LARGE.map(
    (text): World => ({
      name: `${Number(text).toLocaleString('en-US')} orders`,
      flags: { clock: 'manual' },
      fill: (exchange) => placeOrders(exchange, Number(text)),
      bounds: [2000, 6000, 6000],
    }),
  ),
];

export const lab: Benchmark = {
  title: 'Laboratory: snapshot, revert and fork',
  async run() {
    const rows: string[][] = [];
    for (const world of WORLDS) rows.push(await measure(world));
    console.log(
      `Medians of ${ROUNDS}, in ms, and their bounds on an idle machine; processor time of all threads beside them.`,
    );
    printTable(
      ['world', 'orders', 'snapshot', 'cpu', 'bound', 'revert', 'cpu', 'bound', 'fork', 'cpu', 'bound'],
      rows,
    );
    await measureExplanations();
  },
};

async function measure({ name, flags, onDisk = false, fill, bounds }: World): Promise<string[]> {
  const place: Flags = onDisk ? { memory: 'off', data: temporaryDirectory() } : {};
  const exchange = await startInMemory({ labSpace: '100000', labSnapshots: '1000', ...flags, ...place });
  try {
    await fill?.(exchange);
    const orders = openOrderCount(exchange.sequencer.state);
    const rounds = orders > 500_000 ? 3 : ROUNDS;
    await ask(exchange, 'POST', '/lab/snapshots', { name: 'base' });
    const snapshots = await repeat(rounds, async (n) => {
      await ask(exchange, 'POST', '/lab/snapshots', { name: `s${n}` });
      return () => ask(exchange, 'DELETE', `/lab/snapshots/s${n}`);
    });
    const reverts = await repeat(rounds, async () => {
      await ask(exchange, 'POST', '/lab/revert', { to: 'base' });
      return undefined;
    });
    const forks = await repeat(rounds, async () => {
      const { id } = await ask(exchange, 'POST', '/lab/forks', { from: 'base' });
      return () => ask(exchange, 'DELETE', `/lab/forks/${id}`);
    });
    const cells = [snapshots, reverts, forks].flatMap(({ wall, cpu }, n) => [
      wall.toFixed(1),
      cpu.toFixed(1),
      Number.isNaN(bounds[n]) ? '-' : String(bounds[n]),
    ]);
    return [name, orders.toLocaleString('en-US'), ...cells];
  } finally {
    await exchange.stop();
  }
}

/** Medians of what is done; what it returns is done afterwards and not measured. */
async function repeat(
  times: number,
  act: (n: number) => Promise<(() => Promise<unknown>) | undefined>,
): Promise<{ readonly wall: number; readonly cpu: number }> {
  const walls: number[] = [];
  const cpus: number[] = [];
  for (let n = 0; n < times; n++) {
    const used = process.cpuUsage();
    const began = performance.now();
    const then = await act(n);
    walls.push(performance.now() - began);
    const { user, system } = process.cpuUsage(used);
    cpus.push((user + system) / 1000);
    await then?.();
  }
  return { wall: median(walls), cpu: median(cpus) };
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function ask(exchange: Running, method: string, path: string, body?: object) {
  const { status, content } = await operate(exchange, method, path, body);
  if (status !== 200) throw new Error(JSON.stringify(content));
  return content;
}

async function pastMade({ sequencer }: Running): Promise<void> {
  const books = sequencer.state.markets.length;
  while ((await sequencer.history.generatedBooks()).length < books) await sleep(200);
}

/** Bids far below the market, of as many accounts of the house as it takes: they need no users. */
async function placeOrders({ sequencer }: Running, count: number): Promise<void> {
  const { state } = sequencer;
  const { index: instrument } = state.instrument('SPOT', 'BTCUSDT')!;
  const coin = state.coinByName.get('USDT')!;
  for (let placed = 0, uid = 5_000_000_000; placed < count; placed += ORDERS_PER_ACCOUNT, uid++) {
    await sequencer.submit({ type: 'openAccount', uid, masterUid: 0, marketMaker: false, house: true });
    await sequencer.submit({ type: 'deposit', uid, coin, amount: 10n ** 16n, reference: `bench-${uid}` });
    const orders = Array.from({ length: ORDERS_PER_ACCOUNT }, (_, n) =>
      sequencer.submit({
        type: 'placeOrder',
        uid,
        source: Source.api,
        instrument,
        side: Side.buy,
        orderType: OrderType.limit,
        timeInForce: TimeInForce.gtc,
        stpMode: StpMode.none,
        priceTicks: 5_000_000 + n * 100,
        sizeLots: 1000,
        quoteAmount: 0n,
        clientOid: '',
      }),
    );
    const refused = (await Promise.all(orders)).find(({ rejectReason }) => rejectReason !== 0);
    if (refused !== undefined)
      throw new Error(`an order was refused: ${refused.rejectReason} ${refused.detail}`);
  }
}
