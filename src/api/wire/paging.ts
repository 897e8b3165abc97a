/** Windows and pages of history queries (interface 8, rules 8.4): 90 days back, 30 days a query, 100 rows a page. */
import { parseOrderId } from '../../core/model/order-id.ts';
import { WireError, wireError } from './wire-error.ts';

const DAY_MS = 86_400_000;
export const WINDOW_MS = 90 * DAY_MS;
const SPAN_MS = 30 * DAY_MS;
export const PAGE_MAX = 100;

export interface PageRequest {
  readonly startTime?: string | undefined;
  readonly endTime?: string | undefined;
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

export interface Period {
  readonly startTime: number;
  readonly endTime: number;
}

/** Start and end as numbers, where given, and in order. */
export function times(
  query: PageRequest,
): { start: number | undefined; end: number | undefined } | WireError {
  const start = query.startTime === undefined ? undefined : Number(query.startTime);
  const end = query.endTime === undefined ? undefined : Number(query.endTime);
  if (start !== undefined && end !== undefined && start > end) {
    return wireError('40017', 'startTime must not be after endTime');
  }
  return { start, end };
}

/**
 * Both ends are inclusive. One given end gives a full span from it; without any it is the latest span. Lists of
 * deposits, withdrawals and transfers span the whole window, because a client asks for "30 days" a millisecond after
 * it noted the start.
 */
export function period(
  query: PageRequest,
  now: number,
  spanMs = SPAN_MS,
  windowMs = WINDOW_MS,
): Period | WireError {
  const bounds = times(query);
  if (bounds instanceof WireError) return bounds;
  const { start, end } = bounds;
  if (start !== undefined && end !== undefined && end - start > spanMs) {
    return wireError('40017', `startTime and endTime must be at most ${spanMs / DAY_MS} days apart`);
  }
  if (start !== undefined && start < now - windowMs) {
    const days = windowMs / DAY_MS;
    return wireError('40017', `startTime must lie within the last ${days} days: ${now - windowMs} or later`);
  }
  const endTime = end ?? (start === undefined ? now : Math.min(start + spanMs, now));
  // Some clients send an end in the future for "everything": the span is counted from now.
  const startTime = start ?? Math.max(Math.min(endTime, now) - spanMs, now - windowMs);
  return { startTime, endTime };
}

export function pageLimit(
  limit: string | undefined,
  byDefault = PAGE_MAX,
  most = PAGE_MAX,
  field = 'limit',
): number | WireError {
  if (limit === undefined) return byDefault;
  const value = Number(limit);
  return value === 0 ? wireError('40020', `${field} must be 1 to ${most}`) : Math.min(value, most);
}

/** Rows strictly older than the cursor. A number that is not an id still bounds the list. */
export function cursorId(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  return parseOrderId(cursor) ?? (BigInt(cursor) >= 2n * 10n ** 18n ? Number.MAX_SAFE_INTEGER : 0);
}

export interface HistoryPage extends Period {
  readonly limit: number;
  readonly beforeId?: number;
}

/** Window, size and position of a page of the history. */
export function historyPage(
  query: PageRequest,
  now: number,
  spanMs = SPAN_MS,
  byDefault = PAGE_MAX,
  windowMs = WINDOW_MS,
): HistoryPage | WireError {
  const window = period(query, now, spanMs, windowMs);
  if (window instanceof WireError) return window;
  const limit = pageLimit(query.limit, byDefault);
  if (limit instanceof WireError) return limit;
  const beforeId = cursorId(query.cursor);
  return { ...window, limit, ...(beforeId !== undefined && { beforeId }) };
}

/** The cursor is the smallest id of the page, which is that of its last row. */
export function pageOf<T>(
  list: readonly T[],
  id: (row: T) => string,
): { list: readonly T[]; cursor: string } {
  const last = list.at(-1);
  return { list, cursor: last === undefined ? '' : id(last) };
}
