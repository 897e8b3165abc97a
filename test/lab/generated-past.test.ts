/** The generated past: readable wherever an exchange goes on, and copied nowhere in memory. */
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningExchange } from '../../src/app/start/start-exchange.ts';
import type { GeneratedPast } from '../../src/history/generated-candles.ts';
import type { History } from '../../src/history/history.ts';
import { openMemoryHistory } from '../../src/history/sqlite-history.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type Flags, startInMemory, stopAll } from '../memory/in-process.ts';
import { Lab, MANUAL, START } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

after(stopAll);

const MINUTE = 60_000;
const COUNT = 5000;
const FIRST = Date.parse(START) - COUNT * MINUTE;

/** Numbers by chance, which no compression makes small. */
function madeUp(symbol: string): GeneratedPast {
  const lots = Float64Array.from(randomFillSync(new Uint32Array(COUNT)));
  const ticks = new Int32Array(4 * COUNT);
  for (let n = 0; n < COUNT; n++) ticks.set([lots[n]! % 1000, 1000, 0, lots[n]! % 999], 4 * n);
  const book = { category: 'SPOT', symbol } as const;
  const candles = {
    ...book,
    interval: '1m',
    firstOpen: FIRST,
    pricePrecision: 2,
    quantityPrecision: 6,
  } as const;
  const rates = [{ time: FIRST, fundingRate: '0.0001' }];
  return { candles: [{ ...candles, ticks, lots }], funding: { category: 'USDT-FUTURES', symbol, rates } };
}

async function volumes(
  { sequencer }: { sequencer: { history: History } },
  symbol: string,
): Promise<string[]> {
  const series = { category: 'SPOT', symbol, type: 'market', interval: '1m' } as const;
  const rows = await sequencer.history.candles({ ...series, limit: COUNT, from: 'oldest' });
  return rows.map(({ volume }) => volume);
}

const ratesOf = async ({ sequencer }: RunningExchange, symbol: string) =>
  (await sequencer.history.fundingRates({ category: 'USDT-FUTURES', symbol, skip: 0, limit: 9 })).length;

/** Of public candles, over HTTP: also of exchanges in other processes. */
async function publicCandles(url: string, symbol: string): Promise<number> {
  const query = `category=SPOT&symbol=${symbol}&interval=1m&limit=100&endTime=${FIRST + 50 * MINUTE}`;
  const answer = await fetch(`${url}/api/v3/market/candles?${query}`);
  return ((await answer.json()) as { data: unknown[] }).data.length;
}

describe('the generated past of an exchange in memory', () => {
  it('is in no copy that a snapshot takes', async () => {
    const lab = await Lab.start();
    const { bytes } = await lab.snapshot('without');
    lab.exchange.sequencer.history.addGenerated(madeUp('BTCUSDT'));
    assert.equal((await lab.snapshot('with')).bytes, bytes);
    await lab.stop();
  });

  it('is there after a revert and in forks, as of the snapshot, and what is added later is nowhere else', async () => {
    const lab = await Lab.start();
    const { exchange } = lab;
    await lab.snapshot('without');
    exchange.sequencer.history.addGenerated(madeUp('BTCUSDT'));
    const made = await volumes(exchange, 'BTCUSDT');
    assert.equal(made.length, COUNT);
    await lab.snapshot('with');
    exchange.sequencer.history.addGenerated(madeUp('ETHUSDT'));
    await lab.revert('with');
    assert.deepEqual(await volumes(exchange, 'BTCUSDT'), made);
    assert.deepEqual([await ratesOf(exchange, 'BTCUSDT'), await ratesOf(exchange, 'ETHUSDT')], [1, 0]);
    assert.deepEqual(await volumes(exchange, 'ETHUSDT'), []);
    const { id } = await lab.ask('POST', '/lab/forks', { from: 'with' });
    const fork = exchange.fork(id)!;
    assert.deepEqual(await volumes(fork, 'BTCUSDT'), made);
    fork.sequencer.history.addGenerated(madeUp('ETHUSDT'));
    assert.equal((await volumes(fork, 'ETHUSDT')).length, COUNT);
    assert.deepEqual(await exchange.sequencer.history.generatedBooks(), ['SPOT:BTCUSDT']);
    await lab.revert('without');
    assert.deepEqual(await exchange.sequencer.history.generatedBooks(), []);
    await lab.stop();
  });

  it('goes with a fork into a process of its own, and with an outage', async () => {
    const lab = await Lab.start();
    lab.exchange.sequencer.history.addGenerated(madeUp('BTCUSDT'));
    const there = await publicCandles(lab.exchange.url, 'BTCUSDT');
    assert.ok(there > 0);
    const fork = await lab.ask('POST', '/lab/forks', { isolate: true });
    assert.equal(await publicCandles(fork.url, 'BTCUSDT'), there);
    const { sequencer } = lab.exchange;
    await lab.ask('POST', '/lab/faults', { do: { outage: 1 } });
    while (lab.exchange.sequencer === sequencer) await sleep(20);
    assert.equal((await volumes(lab.exchange, 'BTCUSDT')).length, COUNT);
    await lab.stop();
  });

  it('is made in full on both sides of a snapshot that is taken while it is being made', async () => {
    const lab = await Lab.start({ market: 'quiet', backfill: '2' });
    await lab.snapshot('early');
    const { exchange } = lab;
    const isMade = async () => (await exchange.sequencer.history.generatedBooks()).length > 0;
    while (!(await isMade())) await sleep(20);
    await lab.revert('early');
    while (!(await isMade())) await sleep(20);
    await lab.stop();
  });
});

describe('the generated past of a data directory', () => {
  it('is there after a revert, in a fork, after a restart on the branch, and in memory from its snapshots', async () => {
    const flags: Flags = { ...MANUAL, memory: 'off', data: temporaryDirectory() };
    let lab = new Lab(await startInMemory(flags));
    lab.exchange.sequencer.history.addGenerated(madeUp('BTCUSDT'));
    const made = await volumes(lab.exchange, 'BTCUSDT');
    await lab.snapshot('with');
    await lab.revert('with');
    assert.deepEqual(await volumes(lab.exchange, 'BTCUSDT'), made);
    const { id } = await lab.ask('POST', '/lab/forks', { from: 'with' });
    assert.deepEqual(await volumes(lab.exchange.fork(id)!, 'BTCUSDT'), made);
    const { image } = await lab.exchange.branchFrom('with');
    await lab.stop();
    lab = new Lab(await startInMemory(flags));
    assert.deepEqual(await volumes(lab.exchange, 'BTCUSDT'), made);
    await lab.stop();
    const history = await openMemoryHistory({ onFailure: assert.fail, contents: image!.history });
    assert.deepEqual(await volumes({ sequencer: { history } }, 'BTCUSDT'), made);
    const { bytes, generated } = await history.contents();
    assert.ok(bytes.length < image!.history.bytes.length - 8 * COUNT, 'it is beside the copy from then on');
    assert.deepEqual(generated!.names(), ['SPOT:BTCUSDT']);
    await history.close();
  });
});
