/** A capsule from its file. */
import { readFileSync, statSync } from 'node:fs';
import { type Capsule, unpackCapsule } from '../../lab/capsule/capsule.ts';
import { CapsuleRefused } from '../../lab/capsule/capsule-refused.ts';
import { CAPSULE_BYTES_MAX } from '../../lab/capsule/envelope.ts';
import { ConfigError } from '../exit-codes.ts';

/** Throws ConfigError when there is no such file, CapsuleRefused for what is in it. */
export function readCapsule(path: string): { readonly capsule: Capsule; readonly bytes: number } {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isFile() !== true) throw new ConfigError(`there is no file ${path}`);
  // Before it is read: its size is the sender's choice.
  if (file.size > CAPSULE_BYTES_MAX)
    throw new CapsuleRefused(`${path}: a capsule has at most ${CAPSULE_BYTES_MAX / 2 ** 20} MiB`);
  try {
    return { capsule: unpackCapsule(readFileSync(path)), bytes: file.size };
  } catch (error) {
    if (!(error instanceof CapsuleRefused)) throw error;
    throw new CapsuleRefused(`${path}: ${error.message}`);
  }
}
