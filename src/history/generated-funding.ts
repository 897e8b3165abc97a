/** Generated funding rates, for charts and backtests, from before the first settlement of a new exchange. */
export interface GeneratedFunding {
  readonly category: string;
  readonly symbol: string;
  readonly rates: readonly GeneratedRate[];
}

export interface GeneratedRate {
  readonly time: number;
  readonly fundingRate: string;
}
