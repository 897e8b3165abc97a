/**
 * Decimal input. Money and sizes arrive as decimal text and become exact integers with a scale; `Number` and
 * `parseFloat` are never used on them, because both accept more than decimals and keep fewer digits.
 */

/** `units` × 10^-`scale`, without trailing zeros: 1.50 is 15 at scale 1. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const DECIMAL = /^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/;
const DECIMAL_CHARS_MAX = 40;
const INTEGER = /^[0-9]{1,16}$/;

/** Accepts decimal text, and JSON numbers that print as such (wire rule 19); anything else is undefined. */
export function parseDecimal(input: unknown): Decimal | undefined {
  const text = decimalText(input);
  // Length first: the cost of the rest grows with the text.
  if (text === undefined || text.length > DECIMAL_CHARS_MAX || !DECIMAL.test(text)) return undefined;
  const point = text.indexOf('.');
  if (point < 0) return { units: BigInt(text), scale: 0 };
  let end = text.length;
  while (text[end - 1] === '0') end -= 1;
  const fraction = text.slice(point + 1, end);
  return { units: BigInt(text.slice(0, point) + fraction), scale: fraction.length };
}

/** A JSON integer beyond 2^53 lost digits in the parser, so it is not the number that the client wrote. */
function decimalText(input: unknown): string | undefined {
  if (typeof input === 'string') return input;
  if (typeof input !== 'number' || !Number.isFinite(input)) return undefined;
  if (Number.isInteger(input) && !Number.isSafeInteger(input)) return undefined;
  return String(input);
}

/** The value in units of 10^-`scale`, or undefined when it has more decimals than that. */
export function unitsAtScale(decimal: Decimal, scale: number): bigint | undefined {
  return decimal.scale > scale ? undefined : decimal.units * 10n ** BigInt(scale - decimal.scale);
}

const ZERO = 0x30;
const POINT = 0x2e;
/** As many digits as a number always keeps, and a point. */
const EXACT_CHARS_MAX = 16;
const POWERS_OF_TEN = Array.from({ length: EXACT_CHARS_MAX }, (_, n) => 10 ** n);

/**
 * The value of a short decimal text in units of 10^-`scale`, as nearly all prices and sizes are: without a big integer. NaN where
 * the text is not that, where it has more decimals, and where a number would not be exact: `parseDecimal` decides then.
 */
export function exactUnits(text: string, scale: number): number {
  const { length } = text;
  if (length > EXACT_CHARS_MAX) return Number.NaN;
  let units = 0;
  /** Where the point is; before it, beyond the end. */
  let point = length;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const digit = code - ZERO;
    if (code === POINT && point === length) point = at;
    else if (digit < 0 || digit > 9) return Number.NaN;
    else if (at <= point + scale) units = 10 * units + digit;
    else if (digit !== 0) return Number.NaN;
  }
  const decimals = length - 1 - point;
  const padded = point > 1 && text.charCodeAt(0) === ZERO;
  if (point === 0 || decimals === 0 || padded) return Number.NaN;
  const missing = POWERS_OF_TEN[Math.max(0, scale - Math.max(0, decimals))];
  const value = missing === undefined ? Number.NaN : units * missing;
  return Number.isSafeInteger(value) ? value : Number.NaN;
}

/** Limits, page numbers and timestamps: plain digits within the range, as text or as a JSON number. */
export function parseInteger(input: unknown, min: number, max: number): number | undefined {
  const text = decimalText(input);
  if (text === undefined || !INTEGER.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined;
}
