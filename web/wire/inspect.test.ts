import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLACEHOLDERS, programOf } from './code.ts';
import { fits, type RequestDetail, writtenOf } from './inspect.ts';

const CALL = {
  kind: 'http',
  method: 'POST',
  path: '/api/v3/trade/place-order',
  target: '/api/v3/trade/place-order',
  body: '{"symbol": "BTCUSDT"}',
  code: '25202',
  about: 'BTCUSDT buy 1',
  refused: true,
} as RequestDetail;

test('a recorded call becomes a program, frames and unreadable bodies do not', () => {
  const written = writtenOf(CALL)!;
  assert.deepEqual(written.body, { symbol: 'BTCUSDT' });
  assert.match(
    programOf('ccxt JS', written, 'http://a', PLACEHOLDERS),
    /privateUtaPostV3TradePlaceOrder\(\{\s+"symbol": "BTCUSDT"/,
  );
  const read = writtenOf({ ...CALL, method: 'GET', target: '/api/v3/trade/fills?a=1&b=%20x', body: '' })!;
  assert.deepEqual([read.query, read.body], [{ a: '1', b: ' x' }, undefined]);
  assert.equal(writtenOf({ ...CALL, method: 'GET', target: '/api/v3/market/tickers', body: '' })!.signed, '');
  assert.equal(writtenOf({ ...CALL, body: '{"symbol"' }), undefined);
  assert.equal(writtenOf({ ...CALL, kind: 'ws' }), undefined);
});

test('filters', () => {
  const all = { kind: 'all', refusedOnly: false, text: '' } as const;
  assert.ok(fits(CALL, all));
  assert.ok(!fits(CALL, { ...all, kind: 'ws' }));
  assert.ok(!fits({ ...CALL, refused: false }, { ...all, refusedOnly: true }));
  for (const text of ['PLACE', '25202', 'buy 1 ']) assert.ok(fits(CALL, { ...all, text }), text);
  assert.ok(!fits(CALL, { ...all, text: 'fills' }));
});
