/**
 * Schemas of a coin and of an instrument in the catalogue. The description of a field completes the message "must be …"
 * for a value that does not fit.
 */

import type { BorrowSpec } from '../core/model/borrow-terms.ts';
import { CATEGORY_NAMES, INSTRUMENT_STATUS_NAMES } from '../core/model/enums.ts';
import type {
  ChainSpec,
  CoinSpec,
  CollateralTier,
  FuturesSpec,
  IndexComponentSpec,
  InstrumentSpec,
  MarginSpec,
} from '../core/model/listing-spec.ts';
import type { LoanSpec, PledgeSpec } from '../core/model/loan-terms.ts';
import type { TierSpec } from '../core/model/margin-tiers.ts';
import { type TSchema, Type } from '../validation/schema.ts';

const text = (description: string, pattern: string) => Type.String({ pattern, description });
const name = text('a text that is not empty', '.');
const coinName = text('a coin such as "BTC"', '^[A-Z0-9]{2,16}$');
const decimal = text('a decimal in quotes, such as "0.001"', '^(0|[1-9][0-9]*)(\\.[0-9]+)?$');
const signedDecimal = text('a decimal in quotes, such as "-0.0001"', '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$');
const decimalOrEmpty = text('a decimal in quotes, or "" for none', '^((0|[1-9][0-9]*)(\\.[0-9]+)?)?$');
const whole = text('a whole number in quotes, such as "8"', '^(0|[1-9][0-9]{0,8})$');
const wholeOrEmpty = text('a whole number in quotes, or "" for none', '^(0|[1-9][0-9]{0,8})?$');
const time = text('a Unix time in milliseconds, such as "1782460800000"', '^[1-9][0-9]{12}$');
const timeOrEmpty = text('a Unix time in milliseconds, or ""', '^([1-9][0-9]{12})?$');
const flag = Type.Boolean({ description: 'true or false' });

const oneOf = (...allowed: readonly string[]) =>
  Type.Enum([...allowed], { description: `one of ${allowed.map((word) => `"${word}"`).join(', ')}` });

const listOf = (item: TSchema) => Type.Array(item, { description: 'a list' });

/** A field that the record gains must be added to its schema before the program compiles. */
function record<Spec>(fields: { readonly [Field in keyof Required<Spec>]: TSchema }): TSchema {
  return Type.Object({ ...fields }, { additionalProperties: false, description: 'an object' });
}

const CHAIN = record<ChainSpec>({
  chain: name,
  needTag: flag,
  withdrawable: flag,
  rechargeable: flag,
  withdrawFee: decimal,
  depositConfirm: whole,
  withdrawConfirm: whole,
  minDepositAmount: decimal,
  minWithdrawAmount: decimal,
});

const COLLATERAL_TIER = record<CollateralTier>({
  tierStartValue: decimal,
  discountRate: decimal,
  exchangeDiscount: Type.Optional(decimal),
});

const TIER = record<TierSpec>({ upTo: decimal, maxLeverage: whole, mmr: decimal });

const BORROW = record<BorrowSpec>({
  yearRate: decimal,
  poolLimit: decimal,
  userLimit: decimal,
  masterSubLimit: decimal,
  freeLimit: decimal,
  lendShare: Type.Optional(decimal),
  tiers: listOf(TIER),
});

const LOAN = record<LoanSpec>({
  flexibleRate: decimal,
  sevenDayRate: decimal,
  thirtyDayRate: decimal,
  minUsdt: decimal,
  maxUsdt: decimal,
});

const PLEDGE = record<PledgeSpec>({
  initRate: decimal,
  supRate: decimal,
  forceRate: decimal,
  minUsdt: decimal,
  maxUsdt: decimal,
});

export const COIN = record<CoinSpec>({
  coin: coinName,
  name,
  chains: listOf(CHAIN),
  collateral: Type.Optional(listOf(COLLATERAL_TIER)),
  collateralCap: Type.Optional(decimal),
  houseShortUsd: Type.Optional(decimal),
  loan: Type.Optional(LOAN),
  pledge: Type.Optional(PLEDGE),
  borrow: Type.Optional(BORROW),
  insuranceFloor: Type.Optional(decimal),
});

const INDEX_COMPONENT = record<IndexComponentSpec>({ exchange: name, spotPair: name, weight: decimal });

const FUTURES = record<FuturesSpec>({
  type: oneOf('perpetual', 'delivery'),
  isRwa: oneOf('YES', 'NO'),
  isReality: oneOf('yes', 'no'),
  feeRateUpRatio: decimal,
  openCostUpRatio: decimal,
  priceMultiplier: decimal,
  quantityMultiplier: decimal,
  offTime: timeOrEmpty,
  limitOpenTime: timeOrEmpty,
  deliveryTime: timeOrEmpty,
  deliveryStartTime: timeOrEmpty,
  deliveryPeriod: oneOf('', 'this_quarter', 'next_quarter'),
  fundInterval: oneOf('', '1', '2', '4', '8'),
  minLeverage: decimal,
  maxLeverage: decimal,
  maxMarketOrderQty: decimalOrEmpty,
  minFundingRate: Type.Optional(signedDecimal),
  maxFundingRate: Type.Optional(signedDecimal),
  tiers: Type.Optional(listOf(TIER)),
});

const MARGIN = record<MarginSpec>({
  isIsolatedBaseBorrowable: oneOf('YES', 'NO'),
  isIsolatedQuotedBorrowable: oneOf('YES', 'NO'),
  warningRiskRatio: decimal,
  liquidationRiskRatio: decimal,
  maxCrossedLeverage: decimal,
  maxIsolatedLeverage: decimal,
  userMinBorrow: decimal,
  maxLeverage: decimal,
});

export const INSTRUMENT = record<InstrumentSpec>({
  symbol: name,
  category: oneOf(...CATEGORY_NAMES),
  baseCoin: coinName,
  quoteCoin: coinName,
  status: oneOf(...INSTRUMENT_STATUS_NAMES),
  buyLimitPriceRatio: decimal,
  sellLimitPriceRatio: decimal,
  minOrderQty: decimalOrEmpty,
  maxOrderQty: decimalOrEmpty,
  minOrderAmount: decimalOrEmpty,
  pricePrecision: whole,
  quantityPrecision: whole,
  quotePrecision: wholeOrEmpty,
  maxSymbolOrderNum: wholeOrEmpty,
  maxProductOrderNum: wholeOrEmpty,
  maxPositionNum: wholeOrEmpty,
  maintainTime: timeOrEmpty,
  launchTime: time,
  symbolType: oneOf('crypto', 'metal', 'stock', 'commodity'),
  makerFeeRate: signedDecimal,
  takerFeeRate: signedDecimal,
  openingPrice: decimal,
  indexComponents: listOf(INDEX_COMPONENT),
  areaSymbol: Type.Optional(oneOf('YES', 'NO')),
  futures: Type.Optional(FUTURES),
  margin: Type.Optional(MARGIN),
});
