/** What a test tells a server about its wall clock, twice: one that is read while it is written differs from itself. */

const HALF_BYTES = 16;
export const WALL_BYTES = 2 * HALF_BYTES;

export function wallRecord(stands: boolean, ms: number): Buffer {
  const half = Buffer.alloc(HALF_BYTES);
  half.writeDoubleLE(ms);
  half.writeDoubleLE(stands ? 1 : 0, 8);
  return Buffer.concat([half, half]);
}

/** Undefined when it was being written. */
export function wallIn(record: Buffer): { readonly stands: boolean; readonly ms: number } | undefined {
  if (record.compare(record, 0, HALF_BYTES, HALF_BYTES, WALL_BYTES) !== 0) return undefined;
  return { stands: record.readDoubleLE(8) === 1, ms: record.readDoubleLE(0) };
}
