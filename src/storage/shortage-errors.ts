/** Errors that mean a full disk, or that the process may open no more files. */
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
const NO_DESCRIPTORS: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);
const SQLITE_FULL = 13;
/** The shared memory of a database cannot grow: only a full disk causes that. */
const SQLITE_IOERR_SHMSIZE = 4874;
/**
 * Codes of SQLite that may come from a shortage or from another fault; it does not pass on the system's error. Among
 * them those of writing, truncating, shared memory and of files that cannot be opened. A failed sync is not: what it
 * leaves on the disk is unknown.
 */
const SQLITE_UNCLEAR: ReadonlySet<unknown> = new Set([778, 1546, 4618, 5386, 6410, 14, 270, 526, 782, 1038]);
const PROBE_BYTES = 64 * 1024;

interface SystemOrSqliteError {
  readonly code?: unknown;
  readonly errcode?: unknown;
  readonly cause?: unknown;
}

export function isOutOfSpace(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as SystemOrSqliteError;
  return FULL.has(code) || errcode === SQLITE_FULL || errcode === SQLITE_IOERR_SHMSIZE;
}

export function isOutOfDescriptors(error: unknown): boolean {
  return NO_DESCRIPTORS.has((error as SystemOrSqliteError | null)?.code);
}

/** A shortage of either kind: it passes, and the operation may be tried again. */
export function isShortage(error: unknown): boolean {
  return isOutOfSpace(error) || isOutOfDescriptors(error);
}

/** The same for an error of a database in `directory`; where its code is unclear, the directory is probed. */
export function isDatabaseShortage(error: unknown, directory: string): boolean {
  if (isShortage(error)) return true;
  return SQLITE_UNCLEAR.has((error as SystemOrSqliteError | null)?.errcode) && isShortage(probe(directory));
}

/** The error of a small write into the directory; undefined when it succeeds. */
function probe(directory: string): unknown {
  const path = join(directory, `.space-${process.pid}`);
  try {
    const descriptor = openSync(path, 'w', 0o600);
    try {
      writeSync(descriptor, new Uint8Array(PROBE_BYTES));
    } finally {
      closeSync(descriptor);
      unlinkSync(path);
    }
    return undefined;
  } catch (error) {
    return error;
  }
}
