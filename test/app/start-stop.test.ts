import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { refusedHosted } from '../harness/hosted-server.ts';
import { failingChecks } from '../harness/readiness.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { command, Server, start } from './bourse-process.ts';
import { BUY, place, SMALL, startedAndStopped, verified } from './started.ts';

/** Hash by file of the log. */
function logContents(data: string): Record<string, string> {
  const names = readdirSync(join(data, 'log')).filter((name) => !name.startsWith('lock.'));
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(data, 'log', name)))
      .digest('hex');
  return Object.fromEntries(names.sort().map((name) => [name, hash(name)]));
}

describe('a first start', () => {
  const data = join(temporaryDirectory(), 'data');
  let server: Server;
  before(async () => {
    server = await Server.start(['--data', data, ...SMALL]);
  });
  after(() => server.end('SIGKILL'));

  it('tells who you are and is ready when it says so', async () => {
    const [factsLine, lastLine, ...rest] = server.stdout.split('\n');
    assert.equal(lastLine, `Listening on ${server.url}`);
    assert.deepEqual(rest, ['']);
    const facts = JSON.parse(factsLine!);
    assert.deepEqual(
      facts.accounts.map((account: { apiKey: string }) => account.apiKey),
      ['demo-alice', 'demo-bob', 'demo-bot', 'demo-maker'],
    );
    assert.ok(facts.instruments.SPOT >= 6);
    assert.equal(facts.data, data);

    const file = join(data, 'demo-accounts.json');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), facts.accounts);
    assert.deepEqual(await failingChecks(server.url), []);
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    assert.deepEqual((await place(server.url, BUY)).code, '00000');
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    assert.match(metrics, /^bourse_open_orders 1$/m);
    assert.match(
      metrics,
      /^bourse_http_requests_total\{route="\/api\/v3\/trade\/place-order",status="2xx"\} 1$/m,
    );
  });

  it('has its data directory for itself, and verify respects that', async () => {
    const second = await start(['--port', '0', '--data', data, ...SMALL]);
    assert.equal(second.code, 3);
    assert.match(second.stderr, new RegExp(`in use by process ${server.pid}`));
    assert.equal((await command(['verify', '--data', data])).code, 3);
  });

  it('has its port: whoever wants it is told before any work is done, and --port 0 offered', async () => {
    const { port } = new URL(server.url);
    const ports: readonly [string, readonly string[]][] = [
      ['port', ['--port', port]],
      ['operator-port', ['--port', '0', '--operator-port', port]],
    ];
    for (const [flag, args] of ports) {
      const data = join(temporaryDirectory(), 'b');
      const second = await start([...args, '--data', data, '--catalogue', 'no-such-folder', ...SMALL]);
      assert.equal(second.code, 3, second.stderr);
      assert.match(second.stderr, new RegExp(`port ${port} .* is in use`));
      assert.match(second.stderr, new RegExp(`--${flag} 0`));
      if (process.platform === 'linux') {
        assert.match(second.stderr, new RegExp(`process ${server.pid} \\(node\\)`));
      }
      assert.ok(!existsSync(data), 'no data directory was made');
    }
    const same = await start([
      '--port',
      '9',
      '--operator-port',
      '9',
      '--data',
      join(temporaryDirectory(), 'b'),
    ]);
    assert.equal(same.code, 2, same.stderr);
    assert.match(same.stderr, /--operator-port 9 is the same as --port/);
  });

  it('keeps everything when it stops', async () => {
    const { code, stderr } = await server.end('SIGTERM');
    assert.equal(code, 0, stderr);
    assert.match(stderr, new RegExp(`4 accounts, 1 open order, saved to ${data}\n$`));

    const before = await verified(data);
    assert.equal(before.openOrders, 1);
    await startedAndStopped(data);
    const after = await verified(data);
    const same = after.snapshots.find(({ seq }) => seq === before.lastSeq);
    assert.equal(same?.stateHash, before.stateHash, 'the state at the first stop is still what it was');
    assert.equal(after.openOrders, 1);
  });
});

describe('a killed server', () => {
  const data = join(temporaryDirectory(), 'data');
  before(async () => {
    const server = await Server.start(['--data', data, ...SMALL]);
    for (const price of ['58000', '58001', '58002'])
      assert.equal((await place(server.url, { ...BUY, price })).code, '00000');
    await server.end('SIGKILL');
  });

  it('starts again with everything it acknowledged', async () => {
    const found = logContents(data);
    assert.equal((await verified(data)).openOrders, 3);
    assert.deepEqual(logContents(data), found, 'verify repairs nothing');
    const second = await Server.start(['--data', data, ...SMALL]);
    assert.equal((await place(second.url, BUY)).code, '00000', 'at once, no passphrase is being hashed');
    const { code, stderr } = await second.end('SIGINT');
    assert.equal(code, 0);
    assert.match(stderr, /did not end properly/);
    assert.equal((await verified(data)).openOrders, 4);
  });
});

test('demo keys are never offered to other machines', async () => {
  const data = join(temporaryDirectory(), 'data');
  const refused = await start(['--host', '0.0.0.0', '--data', data]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--no-demo/);
  await startedAndStopped(data);
  const beyond = ['--host', '0.0.0.0', '--no-demo', ...SMALL];
  const still = await refusedHosted(data, beyond);
  assert.equal(still.code, 2, 'the directory holds the demo keys');

  await startedAndStopped(`${data}2`, ...beyond);
  assert.ok(!readdirSync(`${data}2`).includes('demo-accounts.json'));
  assert.equal((await verified(`${data}2`)).accounts, 0);
});

test('a directory that cannot be written is a refusal, not a stack trace', async () => {
  const home = temporaryDirectory();
  writeFileSync(join(home, 'file'), '');
  const { code, stderr } = await start(['--port', '0', '--data', join(home, 'file', 'data')]);
  assert.equal(code, 3, stderr);
  assert.doesNotMatch(stderr, /\n\s+at /);
  mkdirSync(join(home, 'empty'));
  const nothing = await command(['verify', '--data', join(home, 'empty')]);
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /holds no exchange/);
});
