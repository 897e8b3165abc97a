import assert from 'node:assert/strict';
import fs, { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { createFile, makeDirectory, replaceFile } from './durable-file.ts';

/** What `work` did to the disk, in order, with the names of the files. */
function stepsOf(work: () => void): string[] {
  const { openSync, writeFileSync: write, fsyncSync, renameSync } = fs;
  const names = new Map<number, string>();
  const steps: string[] = [];
  const step = (what: string, file: string) => steps.push(`${what} ${basename(file)}`);
  Object.assign(fs, {
    openSync: (path: string, ...rest: [string, number?]) => {
      const descriptor = openSync(path, ...rest);
      names.set(descriptor, path);
      return descriptor;
    },
    writeFileSync: (descriptor: number, contents: string) => {
      step('write', names.get(descriptor)!);
      write(descriptor, contents);
    },
    fsyncSync: (descriptor: number) => {
      step('sync', names.get(descriptor)!);
      fsyncSync(descriptor);
    },
    renameSync: (from: string, to: string) => {
      step(`rename ${basename(from)} to`, to);
      renameSync(from, to);
    },
  });
  syncBuiltinESMExports();
  try {
    work();
    return steps;
  } finally {
    Object.assign(fs, { openSync, writeFileSync: write, fsyncSync, renameSync });
    syncBuiltinESMExports();
  }
}

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

test('contents are on the disk before the name, and the name before the end', {
  skip: process.platform === 'win32',
}, () => {
  const home = temporaryDirectory();
  const directory = join(home, 'data');
  const made = stepsOf(() => makeDirectory(join(directory, 'log')));
  assert.deepEqual(
    made,
    [`sync ${basename(home)}`, 'sync data'],
    'the name of a new directory is in its parent',
  );
  const steps = ['write note.tmp', 'sync note.tmp', 'rename note.tmp to note', 'sync data'];
  for (const write of [createFile, replaceFile])
    assert.deepEqual(
      stepsOf(() => write(join(directory, 'note'), 'contents')),
      steps,
    );
});

test('a directory that cannot be made is refused', { skip: process.platform !== 'linux' }, () => {
  assert.throws(() => makeDirectory('/proc/bourse/data'), { syscall: 'mkdir', code: 'ENOENT' });
  const file = join(temporaryDirectory(), 'file');
  createFile(file, '');
  assert.throws(() => makeDirectory(file), { syscall: 'mkdir', code: 'EEXIST' });
  makeDirectory(dirname(file));
});
