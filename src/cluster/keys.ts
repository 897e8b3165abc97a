/** The secrets that all nodes of a cluster have in common, in a folder that each of them mounts. */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { refuseExposed } from '../storage/private-file.ts';

/** Under the names that they have in a data directory. */
export const KEY_FILES = ['identity.key', 'address.key', 'operator.token'] as const;

/** The folder lacks a file; the message says which and what to do. */
export class KeysMissing extends Error {
  override readonly name = 'KeysMissing';
}

/**
 * Tells the same secrets from others, without telling them. The last line break of a file does not count: some stores of
 * secrets drop it. Throws KeysMissing, ExposedToOthers.
 */
export function keysFingerprint(directory: string): Buffer {
  const all = createHash('sha256');
  for (const name of KEY_FILES) {
    const text = readSecret(join(directory, name)).trimEnd();
    all.update(name).update(createHash('sha256').update(text).digest());
  }
  return all.digest();
}

function readSecret(path: string): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new KeysMissing(
      `${path} is missing: every node needs the files ${KEY_FILES.join(', ')} that "bourse cluster init" has made`,
    );
  }
  try {
    refuseExposed(path, fstatSync(file));
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
