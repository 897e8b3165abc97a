/** The SDK's methods that have no row of their own, and why. */

/** Methods that call nothing of ours. */
export const SDK_LOCAL: Readonly<Record<string, string>> = {
  getClientType: 'tells the kind of client',
  fetchLatencySummary: 'measures with getServerTime',
};

/** Methods whose endpoint is not served: 404 `40404`. The first pattern that fits gives the reason. */
export const SDK_NOT_SERVED: readonly (readonly [methods: RegExp, reason: string])[] = [
  [/^getCopyFutures|^copyFutures/, 'copy trading is another business'],
  [/StockPlus/i, 'stock brokerage is another business'],
  [/Reality|getCashDividendRecords/, 'stock tokens are another business'],
  [/P2p/i, 'peer-to-peer trading is another business'],
  [/EarnElite/, 'earning products are another business'],
  [
    /^getLoan(Transfered|Symbols|RiskUnit|RepaidHistory|ProductInfo|Order|LTVConvert|MarginCoinInfo)$|^bindLoanUid$/,
    'loans to institutions are another business',
  ],
  [
    /^get(Spot(Whale|Fund|Net)Flow|MarginLongShort|MarginLoanGrowth|MarginIsolatedBorrow|FuturesActiveBuySell|Futures(Position|Account)?LongShort)$/,
    'statistics about who trades; everything they are made of is in the trades and candles',
  ],
  [/^getMarketScoreWeights$/, 'makers are not scored here; what they pay is in the fee groups'],
];
