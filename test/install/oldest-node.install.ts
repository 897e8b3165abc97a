/**
 * The oldest Node that is admitted, against the one that runs this test: the quick part of the suite passes, the same
 * commands come to the same state and events, and a data directory goes from one to the other and back.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Verification } from '../../src/app/verify/verification.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { fetchNode, RunningCommand } from './toolchain.ts';

const OLDEST = '24.14.1';
/** Of the variables of this run, which is one of tests itself, none. */
const ALONE = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR };
/** A guard against waiting for ever; it takes some ninety seconds. */
const SUITE_MAX_MS = 1_800_000;
const ROOT = join(import.meta.dirname, '../..');
const ALICE = {
  name: 'alice',
  uid: 0,
  apiKey: 'demo-alice',
  secretKey: 'demo-alice-secret',
  passphrase: 'demo',
};
const BUY = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.01' };

describe(`Node ${OLDEST} and ${process.versions.node}`, { skip: process.platform !== 'linux' }, () => {
  let oldest: string;
  before(() => {
    oldest = fetchNode(OLDEST);
  });

  it('runs the quick part of the suite: units, core, golden logs, properties', {
    timeout: SUITE_MAX_MS,
  }, async () => {
    const suite = new RunningCommand(
      spawn(oldest, ['test/run.ts', '--quick'], { cwd: ROOT, env: ALONE, stdio: 'pipe' }),
    );
    assert.equal(await suite.ended, 0, suite.output);
    assert.match(suite.output, /^ℹ fail 0$/m);
  });

  const run = (node: string, args: readonly string[]) =>
    execFileSync(node, args, { cwd: ROOT, encoding: 'utf8', env: ALONE });

  it('come to the same state and events with the same commands', () => {
    const program = join(ROOT, 'test/property/trading-digest.ts');
    for (const seed of ['2001', '2002']) {
      assert.equal(run(oldest, [program, seed, '400']), run(process.execPath, [program, seed, '400']), seed);
    }
  });

  it('take over the data directory of each other, with one state hash', async () => {
    const data = join(temporaryDirectory(), 'data');
    const verified = (node: string) => {
      const { ok, stateHash, openOrders } = JSON.parse(
        run(node, ['src/bourse.ts', 'verify', '--data', data, '--json']),
      ) as Verification;
      return { ok, stateHash, openOrders };
    };
    const orders = [oldest, process.execPath, oldest];
    for (const [n, node] of orders.entries()) {
      const args = ['src/main.ts', '--port', '0', '--market', 'off', '--data', data];
      const server = new RunningCommand(spawn(node, args, { cwd: ROOT, stdio: 'pipe' }));
      const url = await server.shows(/^Listening on (\S+)\n/m);
      const alice = new SignedClient(url, ALICE);
      const { code } = await alice.post('/api/v3/trade/place-order', { ...BUY, price: String(50_000 + n) });
      alice.close();
      assert.equal(code, '00000');
      // The second is killed: the third replays what another Node has written.
      server.process.kill(n === 1 ? 'SIGKILL' : 'SIGTERM');
      await server.ended;
      const seen = verified(oldest);
      assert.deepEqual({ ...seen, stateHash: '' }, { ok: true, stateHash: '', openOrders: n + 1 });
      assert.deepEqual(verified(process.execPath), seen);
    }
  });
});
