import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Reply } from '../../harness/signed-client.ts';
import { EMPTY_VALUES, NOT_A_CLIENT_OID, NOT_A_WORD, NOT_DECIMAL, NOT_WHOLE_TEXTS } from './hazards.ts';
import { assertRefused, type Floor, ORDER, openFloor } from './hostile-venue.ts';
import { converse, requestBytes } from './raw-http.ts';

const PLACE = '/api/v3/trade/place-order';
const BATCH = '/api/v3/trade/place-batch';
const DAY_MS = 86_400_000;

let floor: Floor;
before(async () => {
  floor = await openFloor();
  const placed = await floor.alice.post(PLACE, { ...ORDER, clientOid: 'resting' });
  assert.equal(placed.code, '00000', placed.text);
});
after(() => floor.close());

/** The order as JSON text with one field replaced by other JSON text. */
function withField(order: Readonly<Record<string, string>>, field: string, value: string): string {
  const rest = Object.entries(order).filter(([name]) => name !== field);
  const texts = rest.map(([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`);
  return `{${[...texts, `${JSON.stringify(field)}:${value}`].join(',')}}`;
}

async function refused(path: string, body: string, names: RegExp, headers?: Record<string, string>) {
  const reply = await floor.alice.send('POST', path, body, headers);
  assertRefused(reply, names, `POST ${path} ${body}`);
}

describe('a field that is not what the contract says is refused by name, and nothing happens', () => {
  const REQUIRED = ['category', 'symbol', 'side', 'orderType', 'qty', 'price'];
  const FIELDS: Readonly<Record<string, readonly string[]>> = {
    category: NOT_A_WORD,
    symbol: NOT_A_WORD,
    side: NOT_A_WORD,
    orderType: NOT_A_WORD,
    qty: NOT_DECIMAL,
    price: NOT_DECIMAL,
    timeInForce: NOT_A_WORD,
    clientOid: NOT_A_CLIENT_OID,
    stpMode: NOT_A_WORD,
    posSide: NOT_A_WORD,
    reduceOnly: NOT_A_WORD,
    marginMode: NOT_A_WORD,
    triggerPrice: NOT_DECIMAL,
    takeProfit: NOT_DECIMAL,
    stopLoss: NOT_DECIMAL,
  };
  for (const [field, values] of Object.entries(FIELDS)) {
    const hostile = REQUIRED.includes(field) ? [...values, ...EMPTY_VALUES] : values;
    const names = field === 'symbol' ? /symbol|trading pair/ : new RegExp(field);
    it(`${field} of a new order: ${hostile.length} values`, () =>
      floor.unchanged(async () => {
        for (const value of hostile) await refused(PLACE, withField(ORDER, field, value), names);
      }));
  }

  it('a zero price or quantity, and more digits than the pair has', () =>
    floor.unchanged(async () => {
      for (const field of ['qty', 'price']) {
        for (const value of ['"0"', '0', '"0.0"', '-0', '"0.000000000000000001"', '"999999999999999999"']) {
          await refused(PLACE, withField(ORDER, field, value), /qty|price|balance/);
        }
      }
    }));

  it('price, qty and ids of a modification, a cancellation and a countdown', () =>
    floor.unchanged(async () => {
      const modify = '/api/v3/trade/modify-order';
      const cancel = '/api/v3/trade/cancel-order';
      const named = { clientOid: 'resting' };
      for (const value of NOT_DECIMAL) {
        await refused(modify, withField({ ...named, qty: '0.02' }, 'price', value), /price/);
        await refused(modify, withField({ ...named, price: '58001' }, 'qty', value), /qty/);
        await refused(modify, withField({ qty: '0.02' }, 'orderId', value), /orderId/);
        await refused(cancel, withField({}, 'orderId', value), /orderId/);
        await refused('/api/v3/trade/countdown-cancel-all', withField({}, 'countdown', value), /countdown/);
      }
      for (const value of NOT_A_CLIENT_OID)
        await refused(cancel, withField({}, 'clientOid', value), /clientOid/);
      for (const value of EMPTY_VALUES) {
        await refused(cancel, withField({}, 'orderId', value), /orderId or clientOid/);
        await refused(modify, withField(named, 'price', value), /qty or price/);
      }
    }));

  it('what a client leaves out may be sent as null or empty, as clients do', async () => {
    for (const value of EMPTY_VALUES) {
      const placed = await floor.alice.send('POST', PLACE, withField(ORDER, 'clientOid', value));
      assert.equal(placed.code, '00000', placed.text);
      const { orderId } = placed.data as { orderId: string };
      assert.equal((await floor.alice.post('/api/v3/trade/cancel-order', { orderId })).code, '00000');
    }
  });

  it('numbers and ids of queries', () =>
    floor.unchanged(async () => {
      const path = '/api/v3/trade/history-orders';
      for (const field of ['limit', 'startTime', 'endTime', 'cursor']) {
        for (const value of NOT_WHOLE_TEXTS) {
          const reply = await floor.alice.get(path, { category: 'SPOT', [field]: value });
          assertRefused(reply, new RegExp(field), `${field}=${value}`);
        }
      }
      for (const value of NOT_WHOLE_TEXTS.filter((text) => text !== '1'.repeat(400))) {
        const reply = await floor.alice.get('/api/v3/trade/order-info', { orderId: value });
        assertRefused(reply, /orderId/, `orderId=${value}`);
      }
      assertRefused(await floor.alice.get(path, { category: 'SPOT', limit: '0' }), /limit/, 'limit=0');
    }));
});

describe('a body that is no request is refused as a whole', () => {
  const order = JSON.stringify(ORDER);
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const keys = (count: number) =>
    JSON.stringify({
      ...ORDER,
      ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v'])),
    });
  const BODIES: Readonly<Record<string, readonly [body: string, names: RegExp]>> = {
    '__proto__ at the top': [`${order.slice(0, -1)},"__proto__":{"qty":"1"}}`, /__proto__/],
    'constructor at the top': [`${order.slice(0, -1)},"constructor":"x"}`, /constructor/],
    'prototype at the top': [`${order.slice(0, -1)},"prototype":null}`, /prototype/],
    '__proto__ written with an escape': [`${order.slice(0, -1)},"\\u005f_proto__":{"qty":"1"}}`, /__proto__/],
    '__proto__ inside': [`${order.slice(0, -1)},"x":{"__proto__":{"a":"b"}}}`, /__proto__/],
    'constructor.prototype inside': [
      `${order.slice(0, -1)},"x":{"constructor":{"prototype":{}}}}`,
      /constructor/,
    ],
    'five levels': [`{"a":${nested(4)}}`, /4 levels/],
    'a hundred levels': [nested(100), /4 levels/],
    'thirty thousand levels': [nested(30_000), /4 levels/],
    'a hundred thousand levels': [nested(100_000), /64 KiB/],
    'open brackets only': ['['.repeat(60_000), /4 levels/],
    '33 keys': [keys(33 - Object.keys(ORDER).length), /33 fields/],
    '64 KiB and one byte': [`{"a":"${'x'.repeat(65_536 + 1 - 8)}"}`, /64 KiB/],
    'one MiB': [`{"a":"${'x'.repeat(1024 * 1024 - 8)}"}`, /64 KiB/],
    'a key of 129 characters': [`{"${'k'.repeat(129)}":"v"}`, /129 characters/],
    'cut off': [order.slice(0, -1), /not valid JSON/],
    'cut off inside a string': [order.slice(0, -2), /not valid JSON/],
    'a byte order mark': [`\ufeff${order}`, /not valid JSON/],
    'something behind it': [`${order}x`, /not valid JSON/],
    'two orders': [`${order}${order}`, /not valid JSON/],
    'a comma too many': [`${order.slice(0, -1)},}`, /not valid JSON/],
    'single quotes': [order.replaceAll('"', "'"), /not valid JSON/],
    NaN: [withField(ORDER, 'x', 'NaN'), /not valid JSON/],
    'a raw control character': [withField(ORDER, 'x', '"\u0007"'), /not valid JSON/],
    'a bare number': ['12', /object or array/],
    'a bare string': ['"order"', /object or array/],
    null: ['null', /object or array/],
    'an array where an object belongs': [`[${order}]`, /must be a JSON object/],
    blanks: ['  ', /not valid JSON/],
  };
  for (const [name, [body, names]] of Object.entries(BODIES)) {
    it(name, () => floor.unchanged(() => refused(PLACE, body, names)));
  }

  it('invalid UTF-8', () =>
    floor.unchanged(async () => {
      const alice = floor.server.account('alice');
      for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
        const body = Buffer.concat([Buffer.from('{"symbol":"'), Buffer.from(bytes), Buffer.from('"}')]);
        const { replies } = await converse(
          floor.server.url,
          requestBytes({ method: 'POST', path: PLACE, body }, alice),
        );
        assertRefused(
          { status: replies[0]!.status, text: replies[0]!.body },
          /UTF-8/,
          `bytes ${bytes.join(' ')}`,
        );
      }
    }));

  it('the last of two equal keys counts, and is checked', () =>
    floor.unchanged(() => refused(PLACE, `${order.slice(0, -1)},"qty":"1e999"}`, /qty/)));

  it('a batch that is empty, too long, mixed, or no array', () =>
    floor.unchanged(async () => {
      const many = (count: number) => JSON.stringify(Array.from({ length: count }, () => ORDER));
      for (const path of [BATCH, '/api/v3/trade/cancel-batch', '/api/v3/trade/batch-modify-order']) {
        await refused(path, '[]', /at least one/);
        await refused(path, '{}', /array/);
        await refused(path, '', /array/);
        for (const item of ['[]', 'true', 'null', '7', '"x"'])
          await refused(path, `[${item}]`, /parameter 0/);
      }
      await refused(BATCH, many(21), /at most 20/);
      await refused(BATCH, JSON.stringify([ORDER, { ...ORDER, category: 'MARGIN' }]), /one category/);
      await refused(BATCH, JSON.stringify([ORDER, { ...ORDER, qty: '1e5' }]), /1\.qty/);
      const named = Array.from({ length: 21 }, () => ({ ...ORDER, orderId: '1' }));
      await refused('/api/v3/trade/cancel-batch', JSON.stringify(named), /at most 20/);
      await refused('/api/v3/trade/batch-modify-order', JSON.stringify(named), /at most 20/);
    }));

  it('other types and encodings than plain JSON', () =>
    floor.unchanged(async () => {
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/xml',
        'application/jsonx',
        'application/json-patch+json',
        'text/plain, application/json',
        '',
      ];
      for (const type of types) await refused(PLACE, order, /Content-Type/, { 'content-type': type });
      for (const encoding of ['gzip', 'deflate', 'br', 'identity']) {
        await refused(PLACE, order, /ompressed/, { 'content-encoding': encoding });
      }
    }));
});

describe('a query that is no query', () => {
  const refusedQuery = async (query: string, names: RegExp, path = '/api/v3/trade/unfilled-orders') => {
    const reply = await floor.alice.send('GET', `${path}?${query}`, '');
    assertRefused(reply, names, `GET ${path}?${query}`);
  };
  const history = '/api/v3/trade/history-orders';

  it('names of the language', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype', '%5F_proto__']) {
      await refusedQuery(`${name}=x`, /is not allowed/);
      await refusedQuery(`${name}=x&${name}=y`, /is not allowed/);
    }
  });

  it('a key twice, or as an array', async () => {
    await refusedQuery('category=SPOT&category=SPOT', /category/);
    await refusedQuery('category=SPOT&category=MARGIN', /category/);
    await refusedQuery('limit=1&limit=2', /limit/);
    await refusedQuery('category[]=SPOT', /category/, history);
    await refusedQuery('category[0]=SPOT', /category/, history);
    await refusedQuery('category%00=SPOT', /category/, history);
  });

  it('broken escapes and control characters', async () => {
    for (const value of ['%zz', '%', '%ff', '%00', '%0d%0aX:%20y', '%c0%af', 'SPOT%20', 'SPOT%00']) {
      await refusedQuery(`category=${value}`, /category/);
    }
  });

  it('a query of 10,000 characters', async () => {
    await refusedQuery(`category=SPOT&x=${'y'.repeat(10_000)}`, /8 KiB/);
    await refusedQuery(`category=SPOT&x=${'y'.repeat(2_100)}`, /2048/);
    await refusedQuery(`category=SPOT&${'&'.repeat(2_100)}`, /2048/);
  });

  it('windows that are too long, too old, or backwards', async () => {
    const now = Date.now();
    const window = (start: number, end: number) => `category=SPOT&startTime=${start}&endTime=${end}`;
    for (const path of [history, '/api/v3/trade/fills', '/api/v3/trade/history-strategy-orders']) {
      await refusedQuery(window(now - 31 * DAY_MS, now), /30 days/, path);
      await refusedQuery(window(now - 91 * DAY_MS, now - 80 * DAY_MS), /90 days/, path);
      await refusedQuery(`category=SPOT&startTime=${now - 91 * DAY_MS}`, /90 days/, path);
      await refusedQuery(window(now, now - 1), /after endTime/, path);
    }
    await refusedQuery(window(now, now - 1), /after endTime/);
    await refusedQuery(
      `${window(now, now - 1)}&symbol=BTCUSDT&interval=1m`,
      /after endTime/,
      '/api/v3/market/candles',
    );
  });
});

describe('the order of another account is as if it did not exist', () => {
  const withoutTime = ({ status, text }: Reply, id: string) =>
    `${status} ${text.replace(/"requestTime":[0-9]+/, '"requestTime":0').replaceAll(id, '(id)')}`;

  it('by id: order-info, cancel, modify and their batches answer the same bytes', () =>
    floor.unchanged(async () => {
      const info = await floor.alice.get('/api/v3/trade/order-info', { clientOid: 'resting' });
      const foreign = (info.data as { orderId: string }).orderId;
      const calls: Readonly<Record<string, (orderId: string) => Promise<Reply>>> = {
        'order-info': (orderId) => floor.bob.get('/api/v3/trade/order-info', { orderId }),
        fills: (orderId) => floor.bob.get('/api/v3/trade/fills', { orderId }),
        cancel: (orderId) => floor.bob.post('/api/v3/trade/cancel-order', { orderId }),
        'cancel with its pair': (orderId) =>
          floor.bob.post('/api/v3/trade/cancel-order', { orderId, category: 'SPOT', symbol: 'BTCUSDT' }),
        'cancel with another pair': (orderId) =>
          floor.bob.post('/api/v3/trade/cancel-order', { orderId, category: 'SPOT', symbol: 'ETHUSDT' }),
        modify: (orderId) => floor.bob.post('/api/v3/trade/modify-order', { orderId, qty: '0.02' }),
        'modify off the grid': (orderId) =>
          floor.bob.post('/api/v3/trade/modify-order', { orderId, qty: '0.00000001', price: '0.000001' }),
        'modify to what it is': (orderId) =>
          floor.bob.post('/api/v3/trade/modify-order', { orderId, qty: ORDER.qty, price: ORDER.price }),
        'cancel-batch': (orderId) => floor.bob.post('/api/v3/trade/cancel-batch', [{ ...ORDER, orderId }]),
        'batch-modify': (orderId) =>
          floor.bob.post('/api/v3/trade/batch-modify-order', [{ orderId, qty: '0.02', autoCancel: 'yes' }]),
        'as a clientOid': (clientOid) => floor.bob.get('/api/v3/trade/order-info', { clientOid }),
        'modify as a clientOid': (clientOid) =>
          floor.bob.post('/api/v3/trade/modify-order', { clientOid, price: '0.000001' }),
        cursor: (cursor) => floor.bob.get('/api/v3/trade/unfilled-orders', { cursor }),
        'cursor of history': (cursor) =>
          floor.bob.get('/api/v3/trade/history-orders', { category: 'SPOT', cursor }),
      };
      for (const [name, call] of Object.entries(calls)) {
        const missing = '1000000000000999999';
        assert.equal(
          withoutTime(await call(foreign), foreign),
          withoutTime(await call(missing), missing),
          name,
        );
      }
    }));

  it('by clientOid', () =>
    floor.unchanged(async () => {
      for (const call of [
        (clientOid: string) => floor.bob.get('/api/v3/trade/order-info', { clientOid }),
        (clientOid: string) => floor.bob.post('/api/v3/trade/cancel-order', { clientOid }),
        (clientOid: string) => floor.bob.post('/api/v3/trade/modify-order', { clientOid, qty: '0.02' }),
      ]) {
        const foreign = await call('resting');
        assert.equal(foreign.code, '25204', foreign.text);
        assert.equal(withoutTime(foreign, 'resting'), withoutTime(await call('missing'), 'missing'));
      }
    }));

  it('bob may use the clientOid of alice for an order of his own', async () => {
    const placed = await floor.bob.post(PLACE, { ...ORDER, clientOid: 'resting' });
    assert.equal(placed.code, '00000', placed.text);
    assert.equal(
      (await floor.bob.post('/api/v3/trade/cancel-order', { clientOid: 'resting' })).code,
      '00000',
    );
    assert.equal(
      (await floor.alice.get('/api/v3/trade/order-info', { clientOid: 'resting' })).data.orderStatus,
      'new',
    );
  });
});
