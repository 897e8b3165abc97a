/**
 * Deposit addresses: one per account, coin and network. An address is a keyed hash, so it never changes, cannot be
 * derived for another account, and is not stored. Its form is valid on no real network: real money sent to it by
 * mistake would be lost.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import type { ChainSpec } from '../../../core/model/listing-spec.ts';

export interface DepositAddress {
  readonly address: string;
  /** '' on networks without tags. */
  readonly tag: string;
}

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789';
const ADDRESS_CHARS = 32;
const TAG_DIGITS = 9;

export function depositAddress(key: KeyObject, uid: number, coin: string, chain: ChainSpec): DepositAddress {
  const digest = createHmac('sha512', key).update(`deposit|${uid}|${coin}|${chain.chain}`).digest();
  let address = 'bourse1';
  for (const byte of digest.subarray(0, ADDRESS_CHARS)) address += ALPHABET[byte % ALPHABET.length];
  const tag = digest.readUIntBE(ADDRESS_CHARS, 6) % 10 ** TAG_DIGITS;
  return { address, tag: chain.needTag ? String(tag).padStart(TAG_DIGITS, '1') : '' };
}
