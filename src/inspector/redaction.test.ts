import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEFT_OUT, targetWithoutSecrets, withoutSecrets } from './redaction.ts';

test('ordinary traffic stays as it is, to the byte', () => {
  const body = '{"symbol" :"BTCUSDT",  "qty":"0.10"}';
  assert.equal(withoutSecrets(body), body);
  assert.equal(targetWithoutSecrets('/api/v3/trade/fills?limit=10'), '/api/v3/trade/fills?limit=10');
});

test('values of secrets are left out at any depth, also when their names are written with escapes', () => {
  for (const body of [
    '{"passphrase":"canary"}',
    '{"a":[{"secretKey":"canary"}]}',
    '{"pass\\u0070hrase":"canary"}',
    '{"\\u0070\\u0061\\u0073\\u0073phrase":"canary"}',
    '{"op":"login","args":[{"apiKey":"k","sign":"canary"}]}',
    '{"Secret":{"x":["canary"]}}',
  ]) {
    const clean = withoutSecrets(body);
    assert.doesNotMatch(clean, /canary/, body);
    assert.ok(clean.includes(LEFT_OUT), body);
  }
});

test('a text that may hold a secret and cannot be read is left out in whole', () => {
  for (const body of ['{"passphrase":"canary"', 'secret=canary', '{"passphrase":"canary"}}'])
    assert.match(withoutSecrets(body), /^\(\d+ characters left out/, body);
});

test('a query that may hold a secret is left out, however it is encoded', () => {
  for (const query of [
    'secret=canary',
    '%73ecret=canary',
    'a=1&PassPhrase=canary',
    'a=%zz&canary',
    'sign=canary',
  ])
    assert.equal(
      targetWithoutSecrets(`/api/v3/x?${query}`),
      '/api/v3/x?(query left out: it may hold a secret)',
      query,
    );
});
