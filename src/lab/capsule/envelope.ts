/**
 * The file of a capsule: a frame that zstd skips, then one that it unpacks, so that `tar --zstd -tf` reads a capsule too. The
 * first frame names the format, both lengths and the SHA-256 of everything else; a file in which any bit is another one,
 * or that was cut, is refused before it is unpacked.
 *
 * | offset | bytes | field |
 * |---|---|---|
 * | 0 | 4 | magic of a frame that is skipped |
 * | 4 | 4 | length of the rest of this frame: 60 |
 * | 8 | 8 | magic of capsules |
 * | 16 | 4 | format |
 * | 20 | 8 | bytes packed |
 * | 28 | 8 | bytes unpacked |
 * | 36 | 32 | SHA-256 of bytes 0 to 35 and of what is packed |
 */
import { createHash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { CapsuleRefused } from './capsule-refused.ts';

export const CAPSULE_FORMAT = 1;
const MIB = 1024 * 1024;
/** Bytes of the file, at most. */
export const CAPSULE_BYTES_MAX = 256 * MIB;
/** Bytes of its contents, at most: a small file can unpack to much memory. */
export const CONTENTS_BYTES_MAX = 512 * MIB;

const SKIPPED_FRAME = 0x184d2a50;
const MAGIC = Buffer.from('BRSCAPSL', 'latin1');
const HASH_AT = 36;
const HEADER_BYTES = 68;
const FRAME_HEAD_BYTES = 8;
/** Quick; states shrink to a fifth with it. */
const LEVEL = 3;

/** Throws CapsuleRefused when it would be too large to be read again. */
export function sealed(contents: Uint8Array): Buffer {
  if (contents.length > CONTENTS_BYTES_MAX) throw tooLarge('contents', contents.length, CONTENTS_BYTES_MAX);
  const packed = zstdCompressSync(contents, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(SKIPPED_FRAME, 0);
  header.writeUInt32LE(HEADER_BYTES - FRAME_HEAD_BYTES, 4);
  MAGIC.copy(header, 8);
  header.writeUInt32LE(CAPSULE_FORMAT, 16);
  header.writeBigUInt64LE(BigInt(packed.length), 20);
  header.writeBigUInt64LE(BigInt(contents.length), 28);
  hashOf(header, packed).copy(header, HASH_AT);
  const file = Buffer.concat([header, packed]);
  if (file.length > CAPSULE_BYTES_MAX) throw tooLarge('file', file.length, CAPSULE_BYTES_MAX);
  return file;
}

/** Throws CapsuleRefused. */
export function unsealed(file: Uint8Array): Buffer {
  if (file.length > CAPSULE_BYTES_MAX) throw tooLarge('file', file.length, CAPSULE_BYTES_MAX);
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length < HEADER_BYTES || !isCapsule(bytes))
    throw new CapsuleRefused('this is no capsule, or its beginning is damaged');
  const format = bytes.readUInt32LE(16);
  const header = bytes.subarray(0, HEADER_BYTES);
  const packed = bytes.subarray(HEADER_BYTES);
  const packedBytes = bytes.readBigUInt64LE(20);
  if (format === CAPSULE_FORMAT && packedBytes !== BigInt(packed.length))
    throw new CapsuleRefused(
      `the capsule is damaged: ${packedBytes + BigInt(HEADER_BYTES)} bytes were written, ${bytes.length} are there`,
    );
  if (!hashOf(header, packed).equals(header.subarray(HASH_AT)))
    throw new CapsuleRefused('the capsule is damaged: its checksum does not fit');
  if (format !== CAPSULE_FORMAT)
    throw new CapsuleRefused(
      `the capsule has format ${format}, this version reads format ${CAPSULE_FORMAT}: use the version that wrote it, or a newer one`,
    );
  return unpacked(packed, Number(bytes.readBigUInt64LE(28)));
}

function unpacked(packed: Uint8Array, length: number): Buffer {
  if (length > CONTENTS_BYTES_MAX) throw tooLarge('contents', length, CONTENTS_BYTES_MAX);
  let contents: Buffer;
  try {
    contents = zstdDecompressSync(packed, { maxOutputLength: Math.max(length, 1) });
  } catch (error) {
    throw new CapsuleRefused(`the capsule cannot be unpacked: ${(error as Error).message}`);
  }
  if (contents.length === length) return contents;
  throw new CapsuleRefused(
    `the capsule is damaged: its contents have ${contents.length} bytes instead of ${length}`,
  );
}

function isCapsule(bytes: Buffer): boolean {
  return (
    bytes.readUInt32LE(0) === SKIPPED_FRAME &&
    bytes.readUInt32LE(4) === HEADER_BYTES - FRAME_HEAD_BYTES &&
    bytes.subarray(8, 16).equals(MAGIC)
  );
}

function hashOf(header: Uint8Array, packed: Uint8Array): Buffer {
  return createHash('sha256').update(header.subarray(0, HASH_AT)).update(packed).digest();
}

function tooLarge(what: string, bytes: number, most: number): CapsuleRefused {
  return new CapsuleRefused(`${what} of ${Math.ceil(bytes / MIB)} MiB, at most ${most / MIB} are allowed`);
}
