/**
 * Every row of the history has the CRC-32 of its values, so that a bit that changed on the disk is detected: SQLite
 * has no checksums of its pages. It covers the values in the order of the table's columns, as UTF-8, each followed by
 * a separator (a blob by its own CRC-32 in decimal). Every single changed bit is detected, other changes except for
 * one in 2^32.
 */
import { crc32 } from 'node:zlib';

const SEPARATOR = 0x1f;
const MODULUS = 2 ** 32;

/** Effect of a byte on the sum (the polynomial of zlib). */
const STEPS = Int32Array.from({ length: 256 }, (_, byte) => {
  let step = byte;
  for (let bit = 0; bit < 8; bit++) step = (step & 1) === 1 ? 0xedb88320 ^ (step >>> 1) : step >>> 1;
  return step;
});

/**
 * `blob` is the index of the value that is bytes, if there is one. The library's `crc32` would need the row as one
 * text first, which costs as much again: this is the history's busiest loop.
 */
export function checksumOf(values: readonly unknown[], blob = -1): number {
  let crc = -1;
  for (let n = 0; n < values.length; n++) {
    const value = n === blob ? crc32(values[n] as Uint8Array) : values[n];
    crc = withText(crc, typeof value === 'string' ? value : String(value));
    crc = STEPS[(crc ^ SEPARATOR) & 255]! ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

function withText(before: number, text: string): number {
  let crc = before;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return withBytes(before, Buffer.from(text));
    crc = STEPS[(crc ^ code) & 255]! ^ (crc >>> 8);
  }
  return crc;
}

function withBytes(before: number, bytes: Uint8Array): number {
  let crc = before;
  for (const byte of bytes) crc = STEPS[(crc ^ byte) & 255]! ^ (crc >>> 8);
  return crc;
}

/** Checksums of a table are added up, so that a missing row is detected as well. */
export function sumWith(sum: number, checksum: number): number {
  return (sum + checksum) % MODULUS;
}

export function sumWithout(sum: number, checksum: number): number {
  return (sum - checksum + MODULUS) % MODULUS;
}

/** The values of a row differ from those that were written. */
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
