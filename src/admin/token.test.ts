import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { ADMIN_ENDPOINT_FILE, openToken, readAdminEndpoint, TOKEN_FILE } from './token.ts';

test('a token is made once; one that a power loss has left empty is made anew', () => {
  const directory = temporaryDirectory();
  const path = join(directory, TOKEN_FILE);
  const token = openToken(path);
  assert.equal(openToken(path), token);
  assert.deepEqual(readdirSync(directory), [TOKEN_FILE]);
  for (const left of ['', '\n', '\0'.repeat(44)]) {
    writeFileSync(path, left);
    const next = openToken(path);
    assert.notEqual(next, token);
    assert.equal(readFileSync(path, 'utf8'), `${next}\n`);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  }
});

test('a token that is cut off or open to others is refused, with file and remedy', () => {
  const path = join(temporaryDirectory(), TOKEN_FILE);
  openToken(path);
  chmodSync(path, 0o640);
  assert.throws(() => openToken(path), { name: 'ExposedToOthers', message: /operator\.token .*chmod 600/ });
  chmodSync(path, 0o600);
  writeFileSync(path, 'short\n');
  assert.throws(() => openToken(path), {
    name: 'TokenDamaged',
    message: /operator\.token must hold .*delete it/,
  });
});

test('a note that was cut off is no note', () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, ADMIN_ENDPOINT_FILE), '{"url": "http://127');
  assert.equal(readAdminEndpoint(directory), undefined);
});
