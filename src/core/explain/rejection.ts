/** How one reject reason is explained. */
import type { RejectReason } from '../model/reject-reason.ts';
import { formatMoney } from '../model/units.ts';
import { coinName, type Facts, priceText, qtyText } from './figures.ts';
import type { Subject } from './subject.ts';

export type ReasonName = Exclude<keyof typeof RejectReason, 'none'>;

export interface Rejection {
  /** What was checked, as a sentence that is true when it passes. */
  readonly check: string;
  /** Where the rule book says so. */
  readonly rule: string;
  readonly inputs: (s: Subject) => Facts;
  readonly bound: (s: Subject) => string;
  readonly right: (s: Subject) => string;
}

export type Rejections<Reason extends ReasonName> = Readonly<Record<Reason, Rejection>>;

type Words = string | ((s: Subject) => string);
const words = (given: Words) => (typeof given === 'string' ? () => given : given);

export function rejection(
  check: string,
  rule: string,
  inputs: (s: Subject) => Facts,
  bound: Words,
  right: Words = bound,
): Rejection {
  return { check, rule, inputs, bound: words(bound), right: words(right) };
}

export function price({ instrument }: Subject, ticks: number): string {
  return instrument === undefined ? String(ticks) : priceText(instrument, ticks);
}

export function qty({ instrument }: Subject, lots: number): string {
  return instrument === undefined ? String(lots) : qtyText(instrument, lots);
}

export const tick = (s: Subject): string => price(s, s.instrument?.tickStep ?? 1);
export const step = (s: Subject): string => qty(s, s.instrument?.lotStep ?? 1);
export const boundPrice = (s: Subject): string => price(s, s.result.bound ?? 0);
export const boundQty = (s: Subject): string => qty(s, s.result.bound ?? 0);

/** Money that the rejection says is there, or the limit in money that it names. */
export function available({ state, result }: Subject): string {
  const { coin, available: amount = 0n } = result;
  return coin === undefined
    ? `${formatMoney(amount)} USD`
    : `${formatMoney(amount)} ${coinName(state, coin)}`;
}

export function coinAmount({ state, coin, amount = 0n }: Subject): string {
  return coin === undefined ? formatMoney(amount) : `${formatMoney(amount)} ${coinName(state, coin)}`;
}

/** The multiples next to a value; the first when it is below that. */
export function neighbours(value: number, multiple: number): readonly number[] {
  const below = Math.floor(value / multiple) * multiple;
  return below === 0 ? [multiple] : [below, below + multiple];
}
