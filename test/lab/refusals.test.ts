/** What the laboratory refuses, each with its status, its code and what would be right. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { resolveConfig } from '../../src/app/config/resolve-config.ts';
import { startExchange } from '../../src/app/start/start-exchange.ts';
import { saveState } from '../../src/core/snapshot/snapshot.ts';
import { MemoryStore } from '../../src/lab/memory-store.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { operate, startInMemory, stopAll } from '../memory/in-process.ts';
import { Lab } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

describe('the laboratory refuses', () => {
  let lab: Lab;
  before(async () => {
    lab = await Lab.start({ labSnapshots: '3', labForks: '1' });
    await lab.snapshot('one');
  });
  after(stopAll);

  const unknown = /there is no snapshot "two"; there are: one/;

  it('an unknown name, with all known ones', async () => {
    for (const [method, path, body] of [
      ['POST', '/lab/revert', { to: 'two' }],
      ['POST', '/lab/forks', { from: 'two' }],
      ['DELETE', '/lab/snapshots/two', undefined],
      ['GET', '/lab/diff?from=two', undefined],
      ['GET', '/lab/diff?from=one&to=two', undefined],
    ] as const) {
      const [status, code, message] = await lab.refused(method, path, body);
      assert.deepEqual([status, code], [404, 'unknown_snapshot'], path);
      assert.match(message, unknown);
    }
    assert.deepEqual((await lab.refused('DELETE', '/lab/forks/fork-9')).slice(0, 2), [404, 'unknown_fork']);
  });

  it('a name that is none', async () => {
    for (const name of ['Big', '', '.hidden', '-a', 'a b', '../up', 'x'.repeat(65), 'branch-1', 'é']) {
      const [status, code] = await lab.refused('POST', '/lab/snapshots', { name });
      assert.deepEqual([status, code], [400, 'invalid_request'], name);
    }
  });

  it('a name that is taken', async () => {
    const refusal = await lab.refused('POST', '/lab/snapshots', { name: 'one' });
    assert.deepEqual(refusal.slice(0, 2), [409, 'already_exists']);
  });

  it('a port that is taken, with who has it', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const [status, code, message] = await lab.refused('POST', '/lab/forks', { port });
    assert.deepEqual([status, code], [409, 'port_taken']);
    if (process.platform === 'linux') assert.match(message, new RegExp(`process ${process.pid}\\b`));
    holder.close();
  });

  it('more snapshots, bytes and forks than there may be, with the option that allows them', async () => {
    await lab.snapshot('two-of-three');
    await lab.snapshot('three-of-three');
    const [status, code, message] = await lab.refused('POST', '/lab/snapshots', { name: 'four' });
    assert.deepEqual([status, code], [422, 'limit_reached']);
    assert.match(message, /there are 3 snapshots, at most 3: .*--lab-snapshots/);
    await lab.ask('POST', '/lab/forks', {});
    const second = await lab.refused('POST', '/lab/forks', { from: 'one' });
    assert.deepEqual(second.slice(0, 2), [422, 'limit_reached']);
    assert.match(second[2], /1 forks run, at most 1: .*--lab-forks/);
    const tight = await Lab.start({ labSpace: '1' });
    for (let n = 0; n < 12; n++) {
      const { status: answered, content } = await operate(tight.exchange, 'POST', '/lab/snapshots', {});
      if (answered === 200) continue;
      assert.deepEqual([answered, content.error.code], [422, 'limit_reached']);
      assert.match(content.error.message, /may take 1: .*--lab-space/);
      await tight.stop();
      return;
    }
    assert.fail('a MiB holds no twelve snapshots');
  });

  it('a revert during an advance, and a second one at a time', async () => {
    const advancing = lab.advance('3h');
    while (!lab.exchange.ticker.advancing) await new Promise((resolve) => setTimeout(resolve, 1));
    for (const [path, body] of [
      ['/lab/revert', { to: 'one' }],
      ['/lab/snapshots', { name: 'late' }],
    ] as const) {
      const [status, code, message] = await lab.refused('POST', path, body);
      assert.deepEqual([status, code], [409, 'busy']);
      assert.match(message, /being advanced/);
    }
    await advancing;
    const [first, second] = await Promise.all(
      ['one', 'one'].map((to) => operate(lab.exchange, 'POST', '/lab/revert', { to })),
    );
    assert.deepEqual(new Set([first!.status, second!.status]), new Set([200, 409]));
  });

  it('a snapshot of a newer format, with both numbers', async (context) => {
    context.mock.method(MemoryStore.prototype, 'stateOf', () => new Uint8Array([99, 0, 0, 0]));
    for (const [path, body] of [
      ['/lab/revert', { to: 'one' }],
      ['/lab/forks', { from: 'one' }],
    ] as const) {
      await lab.ask('GET', '/lab/forks').then(async ({ forks }) => {
        for (const { id } of forks) await lab.ask('DELETE', `/lab/forks/${id}`);
      });
      const [status, code, message] = await lab.refused('POST', path, body);
      assert.deepEqual([status, code], [422, 'newer_format']);
      assert.match(message, /format 99, this version reads formats up to \d+/);
    }
  });

  it('a snapshot whose files somebody has changed, with its name', async (context) => {
    const before = lab.exchange.sequencer.appliedSeq;
    const unreadable = async (method: string, path: string, body?: object) => {
      const [status, code, message] = await lab.refused(method, path, body);
      assert.deepEqual([status, code], [503, 'unavailable'], `${path}: ${message}`);
      assert.match(message, /the snapshot one cannot be read, nothing was changed: /);
    };
    const { mock } = context.mock.method(MemoryStore.prototype, 'stateOf', () => {
      throw new Error('ENOENT: no such file or directory');
    });
    await unreadable('POST', '/lab/revert', { to: 'one' });
    await unreadable('POST', '/lab/forks', { from: 'one' });
    await unreadable('POST', '/lab/capsule', { from: 'one' });
    await unreadable('GET', '/lab/diff?from=one');
    const [format] = saveState(lab.exchange.sequencer.state);
    mock.mockImplementation(() => new Uint8Array([format!, 0, 0, 0]));
    await unreadable('GET', '/lab/diff?from=one');
    assert.equal(lab.exchange.sequencer.appliedSeq, before);
  });

  it('anything on a disk that is nearly full, before it writes', async (context) => {
    context.mock.method(MemoryStore.prototype, 'room', () => ({ bytes: 1000, free: 1000 }));
    await lab.ask('DELETE', '/lab/snapshots/three-of-three');
    const before = lab.exchange.sequencer.appliedSeq;
    for (const [path, body] of [
      ['/lab/snapshots', { name: 'no-room' }],
      ['/lab/revert', { to: 'one' }],
      ['/lab/forks', { from: 'one' }],
    ] as const) {
      const [status, code, message] = await lab.refused('POST', path, body);
      assert.deepEqual([status, code], [507, 'no_space'], path);
      assert.match(message, /nothing was written/);
    }
    assert.equal(lab.exchange.sequencer.appliedSeq, before);
  });

  it('fields that it does not know, and clocks and markets that do not exist', async () => {
    for (const [path, body] of [
      ['/lab/snapshots', { nam: 'x' }],
      ['/lab/revert', {}],
      ['/lab/revert', { to: 5 }],
      ['/lab/forks', { clock: 'sundial' }],
      ['/lab/forks', { market: 'mad' }],
      ['/lab/forks', { port: 70_000 }],
    ] as const)
      assert.equal((await lab.refused('POST', path, body))[0], 400, JSON.stringify(body));
  });

  it('whoever has no token', async () => {
    const answer = await fetch(`${lab.exchange.operatorUrl}/lab/snapshots`);
    assert.equal(answer.status, 401);
  });

  it('a revert that fails on the way, and goes on as it was', async (context) => {
    const before = stateHash(lab.exchange.sequencer.state);
    context.mock.method(MemoryStore.prototype, 'begin', async () => {
      throw new Error('the snapshot cannot be read');
    });
    const [status, code, message] = await lab.refused('POST', '/lab/revert', { to: 'one' });
    assert.deepEqual([status, code], [503, 'unavailable']);
    assert.match(message, /goes on as it was: the snapshot cannot be read/);
    assert.equal(stateHash(lab.exchange.sequencer.state), before);
    assert.equal((await lab.client('alice').get('/api/v3/account/assets')).code, '00000');
  });

  it('everything while it is off, with how to turn it on', async () => {
    const off = await startInMemory({ lab: 'off' });
    const calls = {
      GET: ['snapshots', 'forks', 'diff?from=x', 'clock', 'clock/sessions', 'replay', 'faults'].concat(
        ...['scenarios/schema', 'explain?command=1', 'referee?account=bot', 'nothing'],
      ),
      POST: ['snapshots', 'revert', 'forks', 'clock/advance', 'clock/mode', 'clock/wait', 'faults'].concat(
        ...['scenarios', 'capsule'],
      ),
      DELETE: ['snapshots/x', 'forks/x', 'faults/x', 'faults'],
    };
    for (const [method, paths] of Object.entries(calls))
      for (const path of paths) {
        const body = method === 'POST' ? { to: 'x' } : undefined;
        const { status, content } = await operate(off, method, `/lab/${path}`, body);
        const { code, message } = content.error;
        assert.deepEqual(
          [status, code, message],
          [404, 'unknown_path', 'the laboratory is off: start with --lab on'],
        );
      }
    await off.stop();
  });

  it('nothing without demo accounts but with --lab on, which is said loudly', async () => {
    for (const [lab, status] of [
      [undefined, 404],
      ['on', 200],
    ] as const) {
      const said: string[] = [];
      const logger = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });
      const resolved = await resolveConfig({
        flags: {
          ...{ data: join(temporaryDirectory(), 'data'), port: '0', operatorPort: '0', demo: 'off' },
          ...{ instruments: 'SPOT:BTCUSDT', segmentBytes: '1048576' },
          ...(lab !== undefined && { lab }),
        },
        environment: {},
        directory: '/nonexistent',
      });
      const exchange = await startExchange(resolved, logger, assert.fail);
      assert.equal((await operate(exchange, 'GET', '/lab/snapshots')).status, status);
      assert.equal(
        said.some((line) => line.includes('the laboratory is on (--lab on)')),
        lab === 'on',
      );
      await exchange.stop();
    }
  });
});
