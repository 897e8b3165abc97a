/** Sections 1 and 5: what all requests and answers have in common, and who may call. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Reply } from '../harness/signed-client.ts';
import { isServed } from './pending.ts';
import { assertEnvelope, type Venue } from './venue.ts';

/** Every value that is a number must be a string, all the way down. */
function assertNoNumbers(value: unknown, path: string): void {
  assert.notEqual(typeof value, 'number', `interface 1.2: ${path} is a JSON number`);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) assertNoNumbers(inner, `${path}.${key}`);
}

const PUBLIC: readonly [path: string, query: Record<string, string>][] = [
  ['market/candles', { category: 'SPOT', symbol: 'BTCUSDT', interval: '1m' }],
  ['market/instruments', { category: 'SPOT' }],
  ['market/tickers', { category: 'USDT-FUTURES' }],
  ['market/index-components', { symbol: 'BTCUSDT' }],
  ['market/fills', { category: 'SPOT', symbol: 'BTCUSDT' }],
];

/** Section 5: each private call with what is enough to reach its permission check. */
const PRIVATE: readonly [method: 'GET' | 'POST', path: string][] = [
  ['GET', 'trade/unfilled-orders'],
  ['GET', 'trade/history-orders'],
  ['GET', 'trade/order-info'],
  ['GET', 'trade/fills'],
  ['GET', 'trade/history-strategy-orders'],
  ['POST', 'trade/cancel-order'],
  ['POST', 'trade/cancel-batch'],
  ['POST', 'trade/cancel-symbol-order'],
  ['POST', 'trade/batch-modify-order'],
  ['GET', 'position/current-position'],
  ['GET', 'position/adlRank'],
  ['POST', 'account/set-leverage'],
  ['GET', 'account/info'],
  ['GET', 'account/repayable-coins'],
  ['POST', 'broker/modify-sub-apikey'],
  ['GET', 'loan/borrow-history'],
  ['GET', 'loan/pledge-rate-history'],
  ['GET', 'loan/debts'],
];

const REQUIRED_HEADERS = ['ACCESS-KEY', 'ACCESS-SIGN', 'ACCESS-PASSPHRASE', 'ACCESS-TIMESTAMP'] as const;

export function conventions(venue: Venue): void {
  const { nobody, alice } = venue;

  describe('interface 1: common conventions', () => {
    it('interface 1.1: answers are JSON', async () => {
      const reply = await nobody.client.get('/api/v3/market/tickers', { category: 'SPOT' });
      assert.match(String(reply.headers['content-type']), /^application\/json/);
    });

    it('interface 1.2: numbers in answers are strings; only requestTime is an integer', async () => {
      for (const [path, query] of PUBLIC) assertNoNumbers(await nobody.get(path, query), path);
      for (const path of ['trade/unfilled-orders', 'trade/fills', 'account/info', 'position/adlRank']) {
        assertNoNumbers(await alice.get(path), path);
      }
    });

    it('interface 1.3: times in requests are Unix milliseconds as text', async () => {
      await alice.get('trade/fills', { startTime: venue.ago(1000), endTime: venue.ago(0) });
      const reply = await alice.refusedGet('trade/fills', { startTime: 'yesterday' });
      assert.match(reply.msg, /startTime/);
    });

    it('interface 1.4: requestTime is the time of the answer', async () => {
      const reply = await nobody.client.get('/api/v3/market/tickers', { category: 'SPOT' });
      const { requestTime } = JSON.parse(reply.text) as { requestTime: number };
      assert.equal(requestTime, venue.now());
    });

    it('interface 1.6: a symbol is base coin and quote coin, which the instrument tells', async () => {
      for (const record of await nobody.get('market/instruments', { category: 'SPOT' })) {
        assert.equal(record.symbol, record.baseCoin + record.quoteCoin);
      }
    });
  });

  describe('interface 5: authentication', () => {
    it('interface 5: market data needs no credentials', async () => {
      for (const [path, query] of PUBLIC) await nobody.get(path, query);
    });

    it('interface 5: every endpoint outside 4.1 refuses a call without credentials', async () => {
      for (const [method, path] of PRIVATE.filter(([, each]) => isServed(each))) {
        const reply = await nobody.client.send(method, `/api/v3/${path}`, method === 'POST' ? '{}' : '');
        assertEnvelope(reply, path);
        assert.equal(reply.status, 400, path);
        assert.match(reply.code, /^4000[1-6]$/, `interface 5: ${method} ${path}: ${reply.text}`);
      }
    });

    it('interface 5: each of the four ACCESS headers is needed', async () => {
      const keys = alice.keys!;
      const path = '/api/v3/account/info';
      const timestamp = String(Date.now());
      const all: Record<(typeof REQUIRED_HEADERS)[number], string> = {
        'ACCESS-KEY': keys.apiKey,
        'ACCESS-SIGN': createHmac('sha256', keys.secretKey).update(`${timestamp}GET${path}`).digest('base64'),
        'ACCESS-PASSPHRASE': keys.passphrase,
        'ACCESS-TIMESTAMP': timestamp,
      };
      const send = (headers: Record<string, string>): Promise<Reply> =>
        nobody.client.send('GET', path, '', headers);
      assert.equal(
        (await send({ ...all, locale: 'en-US', 'Content-Type': 'application/json' })).code,
        '00000',
      );
      assert.equal(
        (await send(all)).code,
        '00000',
        'locale and Content-Type may be left out (wire.md rule 17)',
      );
      const codes = [];
      for (const header of REQUIRED_HEADERS) {
        const { [header]: _left, ...rest } = all;
        codes.push((await send(rest)).code);
      }
      assert.deepEqual(codes, ['40001', '40003', '40011', '40005']);
    });

    it('interface 5: permissions decide, and account info needs none', async () => {
      const { operator } = venue;
      const open = async (name: string, ...permissions: string[]) =>
        alice.withKey(await operator.openKey(alice.uid, name, permissions));
      const trader = await open('trade only', 'uta_trade');
      const manager = await open('manage only', 'uta_mgt');
      await trader.get('trade/unfilled-orders');
      await manager.post('account/set-leverage', {
        category: 'USDT-FUTURES',
        symbol: 'BTCUSDT',
        leverage: '10',
      });
      for (const either of [trader, manager]) await either.get('account/info');
      const denied: [who: typeof trader, method: 'GET' | 'POST', path: string][] = [
        [manager, 'GET', 'trade/unfilled-orders'],
        [manager, 'GET', 'trade/history-orders'],
        [manager, 'GET', 'trade/order-info'],
        [manager, 'GET', 'trade/fills'],
        [manager, 'GET', 'trade/history-strategy-orders'],
        [manager, 'POST', 'trade/cancel-order'],
        [manager, 'POST', 'trade/cancel-batch'],
        [manager, 'POST', 'trade/cancel-symbol-order'],
        [manager, 'POST', 'trade/batch-modify-order'],
        [manager, 'GET', 'position/current-position'],
        [manager, 'GET', 'position/adlRank'],
        [trader, 'POST', 'account/set-leverage'],
        [trader, 'GET', 'account/repayable-coins'],
        [trader, 'GET', 'loan/borrow-history'],
        [trader, 'GET', 'loan/pledge-rate-history'],
        [trader, 'GET', 'loan/debts'],
      ];
      for (const [who, method, path] of denied.filter(([, , each]) => isServed(each))) {
        const reply = method === 'GET' ? await who.refusedGet(path) : await who.refusedPost(path, {});
        assert.equal(reply.code, '40014', `interface 5: ${method} ${path}: ${reply.text}`);
      }
    });
  });
}
