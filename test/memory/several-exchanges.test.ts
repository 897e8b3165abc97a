/** Several exchanges in one process: each its own world, and nothing of it left after its stop. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { ccxtClients } from '../api/clients.ts';
import { programModule } from '../harness/program.ts';
import { failingChecks } from '../harness/readiness.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { keysOf, operate, startInMemory, stopAll } from './in-process.ts';

after(stopAll);

test('ccxt trades on an exchange in memory, and finds its trade in the history', async () => {
  const exchange = await startInMemory();
  const [alice, bob] = await ccxtClients(exchange.url, [keysOf(exchange, 'alice'), keysOf(exchange, 'bob')]);
  const maker = await alice!.createOrder('BTC/USDT', 'limit', 'sell', 0.01, 60000);
  const taker = await bob!.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 60000);
  assert.equal((await alice!.fetchOrder(maker.id!, 'BTC/USDT')).status, 'closed');
  const [trade] = await bob!.fetchMyTrades('BTC/USDT');
  assert.deepEqual([trade!.order, trade!.price, trade!.amount], [taker.id, 60000, 0.01]);
  const { USDT } = await bob!.fetchBalance();
  assert.equal(USDT!.total, 100_000 - 600);
  await exchange.stop();
});

test('two exchanges do not see each other: orders, money, keys, limits, requests', async () => {
  const [one, other] = await Promise.all([startInMemory(), startInMemory()]);
  assert.notEqual(one.url, other.url);
  assert.notEqual(one.operatorToken, other.operatorToken);
  const [here, there] = [one, other].map((each) => new SignedClient(each.url, keysOf(each, 'alice')));
  const order = {
    category: 'SPOT',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    qty: '0.01',
    price: '50000',
  };
  for (let n = 0; n < 3; n++)
    assert.equal((await here!.post('/api/v3/trade/place-order', order)).code, '00000');
  const open = async (client: SignedClient) =>
    (await client.get('/api/v3/trade/unfilled-orders', { category: 'SPOT' })).data.list.length;
  assert.deepEqual([await open(here!), await open(there!)], [3, 0]);
  const created = await operate(one, 'POST', '/admin/accounts', { name: 'carol' });
  assert.equal(created.status, 200, JSON.stringify(created.content));
  assert.equal((await operate(other, 'GET', '/admin/accounts/carol')).status, 404);
  const audits = await Promise.all([one, other].map((each) => operate(each, 'GET', '/admin/audit')));
  assert.deepEqual(
    audits.map(({ content }) => content.total),
    [3, 1],
  );
  const wrong = await fetch(`${other.operatorUrl}/admin/health`, {
    headers: { authorization: `Bearer ${one.operatorToken}` },
  });
  assert.equal(wrong.status, 401);
  const metrics = await Promise.all(
    [one, other].map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
  );
  assert.notEqual(ordersIn(metrics[0]!), ordersIn(metrics[1]!));
  here!.close();
  there!.close();
  await one.stop();
  assert.deepEqual(await failingChecks(other.url), []);
  await other.stop();
  await assert.rejects(fetch(`${other.url}/readyz`));
});

function ordersIn(metrics: string): string {
  return /^bourse_open_orders \d+$/m.exec(metrics)![0];
}

test('the same acts at the same times make the same state', async () => {
  const hashes: string[] = [];
  for (let run = 0; run < 2; run++) {
    const exchange = await startInMemory({ clock: 'manual', clockStart: '2026-01-01T00:00:00Z' });
    const client = new SignedClient(exchange.url, keysOf(exchange, 'alice'));
    const order = {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'sell',
      orderType: 'limit',
      qty: '0.02',
      price: '61000',
    };
    assert.equal((await client.post('/api/v3/trade/place-order', order)).code, '00000');
    const advanced = await operate(exchange, 'POST', '/admin/clock/advance', { by: '1h' });
    assert.equal(advanced.status, 200, JSON.stringify(advanced.content));
    hashes.push(stateHash(exchange.sequencer.state));
    client.close();
    await exchange.stop();
  }
  assert.equal(hashes[0], hashes[1]);
});

test('without a market it has no thread and no file', async () => {
  let threads = 0;
  const count = () => {
    threads += 1;
  };
  process.on('worker', count);
  const before = readdirSync('.');
  const exchange = await startInMemory();
  const client = new SignedClient(exchange.url, keysOf(exchange, 'alice'));
  assert.equal((await client.get('/api/v3/account/assets')).code, '00000');
  const key = { label: 'k', passphrase: 'passphrase1', permType: 'read_only', permissions: ['uta_trade'] };
  await operate(exchange, 'POST', '/admin/accounts/alice/keys', key);
  assert.equal((await operate(exchange, 'POST', '/admin/snapshots', {})).status, 200);
  client.close();
  await exchange.stop();
  process.off('worker', count);
  assert.equal(threads, 0);
  assert.deepEqual(readdirSync('.'), before);
});

test('a start that fails late leaves no port and no file', async () => {
  const folder = temporaryDirectory();
  const token = join(folder, 'token');
  writeFileSync(token, 'short', { mode: 0o600 });
  const port = await freePort();
  await assert.rejects(startInMemory({ port: String(port), operatorTokenFile: token }), {
    name: 'TokenDamaged',
  });
  await assert.rejects(fetch(`http://127.0.0.1:${port}/readyz`));
  assert.deepEqual(readdirSync(folder), ['token']);
  const exchange = await startInMemory({ port: String(port) });
  await exchange.stop();
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

test('a process that has stopped its exchanges, and failed to start one, ends by itself', async () => {
  const program = programModule('test/memory/start-and-stop.ts');
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  assert.match(printed, /^3 exchanges, open: $/m);
});
