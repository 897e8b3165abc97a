import assert from 'node:assert/strict';
import { createHmac, createSecretKey, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import type { SigningKey } from './signature.ts';
import { loginMistake, requestMistake } from './signature-mistakes.ts';

const keyOf = (secret: string): SigningKey => ({
  kind: 'hmac',
  verifier: createSecretKey(Buffer.from(secret)),
});
const TS = '1700000000000';
const PATH = '/api/v3/trade/place-order';
const TARGET = `${PATH}?b=2&a=1`;
const BODY = '{"symbol": "BTCUSDT","qty":"1","list":[1,{"z":1,"a":2}]}';
const hmac = (text: string, secret = 's1') => createHmac('sha256', secret).update(text).digest();

const mistakeIn = (signature: string, url = TARGET) =>
  requestMistake(keyOf('s1'), { timestamp: TS, method: 'POST', url, body: Buffer.from(BODY) }, signature, [
    { name: 'demo account bob', key: keyOf('s2') },
  ]);
const signing = (text: string) => mistakeIn(hmac(text).toString('base64'));

test('each of the usual mistakes is named', () => {
  const rows: readonly (readonly [string, string, RegExp])[] = [
    [`${TS}POST${PATH}${BODY}`, 'query', /^the query was left out$/],
    [`${TS}POST${PATH}b=2&a=1${BODY}`, 'query', /^the \? before/],
    [`${TS}POST${TARGET}`, 'body', /left out/],
    [`${TS}POST${TARGET}${JSON.stringify(JSON.parse(BODY))}`, 'body', /written anew.*without spaces/],
    [
      `${TS}POST${TARGET}{"symbol": "BTCUSDT", "qty": "1", "list": [1, {"z": 1, "a": 2}]}`,
      'body',
      /spaces behind commas/,
    ],
    [`${TS}POST${TARGET}{"list":[1,{"a":2,"z":1}],"qty":"1","symbol":"BTCUSDT"}`, 'body', /sorted names\)/],
    [`${TS}POST/trade/place-order?b=2&a=1${BODY}`, 'path', /without \/api\/v3$/],
    [`${TS}POST/v3/trade/place-order?b=2&a=1${BODY}`, 'path', /without \/api$/],
    [`${TS}post${TARGET}${BODY}`, 'method', /lower case: post$/],
    [`${TS}${TARGET}${BODY}`, 'method', /left out/],
    [`1700000000POST${TARGET}${BODY}`, 'timestamp', /^seconds were signed/],
    [`2023-11-14T22:13:20.000ZPOST${TARGET}${BODY}`, 'timestamp', /as a date/],
    [`POST${TARGET}${BODY}`, 'timestamp', /left out/],
  ];
  for (const [text, part, words] of rows) {
    const finding = signing(text);
    assert.equal(finding.part, part, text);
    assert.match(finding.text, words);
  }
});

test('other ways to write the right signature are named', () => {
  const right = hmac(`${TS}POST${TARGET}${BODY}`);
  assert.match(mistakeIn(right.toString('hex')).text, /hexadecimal/);
  assert.match(mistakeIn(right.toString('hex').toUpperCase()).text, /hexadecimal/);
  assert.match(mistakeIn(right.toString('base64url')).text, /without its =/);
  assert.match(mistakeIn(encodeURIComponent(right.toString('base64'))).text, /as in an address/);
  assert.equal(mistakeIn(right.toString('hex')).part, 'encoding');
});

test('the secret of another account is named, and nothing is guessed', () => {
  const other = hmac(`${TS}POST${TARGET}${BODY}`, 's2').toString('base64');
  assert.deepEqual(mistakeIn(other), {
    part: 'secret',
    text: 'it was signed with the secret of demo account bob',
  });
  for (const signature of ['', 'x', '%', '%2b%', hmac('anything').toString('base64'), 'é'.repeat(99)])
    assert.equal(mistakeIn(signature).part, 'unknown', signature);
});

test('bodies that are no JSON, or nested without end, do no harm', () => {
  for (const body of [
    Buffer.from([0xff, 0x7b]),
    Buffer.from('['.repeat(30_000) + ']'.repeat(30_000)),
    Buffer.from('{"__proto__":{"a":1},"b":{"toString":1}}'),
  ]) {
    const text = { timestamp: 'x', method: 'POST', url: PATH, body };
    assert.equal(requestMistake(keyOf('s1'), text, 'nothing', []).part, 'unknown');
  }
});

test('mistakes of logins are named', () => {
  const mistakeOf = (text: string) => loginMistake(keyOf('s1'), TS, hmac(text).toString('base64'), []);
  assert.equal(mistakeOf(`${TS}get/user/verify`).part, 'method');
  assert.match(mistakeOf(`${TS}GET/api/v3/user/verify`).text, /with \/api\/v3/);
  assert.match(mistakeOf('1700000000GET/user/verify').text, /^seconds were signed/);
  assert.equal(mistakeOf('whatever').part, 'unknown');
});

test('keys of other kinds are tried the same way', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const signature = sign(null, Buffer.from(`${TS}POST${PATH}`), privateKey).toString('base64');
  const text = { timestamp: TS, method: 'POST', url: TARGET, body: Buffer.alloc(0) };
  const finding = requestMistake({ kind: 'ed25519', verifier: publicKey }, text, signature, []);
  assert.equal(finding.text, 'the query was left out');
});
