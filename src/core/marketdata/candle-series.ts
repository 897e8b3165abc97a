/**
 * Running candles of one book, all intervals. A trade changes only the minute; a minute that ends is folded into the
 * longer candles, so a longer candle is the sum of its minutes by construction (I38). Only intervals with trades exist
 * here: readers fill the gaps with flat candles.
 */
import { CANDLE_WIDTHS, candleOpen, nextCandleOpen } from '../model/candle-interval.ts';

export interface Candle {
  openTime: number;
  openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
  volumeLots: number;
  turnover: bigint;
}

const MINUTE_WIDTH = 0;

export class CandleSeries {
  /** By width; undefined when the present interval has no trade yet. The minutes' own slot is number 0. */
  readonly running: (Candle | undefined)[] = CANDLE_WIDTHS.map(() => undefined);

  /**
   * Call `closeUntil(time)` first: the trade must belong to the running minute or open one. Returns the end of a
   * minute it opened, else Infinity.
   */
  trade(time: number, ticks: number, lots: number, value: bigint): number {
    const minute = this.running[MINUTE_WIDTH];
    if (minute === undefined) {
      this.running[MINUTE_WIDTH] = {
        openTime: candleOpen(MINUTE_WIDTH, time),
        openTicks: ticks,
        highTicks: ticks,
        lowTicks: ticks,
        closeTicks: ticks,
        volumeLots: lots,
        turnover: value,
      };
      return nextCandleOpen(MINUTE_WIDTH, this.running[MINUTE_WIDTH].openTime);
    }
    if (ticks > minute.highTicks) minute.highTicks = ticks;
    if (ticks < minute.lowTicks) minute.lowTicks = ticks;
    minute.closeTicks = ticks;
    minute.volumeLots += lots;
    minute.turnover += value;
    return Number.POSITIVE_INFINITY;
  }

  /** When the first of the running candles ends; Infinity when none runs. */
  earliestEnd(): number {
    let earliest = Number.POSITIVE_INFINITY;
    this.running.forEach((candle, width) => {
      if (candle !== undefined) earliest = Math.min(earliest, nextCandleOpen(width, candle.openTime));
    });
    return earliest;
  }

  /** Ends every running candle whose interval is over at `time`, shortest width first. */
  closeUntil(time: number, closed: (width: number, candle: Candle) => void): void {
    const minute = this.running[MINUTE_WIDTH];
    if (minute !== undefined && time >= nextCandleOpen(MINUTE_WIDTH, minute.openTime)) {
      this.running[MINUTE_WIDTH] = undefined;
      closed(MINUTE_WIDTH, minute);
      for (let width = 1; width < this.running.length; width++) this.fold(width, minute, closed);
    }
    for (let width = 1; width < this.running.length; width++) {
      const candle = this.running[width];
      if (candle !== undefined && time >= nextCandleOpen(width, candle.openTime)) {
        this.running[width] = undefined;
        closed(width, candle);
      }
    }
  }

  /** The candle of the interval that holds `time`, the running minute included. */
  current(width: number, time: number): Candle | undefined {
    const openTime = candleOpen(width, time);
    const minute = this.running[MINUTE_WIDTH];
    const candle = this.running[width];
    const fresh =
      minute !== undefined && candleOpen(width, minute.openTime) === openTime ? minute : undefined;
    if (width === MINUTE_WIDTH) return fresh === undefined ? undefined : { ...fresh };
    const folded = candle !== undefined && candle.openTime === openTime ? candle : undefined;
    if (folded === undefined) return fresh === undefined ? undefined : this.widen(fresh, openTime);
    if (fresh === undefined) return { ...folded };
    const joined = { ...folded };
    append(joined, fresh);
    return joined;
  }

  private fold(width: number, minute: Candle, closed: (width: number, candle: Candle) => void): void {
    const openTime = candleOpen(width, minute.openTime);
    const candle = this.running[width];
    if (candle !== undefined && candle.openTime === openTime) {
      append(candle, minute);
      return;
    }
    if (candle !== undefined) closed(width, candle);
    this.running[width] = this.widen(minute, openTime);
  }

  /** A longer candle that begins with this minute. */
  protected widen(minute: Candle, openTime: number): Candle {
    return { ...minute, openTime };
  }
}

function append(candle: Candle, later: Candle): void {
  if (later.highTicks > candle.highTicks) candle.highTicks = later.highTicks;
  if (later.lowTicks < candle.lowTicks) candle.lowTicks = later.lowTicks;
  candle.closeTicks = later.closeTicks;
  candle.volumeLots += later.volumeLots;
  candle.turnover += later.turnover;
}
