/**
 * The CRC-32 of zlib for a few bytes within others. A record has some eighty of them: a call to zlib with a view of them takes
 * several times as long as the sum itself.
 */
const POLYNOMIAL = 0xedb88320;
/** Four tables of 256: what a byte comes to with none to three more bytes after it. */
const TABLES = tables();

/** `start`: the CRC of what comes before. */
export function shortCrc(bytes: Uint8Array, from: number, to: number, start: number): number {
  let crc = ~start;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      TABLES[768 + (crc & 255)]! ^
      TABLES[512 + ((crc >>> 8) & 255)]! ^
      TABLES[256 + ((crc >>> 16) & 255)]! ^
      TABLES[crc >>> 24]!;
  }
  for (; at < to; at++) crc = (crc >>> 8) ^ TABLES[(crc ^ bytes[at]!) & 255]!;
  return ~crc >>> 0;
}

function tables(): Int32Array {
  const made = new Int32Array(4 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ POLYNOMIAL;
    made[byte] = crc;
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256]!;
    made[at] = (before >>> 8) ^ made[before & 255]!;
  }
  return made;
}
