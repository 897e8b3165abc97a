import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { shortCrc } from './short-crc.ts';

test('a short CRC is that of zlib, whatever the length, the place and the start', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, n) => (n * 167 + 13) & 255);
  const starts = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff];
  for (let length = 0; length < 70; length++)
    for (const from of [0, 1, 2, 3, 211])
      for (const start of starts)
        equal(
          shortCrc(bytes, from, from + length, start),
          crc32(bytes.subarray(from, from + length), start),
          `${length} bytes from ${from} after ${start}`,
        );
});
