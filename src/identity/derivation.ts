/** Derives the hash of a passphrase, which by its cost is work of half a second or of nothing. */
import { scryptSync } from 'node:crypto';
import type { ScryptCost } from './passphrase.ts';

const HASH_BYTES = 32;

export interface Derivation {
  /** Resolves to undefined when nothing came of it; 'busy' when too many wait. */
  derive(passphrase: string, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array | undefined> | 'busy';
  close(): Promise<void>;
}

export function derive(passphrase: string, salt: Uint8Array, { N, r, p }: ScryptCost): Uint8Array {
  return scryptSync(passphrase, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r * p });
}

/** In the calling thread: for cheap hashes. */
export const deriveInPlace: Derivation = {
  derive: async (passphrase, salt, cost) => derive(passphrase, salt, cost),
  close: async () => {},
};
