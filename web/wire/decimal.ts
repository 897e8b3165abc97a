/** Exact decimal numbers: an integer and how many of its digits stand behind the point. Money is never a float here. */

export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };
export const ONE: Decimal = { units: 1n, scale: 0 };

const PATTERN = /^(-?)(\d*)(?:\.(\d*))?$/;

/** Undefined for text that is no plain decimal number, such as an empty field. */
export function decimal(text: string): Decimal | undefined {
  const [, sign, whole = '', part = ''] = PATTERN.exec(text.replaceAll(',', '')) ?? [];
  if (sign === undefined || whole + part === '') return undefined;
  return { units: BigInt(`${sign}${whole}${part}`), scale: part.length };
}

/** For text of the exchange, where absence counts as nothing. */
export const amount = (text: string | undefined): Decimal => decimal(text ?? '') ?? ZERO;

export const integer = (value: number | bigint): Decimal => ({ units: BigInt(value), scale: 0 });

const unitsAt = ({ units, scale }: Decimal, to: number): bigint => units * 10n ** BigInt(to - scale);

function aligned(a: Decimal, b: Decimal): readonly [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [unitsAt(a, scale), unitsAt(b, scale), scale];
}

export function add(a: Decimal, b: Decimal): Decimal {
  const [left, right, scale] = aligned(a, b);
  return { units: left + right, scale };
}

export const negate = ({ units, scale }: Decimal): Decimal => ({ units: -units, scale });
export const subtract = (a: Decimal, b: Decimal): Decimal => add(a, negate(b));
export const absolute = ({ units, scale }: Decimal): Decimal => ({
  units: units < 0n ? -units : units,
  scale,
});
export const multiply = (a: Decimal, b: Decimal): Decimal => ({
  units: a.units * b.units,
  scale: a.scale + b.scale,
});

/** Rounded towards zero after `scale` digits; zero when the divisor is. */
export function divide(a: Decimal, b: Decimal, scale: number): Decimal {
  if (b.units === 0n) return ZERO;
  const shift = scale + b.scale - a.scale;
  const [over, under] =
    shift >= 0 ? [a.units * 10n ** BigInt(shift), b.units] : [a.units, b.units * 10n ** BigInt(-shift)];
  return { units: over / under, scale };
}

export function compare(a: Decimal, b: Decimal): number {
  const [left, right] = aligned(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

export const least = (a: Decimal, b: Decimal): Decimal => (compare(a, b) <= 0 ? a : b);
export const sign = ({ units }: Decimal): -1 | 0 | 1 => (units < 0n ? -1 : units > 0n ? 1 : 0);

/** Towards zero. */
export function rescale(value: Decimal, scale: number): Decimal {
  if (value.scale <= scale) return { units: unitsAt(value, scale), scale };
  return { units: value.units / 10n ** BigInt(value.scale - scale), scale };
}

/** The multiple of a step at or below a positive number. */
export function floorTo(value: Decimal, step: Decimal): Decimal {
  const [units, stepUnits, scale] = aligned(value, step);
  return stepUnits === 0n ? value : { units: units - (units % stepUnits), scale };
}

export function nearest(value: Decimal, step: Decimal): Decimal {
  const half = divide(step, integer(2), step.scale + 1);
  return floorTo(add(value, half), step);
}

/** Plain text with all digits of the scale. */
export function textOf({ units, scale }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const cut = digits.length - scale;
  return `${units < 0n ? '-' : ''}${digits.slice(0, cut)}${scale > 0 ? `.${digits.slice(cut)}` : ''}`;
}

/** Without zeros at the end of the fraction. */
export function trimmed(value: Decimal): string {
  const text = textOf(value);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
