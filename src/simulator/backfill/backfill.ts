/**
 * Generates past candles for books without any, so that charts of a new exchange are not empty: a year of hours, of
 * which the last days also by the minute. They go into a table of their own and are never mixed with real trades.
 */
import type { History } from '../../history/history.ts';
import type { InstrumentView } from '../instrument-view.ts';
import type { MarketParameters } from '../parameters.ts';
import { bookBackfill } from './book-backfill.ts';
import { coinPaths } from './coin-paths.ts';
import { fundingBackfill } from './funding-backfill.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_DAYS = 365;
/** Work per interval of the coins' paths, relative to one book's candles. */
const PATH_SHARE = 0.3;

export interface BackfillOptions {
  readonly history: History;
  readonly parameters: MarketParameters;
  readonly seed: number;
  /** Days by the minute; the year by the hour is always generated. */
  readonly days: number;
  readonly now: number;
  /** Called with the share done, from 0 to 1. */
  readonly progress: (share: number) => void;
}

/** Resolves when the candles of all these books are stored; returns the number of books. */
export async function backfill(views: readonly InstrumentView[], options: BackfillOptions): Promise<number> {
  const { history, parameters, seed, days, progress } = options;
  const without = await withoutHistory(views, options);
  if (without.length === 0 || days === 0) return 0;
  const endTime = Math.floor(options.now / MINUTE_MS) * MINUTE_MS;
  // The minutes begin with a whole hour, so that the hours before and after fit together.
  const minuteStart = Math.floor((endTime - days * DAY_MS) / HOUR_MS) * HOUR_MS;
  const minutes = (endTime - minuteStart) / MINUTE_MS;
  const hours = Math.max(0, YEAR_DAYS - days) * 24;
  let done = 0;
  const tick = () => {
    if (++done % 2000 === 0) progress((PATH_SHARE * done) / (hours + minutes));
  };
  const coins = new Set(without.flatMap(({ instrument: { spec } }) => [spec.baseCoin, spec.quoteCoin]));
  const paths = coinPaths([...coins], parameters, seed, { hours, minutes }, tick);
  for (const [n, view] of without.entries()) {
    const startTime = listedAt(view);
    for (const candles of bookBackfill(view, paths, seed, startTime, endTime)) history.addGenerated(candles);
    const funding = fundingBackfill(view, seed, Math.max(startTime, endTime - YEAR_DAYS * DAY_MS), endTime);
    if (funding !== undefined) history.addGeneratedFunding(funding);
    progress(PATH_SHARE + ((1 - PATH_SHARE) * (n + 1)) / without.length);
    // Every few books the worker gets time to write.
    if (n % 4 === 3) await history.flush();
  }
  await history.flush();
  return without.length;
}

/** There are no candles before the listing. */
function listedAt({ instrument: { spec } }: InstrumentView): number {
  return Math.max(Number(spec.launchTime), Number(spec.futures?.deliveryStartTime ?? 0));
}

async function withoutHistory(
  views: readonly InstrumentView[],
  { history, now }: BackfillOptions,
): Promise<InstrumentView[]> {
  const found = await Promise.all(
    views.map(async (view) => {
      if (view.market.day.lastTicks !== 0 || view.fairTicks <= 0) return [];
      const { category, symbol } = view.instrument.spec;
      const last = await history.lastCandleBefore(
        { type: 'market', category, symbol, width: '1m' },
        now + DAY_MS,
      );
      return last === undefined ? [view] : [];
    }),
  );
  return found.flat();
}
