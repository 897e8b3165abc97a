/**
 * Adds generated candles to the statistics of the last 24 hours while the exchange is younger than a day, so that
 * tickers agree with candles. They are joined on reading; the core knows only real trades.
 */

import type { DayStatistics } from '../core/marketdata/rolling-24h.ts';
import { CATEGORY_NAMES } from '../core/model/enums.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { MONEY_SCALE, parseUnits } from '../core/model/units.ts';
import { dayStatistics } from '../core/reads/reads.ts';
import type { State } from '../core/state/state.ts';
import type { History } from '../history/history.ts';

const DAY_MS = 86_400_000;

/** A generated candle combined with all later ones, so that any span up to the end is one lookup. */
interface Since {
  readonly openTime: number;
  readonly openTicks: number;
  readonly highTicks: number;
  readonly lowTicks: number;
  readonly lots: number;
  readonly value: bigint;
}

export class Generated24hStats {
  /** By instrument, oldest first. */
  private days = new Map<number, readonly Since[]>();
  /** What was loaded: the books that have a generated past, and from when on. */
  private books = '';
  private fromTime = Number.POSITIVE_INFINITY;

  /**
   * Loads the candles of the last 24 hours; there are none once the exchange is a day old. `known` are those of an exchange
   * with the same books, of which this one is a branch: what is generated of a book never changes, and is taken from there.
   */
  async load(history: History, state: State, known?: Generated24hStats): Promise<void> {
    const { now } = state;
    const books = (await history.generatedBooks()).sort().join();
    if (known !== undefined && known.books === books && known.fromTime <= now - DAY_MS)
      this.days = known.days;
    else await this.loadAll(history, state);
    this.books = books;
    this.fromTime = this.days === known?.days ? known.fromTime : now - DAY_MS;
  }

  private async loadAll(history: History, { instruments, now }: State): Promise<void> {
    const days = new Map<number, readonly Since[]>();
    await Promise.all(
      instruments.map(async (instrument) => {
        const candles = await history.generatedCandles({
          category: CATEGORY_NAMES[instrument.category],
          symbol: instrument.symbol,
          startTime: now - DAY_MS,
        });
        let younger: Since | undefined;
        const since = candles.toReversed().map((candle) => {
          const ticks = (text: string) => Number(units(text, instrument.pricePrecision));
          const [highTicks, lowTicks] = [ticks(candle.high), ticks(candle.low)];
          younger = {
            openTime: candle.openTime,
            openTicks: ticks(candle.open),
            highTicks: Math.max(highTicks, younger?.highTicks ?? highTicks),
            lowTicks: Math.min(lowTicks, younger?.lowTicks ?? lowTicks),
            lots: Number(units(candle.volume, instrument.quantityPrecision)) + (younger?.lots ?? 0),
            value: units(candle.turnover, MONEY_SCALE) + (younger?.value ?? 0n),
          };
          return younger;
        });
        if (since.length > 0) days.set(instrument.index, since.reverse());
      }),
    );
    this.days = days;
  }

  statistics(state: State, instrument: Instrument): DayStatistics {
    const real = dayStatistics(state, instrument);
    const past = this.since(instrument.index, state.now - DAY_MS);
    if (past === undefined || real.lastTicks === 0) return real;
    const { openTicks, highTicks, lowTicks, lots, value } = past;
    return {
      lastTicks: real.lastTicks,
      openTicks,
      highTicks: Math.max(highTicks, real.highTicks),
      lowTicks: Math.min(lowTicks, real.lowTicks),
      volumeLots: lots + real.volumeLots,
      turnover: value + real.turnover,
    };
  }

  private since(instrument: number, time: number): Since | undefined {
    const days = this.days.get(instrument);
    if (days === undefined) return undefined;
    let [low, high] = [0, days.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (days[middle]!.openTime < time) low = middle + 1;
      else high = middle;
    }
    return days[low];
  }
}

function units(text: string, scale: number): bigint {
  return parseUnits(text, scale) ?? 0n;
}
