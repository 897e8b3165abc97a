/** Milliseconds since a reading of `performance.now`, to a tenth, as answers have it. */
export const elapsedMs = (began: number): number => Math.round((performance.now() - began) * 10) / 10;
