/** Numbers as people read them: grouped digits, fixed fractions, short forms. All from exact text. */
import {
  absolute,
  amount,
  type Decimal,
  decimal,
  divide,
  integer,
  multiply,
  rescale,
  sign,
  textOf,
} from './decimal.ts';

const NONE = '–';

/** `1234567.8` with thousands apart. */
export function grouped(text: string): string {
  const [whole = '', part] = text.split('.');
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return part === undefined ? digits : `${digits}.${part}`;
}

/** With exactly `digits` behind the point; the streams leave zeros at the end out. */
export function fixed(value: Decimal | string | undefined, digits: number): string {
  const exact = typeof value === 'string' ? decimal(value) : value;
  return exact === undefined ? NONE : grouped(textOf(rescale(exact, digits)));
}

/** With its sign, so that gain and loss differ by more than colour. */
export function signed(value: Decimal | string | undefined, digits: number): string {
  const exact = typeof value === 'string' ? decimal(value) : value;
  if (exact === undefined) return NONE;
  const cut = rescale(exact, digits);
  return `${sign(cut) > 0 ? '+' : sign(cut) < 0 ? '−' : ''}${grouped(textOf(absolute(cut)))}`;
}

/** A ratio such as `0.0213` as `2.13 %`. */
export function percent(ratio: string | undefined, digits: number): string {
  const exact = decimal(ratio ?? '');
  return exact === undefined ? NONE : `${fixed(multiply(exact, integer(100)), digits)} %`;
}

export function signedPercent(ratio: string | undefined, digits: number): string {
  const exact = decimal(ratio ?? '');
  return exact === undefined ? NONE : `${signed(multiply(exact, integer(100)), digits)} %`;
}

const SUFFIXES = ['', 'K', 'M', 'B', 'T'] as const;

/** Three to four digits with a suffix: `1.23M`. */
export function short(value: Decimal | string | undefined): string {
  const exact = typeof value === 'string' ? decimal(value) : value;
  if (exact === undefined) return NONE;
  const whole = textOf(rescale(absolute(exact), 0));
  const step = Math.min(SUFFIXES.length - 1, Math.floor((whole.length - 1) / 3));
  const scaled = divide(exact, integer(10n ** BigInt(3 * step)), 4);
  const leading = whole.length - 3 * step;
  return `${fixed(scaled, step === 0 && whole.length > 3 ? 0 : Math.max(0, 3 - leading))}${SUFFIXES[step]}`;
}

export const toneOf = (value: Decimal | string | undefined): 'up' | 'down' | '' => {
  const of = sign(typeof value === 'string' ? amount(value) : (value ?? amount('')));
  return of > 0 ? 'up' : of < 0 ? 'down' : '';
};

const two = (value: number) => String(value).padStart(2, '0');

/** All times of the page are UTC, as the days and fundings of the exchange are. */
export function clockTime(ms: number): string {
  const at = new Date(ms);
  return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
}

export function dateTime(ms: number): string {
  const at = new Date(ms);
  return `${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())} ${clockTime(ms)}`;
}

export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
