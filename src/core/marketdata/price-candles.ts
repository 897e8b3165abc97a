/**
 * Candles of a price that is sampled each second: mark, index, premium (rules 8.2). Nothing is kept while the price is
 * unchanged; readers fill such intervals with flat candles, as they do where nothing was traded. An interval in which it
 * changes opens at the price at its start.
 */
import type { Fields } from '../model/bytes.ts';
import { candleOpen } from '../model/candle-interval.ts';
import { type Candle, CandleSeries } from './candle-series.ts';

const MINUTE = 0;

export class PriceCandles extends CandleSeries {
  private known = false;
  private last = 0;
  /** Price before the running minute. */
  private before = 0;

  /** Call `closeUntil(time)` first. Returns the end of a minute it opened, else Infinity. */
  sample(time: number, ticks: number): number {
    const running = this.running[MINUTE] !== undefined;
    if (!running && this.known && ticks === this.last) return Number.POSITIVE_INFINITY;
    let end = Number.POSITIVE_INFINITY;
    if (!running) {
      this.before = this.known ? this.last : ticks;
      const opening = time === candleOpen(MINUTE, time) ? ticks : this.before;
      end = this.trade(time, opening, 0, 0n);
    }
    this.trade(time, ticks, 0, 0n);
    this.known = true;
    this.last = ticks;
    return end;
  }

  /** The minutes before in the same interval were flat, so the interval opened at the price before them. */
  protected override widen(minute: Candle, openTime: number): Candle {
    const wide = super.widen(minute, openTime);
    if (minute.openTime === openTime) return wide;
    wide.openTicks = this.before;
    wide.highTicks = Math.max(wide.highTicks, this.before);
    wide.lowTicks = Math.min(wide.lowTicks, this.before);
    return wide;
  }

  fields(f: Fields): void {
    this.known = f.flag(this.known);
    this.last = f.f64(this.last);
    const minute = f.flag(this.running[MINUTE] !== undefined);
    this.before = minute ? f.f64(this.before) : 0;
    for (let interval = 0; interval < this.running.length; interval++) {
      const candle = this.running[interval];
      this.running[interval] = f.flag(candle !== undefined) ? candleFields(f, candle) : undefined;
    }
  }
}

function candleFields(f: Fields, candle: Candle | undefined): Candle {
  return {
    openTime: f.f64(candle?.openTime ?? 0),
    openTicks: f.f64(candle?.openTicks ?? 0),
    highTicks: f.f64(candle?.highTicks ?? 0),
    lowTicks: f.f64(candle?.lowTicks ?? 0),
    closeTicks: f.f64(candle?.closeTicks ?? 0),
    volumeLots: 0,
    turnover: 0,
  };
}
