/**
 * Every row of the history has the CRC-32 of its values, so that a bit that changed on the disk is not read as truth:
 * SQLite itself has no checksums of its pages. It covers the values in the order of the table's columns, as a JSON list
 * (a blob by its own CRC-32), and always finds up to three changed bits of a row, others but for one in 2^32.
 */
import { crc32 } from 'node:zlib';

const MODULUS = 2 ** 32;

/** `blob` is the place of the value that is bytes, where there is one. */
export function checksumOf(values: readonly unknown[], blob = -1): number {
  if (blob < 0) return crc32(JSON.stringify(values));
  return crc32(JSON.stringify(values.with(blob, crc32(values[blob] as Uint8Array))));
}

/** Checksums of a table are added up, so that a row that is gone shows as well. */
export function sumWith(sum: number, checksum: number): number {
  return (sum + checksum) % MODULUS;
}

export function sumWithout(sum: number, checksum: number): number {
  return (sum - checksum + MODULUS) % MODULUS;
}

/** A row whose values are not those that were written. */
export class DamagedRow extends Error {
  override name = 'DamagedRow';
  readonly table: string;
  readonly row: string;

  constructor(table: string, row: string) {
    super(`the row ${row} of the table ${table} is damaged: its checksum does not match`);
    this.table = table;
    this.row = row;
  }
}
