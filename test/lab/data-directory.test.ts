/** Snapshots, reverts and forks of a data directory. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { command } from '../app/bourse-process.ts';
import { startServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import {
  ask,
  clientOf,
  hashOf,
  kill,
  killAll,
  PLACE,
  place,
  proven,
  revert,
  save,
  start,
  stop,
} from './directory-lab.ts';
import { spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

afterEach(killAll);

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
      (await ask(server, 'GET', '/lab/snapshots')).snapshots.map(({ name }: { name: string }) => name),
      ['branch-0', 'second', 'first'],
    );
    const reverted = await revert(server, 'second');
    assert.equal(reverted.stateHash, second.stateHash);
    const { data: fills } = await clientOf(server, 'alice').get('/api/v3/trade/fills', { category: 'SPOT' });
    assert.equal(fills.list.length, 1, 'the history of that snapshot');
    await stop(server);
    await proven(data);
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
