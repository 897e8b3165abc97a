/** Derives the hash of a passphrase, which by its cost is work of half a second or of nothing. */
import { scrypt, scryptSync } from 'node:crypto';
import type { ScryptCost } from './passphrase.ts';

const HASH_BYTES = 32;

export interface Derivation {
  /** Resolves to undefined when nothing came of it; 'busy' when too many wait. */
  derive(passphrase: string, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array | undefined> | 'busy';
  close(): Promise<void>;
}

const optionsOf = ({ N, r, p }: ScryptCost) => ({ N, r, p, maxmem: 256 * N * r * p });

export function derive(passphrase: string, salt: Uint8Array, cost: ScryptCost): Uint8Array {
  return scryptSync(passphrase, salt, HASH_BYTES, optionsOf(cost));
}

/** Undefined when nothing came of it. */
export function deriveInPool(
  passphrase: string,
  salt: Uint8Array,
  cost: ScryptCost,
): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    scrypt(passphrase, salt, HASH_BYTES, optionsOf(cost), (error, hash) =>
      resolve(error === null ? hash : undefined),
    );
  });
}

/** In the calling thread: for cheap hashes. */
export const deriveInPlace: Derivation = {
  derive: async (passphrase, salt, cost) => derive(passphrase, salt, cost),
  close: async () => {},
};
