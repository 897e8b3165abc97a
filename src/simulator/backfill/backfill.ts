/**
 * Generates past candles for books without any, so that charts of a new exchange are not empty: a year of hours, of
 * which the last days also by the minute. They go into a table of their own and are never mixed with real trades.
 */
import type { GeneratedPast } from '../../history/generated-candles.ts';
import type { InstrumentView } from '../instrument-view.ts';
import type { MarketParameters } from '../parameters.ts';
import { bookBackfill } from './book-backfill.ts';
import { coinPaths } from './coin-paths.ts';
import { fundingBackfill } from './funding-backfill.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_DAYS = 365;

/** A book as it was when its market began: plain data that may cross to another thread. */
export type PastBook = Pick<
  InstrumentView,
  'instrument' | 'parameters' | 'name' | 'fairTicks' | 'halfSpreadTicks' | 'depthLots'
>;

export interface Past {
  readonly books: readonly PastBook[];
  readonly seed: number;
  /** Days by the minute; the year by the hour is always generated. */
  readonly days: number;
  /** When the market began: the past ends with the minute before. */
  readonly now: number;
}

/** The past of one book after the other. */
export function* makePast(
  { books, seed, days, now }: Past,
  parameters: MarketParameters,
): Generator<GeneratedPast> {
  const endTime = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  // The minutes begin with a whole hour, so that the hours before and after fit together.
  const minuteStart = Math.floor((endTime - days * DAY_MS) / HOUR_MS) * HOUR_MS;
  const minutes = (endTime - minuteStart) / MINUTE_MS;
  const hours = Math.max(0, YEAR_DAYS - days) * 24;
  const coins = new Set(books.flatMap(({ instrument: { spec } }) => [spec.baseCoin, spec.quoteCoin]));
  const paths = coinPaths([...coins], parameters, seed, { hours, minutes });
  for (const book of books) {
    const startTime = listedAt(book);
    const candles = bookBackfill(book, paths, seed, startTime, endTime);
    const funding = fundingBackfill(book, seed, Math.max(startTime, endTime - YEAR_DAYS * DAY_MS), endTime);
    yield { candles, funding };
  }
}

/** There are no candles before the listing. */
function listedAt({ instrument: { spec } }: PastBook): number {
  return Math.max(Number(spec.launchTime), Number(spec.futures?.deliveryStartTime ?? 0));
}
