/** A pack as bytes: format, flags, number of commands, each command with its length, then the calls that sent them. */
import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { UnreadableRecord } from '../core/model/bytes.ts';
import type { OrderCall } from '../sequencer/sequencer.ts';

export const PACK_COMMANDS_MAX = 2_000;
export const PACK_BYTES_MAX = 1024 * 1024;

const FORMAT = 1;
const COMPRESSED = 1;
const WITH_CALLS = 2;
const HEAD_BYTES = 8;
const LENGTH_BYTES = 4;
/** The uid of its account, and what was called. */
export const CALL_BYTES = 9;
const CALL_CODE_AT = 8;
/** Smaller ones gain less than they cost. */
const COMPRESS_FROM_BYTES = 4_096;

/** What a command adds to a pack. */
export const bytesOf = (payload: Uint8Array): number => payload.length + LENGTH_BYTES;

export interface PackContent {
  readonly payloads: Uint8Array[];
  readonly calls: readonly OrderCall[];
}

export function encodePack(payloads: readonly Uint8Array[], calls: readonly OrderCall[] = []): Buffer {
  const commandBytes = payloads.reduce((sum, payload) => sum + bytesOf(payload), 0);
  const plain = Buffer.allocUnsafe(commandBytes + calls.length * CALL_BYTES);
  let end = 0;
  for (const payload of payloads) {
    end = plain.writeUInt32LE(payload.length, end);
    plain.set(payload, end);
    end += payload.length;
  }
  for (const { uid, code } of calls) {
    end = plain.writeDoubleLE(uid, end);
    end = plain.writeUInt8(code, end);
  }
  const isLarge = plain.length >= COMPRESS_FROM_BYTES;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(FORMAT, 0);
  head.writeUInt8((isLarge ? COMPRESSED : 0) | (calls.length > 0 ? WITH_CALLS : 0), 1);
  head.writeUInt32LE(payloads.length, 4);
  return Buffer.concat([head, isLarge ? zstdCompressSync(plain) : plain]);
}

/** The commands. Throws UnreadableRecord. */
export function decodePack(body: Uint8Array): Uint8Array[] {
  return readPack(body).payloads;
}

/** Throws UnreadableRecord. */
export function readPack(body: Uint8Array): PackContent {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length < HEAD_BYTES || bytes.readUInt8(0) !== FORMAT)
    throw new UnreadableRecord('a pack of a newer version, or damaged');
  const flags = bytes.readUInt8(1);
  const count = bytes.readUInt32LE(4);
  const rest = bytes.subarray(HEAD_BYTES);
  const plain = (flags & COMPRESSED) === 0 ? rest : decompressed(rest);
  const payloads: Uint8Array[] = [];
  let at = 0;
  while (at < plain.length && payloads.length < count) {
    if (plain.length - at < LENGTH_BYTES) throw new UnreadableRecord('a pack ends within a length');
    const end = at + LENGTH_BYTES + plain.readUInt32LE(at);
    if (end > plain.length) throw new UnreadableRecord('a pack ends within a command');
    payloads.push(plain.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  const calls = (flags & WITH_CALLS) === 0 ? [] : callsIn(plain.subarray(at));
  const left = plain.length - at - calls.length * CALL_BYTES;
  if (payloads.length !== count || left !== 0)
    throw new UnreadableRecord('a pack has another number of commands');
  return { payloads, calls };
}

function callsIn(bytes: Buffer): OrderCall[] {
  const calls: OrderCall[] = [];
  for (let at = 0; at + CALL_BYTES <= bytes.length; at += CALL_BYTES)
    calls.push({ uid: bytes.readDoubleLE(at), code: bytes.readUInt8(at + CALL_CODE_AT) });
  return calls;
}

function decompressed(bytes: Buffer): Buffer {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: PACK_BYTES_MAX + HEAD_BYTES });
  } catch {
    throw new UnreadableRecord('a pack cannot be decompressed');
  }
}

/** The chain before the first pack. */
export const FIRST_CHAIN: Uint8Array = Buffer.alloc(32);

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The chain after a pack: a hash over it and over the chain before it. */
export const chainOf = (before: Uint8Array, body: Uint8Array): Buffer => chainOfHash(before, sha256(body));

/** The same, where only the hash of the body is at hand. */
export const chainOfHash = (before: Uint8Array, hash: Uint8Array): Buffer => sha256(before, hash);
