/** Recorded commands as a file: each with its length before it, compressed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { decodeCommand } from '../../src/core/codec/command-codec.ts';
import type { Command } from '../../src/core/model/command.ts';

const LENGTH_BYTES = 4;

export function writeRecording(path: string, encoded: readonly Uint8Array[]): void {
  const records = encoded.flatMap((bytes) => {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  });
  writeFileSync(path, gzipSync(Buffer.concat(records), { level: 9 }));
}

export function* readRecording(path: string): Generator<Command> {
  const bytes = gunzipSync(readFileSync(path));
  for (let at = 0; at < bytes.length; ) {
    const end = at + LENGTH_BYTES + bytes.readUInt32LE(at);
    yield decodeCommand(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
}
