/** One coin or instrument of the catalogue by itself: its fields, and what they say of each other. */
import { type BorrowSpec, readBorrowTerms } from '../core/model/borrow-terms.ts';
import { CATEGORY_NAMES, type CategoryName, INSTRUMENT_STATUS_NAMES } from '../core/model/enums.ts';
import type {
  ChainSpec,
  CoinSpec,
  CollateralTier,
  FuturesSpec,
  IndexComponentSpec,
  InstrumentSpec,
  MarginSpec,
} from '../core/model/listing-spec.ts';
import { type LoanSpec, loanTermsProblem, type PledgeSpec } from '../core/model/loan-terms.ts';
import type { TierSpec } from '../core/model/margin-tiers.ts';
import { parseUnits, RATE_ONE, RATE_SCALE } from '../core/model/units.ts';
import {
  coinName,
  decimal,
  decimalOrEmpty,
  type Fields,
  flag,
  listOf,
  name,
  oneOf,
  optional,
  record,
  shown,
  signedDecimal,
  time,
  timeOrEmpty,
  whole,
  wholeOrEmpty,
} from './field-checks.ts';

const CHAIN: Fields<ChainSpec> = {
  chain: name,
  needTag: flag,
  withdrawable: flag,
  rechargeable: flag,
  withdrawFee: decimal,
  depositConfirm: whole,
  withdrawConfirm: whole,
  minDepositAmount: decimal,
  minWithdrawAmount: decimal,
};

const COLLATERAL_TIER: Fields<CollateralTier> = {
  tierStartValue: decimal,
  discountRate: decimal,
  exchangeDiscount: optional(decimal),
};

const TIER: Fields<TierSpec> = { upTo: decimal, maxLeverage: whole, mmr: decimal };

const BORROW: Fields<BorrowSpec> = {
  yearRate: decimal,
  poolLimit: decimal,
  userLimit: decimal,
  masterSubLimit: decimal,
  freeLimit: decimal,
  tiers: listOf(record(TIER)),
};

const LOAN: Fields<LoanSpec> = {
  flexibleRate: decimal,
  sevenDayRate: decimal,
  thirtyDayRate: decimal,
  minUsdt: decimal,
  maxUsdt: decimal,
};

const PLEDGE: Fields<PledgeSpec> = {
  initRate: decimal,
  supRate: decimal,
  forceRate: decimal,
  minUsdt: decimal,
  maxUsdt: decimal,
};

const COIN: Fields<CoinSpec> = {
  coin: coinName,
  name,
  chains: listOf(record(CHAIN)),
  collateral: optional(listOf(record(COLLATERAL_TIER))),
  collateralCap: optional(decimal),
  loan: optional(record(LOAN)),
  pledge: optional(record(PLEDGE)),
  borrow: optional(record(BORROW)),
};

const INDEX_COMPONENT: Fields<IndexComponentSpec> = { exchange: name, spotPair: name, weight: decimal };

const FUTURES: Fields<FuturesSpec> = {
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
  minFundingRate: optional(signedDecimal),
  maxFundingRate: optional(signedDecimal),
  tiers: optional(listOf(record(TIER))),
};

const MARGIN: Fields<MarginSpec> = {
  isIsolatedBaseBorrowable: oneOf('YES', 'NO'),
  isIsolatedQuotedBorrowable: oneOf('YES', 'NO'),
  warningRiskRatio: decimal,
  liquidationRiskRatio: decimal,
  maxCrossedLeverage: decimal,
  maxIsolatedLeverage: decimal,
  userMinBorrow: decimal,
  maxLeverage: decimal,
};

const INSTRUMENT: Fields<InstrumentSpec> = {
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
  indexComponents: listOf(record(INDEX_COMPONENT)),
  areaSymbol: optional(oneOf('YES', 'NO')),
  futures: optional(record(FUTURES)),
  margin: optional(record(MARGIN)),
};

/** Parts that only some categories have, and must have. */
const PARTS: Readonly<Record<CategoryName, readonly ('futures' | 'margin')[]>> = {
  SPOT: [],
  MARGIN: ['margin'],
  'USDT-FUTURES': ['futures'],
  'COIN-FUTURES': ['futures'],
  'USDC-FUTURES': ['futures'],
};

/** What is wrong with a coin, if anything is. */
export function coinProblem(entry: unknown): string | undefined {
  const problem = record(COIN)(entry, '')?.trim();
  return problem ?? termsProblem(entry as CoinSpec);
}

/** What is wrong with an instrument, if anything is; `category` is the one of its file. */
export function instrumentProblem(entry: unknown, category?: CategoryName): string | undefined {
  const problem = record(INSTRUMENT)(entry, '')?.trim();
  if (problem !== undefined) return problem;
  const spec = entry as InstrumentSpec;
  return categoryProblem(spec, category ?? spec.category) ?? futuresProblem(spec) ?? weightsProblem(spec);
}

/** Terms at which the coin is lent to accounts and at the loan desk. */
function termsProblem({ borrow, loan, pledge }: CoinSpec): string | undefined {
  if (readBorrowTerms(borrow) === undefined)
    return 'borrow.tiers must rise: upTo and mmr ascending, leverage at least 1';
  return loanTermsProblem(loan, pledge);
}

function categoryProblem(spec: InstrumentSpec, category: CategoryName): string | undefined {
  if (spec.category !== category)
    return `category ${shown(spec.category)} must be "${category}" in this file`;
  for (const part of ['futures', 'margin'] as const) {
    const needed = PARTS[category].includes(part);
    if (needed && spec[part] === undefined) return `${part} is missing`;
    if (!needed && spec[part] !== undefined) return `${part} has no place in ${category}`;
  }
  return undefined;
}

/** A delivery contract has its three delivery fields and no funding, a perpetual one the reverse. */
function futuresProblem({ futures }: InstrumentSpec): string | undefined {
  if (futures === undefined) return undefined;
  const delivery = futures.type === 'delivery';
  for (const field of ['deliveryTime', 'deliveryStartTime', 'deliveryPeriod'] as const) {
    if ((futures[field] !== '') !== delivery) {
      return `futures.${field} ${shown(futures[field])} does not suit the type "${futures.type}"`;
    }
  }
  if ((futures.fundInterval === '') !== delivery) {
    return `futures.fundInterval ${shown(futures.fundInterval)} does not suit the type "${futures.type}"`;
  }
  return undefined;
}

function weightsProblem({ indexComponents }: InstrumentSpec): string | undefined {
  if (indexComponents.length === 0) return undefined;
  let sum = 0n;
  for (const [index, { weight }] of indexComponents.entries()) {
    const units = parseUnits(weight, RATE_SCALE);
    if (units === undefined) return `indexComponents[${index}].weight "${weight}" has too many digits`;
    sum += units;
  }
  return sum === RATE_ONE ? undefined : 'the weights of indexComponents must add up to 1';
}
