/**
 * Candle intervals and when their candles open (rules 8.3). Days, and everything longer than four hours, open on
 * UTC+8 boundaries; the `utc` twins open on UTC ones. Weeks open on Monday, months on the first.
 */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const EAST_8 = 8 * HOUR;
/** 1970-01-01 was a Thursday: Mondays are four days later. */
const MONDAY = 4 * DAY;

interface Interval {
  readonly name: string;
  /** 0 = calendar months. */
  readonly ms: number;
  /** Added before rounding down and taken off again. */
  readonly shift: number;
}

const INTERVALS = [
  { name: '1m', ms: MINUTE, shift: EAST_8 },
  { name: '3m', ms: 3 * MINUTE, shift: EAST_8 },
  { name: '5m', ms: 5 * MINUTE, shift: EAST_8 },
  { name: '15m', ms: 15 * MINUTE, shift: EAST_8 },
  { name: '30m', ms: 30 * MINUTE, shift: EAST_8 },
  { name: '1H', ms: HOUR, shift: EAST_8 },
  { name: '2H', ms: 2 * HOUR, shift: EAST_8 },
  { name: '4H', ms: 4 * HOUR, shift: EAST_8 },
  { name: '6H', ms: 6 * HOUR, shift: EAST_8 },
  { name: '12H', ms: 12 * HOUR, shift: EAST_8 },
  { name: '1D', ms: DAY, shift: EAST_8 },
  { name: '3D', ms: 3 * DAY, shift: EAST_8 },
  { name: '1W', ms: 7 * DAY, shift: EAST_8 - MONDAY },
  { name: '1M', ms: 0, shift: EAST_8 },
  { name: '6Hutc', ms: 6 * HOUR, shift: 0 },
  { name: '12Hutc', ms: 12 * HOUR, shift: 0 },
  { name: '1Dutc', ms: DAY, shift: 0 },
  { name: '3Dutc', ms: 3 * DAY, shift: 0 },
  { name: '1Wutc', ms: 7 * DAY, shift: -MONDAY },
  { name: '1Mutc', ms: 0, shift: 0 },
] as const satisfies readonly Interval[];

export type CandleInterval = (typeof INTERVALS)[number]['name'];
export const CANDLE_INTERVALS: readonly CandleInterval[] = INTERVALS.map((interval) => interval.name);

/** Open time of the candle of interval number `index` that holds `time`. */
export function candleOpen(index: number, time: number): number {
  const { ms, shift } = INTERVALS[index]!;
  if (ms === 0) return monthStart(time + shift) - shift;
  return Math.floor((time + shift) / ms) * ms - shift;
}

/** Open time of the candle after the one that opens at `openTime`. */
export function nextCandleOpen(index: number, openTime: number): number {
  const { ms, shift } = INTERVALS[index]!;
  if (ms === 0) return monthStart(openTime + shift + 32 * DAY) - shift;
  return openTime + ms;
}

export function candleIntervalIndex(interval: CandleInterval): number {
  return CANDLE_INTERVALS.indexOf(interval);
}

/** First instant of the civil month that holds `time`. */
function monthStart(time: number): number {
  const { year, month } = monthOf(time);
  return daysOfMonthStart(year, month) * DAY;
}

/** Civil year and month (1 to 12) of a time, counted in days of 400-year cycles that start in March. */
export function monthOf(time: number): { year: number; month: number } {
  const days = Math.floor(time / DAY) + 719_468;
  const cycle = Math.floor(days / 146_097);
  const dayOfCycle = days - cycle * 146_097;
  const leaps =
    Math.floor(dayOfCycle / 1460) - Math.floor(dayOfCycle / 36_524) + Math.floor(dayOfCycle / 146_096);
  const yearOfCycle = Math.floor((dayOfCycle - leaps) / 365);
  const dayOfYear =
    dayOfCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return { year: cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0), month };
}

/** Days from 1970-01-01 to the first of a month. */
export function daysOfMonthStart(year: number, month: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const cycle = Math.floor(marchYear / 400);
  const yearOfCycle = marchYear - cycle * 400;
  const marchMonth = month > 2 ? month - 3 : month + 9;
  const dayOfYear = Math.floor((153 * marchMonth + 2) / 5);
  const dayOfCycle =
    yearOfCycle * 365 + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100) + dayOfYear;
  return cycle * 146_097 + dayOfCycle - 719_468;
}
