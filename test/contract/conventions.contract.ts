/** Interface 1 and 5: what all requests and answers have in common, and who may call. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Reply } from '../harness/signed-client.ts';
import { PRIVATE } from './endpoints.ts';
import { assertRefused, type Caller, type ContractVenue } from './venue.ts';

const PUBLIC: readonly [path: string, query: Record<string, string>][] = [
  ['market/candles', { category: 'SPOT', symbol: 'BTCUSDT', interval: '1m' }],
  ['market/instruments', { category: 'SPOT' }],
  ['market/tickers', { category: 'USDT-FUTURES' }],
  ['market/index-components', { symbol: 'BTCUSDT' }],
  ['market/fills', { category: 'SPOT', symbol: 'BTCUSDT' }],
];

const ANY = ['', 'read_only'] as const;
const ANY_WRITE = ['', 'read_write'] as const;
const TRADE = ['uta_trade', 'read_only'] as const;
const TRADE_WRITE = ['uta_trade', 'read_write'] as const;
const MANAGE = ['uta_mgt', 'read_only'] as const;
const MANAGE_WRITE = ['uta_mgt', 'read_write'] as const;

/** What each private endpoint needs of a key: which permission if any, and at least which type. */
const PERMISSIONS: Readonly<Record<string, readonly [permission: string, permType: string]>> = {
  'GET trade/unfilled-orders': TRADE,
  'GET trade/history-orders': TRADE,
  'GET trade/order-info': TRADE,
  'GET trade/fills': TRADE,
  'GET trade/history-strategy-orders': TRADE,
  'POST trade/cancel-order': TRADE_WRITE,
  'POST trade/cancel-batch': TRADE_WRITE,
  'POST trade/cancel-symbol-order': TRADE_WRITE,
  'POST trade/batch-modify-order': TRADE_WRITE,
  'GET position/current-position': TRADE,
  'GET position/adlRank': TRADE_WRITE,
  'POST account/set-leverage': MANAGE_WRITE,
  'GET account/info': ANY,
  'GET account/repayable-coins': MANAGE,
  'POST broker/modify-sub-apikey': ANY_WRITE,
  'GET loan/borrow-history': MANAGE,
  'GET loan/pledge-rate-history': MANAGE,
  'GET loan/debts': MANAGE,
};

const REQUIRED_HEADERS = ['ACCESS-KEY', 'ACCESS-SIGN', 'ACCESS-PASSPHRASE', 'ACCESS-TIMESTAMP'] as const;

export function conventions(venue: ContractVenue): void {
  const { nobody, alice } = venue;

  describe('interface 1: common conventions', () => {
    it('interface 1.1: bodies are JSON, of answers, refusals and requests', async () => {
      const json = /^application\/json/;
      const reply = await nobody.client.get('/api/v3/market/tickers', { category: 'SPOT' });
      assert.match(String(reply.headers['content-type']), json);
      const rejectReason = await nobody.client.get('/api/v3/market/tickers', { category: 'NONE' });
      assert.match(String(rejectReason.headers['content-type']), json);
      const path = '/api/v3/trade/cancel-order';
      const other = await alice.client.send('POST', path, 'orderId=1', { 'content-type': 'text/plain' });
      assert.deepEqual([other.status, other.code], [400, '40007'], 'interface 1.1: another content type');
      const broken = await alice.client.send('POST', path, '{"orderId":');
      assert.deepEqual([broken.status, broken.code], [400, '40017'], 'interface 1.1: a body that is no JSON');
      for (const refused of [other, broken]) assertRefused(refused, 'POST trade/cancel-order');
    });

    it('interface 1.2: numbers in requests are strings, or numbers as some clients send them', async () => {
      const on = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' };
      for (const leverage of ['10', 10]) {
        assert.equal(await alice.post('account/set-leverage', { ...on, leverage }), 'success');
      }
      // 0.0000001 as a number reads 1e-7: a small quantity of an order that is not there, not one that is no number.
      for (const qty of [0.01, 0.0000001, 1.25e-8]) {
        const [entry] = await alice.post('trade/batch-modify-order', [{ orderId: '1', qty }]);
        assert.equal(entry.code, '25204', `interface 1.2, wire rule 19: ${qty}: ${entry.msg}`);
      }
    });

    it('interface 1.2: what is no number is told what one looks like', async () => {
      const rejectReason = async (field: object) => {
        const reply = await alice.refusedPost('trade/batch-modify-order', [{ orderId: '1', ...field }]);
        return reply.msg;
      };
      assert.match(
        await rejectReason({ qty: '1'.repeat(19) }),
        /0\.qty .*at most 18 digits before the point/,
      );
      assert.match(
        await rejectReason({ requestId: 'é' }),
        /0\.requestId may hold 1 to 32 printable characters$/,
      );
    });

    it('interface 1: a parameter that is given twice is named; one that nobody knows does not matter', async () => {
      const on = '/api/v3/market/tickers?category=SPOT';
      for (const [twice, name] of [
        ['category=SPOT', 'category'],
        ['symbol=BTCUSDT&symbol=ETHUSDT', 'symbol'],
      ]) {
        const reply = await nobody.client.send('GET', `${on}&${twice}`, '');
        assertRefused(reply, 'GET market/tickers');
        assert.equal(reply.msg, `parameter ${name} is given more than once`);
      }
      assert.equal((await nobody.client.send('GET', `${on}&nonce=1&nonce=2`, '')).code, '00000');
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
      for (const category of ['SPOT', 'MARGIN', 'USDT-FUTURES']) {
        for (const record of await nobody.get('market/instruments', { category })) {
          assert.equal(record.symbol, record.baseCoin + record.quoteCoin, `interface 1.6: ${category}`);
        }
      }
    });
  });

  describe('interface 9: versioning', () => {
    it('interface 9: the version is the path prefix; without it, or with another, there is no such endpoint', async () => {
      for (const prefix of ['/api/v1', '/api/v4', '/api', '']) {
        const reply = await nobody.client.get(`${prefix}/market/tickers`, { category: 'SPOT' });
        assert.deepEqual([reply.status, reply.code], [404, '40404'], `interface 9: ${prefix}`);
      }
    });
  });

  describe('interface 5: authentication', () => {
    it('interface 5: market data needs no credentials', async () => {
      for (const [path, query] of PUBLIC) await nobody.get(path, query);
    });

    it('interface 5: every endpoint outside 4.1 refuses a call without credentials', async () => {
      for (const [method, path] of PRIVATE) {
        const reply = await nobody.client.send(method, `/api/v3/${path}`, method === 'POST' ? '{}' : '');
        assertRefused(reply, `${method} ${path}`);
        assert.deepEqual([reply.status, reply.code], [400, '40001'], `interface 5: ${method} ${path}`);
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
      assert.equal((await send(all)).code, '00000', 'locale and Content-Type may be left out (wire rule 17)');
      const codes = [];
      for (const header of REQUIRED_HEADERS) {
        const { [header]: _left, ...rest } = all;
        const refused = await send(rest);
        assertRefused(refused, 'GET account/info');
        codes.push(refused.code);
      }
      assert.deepEqual(codes, ['40001', '40003', '40011', '40005']);
    });

    it('interface 5: permissions decide, and account info needs none', async () => {
      const { operator, bob: broker } = venue;
      assert.deepEqual(Object.keys(PERMISSIONS).sort(), PRIVATE.map((each) => each.join(' ')).sort());
      const keys: [permission: string, permType: string, key: Caller][] = [];
      for (const permission of ['uta_trade', 'uta_mgt']) {
        for (const permType of ['read_only', 'read_write'] as const) {
          const made = await operator.openKey(
            broker.uid,
            `${permission} ${permType}`,
            [permission],
            permType,
          );
          keys.push([permission, permType, broker.withKey(made)]);
        }
      }
      for (const [method, path] of PRIVATE) {
        const [needed, least] = PERMISSIONS[`${method} ${path}`]!;
        for (const [permission, permType, { client }] of keys) {
          const enough = permType === 'read_write' || least === 'read_only';
          const allowed = (needed === '' || permission === needed) && enough;
          const reply = await client.send(method, `/api/v3/${path}`, method === 'POST' ? '{}' : '');
          const where = `interface 5: ${method} ${path} with ${permission} ${permType}: ${reply.text.slice(0, 200)}`;
          // What is let in is answered, or refused for what the request lacks.
          if (allowed) assert.notEqual(reply.code, '40014', where);
          else assert.equal(reply.code, '40014', where);
          if (reply.code !== '00000') assertRefused(reply, `${method} ${path}`);
        }
      }
    });

    it('interface 5: a sub-account may what a main account may, but for what is the broker’s alone', async () => {
      const sub = alice.withKey(await venue.operator.openSub('rights', 'alice', ['uta_trade', 'uta_mgt']));
      for (const [method, path] of PRIVATE) {
        const reply = await sub.client.send(method, `/api/v3/${path}`, method === 'POST' ? '{}' : '');
        const where = `interface 5: ${method} ${path}: ${reply.text.slice(0, 200)}`;
        if (path.startsWith('broker/')) assert.equal(reply.code, '40029', where);
        else assert.ok(!['40014', '40029'].includes(reply.code), where);
      }
    });
  });
}
