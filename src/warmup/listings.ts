/** What the trading day of the warm-up trades: two coins, a pair with margin, and a contract of each kind. */
import type { Command } from '../core/model/command.ts';
import { NEWEST_EDITION } from '../core/model/edition.ts';
import type { InstrumentSpec } from '../core/model/listing-spec.ts';

/** 2024-01-01T00:00:00Z. */
export const OPENING_TIME = 1_704_067_200_000;
export const DELIVERY_TIME = OPENING_TIME + 8 * 3_600_000;
/** A price of 100.00 on every market, in steps of 0.01, lots of 0.01. */
export const TICKS = 10_000;
export const PRICE = 100n * 10n ** 8n;

/** By number, in the order of their listing. */
export const Coin = { usdt: 0, btc: 1, usd: 2 } as const;
export const Listed = { spot: 0, margin: 1, perpetual: 2, second: 3, delivery: 4, coinMargined: 5 } as const;
/** Indices, in the order in which listings make them: two coins have one in dollars. */
export const PRICES = [PRICE, PRICE, PRICE, PRICE / 100n] as const;

type Changes = Partial<Omit<InstrumentSpec, 'futures'>> & { readonly futures?: Partial<Futures> };
type Futures = NonNullable<InstrumentSpec['futures']>;

const LOAN = {
  flexibleRate: '0.2',
  sevenDayRate: '0.3',
  thirtyDayRate: '0.4',
  minUsdt: '1',
  maxUsdt: '100000',
};
const PLEDGE = { initRate: '0.65', supRate: '0.75', forceRate: '0.83', minUsdt: '0', maxUsdt: '100000' };
const BORROW = {
  yearRate: '0.1',
  poolLimit: '100000000',
  userLimit: '100000',
  masterSubLimit: '100000',
  freeLimit: '20',
  tiers: [{ upTo: '1000000', maxLeverage: '5', mmr: '0.05' }],
};
const COLLATERAL = [{ tierStartValue: '0', discountRate: '0.9' }];
const MARGIN = {
  isIsolatedBaseBorrowable: 'NO',
  isIsolatedQuotedBorrowable: 'NO',
  warningRiskRatio: '0.8',
  liquidationRiskRatio: '1',
  maxCrossedLeverage: '5',
  maxIsolatedLeverage: '10',
  userMinBorrow: '0.01',
  maxLeverage: '5',
};
const FUTURES: Futures = {
  type: 'perpetual',
  isRwa: 'NO',
  isReality: 'no',
  feeRateUpRatio: '0',
  openCostUpRatio: '0',
  priceMultiplier: '0.01',
  quantityMultiplier: '0.01',
  offTime: '',
  limitOpenTime: '',
  deliveryTime: '',
  deliveryStartTime: '',
  deliveryPeriod: '',
  fundInterval: '8',
  minLeverage: '1',
  maxLeverage: '50',
  maxMarketOrderQty: '',
};
const DELIVERY: Partial<Futures> = {
  type: 'delivery',
  deliveryStartTime: String(OPENING_TIME),
  deliveryTime: String(DELIVERY_TIME),
  deliveryPeriod: 'this_quarter',
  fundInterval: '',
};

export function listings(): Command[] {
  const terms = { loan: LOAN, pledge: PLEDGE, borrow: BORROW, collateral: COLLATERAL };
  return [
    { type: 'setEdition', time: OPENING_TIME, edition: NEWEST_EDITION },
    coin('USDT', terms),
    coin('BTC', terms),
    coin('USD'),
    coin('ETH'),
    pair('BTC', 'USDT', {}),
    pair('BTC', 'USDT', { category: 'MARGIN', margin: MARGIN }),
    contract('BTC', 'USDT', {}),
    contract('ETH', 'USDT', {}),
    contract('BTC', 'USDT', { symbol: 'BTCUSDTH24', futures: DELIVERY }),
    contract('BTC', 'USD', { category: 'COIN-FUTURES' }),
    pair('USDT', 'USD', { openingPrice: '1', indexComponents: component('USDT', 'USD') }),
  ];
}

function coin(name: string, terms = {}): Command {
  return { type: 'listCoin', time: OPENING_TIME, spec: { coin: name, name, chains: [], ...terms } };
}

function component(base: string, quote: string): InstrumentSpec['indexComponents'] {
  return [{ exchange: 'warmup', spotPair: `${base}/${quote}`, weight: '1' }];
}

function contract(base: string, quote: string, changes: Changes): Command {
  const futures = { ...FUTURES, ...changes.futures };
  const shared = { category: 'USDT-FUTURES', indexComponents: component(base, quote) } as const;
  return pair(base, quote, { ...shared, ...changes, futures });
}

function pair(base: string, quote: string, changes: Partial<InstrumentSpec>): Command {
  const spec: InstrumentSpec = {
    symbol: `${base}${quote}`,
    category: 'SPOT',
    baseCoin: base,
    quoteCoin: quote,
    status: 'online',
    buyLimitPriceRatio: '0.3',
    sellLimitPriceRatio: '0.3',
    minOrderQty: '',
    maxOrderQty: '',
    minOrderAmount: '',
    pricePrecision: '2',
    quantityPrecision: '2',
    quotePrecision: '2',
    maxSymbolOrderNum: '',
    maxProductOrderNum: '',
    maxPositionNum: '',
    maintainTime: '',
    launchTime: '',
    symbolType: 'crypto',
    makerFeeRate: '0.0002',
    takerFeeRate: '0.0006',
    openingPrice: '100',
    indexComponents: [],
    ...changes,
  };
  return { type: 'listInstrument', time: OPENING_TIME, spec };
}
