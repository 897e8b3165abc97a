import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostList, isHostName, readHost } from './host-list.ts';

const LIST = new HostList(['exchange.example', 'Bourse.LAN.']);

function answer(text: string): 'answered' | 'another host' | 'no host' {
  const host = readHost(text);
  if (host === undefined) return 'no host';
  return LIST.has(host) ? 'answered' : 'another host';
}

const CASES: Readonly<Record<ReturnType<typeof answer>, readonly string[]>> = {
  answered: [
    '127.0.0.1',
    '127.0.0.1:8787',
    '192.168.1.5:8787',
    '0.0.0.0',
    '[::1]',
    '[::1]:8787',
    '[::FFFF:127.0.0.1]:8787',
    '[fe80::1]',
    'localhost',
    'LOCALHOST:8787',
    'localhost:',
    'localhost.',
    'alice.localhost',
    'a.b.localhost.:8787',
    'bourse',
    'my_service:8787',
    '2130706433',
    'exchange.example',
    'Exchange.Example:443',
    'exchange.example.',
    'bourse.lan',
  ],
  'another host': [
    'evil.example',
    'evil.example:8787',
    'sub.exchange.example',
    'exchange.example.evil.example',
    'localhost.evil.example',
    'notlocalhost.example',
    '127.0.0.1.evil.example',
    'evil-localhost.com',
    'com.',
    // Programs may know these as addresses, but they are not written as one.
    '127.1',
    '0x7f.0.0.1',
    '127.0.0.01',
    '127.0.0.256',
  ],
  'no host': [
    '',
    ':8787',
    'localhost:port',
    'localhost:123456',
    'localhost:80:80',
    '::1',
    '[::1',
    '[::1]x',
    '[::1%25lo]',
    '[evil.example]',
    '[127.0.0.1]',
    'user@localhost',
    'localhost@evil.example',
    'localhost/evil.example',
    'http://localhost',
    'localhost,evil.example',
    'local host',
    'evil.example#localhost',
    'evil%2Eexample',
    'löcalhost',
    '.localhost',
    'a..localhost',
    'localhost..',
    '.',
    '*.localhost',
    `${'a'.repeat(64)}.localhost`,
    'a'.repeat(300),
  ],
};

for (const [expected, hosts] of Object.entries(CASES)) {
  test(`hosts: ${expected}`, () => {
    for (const host of hosts) assert.equal(answer(host), expected, host);
  });
}

test('a name in a list has no port, no scheme and no star', () => {
  for (const name of ['exchange.example', 'a', 'a.b-c.d_e', 'full.example.'])
    assert.ok(isHostName(name), name);
  for (const name of ['', 'a:80', 'http://a', '*.a', 'a/b', 'a b', '[::1]', '..'])
    assert.ok(!isHostName(name), name);
});
