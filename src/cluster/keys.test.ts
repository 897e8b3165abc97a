import assert from 'node:assert/strict';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { ExposedToOthers } from '../storage/private-file.ts';
import { KEY_FILES, KeysMissing, keysFingerprint } from './keys.ts';

function keys(ending = '\n'): string {
  const directory = temporaryDirectory();
  for (const name of KEY_FILES)
    writeFileSync(join(directory, name), `secret of ${name}${ending}`, { mode: 0o600 });
  return directory;
}

test('the same secrets have the same fingerprint, with and without a last line break', () => {
  assert.deepEqual(keysFingerprint(keys()), keysFingerprint(keys('')));
});

test('every file counts', () => {
  for (const name of KEY_FILES) {
    const directory = keys();
    writeFileSync(join(directory, name), 'another');
    assert.notDeepEqual(keysFingerprint(directory), keysFingerprint(keys()), name);
    rmSync(join(directory, name));
    assert.throws(() => keysFingerprint(directory), KeysMissing, name);
  }
});

test('a file that others can read is refused', { skip: process.platform === 'win32' }, () => {
  const directory = keys();
  chmodSync(join(directory, 'address.key'), 0o644);
  assert.throws(() => keysFingerprint(directory), ExposedToOthers);
});
