/** Memory that runs out is met before the system meets it (reliability 2.2). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { resolveConfig } from '../../src/app/config/resolve-config.ts';
import { MemoryGuard, type MemoryUse } from '../../src/app/observability/memory-guard.ts';
import { startExchange } from '../../src/app/start/start-exchange.ts';
import '../harness/patient-disk.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

test('orders stop at 80 % and come back below 75 %; at 95 % the exchange leaves, once', () => {
  let use: MemoryUse = { process: 0, heap: 0 };
  const seen: string[] = [];
  const watch = new MemoryGuard(() => use, {
    short: (isShort) => seen.push(isShort ? 'short' : 'free'),
    leave: () => seen.push('leave'),
  });
  const check = (process: number, heap: number) => {
    use = { process, heap };
    watch.check();
    return seen.splice(0);
  };
  assert.deepEqual(check(0.79, 0.1), []);
  assert.deepEqual(check(0.8, 0.1), ['short']);
  assert.deepEqual(check(0.76, 0.1), [], 'it does not come and go at the edge');
  assert.deepEqual(check(0.74, 0.1), ['free']);
  assert.deepEqual(check(0.1, 0.85), ['short'], 'the heap has a limit of its own');
  assert.deepEqual(check(0.1, 0.95), ['leave']);
  assert.deepEqual(check(0.1, 0.99), []);
  watch.stop();
});

test('while memory is short orders are told so, and can be cancelled', async () => {
  const data = join(temporaryDirectory(), 'data');
  const resolved = await resolveConfig({
    flags: { port: '0', operatorPort: '0', market: 'off', segmentBytes: '1048576', data },
    environment: {},
    directory: temporaryDirectory(),
  });
  const exchange = await startExchange(resolved, pino({ level: 'silent' }), (error) => {
    throw error;
  });
  const { account, uid } = exchange.demoAccounts[0]!;
  const client = new SignedClient(exchange.url, { ...account, uid });
  try {
    const order = {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      price: '59000',
      qty: '1',
    };
    const placed = await client.post('/api/v3/trade/place-order', order);
    assert.equal(placed.code, '00000');
    exchange.sequencer.memoryShort = true;
    const refused = await client.post('/api/v3/trade/place-order', order);
    assert.equal(refused.status, 429);
    assert.match(refused.msg, /memory is nearly full: only cancellations are taken/);
    assert.equal((await fetch(`${exchange.url}/readyz`)).status, 503);
    const { orderId } = placed.data;
    assert.equal(
      (await client.post('/api/v3/trade/cancel-order', { category: 'SPOT', orderId })).code,
      '00000',
    );
    exchange.sequencer.memoryShort = false;
    assert.equal((await client.post('/api/v3/trade/place-order', order)).code, '00000');
  } finally {
    client.close();
    await exchange.stop();
  }
});
