/** Which books have no past yet: all of a new exchange, or those that an exchange which was killed had not come to. */
import type { History } from '../../history/history.ts';
import type { InstrumentView } from '../instrument-view.ts';
import type { PastBook } from './backfill.ts';

export interface MissingPast {
  readonly books: readonly PastBook[];
  /** Where real candles begin. */
  readonly now: number;
}

/** Real candles stay: the past of a book that has some ends before the first of them. */
export async function missingPast(
  views: readonly InstrumentView[],
  history: History,
  now: number,
): Promise<MissingPast> {
  const made = new Set(await history.generatedBooks());
  const books: PastBook[] = [];
  let begun = now;
  for (const view of views) {
    if (made.has(view.name) || view.fairTicks <= 0) continue;
    const first = await firstCandle(view, history);
    const ticks = first && Number(first.open) * 10 ** view.instrument.pricePrecision;
    books.push(plain(view, ticks ?? view.fairTicks));
    begun = Math.min(begun, first?.openTime ?? now);
  }
  return { books, now: begun };
}

async function firstCandle({ instrument }: InstrumentView, history: History) {
  const { category, symbol } = instrument.spec;
  const series = { type: 'market', category, symbol, interval: '1m' } as const;
  const [first] = await history.candles({ ...series, limit: 1, from: 'oldest' });
  return first;
}

function plain(view: InstrumentView, fairTicks: number): PastBook {
  const { instrument, parameters, name, halfSpreadTicks, depthLots } = view;
  return { instrument, parameters, name, fairTicks, halfSpreadTicks, depthLots };
}
