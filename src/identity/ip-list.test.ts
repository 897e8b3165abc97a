import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileIpList, normalizeAddress } from './ip-list.ts';

function list(...entries: string[]) {
  const compiled = compileIpList(entries);
  assert.ok(!('malformed' in compiled));
  return compiled;
}

test('an address has one spelling', () => {
  assert.equal(normalizeAddress('::ffff:10.1.2.3'), '10.1.2.3');
  assert.equal(normalizeAddress('::FFFF:0a01:0203'), '10.1.2.3');
  assert.equal(normalizeAddress('2001:0DB8:0000::0001'), '2001:db8::1');
  assert.equal(normalizeAddress('[2001:db8::1]:443'), '2001:db8::1');
  assert.equal(normalizeAddress('10.1.2.3:80'), '10.1.2.3');
  for (const bad of ['', 'localhost', '10.1.2', '10.1.2.3.4', '010.1.2.3', '::1::', '1'.repeat(1000)]) {
    assert.equal(normalizeAddress(bad), undefined, bad);
  }
});

test('addresses and blocks are found in every spelling of the caller', () => {
  const allowed = list('10.0.0.0/8', '198.51.100.7', '2001:db8::/32', '::ffff:192.0.2.0/120');
  for (const inside of ['10.255.0.1', '::ffff:10.0.0.1', '198.51.100.7', '2001:db8:1::9', '192.0.2.77']) {
    assert.equal(allowed.contains(inside), true, inside);
  }
  for (const outside of ['11.0.0.1', '198.51.100.8', '2001:db9::1', '192.0.3.1', 'nonsense', undefined]) {
    assert.equal(allowed.contains(outside), false, outside);
  }
});

test('an empty list restricts nobody, and says so instead of containing everybody', () => {
  assert.equal(list().allowsAll, true);
  assert.equal(list().contains('10.0.0.1'), false);
});

test('an entry that is no address is named', () => {
  for (const bad of [
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '::/129',
    'host',
    '1.2.3.4:80',
    'fe80::1%lo',
    '/8',
  ]) {
    assert.deepEqual(compileIpList(['10.0.0.1', bad]), { malformed: bad });
  }
});
