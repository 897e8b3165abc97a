/** Coins and instruments of the examples in rules 0.5, in the words of the catalogue. */
import type { CoinSpec, InstrumentSpec } from '../../src/core/model/listing-spec.ts';

export const COINS: readonly CoinSpec[] = ['USDT', 'BTC', 'ETH', 'XAU'].map((coin) => ({
  coin,
  name: coin,
  chains: [],
}));

export const BTCUSDT: InstrumentSpec = {
  symbol: 'BTCUSDT',
  category: 'SPOT',
  baseCoin: 'BTC',
  quoteCoin: 'USDT',
  status: 'online',
  buyLimitPriceRatio: '0.05',
  sellLimitPriceRatio: '0.05',
  minOrderQty: '',
  maxOrderQty: '',
  minOrderAmount: '1',
  pricePrecision: '2',
  quantityPrecision: '6',
  quotePrecision: '6',
  maxSymbolOrderNum: '',
  maxProductOrderNum: '',
  maxPositionNum: '',
  maintainTime: '',
  launchTime: '',
  symbolType: 'crypto',
  makerFeeRate: '0.001',
  takerFeeRate: '0.001',
  openingPrice: '60000',
  indexComponents: [],
};

/** The published sample of a buy by amount trades here (rules 1.6). */
const ETHUSDT: InstrumentSpec = {
  ...BTCUSDT,
  symbol: 'ETHUSDT',
  baseCoin: 'ETH',
  quantityPrecision: '4',
  openingPrice: '2684.23',
};

/** A coarse one for examples around 100.0: tick 0.1, whole and half pieces. */
const XAUUSDT: InstrumentSpec = {
  ...BTCUSDT,
  symbol: 'XAUUSDT',
  baseCoin: 'XAU',
  pricePrecision: '1',
  quantityPrecision: '2',
  symbolType: 'metal',
  openingPrice: '100',
};

/** So dear that the smallest order amount does not buy one step. */
const XAUUSDT_DEAR: InstrumentSpec = {
  ...XAUUSDT,
  symbol: 'XAUUSDT_DEAR',
  openingPrice: '19000000',
};

export const BTCUSDT_MARGIN: InstrumentSpec = {
  ...BTCUSDT,
  category: 'MARGIN',
  margin: {
    isIsolatedBaseBorrowable: 'YES',
    isIsolatedQuotedBorrowable: 'YES',
    warningRiskRatio: '0.8',
    liquidationRiskRatio: '1',
    maxCrossedLeverage: '5',
    maxIsolatedLeverage: '10',
    userMinBorrow: '0.00000001',
    maxLeverage: '10',
  },
};

export const BTCUSDT_FUTURES: InstrumentSpec = {
  ...BTCUSDT,
  category: 'USDT-FUTURES',
  pricePrecision: '1',
  quantityPrecision: '4',
  quotePrecision: '',
  makerFeeRate: '0.0002',
  takerFeeRate: '0.0006',
  futures: {
    type: 'perpetual',
    isRwa: 'NO',
    isReality: 'no',
    feeRateUpRatio: '0.005',
    openCostUpRatio: '0.01',
    priceMultiplier: '0.1',
    quantityMultiplier: '0.0001',
    offTime: '',
    limitOpenTime: '',
    deliveryTime: '',
    deliveryStartTime: '',
    deliveryPeriod: '',
    fundInterval: '8',
    minLeverage: '1',
    maxLeverage: '125',
    maxMarketOrderQty: '',
  },
};

export const INSTRUMENTS = [
  BTCUSDT,
  ETHUSDT,
  XAUUSDT,
  XAUUSDT_DEAR,
  BTCUSDT_MARGIN,
  BTCUSDT_FUTURES,
] as const;
