import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EntryRows } from './entry-rows.ts';
import type { Entry } from './recorder.ts';

const CALL: Omit<Entry, 'id'> = {
  kind: 'http',
  uid: 10_000_000_001,
  mainUid: 10_000_000_000,
  apiKey: 'k',
  atMs: 1_700_000_000_000.25,
  tookMs: 2.125,
  peer: '127.0.0.1',
  agent: 'ccxt/4.5',
  method: 'POST',
  target: '/api/v3/trade/place-order',
  timestamp: '1700000000000',
  body: '{"qty":"0.01"}',
  answer: '{"code":"00000"}',
  status: 200,
  left: 0,
  unread: false,
  finding: undefined,
  parsedUs: 1,
  admittedUs: 2,
  appliedUs: 3,
  durableUs: 4,
  commands: [9_007_199_254_740_991],
  connection: '',
};

test('an entry is read as it was written', () => {
  const rows = new EntryRows({ entries: 8, bytes: 1e6 });
  const written: Omit<Entry, 'id'>[] = [
    CALL,
    { ...CALL, left: undefined, unread: true, commands: [] },
    { ...CALL, commands: [7, 9, 11], finding: { part: 'query', text: 'the query was left out' } },
    { ...CALL, kind: 'ws', method: 'in', status: 0, connection: 'c-1', answer: '' },
    { ...CALL, peer: '', agent: '日本 é', target: '/é?a=日', body: '😀', answer: 'ü\u0000€' },
    { ...CALL, peer: '', agent: '', method: '', target: '', timestamp: '', body: '', answer: '' },
  ];
  for (const entry of written) rows.write(entry);
  for (const [n, entry] of written.entries()) {
    assert.deepEqual(rows.read(n + 1), { id: n + 1, ...entry });
    const { uid, mainUid, apiKey } = entry;
    assert.deepEqual(rows.party(n + 1), { uid, mainUid, apiKey });
  }
});

test('half of a pair of characters does not move the texts behind it', () => {
  const rows = new EntryRows({ entries: 8, bytes: 1e6 });
  rows.write({ ...CALL, body: 'a\ud83d', answer: '{"code":"40017"}' });
  const { body, answer } = rows.read(1);
  assert.deepEqual([body, answer], ['a\ufffd', '{"code":"40017"}']);
});

test('what is kept is whole while texts of all lengths go round and round', () => {
  const rows = new EntryRows({ entries: 500, bytes: 900_000 });
  const letters = 'aé€'.repeat(12_000);
  const bodyOf = (n: number) => `${n}:${letters.slice(0, (n * 7_919) % 33_000)}`;
  let fewest = Number.POSITIVE_INFINITY;
  for (let n = 1; n <= 1_200; n++) {
    const [body, answer] = n % 3 === 0 ? [bodyOf(n), `${n}`] : [`${n}`, bodyOf(n).slice(0, 200)];
    rows.write({ ...CALL, uid: n, body, answer, commands: n % 5 === 0 ? [n, n + 1] : [n] });
    assert.ok(rows.bytes <= 900_000);
    if (n > 500) fewest = Math.min(fewest, rows.count);
    for (const id of [rows.oldestId, rows.nextId - 1]) {
      const read = rows.read(id);
      assert.deepEqual([read.uid, Number.parseInt(read.body, 10)], [id, id]);
      assert.deepEqual(read.commands, id % 5 === 0 ? [id, id + 1] : [id]);
      if (id % 3 === 0) assert.deepEqual([read.body, read.answer], [bodyOf(id), `${id}`]);
      else assert.equal(read.answer, bodyOf(id).slice(0, 200));
    }
  }
  assert.ok(fewest > 3, `at least ${fewest} are kept`);
  assert.equal(rows.has(rows.oldestId - 1), false);
  assert.equal(rows.has(rows.nextId), false);
});

test('room that is free is used again before more is taken', () => {
  const rows = new EntryRows({ entries: 10, bytes: 64 * 1024 * 1024 });
  for (let n = 0; n < 5_000; n++) rows.write({ ...CALL, body: 'x'.repeat(8_000) });
  assert.equal(rows.count, 10);
  assert.ok(rows.bytes < 1_000_000, `${rows.bytes} bytes for ten entries`);
});

test('the largest entry has room in the least', () => {
  const rows = new EntryRows({ entries: 8, bytes: 1 });
  rows.write(CALL);
  for (const id of [2, 3]) {
    rows.write({ ...CALL, body: '€'.repeat(16_384), answer: '€'.repeat(16_384), target: '€'.repeat(12_288) });
    assert.deepEqual(
      [rows.has(id), rows.read(id).body.length, rows.read(id).answer.length],
      [true, 16_384, 16_384],
    );
  }
  assert.equal(rows.has(2), false, 'there is room for one');
});
