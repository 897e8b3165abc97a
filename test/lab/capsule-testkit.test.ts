/** Exchanges of tests that go on from snapshots and capsules, and the capsules of tests that fail. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { unpackCapsule } from '../../src/lab/capsule/capsule.ts';
import { replayCapsule } from '../../src/lab/capsule/replay-capsule.ts';
import { capsuleOnFailure } from '../../src/testkit/capsule-on-failure.ts';
import { type Bourse, type BourseOptions, startBourse } from '../../src/testkit/index.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const SMALL: BourseOptions = { instruments: ['BTCUSDT'], prices: { BTCUSDT: '61000' } };
const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  orderType: 'limit',
  qty: '0.01',
  price: '60000',
} as const;
const TESTKIT = pathToFileURL(join(import.meta.dirname, '../../src/testkit')).href;

describe('an exchange from a snapshot', () => {
  it('goes on from it when the other has ended, any number of times, with its accounts, prices and time', async () => {
    const accounts = { ann: { USDT: '10000' }, joe: { BTC: '1' } };
    const other = await startBourse({ ...SMALL, accounts, start: '2026-03-01T00:00:00Z' });
    await other.account('ann').place({ ...ORDER, side: 'buy' });
    await other.price('BTCUSDT', '60500');
    await other.advance('1m');
    const snapshot = await other.snapshot();
    await other.account('ann').place({ ...ORDER, side: 'buy', price: '59000' });
    await other.close();
    for (const _ of [1, 2]) {
      await using bourse = await startBourse({ from: snapshot });
      assert.equal(await bourse.stateHash(), snapshot.stateHash);
      assert.deepEqual(await bourse.now(), snapshot.time);
      assert.equal((await bourse.account('ann').openOrders()).length, 1);
      await bourse.account('joe').place({ ...ORDER, side: 'sell' });
      await bourse.advance('30m');
      assert.equal((await bourse.account('ann').balances()).BTC, '0.00999');
      const { data } = (await (
        await fetch(`${bourse.url}/api/v3/market/tickers?category=USDT-FUTURES&symbol=BTCUSDT`)
      ).json()) as { data: { indexPrice: string }[] };
      assert.equal(Number(data[0]!.indexPrice), 60_500, 'the price that held goes on to hold');
    }
  });

  it('lies in a directory, and comes from one', async () => {
    const data = join(temporaryDirectory(), 'data');
    await using memory = await startBourse(SMALL);
    await memory.account('alice').place({ ...ORDER, side: 'buy' });
    const disk = await startBourse({ from: await memory.snapshot(), data });
    assert.equal(await disk.stateHash(), await memory.stateHash());
    await disk.account('bob').place({ ...ORDER, side: 'sell' });
    const snapshot = await disk.snapshot();
    await assert.rejects(startBourse({ from: snapshot, data }), /has an exchange of its own/);
    await disk.close();
    await using again = await startBourse({ from: snapshot });
    assert.equal(await again.stateHash(), snapshot.stateHash);
    assert.equal((await again.account('alice').balances()).BTC, '2.00999');
  });

  it('may have another market and clock; what is there already cannot be given', async () => {
    await using other = await startBourse(SMALL);
    const from = await other.snapshot();
    await using bourse = await startBourse({ from, market: 'quiet' });
    await bourse.advance('5s');
    await assert.rejects(bourse.price('BTCUSDT', '1'), /the market has its own/);
    await assert.rejects(
      startBourse({ from, accounts: { ann: {} }, start: '2026-01-01' }),
      (error: Error) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, /accounts: .*; start: /);
        return true;
      },
    );
    await assert.rejects(startBourse({ from: { name: 'x' } as never }), /from: must be a snapshot/);
    await assert.rejects(startBourse({ from: '/nowhere/x.capsule' }), /there is no file/);
  });
});

async function trades(bourse: Bourse): Promise<string> {
  await bourse.account('alice').place({ ...ORDER, side: 'buy' });
  return bourse.stateHash();
}

async function hashIn(file: string): Promise<string> {
  const replayed = await replayCapsule(unpackCapsule(readFileSync(file)));
  assert.ok(replayed.same);
  return replayed.stateHash;
}

describe('a test that fails', () => {
  it('leaves a capsule of each exchange that it has started, also of those that it has closed', async () => {
    const directory = join(temporaryDirectory(), 'capsules');
    const data = join(temporaryDirectory(), 'data');
    const hashes: string[] = [];
    const urls: string[] = [];
    const fails = capsuleOnFailure(
      async (_context: { name: string }) => {
        const disk = await startBourse({ ...SMALL, data });
        hashes.push(await trades(disk));
        await disk.close();
        await using memory = await startBourse(SMALL);
        urls.push(disk.url, memory.url);
        hashes.push(await trades(memory));
        await using _fork = await memory.fork();
        throw new Error('as it must');
      },
      { directory },
    );
    assert.equal(fails.length, 1);
    await assert.rejects(fails({ name: 'a test/../that fails' }), /as it must/);
    const files = readdirSync(directory).sort();
    assert.deepEqual(files, ['a-test-that-fails-2.capsule', 'a-test-that-fails.capsule']);
    const found = await Promise.all(files.map((each) => hashIn(join(directory, each))));
    assert.deepEqual(found.toSorted(), hashes.toSorted());
    for (const url of urls) await assert.rejects(fetch(url), 'nothing stays open');
  });

  it('leaves none when it passes', async () => {
    const directory = join(temporaryDirectory(), 'capsules');
    let url = '';
    await capsuleOnFailure(
      async () => {
        const bourse = await startBourse(SMALL);
        url = bourse.url;
        await bourse.close();
      },
      { directory },
    )();
    assert.equal(existsSync(directory), false);
    await assert.rejects(fetch(url));
  });

  it('leaves one by the hooks of its runner', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'bot.test.mjs');
    writeFileSync(
      file,
      `import { afterEach, beforeEach, test } from 'node:test';
import { startBourse } from '${TESTKIT}/index.ts';
import { capsulesOfFailedTests } from '${TESTKIT}/capsule-on-failure.ts';
capsulesOfFailedTests({ beforeEach, afterEach });
test('it passes', async () => {
  await using bourse = await startBourse({ instruments: ['BTCUSDT'] });
});
test('it fails', async () => {
  await using bourse = await startBourse({ instruments: ['BTCUSDT'] });
  await bourse.account('alice').place(${JSON.stringify({ ...ORDER, side: 'buy' })});
  throw new Error('as it must');
});
`,
    );
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined };
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
      cwd: directory,
      env,
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.deepEqual(readdirSync(join(directory, 'capsules')), ['it-fails.capsule'], stdout + stderr);
    const { requests } = unpackCapsule(readFileSync(join(directory, 'capsules/it-fails.capsule')));
    assert.match(requests, /place-order/);
  });
});
