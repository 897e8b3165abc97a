/** Forks: second exchanges that share nothing with the first. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { withOwnThreads } from '../harness/kept-threads.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { keysOf, stopAll } from '../memory/in-process.ts';
import { Lab, spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

after(stopAll);

const PLACE = '/api/v3/trade/place-order';

const at = (lab: Lab, url: string, name: string) => new SignedClient(url, keysOf(lab.exchange, name));
const openCount = async (client: SignedClient) =>
  (await client.get('/api/v3/trade/unfilled-orders', { category: 'SPOT' })).data.list?.length ?? 0;
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
const askAt = async (fork: { operatorUrl: string; token: string }, path: string): Promise<any> =>
  (await fetch(fork.operatorUrl + path, { headers: { authorization: `Bearer ${fork.token}` } })).json();

for (const isolate of [false, true])
  describe(isolate ? 'a fork in a process of its own' : 'a fork', () => {
    it('goes on from a snapshot or from now, with the same keys, and shares nothing', async () => {
      const lab = await Lab.start();
      await lab.client('alice').post(PLACE, spotOrder('buy', '60000'));
      const { stateHash } = await lab.snapshot('one');
      await lab.client('alice').post(PLACE, spotOrder('buy', '59000'));
      const fork = await lab.ask('POST', '/lab/forks', { from: 'one', isolate });
      assert.equal(fork.stateHash, stateHash);
      assert.equal(fork.pid === process.pid, !isolate);
      const there = at(lab, fork.url, 'alice');
      assert.equal(await openCount(there), 1);
      assert.equal((await there.post(PLACE, spotOrder('buy', '58500'))).code, '00000');
      await at(lab, fork.url, 'bob').post(PLACE, spotOrder('sell', '60000'));
      assert.equal(await openCount(lab.client('alice')), 2);
      assert.equal(await openCount(there), 1);
      const clock = await askAt(fork, '/admin/clock');
      assert.deepEqual(clock, { clock: 'manual', factor: 0, time: fork.time });
      const own = await fetch(`${fork.operatorUrl}/admin/clock`, {
        headers: { authorization: `Bearer ${lab.exchange.operatorToken}` },
      });
      assert.equal(own.status, 401, 'the token of the parent is not that of the fork');
      const present = await lab.ask('POST', '/lab/forks', { isolate });
      assert.equal(await openCount(at(lab, present.url, 'alice')), 2);
      assert.deepEqual(
        (await lab.ask('GET', '/lab/forks')).forks.map(({ from }: { from: string }) => from),
        ['one', 'now'],
      );
      await lab.ask('DELETE', `/lab/forks/${fork.id}`);
      await assert.rejects(fetch(fork.url));
      assert.equal((await lab.ask('GET', '/lab/forks')).forks.length, 1);
      await lab.stop();
      await assert.rejects(fetch(present.url), 'forks end with their parent');
    });
  });

describe('a fork', () => {
  it('may have another clock and another market', async () => {
    const lab = await Lab.start();
    const fork = await lab.ask('POST', '/lab/forks', { clock: 'scaled:60', market: 'quiet' });
    assert.equal((await askAt(fork, '/admin/clock')).factor, 60);
    assert.ok((await askAt(fork, '/admin/market')).agents.length > 0);
    await lab.stop();
  });

  it('on disk works with the threads of the fork before it', () =>
    withOwnThreads(async () => {
      const lab = await Lab.start({ memory: 'off', data: temporaryDirectory() });
      const { stateHash } = await lab.snapshot('one');
      const started: string[] = [];
      const count = (worker: Worker) => started.push(worker.threadName!);
      process.on('worker', count);
      const threadsOfFork = async () => {
        started.length = 0;
        const fork = await lab.ask('POST', '/lab/forks', { from: 'one' });
        assert.equal(fork.stateHash, stateHash);
        await at(lab, fork.url, 'alice').post(PLACE, spotOrder('buy', '60000'));
        await lab.ask('DELETE', `/lab/forks/${fork.id}`);
        return started.sort();
      };
      assert.ok((await threadsOfFork()).includes('journal/journal-worker'));
      assert.deepEqual(await threadsOfFork(), []);
      process.off('worker', count);
      await lab.stop();
    }));

  it('can itself take snapshots, go back and be forked', async () => {
    const lab = await Lab.start();
    const fork = new Lab((await lab.ask('POST', '/lab/forks', {}).then(({ id }) => lab.exchange.fork(id)))!);
    const { stateHash } = await fork.snapshot('inner');
    await fork.client('alice').post(PLACE, spotOrder('buy', '60000'));
    assert.equal((await fork.revert('inner')).stateHash, stateHash);
    await fork.ask('POST', '/lab/forks', { from: 'inner' });
    await lab.stop();
  });
});
