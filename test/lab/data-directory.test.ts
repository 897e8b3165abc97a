/** Snapshots, reverts and forks of a data directory, and what a kill -9 leaves of them. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { command } from '../app/bourse-process.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { startServer, type TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const ARGS = ['--clock', 'manual', '--clock-start', '2026-01-01T00:00:00Z', '--instruments', 'BTCUSDT'];
const PLACE = '/api/v3/trade/place-order';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Json = any;

const running = new Set<TestServer>();
afterEach(async () => {
  for (const server of running) await server.kill();
  running.clear();
});

async function start(data: string, starter: typeof startHosted = startHosted): Promise<TestServer> {
  const server = await starter({ data, args: ARGS });
  running.add(server);
  return server;
}

async function stop(server: TestServer): Promise<void> {
  running.delete(server);
  assert.equal(await server.stop(), 0);
}

async function kill(server: TestServer): Promise<void> {
  running.delete(server);
  await server.kill();
}

async function ask({ data }: TestServer, method: string, path: string, body?: object): Promise<Json> {
  const { url, token } = JSON.parse(readFileSync(join(data, 'operator.json'), 'utf8'));
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const content = (await answer.json()) as Json;
  assert.equal(answer.status, 200, JSON.stringify(content));
  return content;
}

const save = (server: TestServer, name: string) => ask(server, 'POST', '/lab/snapshots', { name });
const revert = (server: TestServer, to: string) => ask(server, 'POST', '/lab/revert', { to });
/** The present state: that of a snapshot which is deleted again. */
async function hashOf(server: TestServer): Promise<string> {
  const { stateHash } = await save(server, 'look');
  await ask(server, 'DELETE', '/lab/snapshots/look');
  return stateHash;
}
const clientOf = (server: TestServer, name: string) => new SignedClient(server.url, server.account(name));

async function place(server: TestServer, side: 'buy' | 'sell', price = '60000'): Promise<string> {
  const name = side === 'buy' ? 'alice' : 'bob';
  const { code, data, msg } = await clientOf(server, name).post(PLACE, spotOrder(side, price));
  assert.equal(code, '00000', msg);
  return data.orderId;
}

async function proven(data: string): Promise<void> {
  for (const words of [['verify'], ['audit', 'verify']]) {
    const { code, stdout, stderr } = await command([...words, '--data', data, '--json']);
    assert.equal(code, 0, stdout + stderr);
  }
}

describe('a data directory', () => {
  it('keeps snapshots and the branch it is on over restarts, and is proven on each', async () => {
    const data = temporaryDirectory();
    let server = await start(data);
    await place(server, 'buy');
    const first = await save(server, 'first');
    await place(server, 'sell');
    await ask(server, 'POST', '/admin/deposits', {
      account: 'bob',
      coin: 'USDT',
      amount: '7',
      reference: 'x',
    });
    const second = await save(server, 'second');
    assert.equal((await revert(server, 'first')).stateHash, first.stateHash);
    await place(server, 'buy', '59000');
    const present = await hashOf(server);
    await stop(server);
    await proven(data);
    server = await start(data);
    assert.equal(await hashOf(server), present);
    const { data: open } = await clientOf(server, 'alice').get('/api/v3/trade/unfilled-orders', {
      category: 'SPOT',
    });
    assert.equal(open.list.length, 2);
    assert.deepEqual(
      (await ask(server, 'GET', '/lab/snapshots')).snapshots.map(({ name }: Json) => name),
      ['branch-0', 'second', 'first'],
    );
    const reverted = await revert(server, 'second');
    assert.equal(reverted.stateHash, second.stateHash);
    const { data: fills } = await clientOf(server, 'alice').get('/api/v3/trade/fills', { category: 'SPOT' });
    assert.equal(fills.list.length, 1, 'the history of that snapshot');
    await stop(server);
    await proven(data);
  });

  it('is whole after a stop in order, whatever moment of a revert or of a snapshot it was', async () => {
    const data = temporaryDirectory();
    let server = await start(data);
    await place(server, 'buy');
    const saved = await save(server, 'saved');
    for (const delayMs of [0, 10, 25]) {
      await place(server, 'sell', '60000');
      const before = await hashOf(server);
      const begun = revert(server, 'saved').catch(() => undefined);
      const also = save(server, `at-${delayMs}`).catch(() => undefined);
      await sleep(delayMs);
      await stop(server);
      await Promise.all([begun, also]);
      server = await start(data);
      assert.ok([before, saved.stateHash].includes(await hashOf(server)), 'one branch or the other');
      await revert(server, 'saved');
    }
    await stop(server);
    await proven(data);
  });

  it('goes on after kill -9 with the branch it was on, whatever moment of a revert it was', async () => {
    const data = temporaryDirectory();
    let server = await start(data);
    await place(server, 'buy');
    const saved = await save(server, 'saved');
    await place(server, 'sell');
    await revert(server, 'saved');
    await kill(server);
    server = await start(data);
    assert.equal(await hashOf(server), saved.stateHash, 'a revert that was answered stays');
    // In a host the files are taken amid the revert too, which takes as long there; the last is killed as a process.
    for (const [delayMs, next] of [
      [0, startHosted],
      [15, startHosted],
      [40, startServer],
      [80, startHosted],
    ] as const) {
      await place(server, 'sell', '60000');
      const before = await hashOf(server);
      void revert(server, 'saved').catch(() => undefined);
      await sleep(delayMs);
      await kill(server);
      server = await start(data, next);
      const now = await hashOf(server);
      assert.ok([before, saved.stateHash].includes(now), 'one branch or the other');
      assert.equal((await revert(server, 'saved')).stateHash, saved.stateHash);
    }
    await kill(server);
    server = await start(data);
    await stop(server);
    await proven(data);
    for (const part of ['snapshots', 'branches'])
      assert.deepEqual(
        readdirSync(join(data, 'lab', part)).filter((name) => name.endsWith('.tmp')),
        [],
      );
  });

  it('forks into directories of their own, which end with the forks', async () => {
    const data = temporaryDirectory();
    // A fork that has a process of its own ends with that of its exchange.
    const server = await start(data, startServer);
    await place(server, 'buy');
    const { stateHash } = await save(server, 's');
    for (const isolate of [false, true]) {
      const fork = await ask(server, 'POST', '/lab/forks', { from: 's', isolate });
      assert.equal(fork.stateHash, stateHash);
      const there = new SignedClient(fork.url, server.account('bob'));
      assert.equal((await there.post(PLACE, spotOrder('sell', '60000'))).code, '00000');
      assert.equal(readdirSync(join(data, 'lab', 'branches')).length, 1);
      await ask(server, 'DELETE', `/lab/forks/${fork.id}`);
      assert.deepEqual(readdirSync(join(data, 'lab', 'branches')), []);
    }
    const { pid } = await ask(server, 'POST', '/lab/forks', { isolate: true });
    await kill(server);
    await ended(pid);
  });

  it('is backed up as the branch it is on, and starts from the backup without one', async () => {
    const data = temporaryDirectory();
    const [backup, restored] = [join(temporaryDirectory(), 'b'), join(temporaryDirectory(), 'r')];
    let server = await start(data);
    await save(server, 's');
    await place(server, 'buy');
    await revert(server, 's');
    await place(server, 'buy', '59000');
    const present = await hashOf(server);
    const made = await command(['backup', backup, '--data', data]);
    assert.equal(made.code, 0, made.stderr);
    await stop(server);
    for (const words of [
      ['verify', backup],
      ['restore', backup, '--data', restored],
    ]) {
      const { code, stdout, stderr } = await command(words);
      assert.equal(code, 0, stdout + stderr);
    }
    assert.ok(!existsSync(join(restored, 'lab')));
    server = await start(restored);
    assert.equal(await hashOf(server), present);
    await stop(server);
  });

  it('is not started with a HEAD that names nothing', async () => {
    const data = temporaryDirectory();
    const server = await start(data);
    await save(server, 's');
    await revert(server, 's');
    await stop(server);
    writeFileSync(join(data, 'lab', 'HEAD'), 'branch 99 gap 0\n');
    const { code, stderr } = await command(['verify', '--data', data]);
    assert.equal(code, 4);
    assert.match(stderr, /HEAD names no branch that is there/);
  });
});

/** A process that has lost its parent ends by itself. */
async function ended(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(50);
  }
}
