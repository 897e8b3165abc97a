/** The generated past: readable wherever an exchange goes on, and copied nowhere. */
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitCode, exitCodeOf } from '../../src/app/exit-codes.ts';
import type { RunningExchange } from '../../src/app/start/start-exchange.ts';
import { GeneratedBooks } from '../../src/history/generated-books.ts';
import type { GeneratedPast } from '../../src/history/generated-candles.ts';
import type { History } from '../../src/history/history.ts';
import { openMemoryHistory } from '../../src/history/sqlite-history.ts';
import { GENERATED_FILE_VERSION, writeMeta } from '../../src/history/sqlite-schema.ts';
import { GENERATED_TABLES } from '../../src/history/tables/tables.ts';
import { command } from '../app/bourse-process.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
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
    const lab = await Lab.start({ market: 'quiet', backfill: '1' });
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
    const { image: second } = await lab.exchange.branchFrom('with');
    assert.equal(second!.history.generated, image!.history.generated, 'it is read once');
    await lab.stop();
    lab = new Lab(await startInMemory(flags));
    assert.deepEqual(await volumes(lab.exchange, 'BTCUSDT'), made);
    await lab.stop();
    const history = await openMemoryHistory({ onFailure: assert.fail, contents: image!.history });
    assert.deepEqual(await volumes({ sequencer: { history } }, 'BTCUSDT'), made);
    const { bytes, generated } = await history.contents();
    assert.equal(bytes.length, image!.history.bytes.length, 'it is beside the copy on both sides');
    assert.deepEqual(generated!.names(), ['SPOT:BTCUSDT']);
    await history.close();
  });

  it('is one file for the directory, its snapshots, branches and forks, and counts for none of them', async () => {
    const { lab, data, flags } = await backfilled();
    const { exchange } = lab;
    const candles = () => pastOf(exchange.url);
    const before = await candles();
    assert.ok(before.length === 100 && before.every(([, , , , , volume]) => Number(volume) > 0));
    const { bytes } = await lab.snapshot('one');
    const [own, shared] = sizesIn(join(data, 'lab/snapshots/one'));
    assert.deepEqual([bytes, statSync(join(data, GENERATED)).size], [own, shared]);
    for (const name of ['two', 'three']) {
      await lab.revert('one');
      assert.deepEqual(await candles(), before);
      await lab.snapshot(name);
    }
    await lab.revert('three');
    assert.deepEqual(await candles(), before);
    const fork = await lab.ask('POST', '/lab/forks', { from: 'two', isolate: true });
    assert.deepEqual(await pastOf(fork.url), before);
    const names = generatedFiles(data);
    assert.ok(names.length >= 1 + 3 + 3, names.join(' '));
    assert.deepEqual(new Set(names.map((name) => statSync(join(data, name)).ino)).size, 1, names.join(' '));
    await lab.stop();
    const again = new Lab(await startInMemory(flags));
    assert.deepEqual(await pastOf(again.exchange.url), before);
    await again.stop();
    assert.equal(new Set(generatedFiles(data).map((name) => statSync(join(data, name)).ino)).size, 1);
    const verified = await command(['verify', '--data', join(data, 'lab/branches/3')]);
    assert.equal(verified.code, 0, verified.output);
  });

  it('is whole on both sides of a snapshot that is taken while it is being made', async () => {
    const flags: Flags = { ...BACKFILL, data: temporaryDirectory() };
    const lab = new Lab(await startInMemory(flags));
    await lab.snapshot('early');
    const early = join(flags.data!, 'lab/snapshots/early', GENERATED);
    const kept = readFileSync(early);
    const all = await allBooks(lab);
    // A machine that is slow to answer may have made all of it before.
    if (GeneratedBooks.ofFile(early).names().length < all.length)
      assert.notEqual(statSync(early).ino, statSync(join(flags.data!, GENERATED)).ino);
    assert.deepEqual(readFileSync(early), kept);
    await lab.revert('early');
    assert.deepEqual(await allBooks(lab), all);
    assert.deepEqual(readFileSync(early), kept);
    await lab.stop();
  });

  it('stays in a snapshot as it was when a book is added to the exchange, or to a branch of it', async () => {
    const flags: Flags = { ...MANUAL, memory: 'off', data: temporaryDirectory() };
    const lab = new Lab(await startInMemory(flags));
    const { exchange } = lab;
    exchange.sequencer.history.addGenerated(madeUp('BTCUSDT'));
    await lab.snapshot('one');
    const file = join(flags.data!, 'lab/snapshots/one', GENERATED);
    const kept = readFileSync(file);
    exchange.sequencer.history.addGenerated(madeUp('ETHUSDT'));
    await exchange.sequencer.history.flush();
    assert.deepEqual(await exchange.sequencer.history.generatedBooks(), ['SPOT:BTCUSDT', 'SPOT:ETHUSDT']);
    await lab.revert('one');
    assert.deepEqual(await exchange.sequencer.history.generatedBooks(), ['SPOT:BTCUSDT']);
    exchange.sequencer.history.addGenerated(madeUp('XRPUSDT'));
    await exchange.sequencer.history.flush();
    assert.deepEqual(readFileSync(file), kept);
    const { bytes } = await lab.snapshot('two');
    const { snapshots } = await lab.ask('GET', '/lab/snapshots');
    assert.equal(snapshots.find((each: { name: string }) => each.name === 'one').bytes, bytes);
    await lab.stop();
  });

  it('is moved out of the history of the program before, also of its snapshots', async () => {
    const { lab, data, flags } = await backfilled();
    const before = await pastOf(lab.exchange.url);
    await lab.snapshot('old');
    await lab.stop();
    for (const place of [data, join(data, 'lab/snapshots/old')]) asBefore(place);
    const verified = await command(['verify', '--data', data]);
    assert.equal(verified.code, 0, verified.output);
    const again = new Lab(await startInMemory(flags));
    assert.deepEqual(await pastOf(again.exchange.url), before);
    const { image } = await again.exchange.branchFrom('old');
    const history = await openMemoryHistory({ onFailure: assert.fail, contents: image!.history });
    assert.equal((await history.generatedBooks()).length, 2);
    await history.close();
    await again.revert('old');
    assert.deepEqual(await pastOf(again.exchange.url), before);
    await again.snapshot('new');
    await again.stop();
    const [kept] = readdirSync(data).filter((name) => name.startsWith('before-history-'));
    for (const place of [[join(data, kept!)], ['--data', data], ['--data', join(data, 'lab/branches/1')]]) {
      const { code, output } = await command(['verify', ...place]);
      assert.equal(code, 0, output);
    }
  });

  it('is in a backup, in what is restored of it, and proved by verify', async () => {
    const { lab, data, flags } = await backfilled();
    const before = await pastOf(lab.exchange.url);
    const [copy, restored] = ['copy', 'restored'].map((name) => join(temporaryDirectory(), name));
    const made = await command(['backup', copy!, '--data', data]);
    assert.equal(made.code, 0, made.output);
    await lab.stop();
    const proven = await command(['verify', copy!]);
    assert.equal(proven.code, 0, proven.output);
    assert.match(proven.stdout, /generated past +\S* *\d+ rows with the right checksum/);
    assert.equal((await command(['restore', copy!, '--data', restored!])).code, 0);
    const again = new Lab(await startInMemory({ ...flags, data: restored! }));
    assert.deepEqual(await pastOf(again.exchange.url), before);
    await again.stop();
  });

  it('is refused where it is damaged: by reads, by verify, and by a start when it is lost', async () => {
    const { data, flags } = await directoryWithPast();
    const path = join(data, GENERATED);
    const sound = readFileSync(path);
    const database = new DatabaseSync(path);
    database.exec(
      "UPDATE generated_candles SET candles = zeroblob(1000) WHERE category = 'SPOT' AND width = '1H'",
    );
    database.close();
    const proof = await command(['verify', '--data', data]);
    assert.equal(proof.code, 4, proof.output);
    assert.match(
      proof.stdout,
      /generated_candles category=SPOT symbol=BTCUSDT .*its checksum does not match/,
    );
    assert.match(proof.stdout, /put history-generated\.sqlite of a backup back/);
    const damaged = new Lab(await startInMemory(flags));
    assert.equal((await pastOf(damaged.exchange.url)).length, 100, 'what is sound is served');
    const answer = await fetch(`${damaged.exchange.url}${PAST.replace('1m', '1H')}`);
    assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [500, '25000']);
    await damaged.stop();
    const { code, output } = await command(['verify', '--data', data, '--repair-history']);
    assert.equal(code, 4, output);
    rmSync(path);
    assert.equal((await command(['verify', '--data', data])).code, 4);
    await assert.rejects(startInMemory(flags), (error: Error) => {
      assert.equal(exitCodeOf(error), ExitCode.damaged);
      assert.match(error.message, /history-generated\.sqlite is missing\. Put it back from a backup/);
      return true;
    });
    writeFileSync(path, sound);
    const back = new Lab(await startInMemory(flags));
    assert.equal((await pastOf(back.exchange.url)).length, 100);
    await back.stop();
    rmSync(path);
    const accepted = new Lab(await startInMemory({ ...flags, acceptHistoryGap: 'on' }));
    assert.equal((await allBooks(accepted)).length, 2, 'the market makes it anew');
    await accepted.stop();
  });
});

const GENERATED = 'history-generated.sqlite';
const BACKFILL: Flags = { ...MANUAL, memory: 'off', market: 'quiet', backfill: '1' };
const PAST = `/api/v3/market/candles?category=SPOT&symbol=BTCUSDT&interval=1m&limit=100&endTime=${Date.parse(START) - 60 * MINUTE}`;

async function pastOf(url: string): Promise<string[][]> {
  const answer = await fetch(`${url}${PAST}`);
  return ((await answer.json()) as { data: string[][] }).data;
}

/** Of the one symbol: spot and futures. */
async function allBooks({ exchange }: Lab): Promise<string[]> {
  const books = () => exchange.sequencer.history.generatedBooks();
  await until('the past is made', async () => (await books()).length === 2);
  return books();
}

/** A directory with a past that was made once for all tests; each has a copy. */
let made: Promise<string> | undefined;

async function makePast(): Promise<string> {
  const data = temporaryDirectory();
  const lab = new Lab(await startInMemory({ ...BACKFILL, data }));
  await allBooks(lab);
  await lab.exchange.sequencer.history.flush();
  await lab.stop();
  return data;
}

async function directoryWithPast(): Promise<{ data: string; flags: Flags }> {
  made ??= makePast();
  const data = temporaryDirectory();
  cpSync(await made, data, { recursive: true });
  return { data, flags: { ...BACKFILL, data } };
}

async function backfilled(): Promise<{ lab: Lab; data: string; flags: Flags }> {
  const { data, flags } = await directoryWithPast();
  return { lab: new Lab(await startInMemory(flags)), data, flags };
}

/** As schema 15 had it: the generated past in tables of the history. */
function asBefore(directory: string): void {
  const database = new DatabaseSync(join(directory, 'history.sqlite'));
  for (const file of ['05-generated-candles.sql', '11-generated-funding.sql'])
    database.exec(readFileSync(join(import.meta.dirname, '../../src/history/migrations', file), 'utf8'));
  database.exec(`ATTACH '${join(directory, GENERATED)}' AS apart`);
  for (const { name, columns } of GENERATED_TABLES) {
    const all = [...columns, 'checksum'].join(', ');
    database.exec(`ALTER TABLE main.${name} ADD COLUMN checksum INTEGER`);
    database.exec(`INSERT INTO main.${name} (${all}) SELECT ${all} FROM apart.${name}`);
  }
  database.exec('INSERT INTO main.totals SELECT * FROM apart.totals');
  writeMeta(database)('schema_version', GENERATED_FILE_VERSION - 1);
  database.close();
  rmSync(join(directory, GENERATED));
}

/** Of the files of a snapshot that are its own, and of that of the generated past. */
function sizesIn(snapshot: string): [own: number, shared: number] {
  const size = (name: string) => statSync(join(snapshot, name)).size;
  const own = readdirSync(snapshot).filter((name) => name !== GENERATED && name !== 'snapshot.json');
  return [own.reduce((sum, name) => sum + size(name), 0), size(GENERATED)];
}

function generatedFiles(data: string): string[] {
  return readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(GENERATED));
}
