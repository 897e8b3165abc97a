import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, parseBody } from './safe-json.ts';

function parsed(text: string): unknown {
  const result = parseBody(Buffer.from(text));
  assert.ok(result.ok, result.ok ? '' : result.msg);
  return JSON.parse(JSON.stringify(result.value));
}

function refusalOf(body: string | Uint8Array): string {
  const result = parseBody(Buffer.from(body));
  assert.ok(!result.ok, `accepted: ${String(body).slice(0, 60)}`);
  assert.equal(result.code, '40017');
  return result.msg;
}

test('objects, batch arrays and an empty body are accepted', () => {
  assert.deepEqual(parsed('{"orderId":"1","n":1.5,"b":true,"x":null}'), {
    orderId: '1',
    n: 1.5,
    b: true,
    x: null,
  });
  assert.deepEqual(parsed('[{"orderId":"1"},{"orderId":"2"}]'), [{ orderId: '1' }, { orderId: '2' }]);
  assert.deepEqual(parsed(''), {});
});

test('of two equal keys the last one counts', () => {
  assert.deepEqual(parsed('{"a":1,"a":2}'), { a: 2 });
});

test('a body of 64 KiB is read, one byte more is refused unread', () => {
  const filled = (bytes: number) => `{"a":1}${' '.repeat(bytes - 7)}`;
  assert.deepEqual(parsed(filled(65_536)), { a: 1 });
  assert.match(refusalOf(filled(65_537)), /65537 bytes, at most 65536/);
});

test('four levels are read, the fifth is refused before parsing', () => {
  assert.deepEqual(parsed('[[[[1]]]]'), [[[[1]]]]);
  assert.match(refusalOf('[[[[[1]]]]]'), /more than 4 levels/);
  assert.match(refusalOf(`{"a":{"b":{"c":{"d":{}}}}}`), /more than 4 levels/);
  assert.match(refusalOf('['.repeat(60_000)), /more than 4 levels/);
});

test('brackets and escaped quotes inside strings are not levels', () => {
  assert.deepEqual(parsed(String.raw`{"a":"[[[[[[\"[[[[["}`), { a: '[[[[[["[[[[[' });
  assert.match(refusalOf(String.raw`{"a":"\\","b":[[[[1]]]]}`), /more than 4 levels/);
});

test('an object has at most 32 fields', () => {
  const object = (fields: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: fields }, (_, i) => [`k${i}`, i])));
  assert.equal(Object.keys(parsed(object(32)) as object).length, 32);
  assert.match(refusalOf(object(33)), /33 fields, at most 32/);
});

test('strings have at most 128 characters and the refusal names the field, not the text', () => {
  assert.deepEqual(parsed(`{"label":"${'x'.repeat(128)}"}`), { label: 'x'.repeat(128) });
  const msg = refusalOf(`{"passphrase":"${'s3cret'.repeat(30)}"}`);
  assert.match(msg, /field passphrase has 180 characters, at most 128/);
  assert.ok(!msg.includes('s3cret'));
});

test('values never inherit anything, and prototype keys are refused', () => {
  const result = parseBody(Buffer.from('{"a":{"b":1}}'));
  assert.ok(result.ok);
  const value = result.value as JsonObject;
  for (const object of [value, value.a as JsonObject]) {
    for (const name of Object.getOwnPropertyNames(Object.prototype))
      assert.equal(name in object, false, name);
    const prototype = Object.getPrototypeOf(object);
    assert.deepEqual([Reflect.ownKeys(prototype), Object.isFrozen(prototype)], [[], true]);
    assert.equal(Object.getPrototypeOf(prototype), null);
  }
  for (const key of ['__proto__', 'constructor', 'prototype', String.raw`__pro\u0074o__`]) {
    assert.match(refusalOf(`{"a":[{"${key}":{"admin":true}}]}`), /not allowed/);
  }
  assert.equal(({} as { admin?: boolean }).admin, undefined);
});

test('numbers that the parser would bend are refused', () => {
  assert.match(refusalOf('{"size":1e999}'), /field size is a number out of range/);
  assert.match(refusalOf('{"size":-1e999}'), /out of range/);
  assert.match(refusalOf('{"orderId":12345678901234567890}'), /field orderId .* send it as a string/);
  assert.deepEqual(parsed('{"n":9007199254740991}'), { n: 9007199254740991 });
});

test('broken UTF-8 and half surrogate pairs are refused', () => {
  assert.match(refusalOf(Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])), /UTF-8/);
  assert.match(refusalOf(String.raw`{"label":"\ud800"}`), /field label contains half/);
  assert.match(refusalOf('\ufeff{}'), /not valid JSON/);
});

test('a syntax error gives the place but never quotes the body', () => {
  const msg = refusalOf('{"passphrase":"hunter2" oops');
  assert.match(msg, /not valid JSON \(at character 24\)/);
  assert.ok(!msg.includes('hunter2'));
});

test('a bare value is no body', () => {
  for (const text of ['1', '"a"', 'null', 'true']) assert.match(refusalOf(text), /object or array/);
});
