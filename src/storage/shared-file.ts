/**
 * Files that several directories have in common, as hard links to one: such a file is never changed, and a directory that
 * must change it gets one of its own first. File systems without hard links have a copy in each directory instead.
 */
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory } from './durable-file.ts';

/** Errors of file systems without hard links, or between two of them. */
const NO_HARD_LINKS: ReadonlySet<unknown> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EXDEV',
]);

/** A second name for the file. A copy is on disk when this returns; the name is after a sync of its directory. */
export function linkFile(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (!NO_HARD_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
    copyDurably(from, to);
  }
}

export function isShared(path: string): boolean {
  return fs.statSync(path).nlink > 1;
}

/** Copies the file to a place beside it, from where `replaceBySpare` puts it under the name of the first. */
export function copySpare(path: string): void {
  const spare = sparePath(path);
  fs.rmSync(spare, { force: true });
  try {
    copyDurably(path, spare);
  } catch (error) {
    fs.rmSync(spare, { force: true });
    throw error;
  }
}

/** From here on the name stands for the copy; the other names keep the file. */
export function replaceBySpare(path: string): void {
  fs.renameSync(sparePath(path), path);
  syncDirectory(dirname(path));
}

/** What a kill has left of a copy. */
export function removeSpare(path: string): void {
  fs.rmSync(sparePath(path), { force: true });
}

const sparePath = (path: string): string => `${path}.tmp`;

function copyDurably(from: string, to: string): void {
  fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
  const descriptor = fs.openSync(to, 'r+');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
