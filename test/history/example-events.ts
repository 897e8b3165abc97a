/** Events with believable values for the tests; each says what it needs to be different. */

import {
  CancelReason,
  Category,
  OrderStatus,
  OrderType,
  Side,
  Source,
  StpMode,
  StrategyKind,
  StrategyStatus,
  TimeInForce,
  TriggerType,
  Wallet,
} from '../../src/core/model/enums.ts';
import type {
  CandleClosed,
  Converted,
  FillRecord,
  FundingSettled,
  LedgerLine,
  LoanChanged,
  LoanReduced,
  LoanRepaid,
  OrderRecord,
  PledgeRevised,
  PositionClosed,
  PositionMoved,
  PriceCandleClosed,
  StrategyOrderRecord,
  Transferred,
  WalletRecord,
} from '../../src/core/model/event.ts';
import type { Instrument } from '../../src/core/model/instrument.ts';
import type { InstrumentSpec } from '../../src/core/model/listing-spec.ts';
import { LoanTerm } from '../../src/core/model/loan-terms.ts';
import { parseInstrument } from '../../src/core/model/parse-instrument.ts';
import { NO_LEG } from '../../src/core/model/tpsl.ts';
import type { GeneratedPast } from '../../src/history/generated-candles.ts';

export const START_TIME = 1_790_000_000_000;
export const NO_INSTRUMENT = -1;
export const COINS: readonly string[] = ['BTC', 'USDT', 'ETH'];
export const coinName = (coin: number): string => COINS[coin]!;

const BTCUSDT: InstrumentSpec = {
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
  maxSymbolOrderNum: '400',
  maxProductOrderNum: '400',
  maxPositionNum: '',
  maintainTime: '',
  launchTime: '1780000000000',
  symbolType: 'crypto',
  makerFeeRate: '0.001',
  takerFeeRate: '0.001',
  openingPrice: '60000',
  indexComponents: [],
};

const BTCUSDT_PERPETUAL: InstrumentSpec = {
  ...BTCUSDT,
  category: 'USDT-FUTURES',
  futures: {
    type: 'perpetual',
    isRwa: 'NO',
    isReality: 'no',
    feeRateUpRatio: '0.005',
    openCostUpRatio: '0.01',
    priceMultiplier: '0.01',
    quantityMultiplier: '0.000001',
    offTime: '',
    limitOpenTime: '',
    deliveryTime: '',
    deliveryStartTime: '',
    deliveryPeriod: '',
    fundInterval: '8',
    minLeverage: '1',
    maxLeverage: '125',
    maxMarketOrderQty: '220',
  },
};

/** One symbol in three categories, and two symbols in one. */
export const INSTRUMENTS: readonly Instrument[] = [
  BTCUSDT,
  {
    ...BTCUSDT,
    category: 'MARGIN' as const,
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
  },
  { ...BTCUSDT, symbol: 'ETHUSDT', baseCoin: 'ETH', openingPrice: '2500' },
  BTCUSDT_PERPETUAL,
].map((spec, index) => parseInstrument(spec, index, index, (coin) => COINS.indexOf(coin)));

export const PERPETUAL = 3;

export function anOrder(different: Partial<OrderRecord> & { orderId: number }): OrderRecord {
  const createdTime = different.createdTime ?? START_TIME;
  return {
    clientOid: '',
    uid: 1,
    instrument: 0,
    category: Category.spot,
    side: Side.buy,
    orderType: OrderType.limit,
    timeInForce: TimeInForce.gtc,
    stpMode: StpMode.none,
    source: Source.api,
    priceTicks: 6_000_000 + different.orderId,
    sizeLots: 500_000,
    quoteAmount: 0n,
    filledLots: 0,
    filledValue: 0n,
    feeCoin: 0,
    fee: 0n,
    status: OrderStatus.filled,
    cancelReason: CancelReason.none,
    createdTime,
    updatedTime: createdTime + 40,
    ...different,
  };
}

export function aFill(different: Partial<FillRecord> & { execId: number }): FillRecord {
  return {
    execLinkId: different.execId,
    orderId: 1,
    clientOid: '',
    uid: 1,
    instrument: 0,
    category: Category.spot,
    side: Side.sell,
    orderType: OrderType.limit,
    maker: false,
    priceTicks: 6_000_000,
    sizeLots: 1000 + different.execId,
    value: 6_000_000n * BigInt(1000 + different.execId),
    feeCoin: 1,
    fee: 6000n,
    commission: 0n,
    rpi: false,
    time: START_TIME,
    ...different,
  };
}

export function aLedgerLine(different: Partial<LedgerLine> & { lineId: number }): LedgerLine {
  return {
    type: 'ledgerLine',
    uid: 1,
    coin: 0,
    kind: 'tradeIn',
    instrument: 0,
    category: Category.spot,
    amount: 50_000_000n,
    fee: 50_000n,
    balance: 49_950_000n + BigInt(different.lineId),
    reference: '',
    time: START_TIME,
    ...different,
  };
}

export function aTransfer(different: Partial<Transferred> & { transferId: number }): Transferred {
  return {
    type: 'transfer',
    initiatorUid: 1,
    fromUid: 1,
    toUid: 1,
    fromWallet: Wallet.funding,
    toWallet: Wallet.unified,
    coin: 0,
    amount: 100_000_000n + BigInt(different.transferId),
    clientOid: '',
    time: START_TIME,
    ...different,
  };
}

export function aMove(different: Partial<PositionMoved> & { orderId: number }): PositionMoved {
  const { orderId } = different;
  return {
    type: 'positionMoved',
    openOrderId: orderId + 1,
    closeExecId: orderId + 2,
    openExecId: orderId + 3,
    masterUid: 1,
    fromUid: 2,
    toUid: 1,
    instrument: PERPETUAL,
    category: Category.usdtFutures,
    long: true,
    sizeLots: 5000,
    priceTicks: 610_000,
    time: START_TIME,
    ...different,
  };
}

export function aConversion(different: Partial<Converted> & { conversionId: number }): Converted {
  return {
    type: 'conversion',
    uid: 1,
    fromCoin: 0,
    fromAmount: 333_668n + BigInt(different.conversionId),
    toCoin: 1,
    toAmount: 20_000_000_000n,
    forced: false,
    time: START_TIME,
    ...different,
  };
}

/** A withdrawal that waits for the operator. */
export function aWalletRecord(different: Partial<WalletRecord> & { recordId: number }): WalletRecord {
  const createdTime = different.createdTime ?? START_TIME;
  return {
    type: 'walletRecord',
    uid: 1,
    kind: 'withdrawal',
    status: 'pending',
    coin: 1,
    amount: 3_000_000_000n + BigInt(different.recordId),
    fee: 150_000_000n,
    address: 'TFcWfiw5p5DDZ6vi6Bktf7yK1asRYLpN33',
    chain: 'TRC20',
    tag: '',
    counterUid: 0,
    clientOid: '',
    reference: '',
    createdTime,
    updatedTime: createdTime,
    ...different,
  };
}

export function aStrategy(changes: Partial<StrategyOrderRecord> = {}): StrategyOrderRecord {
  const orderId = changes.orderId ?? 1;
  return {
    orderId,
    clientOid: `strategy-${orderId}`,
    uid: 1,
    instrument: 0,
    category: Category.spot,
    kind: StrategyKind.partial,
    side: Side.sell,
    posSide: 0,
    reduceOnly: false,
    sizeLots: 500_000,
    quoteAmount: 0n,
    status: StrategyStatus.success,
    triggerType: TriggerType.stopLoss,
    takeProfit: NO_LEG,
    stopLoss: { ...NO_LEG, triggerTicks: 5_800_000 },
    trigger: NO_LEG,
    callbackPpm: 0,
    extremeTicks: 0,
    reason: 0,
    failure: 0,
    childOrderId: orderId + 1,
    createdTime: START_TIME,
    updatedTime: START_TIME,
    ...changes,
  };
}

export function aClosedPosition(different: Partial<PositionClosed> & { positionId: number }): PositionClosed {
  const createdTime = different.createdTime ?? START_TIME;
  return {
    type: 'positionClosed',
    uid: 1,
    instrument: PERPETUAL,
    category: Category.usdtFutures,
    long: true,
    hedge: false,
    isolated: false,
    openedLots: 500_000,
    openedValue: 3_000_000_000_000n,
    closedLots: 500_000,
    closedValue: 3_000_000_000_000n + BigInt(different.positionId),
    realised: BigInt(different.positionId),
    funding: -200_000_000n,
    openFee: 1_800_000_000n,
    closeFee: 1_800_000_000n,
    createdTime,
    updatedTime: createdTime + 60_000,
    ...different,
  };
}

/** A loan that was paid back. */
export function aLoan(different: Partial<LoanChanged> & { loanId: number }): LoanChanged {
  const borrowTime = different.borrowTime ?? START_TIME;
  return {
    type: 'loan',
    uid: 1,
    loanCoin: 1,
    pledgeCoin: 0,
    term: LoanTerm.sevenDays,
    hourRate: 6_170_000n,
    initLoan: 1_000_000_000_000n,
    initPledge: 25_641_026n,
    status: 'REPAY',
    borrowTime,
    updatedTime: borrowTime + 60_000,
    ...different,
  };
}

const LOAN_PARTIES = { loanId: 1, uid: 1, loanCoin: 1, pledgeCoin: 0, time: START_TIME };

export function aRepayment(different: Partial<LoanRepaid> & { repayId: number }): LoanRepaid {
  const amounts = { interest: 712n, principal: 100_000_001n, unlocked: 0n };
  return { type: 'loanRepaid', ...LOAN_PARTIES, ...amounts, ...different };
}

export function aRevision(different: Partial<PledgeRevised> & { reviseId: number }): PledgeRevised {
  const rates = { into: true, amount: 5_000_000n, before: 6501n, after: 5440n };
  return { type: 'pledgeRevised', ...LOAN_PARTIES, ...rates, ...different };
}

export function aReduction(different: Partial<LoanReduced> & { reduceId: number }): LoanReduced {
  return {
    type: 'loanReduced',
    ...LOAN_PARTIES,
    rate: 8317n,
    price: 4_690_000_000_000n,
    sold: 21_751_665n,
    fee: 20_003_001_400n,
    unlocked: 3_889_361n,
    paid: 1_000_150_070_000n,
    ...different,
  };
}

export function aFunding(time: number, rate: bigint): FundingSettled {
  return { type: 'fundingSettled', instrument: PERPETUAL, rate, toFund: 0n, time };
}

export function aPriceCandle(different: Partial<PriceCandleClosed>): PriceCandleClosed {
  return {
    type: 'priceCandle',
    kind: 'mark',
    instrument: PERPETUAL,
    interval: '1m',
    openTime: START_TIME,
    openTicks: 600_000,
    highTicks: 601_000,
    lowTicks: -599_000,
    closeTicks: 600_500,
    ...different,
  };
}

export function aCandle(different: Partial<CandleClosed>): CandleClosed {
  return {
    type: 'candle',
    instrument: 0,
    interval: '1m',
    openTime: START_TIME,
    openTicks: 6_000_000,
    highTicks: 6_010_000,
    lowTicks: 5_990_000,
    closeTicks: 6_005_000,
    volumeLots: 2_500_000,
    turnover: 15_000_000_000_000n,
    ...different,
  };
}

/** A hundred generated candles and one rate, from before `START_TIME`. */
export function aGeneratedPast(rateTime: number): GeneratedPast {
  const candles = {
    category: 'SPOT',
    symbol: 'BTCUSDT',
    interval: '1m',
    firstOpen: START_TIME - 6_000_000,
    pricePrecision: 2,
    quantityPrecision: 6,
    ticks: Int32Array.from({ length: 400 }, (_, n) => 6_000_000 + n),
    lots: Float64Array.from({ length: 100 }, (_, n) => n),
  } as const;
  const rates = [{ time: rateTime, fundingRate: '0.0001' }];
  return { candles: [candles], funding: { category: 'USDT-FUTURES', symbol: 'BTCUSDT', rates } };
}
