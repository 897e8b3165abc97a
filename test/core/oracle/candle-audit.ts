/** Candles against the trades in them: I38. */

import { CANDLE_INTERVALS, type CandleInterval } from '../../../src/core/model/candle-interval.ts';
import type { CandleClosed, Traded } from '../../../src/core/model/event.ts';
import type { State } from '../../../src/core/state/state.ts';
import { expect } from './failure.ts';
import { exactValue } from './trade-audit.ts';

interface Minute {
  openTime: number;
  openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
  volumeLots: number;
  turnover: bigint;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const EAST_8 = 8 * HOUR;

export class CandleAudit {
  private readonly state: State;
  /** Where this audit began: candles that were already running are not recounted. */
  private readonly since: number;
  /** Minutes with trades by market instrument: the running one last, as the trades say they are. */
  private readonly minutes = new Map<number, Minute[]>();
  private readonly lastCandle = new Map<string, number>();

  constructor(state: State) {
    this.state = state;
    this.since = state.now;
  }

  /** I38. */
  check(candle: CandleClosed): void {
    const { interval, openTime, openTicks, highTicks, lowTicks, closeTicks } = candle;
    const name = `${interval} candle of instrument ${candle.instrument} at ${openTime}`;
    expect(CANDLE_INTERVALS.includes(interval), () => `${name}: unknown interval`);
    expect(lowTicks <= Math.min(openTicks, closeTicks), () => `I38: ${name}: low above open or close`);
    expect(highTicks >= Math.max(openTicks, closeTicks), () => `I38: ${name}: high below open or close`);
    expect(opensHere(interval, openTime), () => `I38: ${name} is not aligned`);
    const key = `${candle.instrument} ${interval}`;
    const last = this.lastCandle.get(key) ?? Number.NEGATIVE_INFINITY;
    expect(openTime >= last, () => `I38: ${name} begins before the last one ended at ${last}`);
    const end = endOf(interval, openTime);
    expect(this.state.now >= end, () => `I38: ${name} closed early`);
    this.lastCandle.set(key, end);
    if (openTime <= this.since) return;
    const inside = (this.minutes.get(candle.instrument) ?? []).filter(
      (minute) => minute.openTime >= openTime && minute.openTime < end,
    );
    const sum = joined(inside);
    const agrees =
      sum.openTicks === openTicks &&
      sum.highTicks === highTicks &&
      sum.lowTicks === lowTicks &&
      sum.closeTicks === closeTicks &&
      sum.volumeLots === candle.volumeLots &&
      sum.turnover === candle.turnover;
    expect(agrees, () => `I38: ${name} is not the sum of its ${inside.length} minutes with trades`);
  }

  add(trade: Traded): void {
    const instrument = this.state.instruments[trade.instrument]!;
    const openTime = Math.floor(trade.time / MINUTE) * MINUTE;
    const { priceTicks, sizeLots } = trade;
    const minutes = this.minutes.get(trade.instrument) ?? [];
    this.minutes.set(trade.instrument, minutes);
    const one: Minute = {
      openTime,
      openTicks: priceTicks,
      highTicks: priceTicks,
      lowTicks: priceTicks,
      closeTicks: priceTicks,
      volumeLots: sizeLots,
      turnover: exactValue(instrument, trade),
    };
    const last = minutes.at(-1);
    if (last?.openTime === openTime) minutes[minutes.length - 1] = joined([last, one]);
    else minutes.push(one);
  }
}

function joined(minutes: readonly Minute[]): Minute {
  return {
    openTime: minutes[0]?.openTime ?? 0,
    openTicks: minutes[0]?.openTicks ?? 0,
    highTicks: Math.max(...minutes.map((minute) => minute.highTicks)),
    lowTicks: Math.min(...minutes.map((minute) => minute.lowTicks)),
    closeTicks: minutes.at(-1)?.closeTicks ?? 0,
    volumeLots: minutes.reduce((sum, minute) => sum + minute.volumeLots, 0),
    turnover: minutes.reduce((sum, minute) => sum + minute.turnover, 0n),
  };
}

const UNIT_MS: Record<string, number> = { m: MINUTE, H: HOUR, D: DAY, W: 7 * DAY };

/** Rules 8.3 said once more in other words: the calendar of the platform is the judge of months and Mondays. */
function opensHere(interval: CandleInterval, openTime: number): boolean {
  const local = new Date(openTime + (interval.endsWith('utc') ? 0 : EAST_8));
  const [, count, unit] = /^(\d+)([mHDWM])/.exec(interval)!;
  const midnight = local.getTime() % DAY === 0;
  if (unit === 'M') return midnight && local.getUTCDate() === 1;
  if (unit === 'W') return midnight && local.getUTCDay() === 1;
  return local.getTime() % (Number(count) * UNIT_MS[unit!]!) === 0;
}

function endOf(interval: CandleInterval, openTime: number): number {
  const shift = interval.endsWith('utc') ? 0 : EAST_8;
  const [, count, unit] = /^(\d+)([mHDWM])/.exec(interval)!;
  if (unit !== 'M') return openTime + Number(count) * UNIT_MS[unit!]!;
  const local = new Date(openTime + shift);
  return Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1) - shift;
}
