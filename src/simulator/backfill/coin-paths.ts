/** Past prices of all coins: one run of the process of the synthetic feed, recorded. */
import { CoinPrices } from '../feed/coin-prices.ts';
import type { MarketParameters } from '../parameters.ts';

/** Points in each candle of a base interval: enough for an open, extremes and a close. */
export const POINTS = 4;

export interface Paths {
  /** Logarithms of dollar prices by coin: `POINTS` for each interval, and the first one before them. */
  readonly hours: ReadonlyMap<string, Float64Array>;
  readonly minutes: ReadonlyMap<string, Float64Array>;
  /** Volatility of each interval, relative to the usual one. */
  readonly hourVolatility: Float64Array;
  readonly minuteVolatility: Float64Array;
}

export interface Stretch {
  readonly hours: number;
  readonly minutes: number;
}

/** Hours first, then minutes to the end. */
export function coinPaths(
  coins: readonly string[],
  parameters: MarketParameters,
  seed: number,
  { hours, minutes }: Stretch,
): Paths {
  const prices = new CoinPrices(parameters, seed ^ 0x7a57, 1);
  for (const coin of coins) prices.add(coin, 1);
  const run = (intervals: number, seconds: number) => {
    const levels = new Map(coins.map((coin) => [coin, new Float64Array(intervals * POINTS + 1)]));
    const volatility = new Float64Array(intervals);
    for (const [coin, path] of levels) path[0] = prices.level(coin);
    for (let interval = 0; interval < intervals; interval++) {
      for (let point = 1; point <= POINTS; point++) {
        prices.step(seconds / POINTS);
        for (const [coin, path] of levels) path[interval * POINTS + point] = prices.level(coin);
      }
      volatility[interval] = prices.relativeVolatility;
    }
    return { levels, volatility };
  };
  const byHour = run(hours, 3600);
  const byMinute = run(minutes, 60);
  return {
    hours: byHour.levels,
    minutes: byMinute.levels,
    hourVolatility: byHour.volatility,
    minuteVolatility: byMinute.volatility,
  };
}
