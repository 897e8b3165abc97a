import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peerAddressResolver } from './peer-address.ts';

const forwarded = (...values: string[]) => values.flatMap((value) => ['X-Forwarded-For', value]);

test('without trusted proxies the socket is the truth, whatever the headers say', () => {
  const peer = peerAddressResolver([]);
  assert.equal(peer('203.0.113.9', forwarded('10.0.0.1')), '203.0.113.9');
  assert.equal(peer('::ffff:203.0.113.9', []), '203.0.113.9');
  assert.equal(peer('2001:DB8:0:0::1', []), '2001:db8::1');
  assert.equal(peer('fe80::1%eth0', []), 'fe80::1');
  assert.equal(peer(undefined, forwarded('10.0.0.1')), undefined);
});

test('a stranger cannot speak for somebody else', () => {
  const peer = peerAddressResolver(['10.0.0.0/8']);
  assert.equal(peer('203.0.113.9', forwarded('198.51.100.7')), '203.0.113.9');
});

test('behind a trusted proxy the list is read from the right to the first stranger', () => {
  const peer = peerAddressResolver(['10.0.0.0/8', '2001:db8:ffff::/48']);
  assert.equal(peer('10.0.0.1', forwarded('198.51.100.7')), '198.51.100.7');
  assert.equal(peer('::ffff:10.0.0.1', forwarded('1.1.1.1, 198.51.100.7, 10.2.3.4')), '198.51.100.7');
  assert.equal(peer('2001:db8:ffff::1', forwarded('[2001:db8::5]:443')), '2001:db8::5');
  assert.equal(peer('10.0.0.1', forwarded('198.51.100.7:8080')), '198.51.100.7');
});

test('repeated headers are one list', () => {
  const peer = peerAddressResolver(['10.0.0.0/8']);
  assert.equal(peer('10.0.0.1', forwarded('1.1.1.1', '198.51.100.7, 10.0.0.2')), '198.51.100.7');
});

test('a chain of trusted hops only ends at the farthest of them', () => {
  const peer = peerAddressResolver(['10.0.0.0/8']);
  assert.equal(peer('10.0.0.1', []), '10.0.0.1');
  assert.equal(peer('10.0.0.1', forwarded('10.0.0.3, 10.0.0.2')), '10.0.0.3');
});

test('what cannot be read gives no address', () => {
  const peer = peerAddressResolver(['10.0.0.0/8']);
  for (const bad of [
    'unknown',
    '198.51.100.7, evil',
    '1.2.3',
    '999.1.1.1',
    ',',
    '198.51.100.7, ',
    '[::1',
    '0x7f.1',
  ]) {
    assert.equal(peer('10.0.0.1', forwarded(bad)), undefined, bad);
  }
  assert.equal(peer('10.0.0.1', forwarded(Array(33).fill('10.0.0.2').join(','))), undefined);
});

test('other headers that claim an address are ignored', () => {
  const peer = peerAddressResolver(['10.0.0.0/8']);
  const headers = ['X-Real-IP', '1.1.1.1', 'Forwarded', 'for=1.1.1.1', 'CF-Connecting-IP', '1.1.1.1'];
  assert.equal(peer('10.0.0.1', headers), '10.0.0.1');
});

test('a malformed proxy in the configuration stops the start', () => {
  assert.throws(() => peerAddressResolver(['10.0.0.0/33']), /10\.0\.0\.0\/33/);
  assert.throws(() => peerAddressResolver(['proxy.local']), /proxy\.local/);
});
