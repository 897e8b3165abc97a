/** Numbers and roundings (rules 0.3, 0.4). Money is `bigint` in 10^-8 of the coin. */

export const MONEY_SCALE = 8;
export const MONEY_ONE = 10n ** 8n;
/** Rates are integers of 10^-12. */
export const RATE_SCALE = 12;
export const RATE_ONE = 10n ** 12n;
/** A relative move of prices, as a number, has nine decimal places. */
export const MOVE_ONE = 1_000_000_000;

const POWERS_OF_TEN: readonly bigint[] = Array.from({ length: 41 }, (_, n) => 10n ** BigInt(n));

export function powerOfTen(exponent: number): bigint {
  assert(exponent >= 0 && exponent <= 40, 'power of ten out of range');
  return POWERS_OF_TEN[exponent]!;
}

/**
 * A broken invariant stops the process: the state can no longer be trusted (architecture.md, Failure). A text with amounts is
 * given as a function, because making it costs more than most checks.
 */
export function assert(condition: boolean, message: string | (() => string)): asserts condition {
  if (!condition) throw new InvariantBroken(typeof message === 'string' ? message : message());
}

export class InvariantBroken extends Error {
  override name = 'InvariantBroken';
}

/** `trunc`: toward zero. BigInt division already does this; the name says that it is meant. */
export function divTrunc(a: bigint, b: bigint): bigint {
  return a / b;
}

export function divFloor(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

export function divCeil(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n === b < 0n ? quotient + 1n : quotient;
}

/** `half`: to the nearest, half away from zero. */
export function divHalf(a: bigint, b: bigint): bigint {
  const negative = a < 0n !== b < 0n;
  const n = a < 0n ? -a : a;
  const d = b < 0n ? -b : b;
  const quotient = (2n * n + d) / (2n * d);
  return negative ? -quotient : quotient;
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function larger(a: bigint, b: bigint): bigint {
  return a < b ? b : a;
}

export function clamp(value: bigint, low: bigint, high: bigint): bigint {
  return smaller(larger(value, low), high);
}

/** For sorting: negative, zero or positive. */
export function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const DECIMAL = /^-?(0|[1-9][0-9]{0,29})(\.[0-9]{1,18})?$/;

/** Reads a decimal of the catalogue or an operator as an integer of 10^-scale; undefined when it is not one. */
export function parseUnits(text: string, scale: number): bigint | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const point = text.indexOf('.');
  const fraction = point < 0 ? '' : text.slice(point + 1);
  const kept = fraction.replace(/0+$/, '');
  if (kept.length > scale) return undefined;
  const whole = point < 0 ? text : text.slice(0, point);
  return BigInt(whole + kept.padEnd(scale, '0'));
}

/** Decimal text of an integer of 10^-scale: no exponent, no trailing zeros, never "-0". */
export function formatUnits(units: bigint, scale: number): string {
  const negative = units < 0n;
  const digits = (negative ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  let end = digits.length;
  while (end > digits.length - scale && digits.charCodeAt(end - 1) === 48) end--;
  const fraction = digits.slice(digits.length - scale, end);
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  return negative ? `-${text}` : text;
}

/** Decimal text of money. */
export function formatMoney(amount: bigint): string {
  return formatUnits(amount, MONEY_SCALE);
}

/** Decimal text of a rate. */
export function formatRate(rate: bigint): string {
  return formatUnits(rate, RATE_SCALE);
}
