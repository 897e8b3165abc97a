import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { DirectoryLock } from './directory-lock.ts';

test('a lock file with junk in it is emptied, for it holds nothing, and locks as before', () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'lock.db');
  for (const junk of [
    'this is no database, and long enough to be looked at as one'.repeat(20),
    'SQLite format 3\0',
  ]) {
    writeFileSync(path, junk);
    const lock = DirectoryLock.take(directory);
    assert.equal(statSync(path).size, 0);
    assert.throws(() => DirectoryLock.take(directory), { name: 'DirectoryLocked' });
    lock.release();
  }
});

test('junk that gets into the file while it is held does not let a second process in', () => {
  const directory = temporaryDirectory();
  const lock = DirectoryLock.take(directory);
  writeFileSync(join(directory, 'lock.db'), 'junk'.repeat(1000));
  assert.throws(() => DirectoryLock.take(directory), { name: 'DirectoryLocked' });
  lock.release();
});
