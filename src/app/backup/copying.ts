/** Copies files durably, readable by their owner only, and returns their hashes. */
import { createHash } from 'node:crypto';
import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BackedUpFile } from './manifest.ts';

export type CopiedFile = Omit<BackedUpFile, 'path'>;
/** Called with the number of bytes processed. */
export type Progress = (bytes: number) => void;

const OWNER_ONLY = 0o600;
const STEP_BYTES = 1024 * 1024;

/** Writes a new file and syncs it; the name itself is durable after `syncDirectory`. */
export function writeDurably(path: string, contents: Uint8Array): CopiedFile {
  const descriptor = openSync(path, 'wx', OWNER_ONLY);
  try {
    writeWhole(descriptor, contents);
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return { bytes: contents.length, sha256: createHash('sha256').update(contents).digest('hex') };
}

/** Copies an open file, also when its name was removed meanwhile. */
export async function copyOpened(source: number, target: string, progress: Progress): Promise<CopiedFile> {
  const descriptor = openSync(target, 'wx', OWNER_ONLY);
  try {
    const copied = await readInSteps(source, progress, (step) => writeWhole(descriptor, step));
    fdatasyncSync(descriptor);
    return copied;
  } finally {
    closeSync(descriptor);
  }
}

export async function copyFileDurably(
  source: string,
  target: string,
  progress: Progress,
): Promise<CopiedFile> {
  return withOpened(source, (descriptor) => copyOpened(descriptor, target, progress));
}

/** Syncs a file that another function has written, and returns its hash. */
export async function syncFile(path: string): Promise<CopiedFile> {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return hashFile(path, () => {});
}

export function hashFile(path: string, progress: Progress): Promise<CopiedFile> {
  return withOpened(path, (descriptor) => readInSteps(descriptor, progress, () => {}));
}

async function withOpened<Result>(
  path: string,
  use: (descriptor: number) => Promise<Result>,
): Promise<Result> {
  const descriptor = openSync(path, 'r');
  try {
    return await use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function readInSteps(
  descriptor: number,
  progress: Progress,
  consume: (step: Uint8Array) => void,
): Promise<CopiedFile> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(STEP_BYTES);
  let bytes = 0;
  for (;;) {
    const length = readSync(descriptor, buffer, 0, buffer.length, bytes);
    if (length === 0) return { bytes, sha256: hash.digest('hex') };
    const step = buffer.subarray(0, length);
    consume(step);
    hash.update(step);
    bytes += length;
    progress(length);
    // Lets signals be handled between two steps.
    await nextTurn();
  }
}

function writeWhole(descriptor: number, contents: Uint8Array): void {
  for (let written = 0; written < contents.length; ) written += writeSync(descriptor, contents, written);
}

/** A path of a manifest below a directory. */
export function placeIn(directory: string, path: string): string {
  return join(directory, ...path.split('/'));
}
