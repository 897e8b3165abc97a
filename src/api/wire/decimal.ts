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

/** Limits, page numbers and timestamps: plain digits within the range, as text or as a JSON number. */
export function parseInteger(input: unknown, min: number, max: number): number | undefined {
  const text = decimalText(input);
  if (text === undefined || !INTEGER.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined;
}
