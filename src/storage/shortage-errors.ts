/** Which errors say that the disk is full, or that the process may open no more files. */
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
const NO_DESCRIPTORS: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);
const SQLITE_FULL = 13;
/** The shared memory of a database cannot be made longer: only a full disk does that. */
const SQLITE_IOERR_SHMSIZE = 4874;
/**
 * Codes of SQLite that may come from a shortage or from something else; it does not tell the system's own error. Among
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

/** A shortage of either kind: it passes, and what failed may be tried again. */
export function isShortage(error: unknown): boolean {
  return isOutOfSpace(error) || isOutOfDescriptors(error);
}

/** The same of an error of a database in `directory`; where its code is unclear, the directory is tried. */
export function isDatabaseShortage(error: unknown, directory: string): boolean {
  if (isShortage(error)) return true;
  return SQLITE_UNCLEAR.has((error as SystemOrSqliteError | null)?.errcode) && isShortage(probe(directory));
}

/** What a small write into the directory fails with; undefined when it works. */
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
