/** Funding rates of a made-up past: what charts and backtests of a new exchange find before its first settlement. */
export interface GeneratedFunding {
  readonly category: string;
  readonly symbol: string;
  readonly rates: readonly GeneratedRate[];
}

export interface GeneratedRate {
  readonly time: number;
  readonly fundingRate: string;
}
