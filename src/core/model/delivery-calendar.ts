/** Quarterly contracts: when they deliver and what they are called (rules 5.15). */
import { daysOfMonthStart, monthOf } from './candle-interval.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MONTH_LETTERS: Readonly<Record<number, string>> = { 3: 'H', 6: 'M', 9: 'U', 12: 'Z' };

/** The last Friday of the quarter's last month at 08:00 UTC, three months after the given delivery. */
export function deliveryAfter(deliveryTime: number, quarters: number): number {
  const { year, month } = monthOf(deliveryTime);
  const total = year * 12 + (month - 1) + 3 * quarters;
  return lastFriday(Math.floor(total / 12), (total % 12) + 1);
}

function lastFriday(year: number, month: number): number {
  const next = month === 12 ? daysOfMonthStart(year + 1, 1) : daysOfMonthStart(year, month + 1);
  const lastDay = next - 1;
  // 1970-01-01 was a Thursday: day 1 was a Friday.
  const weekday = (((lastDay - 1) % 7) + 7) % 7;
  return (lastDay - weekday) * DAY_MS + 8 * HOUR_MS;
}

/** Base and quote with the letter of the month and two digits of the year: BTCUSDZ26. */
export function quarterSymbol(baseCoin: string, quoteCoin: string, deliveryTime: number): string {
  const { year, month } = monthOf(deliveryTime);
  return `${baseCoin}${quoteCoin}${MONTH_LETTERS[month] ?? 'X'}${String(year % 100).padStart(2, '0')}`;
}
