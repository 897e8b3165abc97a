import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import pino from 'pino';
import { resolveConfig } from '../../src/app/config/resolve-config.ts';
import { listCatalogue } from '../../src/app/start/bootstrap.ts';
import { openComponents } from '../../src/app/start/components.ts';
import type { Verification } from '../../src/app/verify/verify.ts';
import { loadCatalogue } from '../../src/catalogue/catalogue.ts';
import { MONEY_ONE } from '../../src/core/model/units.ts';
import { openDemoAccounts } from '../../src/identity/demo-accounts.ts';
import { refusedHosted, startHosted } from '../harness/hosted-server.ts';
import { failingChecks } from '../harness/readiness.ts';
import { StreamClient } from '../harness/stream-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { command, Server, start } from './bourse-process.ts';

/** No market, and small segments: a start prepares less. */
const SMALL = ['--market', 'off', '--segment-bytes', '1048576'];

async function verified(data: string): Promise<Verification> {
  const { code, stdout, stderr } = await command(['verify', '--data', data, '--json']);
  assert.equal(code, 0, `${stdout}${stderr}`);
  return JSON.parse(stdout) as Verification;
}

async function place(url: string, body: object): Promise<{ code: string; msg: string }> {
  const path = '/api/v3/trade/place-order';
  const text = JSON.stringify(body);
  const time = String(Date.now());
  const sign = createHmac('sha256', 'demo-alice-secret').update(`${time}POST${path}${text}`).digest('base64');
  const headers = {
    'access-key': 'demo-alice',
    'access-sign': sign,
    'access-timestamp': time,
    'access-passphrase': 'demo',
    'content-type': 'application/json',
  };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: text });
  return (await answer.json()) as { code: string; msg: string };
}

/** For what a start does to the directory; it is that of a process in the other tests. */
async function startedAndStopped(data: string, ...args: string[]): Promise<void> {
  const server = await startHosted({ data, args: [...SMALL, ...args] });
  assert.equal(await server.stop(), 0);
}

/** Hash by file of the log. */
function logContents(data: string): Record<string, string> {
  const names = readdirSync(join(data, 'log')).filter((name) => !name.startsWith('lock.'));
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(data, 'log', name)))
      .digest('hex');
  return Object.fromEntries(names.sort().map((name) => [name, hash(name)]));
}

const BUY = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '59000',
  qty: '0.01',
  timeInForce: 'gtc',
};

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
  const damaged = `${data}-damaged`;
  before(async () => {
    const server = await Server.start(['--data', data, ...SMALL]);
    for (const price of ['58000', '58001', '58002'])
      assert.equal((await place(server.url, { ...BUY, price })).code, '00000');
    await server.end('SIGKILL');
    cpSync(data, damaged, { recursive: true });
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

  it('does not start with a damaged log: code 4, and the place', async () => {
    const segment = join(damaged, 'log', 'segment-00000001.log');
    const bytes = readFileSync(segment);
    bytes[5000]! ^= 1;
    writeFileSync(segment, bytes);
    const refused = await start(['--port', '0', '--data', damaged, ...SMALL]);
    assert.equal(refused.code, 4, refused.stderr);
    assert.match(refused.stderr, /log damaged: .*segment-00000001\.log/);
    const proof = await command(['verify', '--data', damaged]);
    assert.equal(proof.code, 4);
    assert.match(proof.stdout, /NOT VERIFIED/);
  });
});

test('a first start that was cut off between two deposits is completed by the next', async () => {
  const home = temporaryDirectory();
  const data = join(home, 'data');
  const flags = { data, segmentBytes: '1048576' };
  const { config } = await resolveConfig({ flags, environment: {}, directory: home });
  const open = new AsyncDisposableStack();
  const { sequencer, identity } = await openComponents(
    config,
    pino({ level: 'silent' }),
    open,
    assert.ifError,
  );
  await listCatalogue(sequencer, loadCatalogue(config.catalogue));
  const { uid } = (await openDemoAccounts(identity, sequencer.clock.now())).accounts[0]!;
  await sequencer.submit({
    type: 'openAccount',
    uid,
    masterUid: 0,
    marketMaker: false,
    house: false,
  });
  const coin = sequencer.state.coinByName.get('USDT')!;
  await sequencer.submit({
    type: 'deposit',
    uid,
    coin,
    amount: 100_000n * MONEY_ONE,
    reference: 'demo',
  });
  await open.disposeAsync();
  assert.equal((await verified(data)).accounts, 1);

  for (let run = 0; run < 2; run++) {
    await startedAndStopped(data);
    const { accounts, coins } = await verified(data);
    const held = (name: string) => coins.find((row) => row.coin === name)!.users;
    assert.deepEqual([accounts, held('BTC'), held('USDT')], [4, '206', '10300000'], `start ${run + 1}`);
  }
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

test('a lost or damaged history stops the start with code 4', async () => {
  const data = join(temporaryDirectory(), 'data');
  for (let run = 0; run < 2; run++) await startedAndStopped(data);
  const history = join(data, 'history.sqlite');
  rmSync(history);
  const gap = await start(['--port', '0', '--data', data, ...SMALL]);
  assert.equal(gap.code, 4, gap.stderr);
  assert.match(gap.stderr, /--accept-history-gap/);
  assert.equal((await command(['verify', '--data', data])).code, 4);
  await startedAndStopped(data, '--accept-history-gap');
  // The gap is accepted once.
  await startedAndStopped(data);

  writeFileSync(history, 'this is no database, and long enough to be looked at as one'.repeat(100));
  rmSync(`${history}-wal`, { force: true });
  const notADatabase = await start(['--port', '0', '--data', data, ...SMALL]);
  assert.equal(notADatabase.code, 4, notADatabase.stderr);
});

test('a second signal leaves at once with 130, and nothing is lost', async () => {
  const data = join(temporaryDirectory(), 'data');
  // The orderly stop waits for ten minutes, as it has told a reader.
  const server = await Server.start(['--data', data, '--stop-notice', '600', ...SMALL]);
  const reader = await StreamClient.open(server.url);
  assert.equal((await place(server.url, BUY)).code, '00000');
  process.kill(server.pid, 'SIGINT');
  await reader.next(({ code }) => code === 30033);
  // Signals within a second are one: Ctrl-C reaches it from the terminal and once more through npm.
  const again = setInterval(() => process.kill(server.pid, 'SIGINT'), 200);
  const { code } = await server.end('SIGINT');
  clearInterval(again);
  assert.equal(code, 130);
  assert.equal((await verified(data)).openOrders, 1);
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
