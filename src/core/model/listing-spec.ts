/** Coins and instruments as people write them: decimal text under the names of the interface (`instrument.ts` reads it). */
import type { BorrowSpec } from './borrow-terms.ts';
import type { CategoryName, InstrumentStatusName } from './enums.ts';
import type { LoanSpec, PledgeSpec } from './loan-terms.ts';
import type { TierSpec } from './margin-tiers.ts';

/** Dollars that the house may lack of a coin, unless the coin says otherwise (rules 13.2). */
export const HOUSE_SHORT_USD = '10000';

export interface CoinSpec {
  readonly coin: string;
  readonly name: string;
  /** Networks for deposits and withdrawals. */
  readonly chains: readonly ChainSpec[];
  /** What a coin counts as margin, by slices of its dollar value; nothing when absent, stablecoins in full. */
  readonly collateral?: readonly CollateralTier[];
  /** So many coins of an account count as margin at most; all when absent. */
  readonly collateralCap?: string;
  /** Dollars that the house may lack of it in coin-margined contracts beyond the insurance fund; 10 000 when absent. */
  readonly houseShortUsd?: string;
  /** Terms of pledge loans: at which it is lent, and taken as a pledge; neither when absent. */
  readonly loan?: LoanSpec;
  readonly pledge?: PledgeSpec;
  /** Terms on which it is lent to unified accounts; not at all when absent. */
  readonly borrow?: BorrowSpec;
  /** What drains leave in each insurance fund; nothing when absent. */
  readonly insuranceFloor?: string;
}

export interface CollateralTier {
  readonly tierStartValue: string;
  readonly discountRate: string;
  /** What a forced conversion of so much takes off the price; nothing when absent. */
  readonly exchangeDiscount?: string;
}

export interface ChainSpec {
  readonly chain: string;
  readonly needTag: boolean;
  readonly withdrawable: boolean;
  readonly rechargeable: boolean;
  readonly withdrawFee: string;
  readonly depositConfirm: string;
  readonly withdrawConfirm: string;
  readonly minDepositAmount: string;
  readonly minWithdrawAmount: string;
}

export interface IndexComponentSpec {
  readonly exchange: string;
  readonly spotPair: string;
  readonly weight: string;
}

/** Fields of interface 2.6 under their names there, and what the exchange needs besides. */
export interface InstrumentSpec {
  readonly symbol: string;
  readonly category: CategoryName;
  readonly baseCoin: string;
  readonly quoteCoin: string;
  readonly status: InstrumentStatusName;
  readonly buyLimitPriceRatio: string;
  readonly sellLimitPriceRatio: string;
  readonly minOrderQty: string;
  readonly maxOrderQty: string;
  readonly minOrderAmount: string;
  readonly pricePrecision: string;
  readonly quantityPrecision: string;
  readonly quotePrecision: string;
  readonly maxSymbolOrderNum: string;
  readonly maxProductOrderNum: string;
  readonly maxPositionNum: string;
  readonly maintainTime: string;
  readonly launchTime: string;
  readonly symbolType: 'crypto' | 'metal' | 'stock' | 'commodity';
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  /** Reference of the price band before the first trade (rules 1.9). */
  readonly openingPrice: string;
  readonly indexComponents: readonly IndexComponentSpec[];
  readonly areaSymbol?: 'YES' | 'NO';
  readonly futures?: FuturesSpec;
  readonly margin?: MarginSpec;
}

export interface FuturesSpec {
  readonly type: 'perpetual' | 'delivery';
  readonly isRwa: 'YES' | 'NO';
  readonly isReality: 'yes' | 'no';
  readonly feeRateUpRatio: string;
  readonly openCostUpRatio: string;
  readonly priceMultiplier: string;
  readonly quantityMultiplier: string;
  readonly offTime: string;
  readonly limitOpenTime: string;
  readonly deliveryTime: string;
  readonly deliveryStartTime: string;
  readonly deliveryPeriod: '' | 'this_quarter' | 'next_quarter';
  readonly fundInterval: string;
  readonly minLeverage: string;
  readonly maxLeverage: string;
  readonly maxMarketOrderQty: string;
  /** Bounds of the funding rate; +-0.003 when absent. */
  readonly minFundingRate?: string;
  readonly maxFundingRate?: string;
  /** By notional; one tier for everything when absent. */
  readonly tiers?: readonly TierSpec[];
}

export interface MarginSpec {
  readonly isIsolatedBaseBorrowable: string;
  readonly isIsolatedQuotedBorrowable: string;
  readonly warningRiskRatio: string;
  readonly liquidationRiskRatio: string;
  readonly maxCrossedLeverage: string;
  readonly maxIsolatedLeverage: string;
  readonly userMinBorrow: string;
  readonly maxLeverage: string;
}

/** Worth a dollar while no index says otherwise. */
export const DOLLAR_COINS: ReadonlySet<string> = new Set(['USD', 'USDT', 'USDC']);
/** Quote coins of the indices that price a coin. */
export const INDEX_QUOTES = ['USD', 'USDT'] as const;
