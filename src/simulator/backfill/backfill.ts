/**
 * A believable past for books that have none, so that charts of a new exchange are not empty: a year of hours, of
 * which the last days also by the minute. It goes into a table of its own and is never mistaken for what happened.
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
/** Intervals of the coins' paths that count as much work as one book's candles. */
const PATH_SHARE = 0.3;

export interface BackfillOptions {
  readonly history: History;
  readonly parameters: MarketParameters;
  readonly seed: number;
  /** Days by the minute; the year by the hour is always made. */
  readonly days: number;
  readonly now: number;
  /** Hears how much is done, from 0 to 1. */
  readonly progress: (share: number) => void;
}

/** Resolves when the past of all these books is stored; returns their number. */
export async function backfill(views: readonly InstrumentView[], options: BackfillOptions): Promise<number> {
  const { history, parameters, seed, days, progress } = options;
  const without = await withoutHistory(views, options);
  if (without.length === 0 || days === 0) return 0;
  const endTime = Math.floor(options.now / MINUTE_MS) * MINUTE_MS;
  // The minutes begin with a whole hour, so that hours before and after them meet.
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
    // Every few books the worker gets to write what it was given.
    if (n % 4 === 3) await history.flush();
  }
  await history.flush();
  return without.length;
}

/** Nothing was traded before it was listed. */
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
