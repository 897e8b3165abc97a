/** Activity levels of the simulated market, as settings. */
export const MARKET_LEVELS = ['off', 'quiet', 'normal', 'wild'] as const;
export type MarketLevel = (typeof MARKET_LEVELS)[number];

export interface ActivityLevel {
  /** Factors on the parameters of every instrument. */
  readonly volatility: number;
  readonly activity: number;
  readonly spread: number;
}

export const ACTIVITY_LEVELS: Readonly<Record<Exclude<MarketLevel, 'off'>, ActivityLevel>> = {
  quiet: { volatility: 0.5, activity: 0.3, spread: 1 },
  normal: { volatility: 1, activity: 1, spread: 1 },
  wild: { volatility: 3, activity: 2.5, spread: 2 },
};
