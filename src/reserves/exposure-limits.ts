/** Limits of the house's exposure as the setting names them: `bad-debt=1000`, `conversion:BTC=250000`, `loans=off`. */
import { formatMoney, MONEY_SCALE, parseUnits } from '../core/model/units.ts';
import type { ExposureFigure } from '../core/reads/exposure-reads.ts';

/** Figures that may have a limit, and its kind: what is at stake has a most, a fund a least. */
export const LIMIT_KINDS = {
  'clearing-short': 'most',
  conversion: 'most',
  loans: 'most',
  'loans-lost': 'most',
  'margin-lending': 'most',
  insurance: 'least',
  'insurance-lending': 'least',
  'bad-debt': 'most',
  'written-off': 'most',
} as const satisfies { readonly [Figure in ExposureFigure]?: 'most' | 'least' };
type LimitedFigure = keyof typeof LIMIT_KINDS;

export interface ExposureLimit {
  readonly figure: LimitedFigure;
  /** Of one coin; undefined for the sum over all. */
  readonly coin: string | undefined;
  /** 10^-8 dollars. */
  readonly usd: bigint;
}

export const EXPOSURE_LIMITS_FORM =
  `a list of figure=dollars, figure:COIN=dollars or figure=off, each figure once, such as bad-debt=500,conversion:BTC=250000; ` +
  `figures are ${Object.keys(LIMIT_KINDS).join(', ')}`;

/**
 * Beyond these a venue of any size should look. What may be lent has limits of its own (pool limits and shares of the
 * custody, rules 13.5), and what a fund should hold depends on the venue: no limit unless the operator sets one.
 */
export const DEFAULT_EXPOSURE_LIMITS: readonly string[] = [
  'clearing-short=100000',
  'conversion=1000000',
  'bad-debt=1000',
];

const ENTRY = /^(?<figure>[a-z-]+)(?::(?<coin>[A-Z0-9]{1,20}))?=(?<limit>off|[0-9]{1,12}(?:\.[0-9]{1,8})?)$/;

/**
 * The entries over the defaults, one by one; undefined when one is malformed or stands twice. A default that is off stays
 * in the list as such, so that the result means the same when it is read again.
 */
export function readExposureLimits(entries: readonly string[]): readonly string[] | undefined {
  const limits = new Map<string, string>();
  for (const entry of DEFAULT_EXPOSURE_LIMITS) limits.set(...keyAndLimit(entry));
  const given = new Set<string>();
  for (const entry of entries) {
    const { figure } = ENTRY.exec(entry)?.groups ?? {};
    if (figure === undefined || !Object.hasOwn(LIMIT_KINDS, figure)) return undefined;
    const [key, limit] = keyAndLimit(entry);
    if (given.has(key)) return undefined;
    given.add(key);
    if (limit !== 'off') limits.set(key, formatMoney(parseUnits(limit, MONEY_SCALE)!));
    else if (limits.has(key)) limits.set(key, limit);
  }
  return [...limits].map(([key, limit]) => `${key}=${limit}`);
}

/** What `readExposureLimits` has accepted. */
export function exposureLimits(entries: readonly string[]): ExposureLimit[] {
  return entries.flatMap((entry) => {
    const { figure, coin, limit } = ENTRY.exec(entry)!.groups!;
    if (limit === 'off') return [];
    return { figure: figure as LimitedFigure, coin, usd: parseUnits(limit!, MONEY_SCALE)! };
  });
}

function keyAndLimit(entry: string): [key: string, limit: string] {
  const [key = '', limit = ''] = entry.split('=');
  return [key, limit];
}
