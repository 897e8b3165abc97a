import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyDirectory } from '../../../identity/identity.ts';
import type { Entry } from '../../../inspector/recorder.ts';
import { Mistakes } from './mistakes.ts';

const CALL: Entry = {
  id: 1,
  kind: 'http',
  uid: 7,
  mainUid: 7,
  apiKey: 'k',
  atMs: 1_700_000_000_000,
  tookMs: 1,
  peer: '10.0.0.1',
  agent: 'test',
  method: 'POST',
  target: '/api/v3/trade/place-order',
  timestamp: '1700000000000',
  body: '{"category":"SPOT","symbol":"BTCUSDT","qty":"1"}',
  answer: '{"code":"00000","msg":"success"}',
  status: 200,
  left: 19,
  unread: false,
  finding: undefined,
  parsedUs: 0,
  admittedUs: 0,
  appliedUs: 0,
  durableUs: 0,
  commands: [],
  connection: '',
};
const KEYS: KeyDirectory = {
  findKey: (apiKey) =>
    apiKey === 'quota' ? ({ user: { quotas: { spot: 4, futures: 4 } } } as never) : undefined,
  checkPassphrase: () => 'ok',
  noteUse: () => undefined,
};
const answered = (code: string, msg = '') => JSON.stringify({ code, msg });

/** The mistakes of calls, given by what differs from a good order. */
function mistakesIn(...changes: readonly Partial<Entry>[]) {
  const mistakes = new Mistakes(KEYS);
  changes.forEach((change, n) => void mistakes.note({ ...CALL, id: n + 1, ...change }));
  return mistakes.list;
}
const brief = (list: ReturnType<typeof mistakesIn>) =>
  list.map(({ kind, subject, count, first }) => [kind, subject, count, first]);

test('good calls show no mistake', () => {
  assert.deepEqual(mistakesIn({}, {}, { method: 'GET', target: '/api/v3/trade/fills', body: '' }), []);
});

test('wrong signatures are grouped by what was wrong', () => {
  const wrong = (text: string) => ({
    answer: answered('40009'),
    finding: { part: 'query' as const, text },
  });
  assert.deepEqual(brief(mistakesIn({}, wrong('a'), wrong('b'), wrong('a'))), [
    ['signature', 'a', 2, 2],
    ['signature', 'b', 1, 3],
  ]);
});

test('a clock that is off is named with its way and figure, a replay is none', () => {
  const late = answered('40008', 'the timestamp is 90.250 s behind server time 1; at most 30 s are allowed');
  const [found] = mistakesIn({ answer: late });
  assert.equal(found!.subject, 'this clock is behind that of the exchange');
  assert.match(found!.advice, /90\.250 s off/);
  assert.equal(
    mistakesIn({ answer: answered('40008', 'x is 9 s behind y; it looks like seconds') })[0]!.subject,
    'seconds for milliseconds',
  );
  assert.deepEqual(mistakesIn({ answer: answered('40008', 'this was received before') }), []);
});

test('the same order after an unknown outcome is a mistake without clientOid, soon, and with the same key', () => {
  const unclear = { answer: answered('40010'), status: 503 };
  const kinds = (...changes: Partial<Entry>[]) => mistakesIn(...changes).map(({ kind }) => kind);
  assert.deepEqual(kinds(unclear, {}), ['retry']);
  assert.deepEqual(kinds(unclear, { apiKey: 'other' }), []);
  assert.deepEqual(kinds(unclear, { body: '{"qty":"2"}' }), []);
  assert.deepEqual(kinds(unclear, { atMs: CALL.atMs + 61_000 }), []);
  const named = '{"symbol":"BTCUSDT","qty":"1","clientOid":"a"}';
  assert.deepEqual(kinds({ ...unclear, body: named }, { body: named }), []);
});

test('changes of orders that are not open are named, questions for them are not', () => {
  const gone = answered('25204');
  const cancel = { target: '/api/v3/trade/cancel-order', answer: gone, body: '{"orderId":"1"}' };
  assert.deepEqual(brief(mistakesIn(cancel, cancel)), [['closed', '/api/v3/trade/cancel-order', 2, 1]]);
  assert.deepEqual(
    mistakesIn({
      method: 'GET',
      target: '/api/v3/trade/order-info?orderId=1',
      body: '',
      answer: gone,
    }),
    [],
  );
});

test('polling is ten of one call in ten seconds', () => {
  const poll = (n: number, everyMs: number): Partial<Entry> => ({
    method: 'GET',
    target: '/api/v3/trade/unfilled-orders',
    body: '',
    atMs: CALL.atMs + n * everyMs,
  });
  const polls = (count: number, everyMs: number) =>
    mistakesIn(...Array.from({ length: count }, (_, n) => poll(n, everyMs)));
  assert.deepEqual(brief(polls(11, 1_000)), [['polling', '/api/v3/trade/unfilled-orders', 2, 10]]);
  assert.deepEqual(polls(9, 10), []);
  assert.deepEqual(polls(30, 2_000), []);
});

test('more than half of a limit is named, unless the account has a limit of its own', () => {
  assert.deepEqual(brief(mistakesIn({ left: 5 }, { left: 4 }, { left: 3 })), [
    ['limit', '/api/v3/trade/place-order', 2, 2],
  ]);
  assert.deepEqual(mistakesIn({ left: 1, apiKey: 'quota' }), []);
});

test('parameters that a call does not know are named, in bodies, batches and queries', () => {
  assert.deepEqual(
    brief(
      mistakesIn(
        { body: '{"symbol":"BTCUSDT","size":"1"}' },
        { target: '/api/v3/trade/place-batch', body: '[{"symbol":"BTCUSDT"},{"size":"1"}]' },
        { method: 'GET', target: '/api/v3/trade/fills?category=SPOT&pageNo=2', body: '' },
      ),
    ).map(([, subject]) => subject),
    [
      'size in /api/v3/trade/place-order',
      'size in /api/v3/trade/place-batch',
      'pageNo in /api/v3/trade/fills',
    ],
  );
});

test('paths of older versions are named, other unknown ones are not', () => {
  const unknown = { answer: answered('40404'), status: 404 };
  assert.deepEqual(
    brief(
      mistakesIn(
        { ...unknown, target: '/api/v2/spot/trade/place-order?a=1' },
        { ...unknown, target: '/api/mix/v1/order/placeOrder' },
        { ...unknown, target: '/api/v3/trade/no-such' },
      ),
    ).map(([, subject]) => subject),
    ['POST /api/v2/spot/trade/place-order', 'POST /api/mix/v1/order/placeOrder'],
  );
});

test('a client that left before its answer, or a socket that did not read or ping, is named', () => {
  const closed = (facts: object): Partial<Entry> => ({
    kind: 'ws',
    method: 'close',
    target: '/v3/ws/private',
    body: '',
    answer: JSON.stringify(facts),
  });
  const kinds = (...changes: Partial<Entry>[]) => mistakesIn(...changes).map(({ kind }) => kind);
  assert.deepEqual(kinds({ unread: true }), ['unread']);
  assert.deepEqual(kinds(closed({ closed: 1006, seconds: 120, pings: 0 })), ['silent']);
  assert.deepEqual(kinds(closed({ closed: 1006, seconds: 120, pings: 3 })), []);
  assert.deepEqual(kinds(closed({ closed: 1000, seconds: 5, pings: 0 })), []);
  assert.deepEqual(kinds(closed({ closed: 1006, seconds: 5, pings: 0, stalled: true })), ['unread']);
});

test('a refused login counts as the refused call does', () => {
  const frame: Partial<Entry> = {
    kind: 'ws',
    method: 'out',
    body: '',
    answer: '{"event":"error","code":30015,"msg":"x","connId":"c"}',
    finding: { part: 'secret', text: 'it was signed with the secret of demo account bob' },
  };
  assert.deepEqual(brief(mistakesIn(frame)), [
    ['signature', 'it was signed with the secret of demo account bob', 1, 1],
  ]);
});

test('hostile names do not fill the memory', () => {
  const mistakes = new Mistakes(KEYS);
  for (let n = 0; n < 3_000; n++)
    mistakes.note({ ...CALL, id: n + 1, apiKey: `k${n}`, body: `{"x${n}":1,"__proto__":1}` });
  assert.ok(mistakes.list.length <= 1_000);
});
