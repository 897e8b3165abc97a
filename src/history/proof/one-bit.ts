/**
 * Finds the one changed bit of a row: the change after which its checksum matches again. Single changed bits are the
 * most frequent fault of disks, and a checksum of 32 bits leaves one candidate among some thousands.
 */
import type { SQLInputValue } from 'node:sqlite';
import { CHECKSUM, type Table } from '../tables/table.ts';

export interface OneBit {
  readonly field: string;
  readonly stored: SQLInputValue;
  readonly original: SQLInputValue;
  /** The row as it was written. */
  readonly values: readonly SQLInputValue[];
}

/** Undefined when no bit explains it, or several do. */
export function findOneBit(
  table: Table,
  values: readonly SQLInputValue[],
  stored: unknown,
): OneBit | undefined {
  if (typeof stored !== 'number') return undefined;
  const found: OneBit[] = [];
  const checksum = table.checksum(values);
  if (isPowerOfTwo((checksum ^ stored) >>> 0) && stored < 2 ** 32)
    found.push({ field: CHECKSUM, stored, original: checksum, values });
  for (const [place, field] of table.columns.entries()) {
    for (const original of oneBitFrom(values[place]!)) {
      const changed = values.with(place, original);
      if (table.checksum(changed) === stored)
        found.push({ field, stored: values[place]!, original, values: changed });
    }
  }
  return found.length === 1 ? found[0] : undefined;
}

function isPowerOfTwo(number: number): boolean {
  return number !== 0 && (number & (number - 1)) === 0;
}

function* oneBitFrom(value: SQLInputValue): Generator<SQLInputValue> {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const mask = 1 << (bit & 7);
      bytes[bit >> 3]! ^= mask;
      yield bytes.toString();
      bytes[bit >> 3]! ^= mask;
    }
  } else if (typeof value === 'number') {
    for (let bit = 0n; bit < 53n; bit++) {
      const changed = Number(BigInt(value) ^ (1n << bit));
      if (Number.isSafeInteger(changed)) yield changed;
    }
  }
}
