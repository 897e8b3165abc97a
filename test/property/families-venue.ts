/**
 * The venue that families of colluding accounts attack: three dollar-like and two other coins, spot, margin, linear and
 * coin-margined contracts with a delivery, loans, funds. Which books are quoted, what the funds hold and who pays which
 * fees differs from seed to seed.
 */
import type { BorrowSpec } from '../../src/core/model/borrow-terms.ts';
import type { Command } from '../../src/core/model/command.ts';
import { NEWEST_EDITION } from '../../src/core/model/edition.ts';
import type { CoinSpec, InstrumentSpec } from '../../src/core/model/listing-spec.ts';
import { parseUnits, RATE_SCALE } from '../../src/core/model/units.ts';
import type { Rng } from './futures-flow.ts';

export const COIN = { usdt: 0, usdc: 1, usd: 2, btc: 3, eth: 4 } as const;
export const COIN_NAMES = ['USDT', 'USDC', 'USD', 'BTC', 'ETH'] as const;

/** Instruments by the order of their listing. */
export const BOOK = {
  btcSpot: 0,
  ethSpot: 1,
  usdcSpot: 2,
  btcMargin: 3,
  ethMargin: 4,
  btcPerp: 5,
  ethPerp: 6,
  btcUsdc: 7,
  btcCoin: 8,
  btcQuarter: 9,
} as const;

/** What each index tells: base by quote. The order is that of the listings. */
export const INDICES = [
  { name: 'BTCUSDT', base: COIN.btc, quote: COIN.usdt },
  { name: 'ETHUSDT', base: COIN.eth, quote: COIN.usdt },
  { name: 'USDCUSDT', base: COIN.usdc, quote: COIN.usdt },
  { name: 'BTCUSDC', base: COIN.btc, quote: COIN.usdc },
  { name: 'BTCUSD', base: COIN.btc, quote: COIN.usd },
] as const;

/** Both coin-margined contracts go by it. */
export const BTCUSD = INDICES.findIndex(({ name }) => name === 'BTCUSD');

/** The family: two main accounts with sub-accounts, and a broker with two. They trust each other. */
export const FAMILY = [11, 12, 13, 21, 22, 31, 32, 33] as const;
export const MASTERS: Readonly<Record<number, number>> = { 12: 11, 13: 11, 22: 21, 32: 31, 33: 31 };
export const BROKER = 31;
/** Backed: one account of the house, one registered market maker. */
export const HOUSE_MAKER = 51;
export const MAKER = 52;
/** Strangers trade for themselves, at prices of the outside world. */
export const STRANGERS = [61, 62, 63] as const;

const DELIVERY_TIME = Date.UTC(2026, 2, 27, 8);

export interface VenueTerms {
  readonly start: number;
  /** Books in which backed accounts quote. */
  readonly quoted: readonly number[];
  readonly fees: 'usual' | 'low' | 'none' | 'paid';
  /** Dollars in each insurance fund, and what the house may lack of BTC. */
  readonly insured: number;
  readonly houseShortUsd: number;
  /** BTC of strangers and makers: what the venue has in custody for others. */
  readonly btcOfOthers: number;
}

export function drawTerms(dice: Rng): VenueTerms {
  const every = [0, 1, 2, 5, 6, 7, 8, 9];
  const quoted = dice.chance(0.3) ? [] : every.filter(() => dice.chance(0.6));
  return {
    start: DELIVERY_TIME - dice.pick([70, 20, 260]) * 60_000,
    quoted,
    fees: dice.pick(['usual', 'usual', 'low', 'none', 'paid']),
    insured: dice.pick([0, 2400, 20_000, 200_000]),
    houseShortUsd: dice.pick([300, 2000, 10_000]),
    btcOfOthers: dice.pick([0, 3, 1000]),
  };
}

const TIERS = [
  { upTo: '150000', maxLeverage: '125', mmr: '0.004' },
  { upTo: '900000', maxLeverage: '100', mmr: '0.005' },
  { upTo: '12000000', maxLeverage: '50', mmr: '0.01' },
  { upTo: '50000000', maxLeverage: '20', mmr: '0.03' },
];

const borrow = (poolLimit: string, userLimit: string): BorrowSpec => ({
  yearRate: '0.0876',
  poolLimit,
  userLimit,
  masterSubLimit: userLimit,
  freeLimit: '100',
  tiers: [
    { upTo: '200000', maxLeverage: '5', mmr: '0.04' },
    { upTo: '5000000', maxLeverage: '3', mmr: '0.06' },
  ],
});
const RATES = { flexibleRate: '0.0305', sevenDayRate: '0.054', thirtyDayRate: '0.077' };
const LOAN = { ...RATES, minUsdt: '1', maxUsdt: '1000000' };
const PLEDGE = { initRate: '0.65', supRate: '0.75', forceRate: '0.83', minUsdt: '0', maxUsdt: '10000000' };
const COLLATERAL = [{ tierStartValue: '0', discountRate: '0.975' }];

function coins(houseShortUsd: number): CoinSpec[] {
  const chains: CoinSpec['chains'] = [];
  return [
    { coin: 'USDT', name: 'USDT', chains, borrow: borrow('5000000', '2000000'), loan: LOAN, pledge: PLEDGE },
    { coin: 'USDC', name: 'USDC', chains, borrow: borrow('5000000', '2000000') },
    { coin: 'USD', name: 'USD', chains },
    {
      coin: 'BTC',
      name: 'BTC',
      chains,
      collateral: COLLATERAL,
      borrow: borrow('200', '80'),
      pledge: PLEDGE,
      houseShortUsd: String(houseShortUsd),
    },
    {
      coin: 'ETH',
      name: 'ETH',
      chains,
      collateral: COLLATERAL,
      borrow: borrow('2000', '800'),
      loan: LOAN,
      pledge: PLEDGE,
    },
  ];
}

const BASE: InstrumentSpec = {
  symbol: 'BTCUSDT',
  category: 'SPOT',
  baseCoin: 'BTC',
  quoteCoin: 'USDT',
  status: 'online',
  buyLimitPriceRatio: '0.05',
  sellLimitPriceRatio: '0.05',
  minOrderQty: '',
  maxOrderQty: '',
  minOrderAmount: '',
  pricePrecision: '1',
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
const voices = (spotPair: string, count = 1) =>
  Array.from({ length: count }, (_, n) => ({
    exchange: `venue ${n}`,
    spotPair,
    weight: count === 1 ? '1' : '0.5',
  }));
const ETH: InstrumentSpec = { ...BASE, symbol: 'ETHUSDT', baseCoin: 'ETH', openingPrice: '3000' };
const USDC: InstrumentSpec = {
  ...BASE,
  symbol: 'USDCUSDT',
  baseCoin: 'USDC',
  pricePrecision: '4',
  quantityPrecision: '2',
  openingPrice: '1',
};
const MARGIN: Pick<InstrumentSpec, 'category' | 'margin'> = {
  category: 'MARGIN',
  margin: {
    isIsolatedBaseBorrowable: 'NO',
    isIsolatedQuotedBorrowable: 'NO',
    warningRiskRatio: '0.8',
    liquidationRiskRatio: '1',
    maxCrossedLeverage: '5',
    maxIsolatedLeverage: '10',
    userMinBorrow: '0.00000001',
    maxLeverage: '5',
  },
};
const PERPETUAL: InstrumentSpec = {
  ...BASE,
  category: 'USDT-FUTURES',
  quantityPrecision: '4',
  quotePrecision: '',
  makerFeeRate: '0.0002',
  takerFeeRate: '0.0006',
  futures: {
    type: 'perpetual',
    isRwa: 'NO',
    isReality: 'no',
    feeRateUpRatio: '0',
    openCostUpRatio: '0',
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
    minFundingRate: '-0.003',
    maxFundingRate: '0.003',
    tiers: TIERS,
  },
};
const COIN_PERPETUAL: InstrumentSpec = {
  ...PERPETUAL,
  symbol: 'BTCUSD',
  category: 'COIN-FUTURES',
  quoteCoin: 'USD',
  indexComponents: voices('BTC/USD'),
};

function instruments(start: number): InstrumentSpec[] {
  return [
    { ...BASE, indexComponents: voices('BTC/USDT', 2) },
    { ...ETH, indexComponents: voices('ETH/USDT', 2) },
    { ...USDC, indexComponents: voices('USDC/USDT') },
    { ...BASE, ...MARGIN, indexComponents: voices('BTC/USDT', 2) },
    { ...ETH, ...MARGIN, indexComponents: voices('ETH/USDT', 2) },
    { ...PERPETUAL, indexComponents: voices('BTC/USDT', 2) },
    {
      ...PERPETUAL,
      symbol: 'ETHUSDT',
      baseCoin: 'ETH',
      openingPrice: '3000',
      indexComponents: voices('ETH/USDT', 2),
    },
    {
      ...PERPETUAL,
      symbol: 'BTCPERP',
      category: 'USDC-FUTURES',
      quoteCoin: 'USDC',
      indexComponents: voices('BTC/USDC'),
    },
    COIN_PERPETUAL,
    {
      ...COIN_PERPETUAL,
      symbol: 'BTCUSDH26',
      futures: {
        ...PERPETUAL.futures!,
        type: 'delivery',
        fundInterval: '',
        deliveryTime: String(DELIVERY_TIME),
        deliveryStartTime: String(start - 86_400_000),
        deliveryPeriod: 'this_quarter',
      },
    },
  ];
}

const rate = (text: string): bigint => parseUnits(text, RATE_SCALE)!;
const units = (amount: number): bigint => BigInt(Math.round(amount * 1e8));

/** Commands before the newest edition is in force: listings, accounts, fees that it would refuse, money. */
export function setUp(terms: VenueTerms, dice: Rng): Command[] {
  const { start: time, insured, btcOfOthers } = terms;
  const commands: Command[] = [
    ...coins(terms.houseShortUsd).map((spec): Command => ({ type: 'listCoin', time, spec })),
    ...instruments(time).map((spec): Command => ({ type: 'listInstrument', time, spec })),
  ];
  const open = (uid: number, masterUid = 0, marketMaker = false, house = false) =>
    commands.push({ type: 'openAccount', time, uid, masterUid, marketMaker, house });
  const pay = (uid: number, coin: number, amount: number) => {
    if (amount > 0) commands.push({ type: 'deposit', time, uid, coin, amount: units(amount), reference: '' });
  };
  for (const uid of FAMILY) open(uid, MASTERS[uid]);
  open(HOUSE_MAKER, 0, false, true);
  open(MAKER, 0, true);
  for (const uid of STRANGERS) open(uid);
  for (const uid of FAMILY) {
    pay(uid, COIN.usdt, dice.pick([1000, 6500, 30_000, 400_000]));
    pay(uid, COIN.btc, btcOfOthers === 0 ? 0 : dice.pick([0, 0, 1, 20]));
    pay(uid, COIN.usdc, dice.pick([0, 0, 20_000]));
    pay(uid, COIN.eth, dice.pick([0, 0, 30]));
  }
  for (const uid of [HOUSE_MAKER, MAKER]) {
    for (const coin of [COIN.usdt, COIN.usdc]) pay(uid, coin, 50_000_000);
    pay(uid, COIN.btc, btcOfOthers);
    pay(uid, COIN.eth, 10_000);
  }
  for (const uid of STRANGERS) {
    pay(uid, COIN.usdt, dice.pick([3000, 16_000, 300_000]));
    pay(uid, COIN.btc, Math.min(2, btcOfOthers));
  }
  commands.push({ type: 'setBroker', time, uid: BROKER, broker: true });
  commands.push({ type: 'setCommission', time, uid: BROKER, rate: rate('0.3') });
  commands.push({ type: 'fundLoanPool', time, coin: COIN.usdt, amount: units(500_000), reference: 'pool' });
  commands.push({ type: 'fundLoanPool', time, coin: COIN.eth, amount: units(200), reference: 'pool' });
  commands.push(...feesOf(terms));
  commands.push({ type: 'setEdition', time, edition: NEWEST_EDITION });
  if (insured > 0) {
    for (const lending of [false, true]) {
      const fund = (coin: number, amount: number) =>
        commands.push({
          type: 'fundInsurance',
          time,
          coin,
          lending,
          amount: units(amount),
          reference: 'seed',
        });
      for (const coin of [COIN.usdt, COIN.usdc]) fund(coin, insured);
      if (!lending) fund(COIN.btc, insured / 600_000);
    }
  }
  return commands;
}

/** `paid`: a table that sums below zero, as the first edition allowed. */
function feesOf({ fees, start: time }: VenueTerms): Command[] {
  const give = (uid: number, instrument: number, maker: string, taker: string): Command => ({
    type: 'setFees',
    time,
    uid,
    instrument,
    makerRate: rate(maker),
    takerRate: rate(taker),
  });
  const books = Object.values(BOOK);
  if (fees === 'usual') return [];
  if (fees === 'paid')
    return books.flatMap((book) => [give(21, book, '-0.0003', '0.0006'), give(13, book, '0', '0.0002')]);
  const taker = fees === 'low' ? '0.0002' : '0';
  return FAMILY.flatMap((uid) => books.map((book) => give(uid, book, '0', taker)));
}
