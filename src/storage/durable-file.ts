/**
 * Small files that survive a power loss. A file gets its name when its contents are on disk, so the name always
 * stands for a complete file: the old one or the new one.
 */
import * as fs from 'node:fs';
import { dirname, resolve } from 'node:path';

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;

/** Writes the file, readable by its owner only; replaces an existing one. */
export function replaceFile(path: string, contents: string | Uint8Array): void {
  const unfinished = `${path}.tmp`;
  // A leftover may have another mode.
  fs.rmSync(unfinished, { force: true });
  const descriptor = fs.openSync(unfinished, 'wx', OWNER_ONLY_FILE);
  try {
    fs.writeFileSync(descriptor, contents);
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
  fs.renameSync(unfinished, path);
  syncDirectory(dirname(path));
}

/** The same for a new file. Throws EEXIST. */
export function createFile(path: string, contents: string | Uint8Array): void {
  if (fs.existsSync(path)) {
    throw Object.assign(new Error(`EEXIST: ${path} is there already`), { code: 'EEXIST', path });
  }
  replaceFile(path, contents);
}

/**
 * Creates the directory, readable by its owner only; its name and those of new parents survive a power loss. Each by itself:
 * the recursive form of Node never ends where a file system has no such directory and makes none, as /proc.
 */
export function makeDirectory(directory: string): void {
  const parent = dirname(resolve(directory));
  if (!fs.existsSync(parent)) makeDirectory(parent);
  try {
    fs.mkdirSync(directory, { mode: OWNER_ONLY_DIRECTORY });
  } catch (error) {
    if (fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return;
    throw error;
  }
  syncDirectory(parent);
}

/** Makes creations, renames and removals in a directory durable. */
export function syncDirectory(directory: string): void {
  // Windows cannot open a directory; NTFS journals names itself.
  if (process.platform === 'win32') return;
  const descriptor = fs.openSync(directory, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
