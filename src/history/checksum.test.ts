import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { checksumOf } from './checksum.ts';

test('a checksum is the CRC-32 that other programs compute, of any text', () => {
  const SEPARATOR = '\u001f';
  for (const values of [
    [],
    [''],
    [1, 'BTCUSDT', '60018', 0],
    ['Zürich', '東京', '𝛑', 'plain', -5, 1_790_000_000_000],
  ]) {
    const bytes = values.map((value) => `${value}${SEPARATOR}`).join('');
    assert.equal(checksumOf(values), crc32(bytes));
  }
  const blob = Uint8Array.of(1, 2, 3);
  assert.equal(checksumOf(['a', blob], 1), checksumOf(['a', crc32(blob)]));
  assert.notEqual(checksumOf(['a', Uint8Array.of(1, 2, 2)], 1), checksumOf(['a', blob], 1));
});
