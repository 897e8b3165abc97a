/**
 * Running candles of one book, all intervals. A trade changes only the minute; a minute that ends is folded into the
 * longer candles, so a longer candle is the sum of its minutes by construction (I38). Only intervals with trades exist
 * here: readers fill the gaps with flat candles.
 */
import { type Amount, sumOf } from '../model/amount.ts';
import { CANDLE_INTERVALS, candleOpen, nextCandleOpen } from '../model/candle-interval.ts';

export interface Candle {
  openTime: number;
  openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
  volumeLots: number;
  turnover: Amount;
}

const MINUTE = 0;

export class CandleSeries {
  /** By interval; undefined while the present one has no trade. Minutes are number 0. */
  readonly running: (Candle | undefined)[] = CANDLE_INTERVALS.map(() => undefined);

  /**
   * Call `closeUntil(time)` first: the trade must belong to the running minute or open one. Returns the end of a
   * minute it opened, else Infinity.
   */
  trade(time: number, ticks: number, lots: number, value: Amount): number {
    const minute = this.running[MINUTE];
    if (minute === undefined) {
      this.running[MINUTE] = {
        openTime: candleOpen(MINUTE, time),
        openTicks: ticks,
        highTicks: ticks,
        lowTicks: ticks,
        closeTicks: ticks,
        volumeLots: lots,
        turnover: value,
      };
      return nextCandleOpen(MINUTE, this.running[MINUTE].openTime);
    }
    if (ticks > minute.highTicks) minute.highTicks = ticks;
    if (ticks < minute.lowTicks) minute.lowTicks = ticks;
    minute.closeTicks = ticks;
    minute.volumeLots += lots;
    minute.turnover = sumOf(minute.turnover, value);
    return Number.POSITIVE_INFINITY;
  }

  /** When the first of the running candles ends; Infinity when none runs. */
  earliestEnd(): number {
    let earliest = Number.POSITIVE_INFINITY;
    this.running.forEach((candle, interval) => {
      if (candle !== undefined) earliest = Math.min(earliest, nextCandleOpen(interval, candle.openTime));
    });
    return earliest;
  }

  /** Ends every running candle whose interval is over at `time`, shortest interval first. */
  closeUntil(time: number, closed: (interval: number, candle: Candle) => void): void {
    const minute = this.running[MINUTE];
    if (minute !== undefined && time >= nextCandleOpen(MINUTE, minute.openTime)) {
      this.running[MINUTE] = undefined;
      closed(MINUTE, minute);
      for (let interval = 1; interval < this.running.length; interval++) this.fold(interval, minute, closed);
    }
    for (let interval = 1; interval < this.running.length; interval++) {
      const candle = this.running[interval];
      if (candle !== undefined && time >= nextCandleOpen(interval, candle.openTime)) {
        this.running[interval] = undefined;
        closed(interval, candle);
      }
    }
  }

  /** The candle of the interval that holds `time`, the running minute included. */
  current(interval: number, time: number): Candle | undefined {
    const openTime = candleOpen(interval, time);
    const minute = this.running[MINUTE];
    const candle = this.running[interval];
    const fresh =
      minute !== undefined && candleOpen(interval, minute.openTime) === openTime ? minute : undefined;
    if (interval === MINUTE) return fresh === undefined ? undefined : { ...fresh };
    const folded = candle !== undefined && candle.openTime === openTime ? candle : undefined;
    if (folded === undefined) return fresh === undefined ? undefined : this.widen(fresh, openTime);
    if (fresh === undefined) return { ...folded };
    const joined = { ...folded };
    append(joined, fresh);
    return joined;
  }

  private fold(interval: number, minute: Candle, closed: (interval: number, candle: Candle) => void): void {
    const openTime = candleOpen(interval, minute.openTime);
    const candle = this.running[interval];
    if (candle !== undefined && candle.openTime === openTime) {
      append(candle, minute);
      return;
    }
    if (candle !== undefined) closed(interval, candle);
    this.running[interval] = this.widen(minute, openTime);
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
  candle.turnover = sumOf(candle.turnover, later.turnover);
}
