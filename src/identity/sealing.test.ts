import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { keyFileOnDisk } from './key-file.ts';
import { createKeyring, readKeyring, seal, unseal } from './sealing.ts';

const directory = mkdtempSync(join(tmpdir(), 'bourse-sealing-'));
after(() => rmSync(directory, { recursive: true }));

const ring = createKeyring(keyFileOnDisk(join(directory, 'ring.key')));
const owner = { apiKey: 'k-1', uid: 1000000001 };
const secret = Buffer.from('the secret');

test('a sealed secret opens for its owner and does not show the secret', () => {
  const sealed = seal(ring, owner, 1, secret);
  assert.deepEqual(unseal(ring, owner, sealed), secret);
  assert.ok(!Buffer.from(sealed.bytes).includes('the secret'));
  assert.notDeepEqual(seal(ring, owner, 1, secret).bytes, sealed.bytes);
});

test('a seal does not open for another key, user or version, nor when a bit has changed', () => {
  const sealed = seal(ring, owner, 1, secret);
  assert.throws(() => unseal(ring, { ...owner, apiKey: 'k-2' }, sealed));
  assert.throws(() => unseal(ring, { ...owner, uid: 1000000002 }, sealed));
  assert.throws(() => unseal(ring, owner, { ...sealed, version: 2 }));
  assert.throws(() => unseal(ring, owner, { ...sealed, bytes: sealed.bytes.subarray(0, 20) }), /too short/);
  for (let index = 0; index < sealed.bytes.length; index += 1) {
    const bytes = Uint8Array.from(sealed.bytes);
    bytes[index]! ^= 1;
    assert.throws(() => unseal(ring, owner, { ...sealed, bytes }), `byte ${index}`);
  }
});

test('old seals stay readable after a second key is added, new ones use the new key', () => {
  const path = join(directory, 'rotated.key');
  const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
  writeFileSync(path, `kek-a ${key(1)}\n`, { mode: 0o600 });
  const old = seal(readKeyring(keyFileOnDisk(path)), owner, 1, secret);
  writeFileSync(path, `kek-a ${key(1)}\nkek-b ${key(2)}\n`);
  const rotated = readKeyring(keyFileOnDisk(path));
  assert.deepEqual(unseal(rotated, owner, old), secret);
  assert.equal(seal(rotated, owner, 1, secret).keyId, 'kek-b');
  assert.throws(() => unseal(ring, owner, old), /kek-a, which is not in the key file/);
});

test('the key file is private, and one that others can read is refused', () => {
  const path = join(directory, 'open.key');
  createKeyring(keyFileOnDisk(path));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  for (const mode of [0o640, 0o604, 0o660]) {
    chmodSync(path, mode);
    assert.throws(() => readKeyring(keyFileOnDisk(path)), /chmod 600/);
  }
});

test('a key file is never overwritten, and a damaged one is refused', () => {
  const path = join(directory, 'damaged.key');
  createKeyring(keyFileOnDisk(path));
  assert.throws(() => createKeyring(keyFileOnDisk(path)), { code: 'EEXIST' });
  for (const text of ['', 'kek-a\n', 'kek-a c2hvcnQ=\n']) {
    writeFileSync(path, text);
    assert.throws(() => readKeyring(keyFileOnDisk(path)), /damaged|empty/);
  }
});
