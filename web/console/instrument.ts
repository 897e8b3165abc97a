/** An instrument as `/admin/instruments` shows it, and what the console makes of it. */
import { decimal, divide, integer, multiply, subtract } from '../wire/decimal.ts';
import { fixed } from '../wire/format.ts';

export interface Instrument {
  readonly category: string;
  readonly symbol: string;
  readonly status: string;
  readonly closeOnly: boolean;
  readonly paused: boolean;
  readonly fundInterval: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  readonly openOrders: number;
  readonly bid: string;
  readonly ask: string;
  readonly last: string;
  readonly mark: string;
  readonly bidDepth: string;
  readonly askDepth: string;
  readonly fundingRate: string;
  readonly nextFunding: number | null;
  readonly launchTime: number | null;
  readonly limitOpenTime: number | null;
  readonly offTime: number | null;
  readonly deliveryTime: number | null;
}

const DIGITS = 8;

/** In hundredths of a percent of the ask. */
export function spreadOf({ bid, ask }: Pick<Instrument, 'bid' | 'ask'>): string {
  const [low, high] = [decimal(bid), decimal(ask)];
  if (low === undefined || high === undefined) return '–';
  const share = divide(subtract(high, low), high, DIGITS);
  return `${fixed(multiply(share, integer(10_000)), 2)} bp`;
}

type Calendar = Pick<Instrument, 'launchTime' | 'limitOpenTime' | 'offTime' | 'deliveryTime' | 'nextFunding'>;

const ENTRIES = [
  ['launchTime', 'opens'],
  ['limitOpenTime', 'stops opening'],
  ['deliveryTime', 'is delivered'],
  ['offTime', 'goes offline'],
  ['nextFunding', 'funding'],
] as const;

/** What comes next by itself; times that have passed do nothing any more. */
export function calendarOf(calendar: Calendar, now = Date.now()): string {
  const [next] = ENTRIES.map(([entry, what]) => ({ what, time: calendar[entry] }))
    .filter((each): each is { what: (typeof each)['what']; time: number } => (each.time ?? 0) > now)
    .sort((a, b) => a.time - b.time);
  return next === undefined
    ? '–'
    : `${next.what} ${new Date(next.time).toISOString().slice(5, 16).replace('T', ' ')}`;
}
