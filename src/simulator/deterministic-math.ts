/**
 * Exponential and logarithm from additions, multiplications and divisions alone. Those give the same bits on every
 * machine; the result of a runtime's `Math.exp` is not specified exactly, and a simulation must be repeatable.
 */
/** The logarithm of two in two parts, so that multiples of it stay exact. */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const bits = new DataView(new ArrayBuffer(8));

export function exp(x: number): number {
  if (x < -700) return 0;
  const k = Math.round(x / Math.LN2);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum = 1;
  for (let n = 14; n >= 1; n--) sum = 1 + (r * sum) / n;
  return sum * powerOfTwo(k);
}

/** The same for small numbers, where eight terms are enough. */
export function expSmall(x: number): number {
  if (x > 0.25 || x < -0.25) return exp(x);
  return 1 + x * (1 + (x / 2) * (1 + (x / 3) * (1 + (x / 4) * (1 + (x / 5) * (1 + (x / 6) * (1 + x / 7))))));
}

export function log(x: number): number {
  bits.setFloat64(0, x);
  const high = bits.getUint32(0);
  let exponent = (high >>> 20) - 1023;
  bits.setUint32(0, (high & 0x000f_ffff) | 0x3ff0_0000);
  let mantissa = bits.getFloat64(0);
  if (mantissa > Math.SQRT2) {
    mantissa /= 2;
    exponent++;
  }
  const s = (mantissa - 1) / (mantissa + 1);
  const square = s * s;
  let sum = 0;
  for (let n = 21; n >= 1; n -= 2) sum = sum * square + 1 / n;
  return 2 * s * sum + exponent * LN2_LOW + exponent * LN2_HIGH;
}

/** The share that is left after `elapsed` of a quantity that halves every `halfLife`. */
export function decay(elapsed: number, halfLife: number): number {
  return exp((-Math.LN2 * elapsed) / halfLife);
}

export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

function powerOfTwo(exponent: number): number {
  bits.setUint32(0, (exponent + 1023) << 20);
  bits.setUint32(4, 0);
  return bits.getFloat64(0);
}
