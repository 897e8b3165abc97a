import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { copySpare, isShared, linkFile, removeSpare, replaceBySpare } from './shared-file.ts';

/** Another file system, on Linux. */
const ELSEWHERE = '/dev/shm';
const noOther =
  !existsSync(ELSEWHERE) || statSync(ELSEWHERE).dev === statSync(temporaryDirectory()).dev
    ? 'there is one file system'
    : false;

test('a link is the same file until its name is replaced by a copy', () => {
  const home = temporaryDirectory();
  const [path, other] = [join(home, 'a'), join(home, 'b')] as const;
  writeFileSync(path, 'one');
  assert.equal(isShared(path), false);
  linkFile(path, other);
  assert.deepEqual([isShared(path), isShared(other)], [true, true]);
  copySpare(path);
  assert.equal(isShared(path), true, 'not before it is replaced');
  replaceBySpare(path);
  assert.deepEqual([isShared(path), isShared(other)], [false, false]);
  writeFileSync(path, 'two');
  assert.equal(readFileSync(other, 'utf8'), 'one');
  copySpare(path);
  removeSpare(path);
  assert.equal(existsSync(`${path}.tmp`), false);
  assert.throws(() => linkFile(path, other), /EEXIST/);
});

test('where there can be no link there is a copy', { skip: noOther }, () => {
  const path = join(temporaryDirectory(), 'a');
  const elsewhere = mkdtempSync(join(ELSEWHERE, 'bourse-test-'));
  try {
    writeFileSync(path, 'one');
    linkFile(path, join(elsewhere, 'b'));
    assert.equal(isShared(path), false);
    writeFileSync(path, 'two');
    assert.equal(readFileSync(join(elsewhere, 'b'), 'utf8'), 'one');
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});
