import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { createFile, replaceFile } from './durable-file.ts';

test('a file is replaced as a whole, for its owner alone, and nothing else is left', () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'note');
  writeFileSync(path, 'old', { mode: 0o644 });
  // As a crash in the middle would leave it.
  writeFileSync(`${path}.tmp`, 'half', { mode: 0o644 });
  replaceFile(path, 'new');
  assert.equal(readFileSync(path, 'utf8'), 'new');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(directory), ['note']);
});

test('a file that must not exist yet is not overwritten', () => {
  const path = join(temporaryDirectory(), 'key');
  createFile(path, 'first');
  assert.throws(() => createFile(path, 'second'), { code: 'EEXIST' });
  assert.equal(readFileSync(path, 'utf8'), 'first');
});
