/** As much of tar as a capsule needs: plain files with plain names, in a given order. Anything else is refused. */
import { CapsuleRefused } from './capsule-refused.ts';

const BLOCK = 512;
const SIZE_DIGITS = 11;
const CHECKSUM_AT = 148;
const TYPE_AT = 156;
const MAGIC_AT = 257;
const MAGIC = 'ustar\u000000';
const PLAIN_FILE = '0';
const END = Buffer.alloc(2 * BLOCK);

export interface TarFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export function tarOf(files: readonly TarFile[]): Buffer {
  return Buffer.concat([
    ...files.flatMap(({ name, bytes }) => [headOf(name, bytes.length), bytes, padding(bytes.length)]),
    END,
  ]);
}

/** These files, in this order, and nothing else. Throws CapsuleRefused. */
export function filesIn(tar: Buffer, names: readonly string[]): Uint8Array[] {
  let at = 0;
  const files = names.map((name) => {
    const size = sizeIn(tar, at, name);
    const from = at + BLOCK;
    const end = from + size;
    at = end + padding(size).length;
    if (at > tar.length) throw refused(`${name} is cut off`);
    if (!isZero(tar.subarray(end, at))) throw refused(`there are bytes behind ${name}`);
    return tar.subarray(from, end);
  });
  if (tar.length !== at + END.length || !isZero(tar.subarray(at)))
    throw refused('there is something behind the last file');
  return files;
}

/** The head must be the one that this program writes for a file of that name and size. */
function sizeIn(tar: Buffer, at: number, name: string): number {
  const head = tar.subarray(at, at + BLOCK);
  const digits = head.toString('latin1', 124, 124 + SIZE_DIGITS);
  const size = /^[0-7]{11}$/.test(digits) ? Number.parseInt(digits, 8) : -1;
  if (head.length === BLOCK && size >= 0 && head.equals(headOf(name, size))) return size;
  throw refused(`the next file must be ${name}`);
}

function headOf(name: string, size: number): Buffer {
  const head = Buffer.alloc(BLOCK);
  head.write(name, 0, 'latin1');
  head.write('0000600\0', 100, 'latin1');
  head.write('0000000\0', 108, 'latin1');
  head.write('0000000\0', 116, 'latin1');
  head.write(`${size.toString(8).padStart(SIZE_DIGITS, '0')}\0`, 124, 'latin1');
  head.write(`${'0'.repeat(11)}\0`, 136, 'latin1');
  head.write(' '.repeat(8), CHECKSUM_AT, 'latin1');
  head.write(PLAIN_FILE, TYPE_AT, 'latin1');
  head.write(MAGIC, MAGIC_AT, 'latin1');
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT, 'latin1');
  return head;
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function refused(why: string): CapsuleRefused {
  return new CapsuleRefused(`the files in the capsule are not those of one: ${why}`);
}
