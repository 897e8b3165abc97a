/** Integers of the file formats: little endian, 64-bit ones below 2^53. */
const TWO_POW_32 = 2 ** 32;

export function dataViewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function setUint53(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value % TWO_POW_32, true);
  view.setUint32(offset + 4, Math.floor(value / TWO_POW_32), true);
}

export function getUint53(view: DataView, offset: number): number {
  return view.getUint32(offset + 4, true) * TWO_POW_32 + view.getUint32(offset, true);
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

const ZEROS = new Uint8Array(64 * 1024);

/** Index after the last byte that is not zero. */
export function lengthWithoutTrailingZeros(bytes: Uint8Array, from: number): number {
  let end = bytes.length;
  while (end > from) {
    const start = Math.max(from, end - ZEROS.length);
    if (!equalBytes(bytes.subarray(start, end), ZEROS.subarray(0, end - start))) break;
    end = start;
  }
  while (end > from && bytes[end - 1] === 0) end -= 1;
  return end;
}
