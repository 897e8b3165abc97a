/** What ccxt has that is no row of the matrix, and why. */
import { SPOT, SWAP } from './world.ts';

/** What ccxt says about itself: no method, no call. */
export const CCXT_FLAGS = [
  'publicAPI',
  'privateAPI',
  'spot',
  'margin',
  'swap',
  'future',
  'ws',
  'unWatchChannel',
  'unWatchPublic',
];

const older =
  'asks the older interface for a margin account of its own, which a unified account does not have';
const convert = 'conversion at a quoted price is another business; trade the pair';
/** Method, the arguments to try it with, why it is not served. */
export const CCXT_NOT_SERVED: Readonly<Record<string, readonly [args: readonly unknown[], reason: string]>> =
  {
    borrowCrossMargin: [['USDT', 10], older],
    borrowIsolatedMargin: [[SPOT, 'USDT', 10], older],
    repayCrossMargin: [['USDT', 10], older],
    repayIsolatedMargin: [[SPOT, 'USDT', 10], older],
    fetchBorrowInterest: [['USDT', SPOT], older],
    fetchIsolatedBorrowRate: [[SPOT], older],
    fetchMyLiquidations: [[SPOT], older],
    fetchConvertCurrencies: [[], convert],
    fetchConvertQuote: [['USDT', 'BTC', 100], convert],
    createConvertTrade: [['id', 'USDT', 'BTC', 100, { price: 1, toAmount: 1 }], convert],
    fetchConvertTradeHistory: [['USDT', 0], convert],
    fetchLongShortRatioHistory: [[SWAP, '5m'], 'statistics about who trades'],
  };

/** ccxt says it has them and throws by itself. */
export const CCXT_UNSUPPORTED: Readonly<Record<string, readonly unknown[]>> = {
  createMarketOrderWs: [SPOT, 'sell', 0.001],
};
