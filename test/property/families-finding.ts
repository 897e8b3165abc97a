/** What the parts of the judge share: findings, who belongs to the family, what kind of fill something is. */
import { OrderKind } from '../../src/core/model/enums.ts';
import { FAMILY, STRANGERS } from './families-venue.ts';

export interface Finding {
  /** What was broken, without numbers: findings of one kind shrink to each other. */
  readonly kind: string;
  readonly text: string;
}

export type Find = (kind: string, text: string) => void;

export const family: ReadonlySet<number> = new Set<number>(FAMILY);
export const strangers: ReadonlySet<number> = new Set<number>(STRANGERS);

/** Farther from the outside price a mark is nobody's but the venue's. */
export const MARK_AWAY = 0.004;

/** Dollars: a dozen units of the dearest coin, and some for each fill and event. */
export const ROUNDING = 0.01;
const ROUNDING_PER_FILL = 0.005;

export function rounding(count: number): number {
  return ROUNDING + ROUNDING_PER_FILL * count;
}

export function isForced(kind: OrderKind | undefined): boolean {
  return kind === OrderKind.liquidation || kind === OrderKind.reduce;
}

export function isFunding(kind: string): boolean {
  return kind === 'fundingIn' || kind === 'fundingOut';
}

export function dollars(amount: number): string {
  return `${amount.toFixed(4)} USD`;
}
