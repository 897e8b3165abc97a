/**
 * What happened: facts the core emits while it applies a command, in the order they arose. History, streams and
 * metrics are made from these alone and can be rebuilt from them. Integers as in `command.ts`; `instrument`, `coin`
 * and `account` are indices of the exchange's tables.
 */

import type { CandleInterval } from './candle-interval.ts';
import type {
  CancelReason,
  Category,
  OrderKind,
  OrderOrigin,
  OrderStatus,
  OrderType,
  PosSide,
  PriceKind,
  Side,
  Source,
  StpMode,
  StrategyKind,
  StrategyReason,
  StrategyStatus,
  TimeInForce,
  TriggerType,
  Wallet,
} from './enums.ts';
import type { LoanTerm } from './loan-terms.ts';
import type { RejectReason } from './reject-reason.ts';
import type { Preset, TriggerLeg } from './tpsl.ts';

/** An order as it stood after a change. */
export interface OrderRecord {
  readonly orderId: number;
  readonly clientOid: string;
  readonly uid: number;
  readonly instrument: number;
  readonly category: Category;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly stpMode: StpMode;
  readonly source: Source;
  readonly priceTicks: number;
  readonly sizeLots: number;
  /** Budget of a market buy by amount, else 0n. */
  readonly quoteAmount: bigint;
  readonly filledLots: number;
  /** Executed value in 10^-8 of the quote coin. */
  readonly filledValue: bigint;
  readonly feeCoin: number;
  /** Positive = charged, negative = rebate. */
  readonly fee: bigint;
  readonly status: OrderStatus;
  readonly cancelReason: CancelReason;
  readonly createdTime: number;
  readonly updatedTime: number;
  /** Futures only. */
  readonly futures?: FuturesOrderFields;
  /** The strategy order's kind that made it; absent on orders of the owner's hand. */
  readonly origin?: OrderOrigin;
  /** Take-profit and stop-loss that its fills will be protected with. */
  readonly preset?: Preset;
}

export interface FuturesOrderFields {
  readonly posSide: PosSide;
  readonly hedge: boolean;
  readonly reduceOnly: boolean;
  readonly closing: boolean;
  readonly isolated: boolean;
  readonly kind: OrderKind;
  /** Profit of what it has closed so far, without fees. */
  readonly pnl: bigint;
}

export interface OrderChanged {
  readonly type: 'order';
  readonly order: OrderRecord;
  /** Of the amendment that it comes from, when its owner named it. */
  requestId?: string;
}

/** A strategy order as it stood after a change. */
export interface StrategyOrderRecord {
  readonly orderId: number;
  readonly clientOid: string;
  readonly uid: number;
  readonly instrument: number;
  readonly category: Category;
  readonly kind: StrategyKind;
  /** Of the order it makes. */
  readonly side: Side;
  /** The position it protects; of a trigger order in hedge mode the one it opens or closes. */
  readonly posSide: PosSide;
  readonly reduceOnly: boolean;
  /** 0 while a full-position record waits, and on a spot market buy by amount. */
  readonly sizeLots: number;
  readonly quoteAmount: bigint;
  readonly status: StrategyStatus;
  /** The leg that fired, or the only one there is. */
  readonly triggerType: TriggerType;
  readonly takeProfit: TriggerLeg;
  readonly stopLoss: TriggerLeg;
  /** Of a trigger order; the activation price of a trailing one. */
  readonly trigger: TriggerLeg;
  /** How far a trailing order lets the price come back, in millionths; else 0. */
  readonly callbackPpm: number;
  /** The best price a trailing order has seen since it became active; 0 = not active. */
  readonly extremeTicks: number;
  /** Why it was cancelled. */
  readonly reason: StrategyReason;
  /** Why its order was rejected. */
  readonly failure: RejectReason;
  /** The order it made; 0 = none. */
  readonly childOrderId: number;
  readonly createdTime: number;
  readonly updatedTime: number;
}

export interface StrategyOrderChanged {
  readonly type: 'strategyOrder';
  readonly order: StrategyOrderRecord;
}

/** One side of a trade, as its owner sees it. */
export interface FillRecord {
  readonly execId: number;
  /** The trade number, shared by both sides. */
  readonly execLinkId: number;
  readonly orderId: number;
  readonly clientOid: string;
  readonly uid: number;
  readonly instrument: number;
  readonly category: Category;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly maker: boolean;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly value: bigint;
  readonly feeCoin: number;
  readonly fee: bigint;
  /** What of the fee went to the account's broker. */
  readonly commission: bigint;
  readonly rpi: boolean;
  readonly time: number;
  /** Futures only. */
  readonly futures?: FuturesFillFields;
}

export interface FuturesFillFields {
  readonly posSide: PosSide;
  readonly closing: boolean;
  readonly kind: OrderKind;
  /** Profit of a closing fill in the settlement coin, without fees. */
  readonly pnl: bigint;
}

export interface Filled {
  readonly type: 'fill';
  readonly fill: FillRecord;
}

/** A trade as the public sees it; `side` is the taker's. */
export interface Traded {
  readonly type: 'trade';
  readonly execId: number;
  readonly execLinkId: number;
  readonly instrument: number;
  readonly side: Side;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly rpi: boolean;
  readonly time: number;
}

export type LedgerLineKind =
  | 'deposit'
  | 'withdrawal'
  | 'withdrawalReturned'
  | 'commission'
  | 'transferIn'
  | 'transferOut'
  | 'forcedTransferIn'
  | 'forcedTransferOut'
  | 'tradeIn'
  | 'tradeOut'
  | 'buyDeal'
  | 'sellDeal'
  | 'openLong'
  | 'openShort'
  | 'closeLong'
  | 'closeShort'
  | 'fundingIn'
  | 'fundingOut'
  | 'marginAdded'
  | 'marginRemoved'
  | 'liquidation'
  | 'debtWrittenOff'
  | 'loanIn'
  | 'loanOut'
  | 'loanInterest'
  | 'pledgeOut'
  | 'pledgeIn'
  | 'interest'
  | 'convertIn'
  | 'convertOut'
  | 'forcedIn'
  | 'forcedOut';

/** Money that entered or left a user's coin (moves between cash and locked are not lines). */
export interface LedgerLine {
  readonly type: 'ledgerLine';
  readonly lineId: number;
  readonly uid: number;
  readonly coin: number;
  readonly kind: LedgerLineKind;
  /** -1 when no instrument is concerned. */
  readonly instrument: number;
  readonly category: Category;
  /** Signed, fee included in neither `amount` nor subtracted from it: balance moves by amount - fee. */
  readonly amount: bigint;
  readonly fee: bigint;
  /** What the wallet holds after the line: cash + locked in the unified one. */
  readonly balance: bigint;
  /** Unified when absent. */
  readonly wallet?: Wallet;
  readonly reference: string;
  readonly time: number;
}

/** Money between wallets; both ends have a ledger line each. */
export interface Transferred {
  readonly type: 'transfer';
  readonly transferId: number;
  /** 0 for the venue, which takes what pays a debt (rules 16.2). */
  readonly initiatorUid: number;
  readonly fromUid: number;
  readonly toUid: number;
  readonly fromWallet: Wallet;
  readonly toWallet: Wallet;
  readonly coin: number;
  readonly amount: bigint;
  readonly clientOid: string;
  readonly time: number;
}

/** A deposit or withdrawal as it stands after a change. */
export interface WalletRecord {
  readonly type: 'walletRecord';
  readonly recordId: number;
  readonly uid: number;
  readonly kind: 'deposit' | 'withdrawal';
  readonly status: 'pending' | 'success' | 'fail';
  readonly coin: number;
  /** What left or entered the account, a withdrawal's fee included. */
  readonly amount: bigint;
  readonly fee: bigint;
  readonly address: string;
  readonly chain: string;
  readonly tag: string;
  /** The other account when it never left the venue; 0 for the outside world. */
  readonly counterUid: number;
  readonly clientOid: string;
  /** Transaction id, or why it failed. */
  readonly reference: string;
  readonly createdTime: number;
  readonly updatedTime: number;
}

/** One coin of an account sold to the house for another that it owed. */
export interface Converted {
  readonly type: 'conversion';
  readonly conversionId: number;
  readonly uid: number;
  readonly fromCoin: number;
  readonly fromAmount: bigint;
  readonly toCoin: number;
  readonly toAmount: bigint;
  /** By the exchange and not by the owner. */
  readonly forced: boolean;
  readonly time: number;
}

/** The margin ratio of an account has reached the warning level; emitted once until it falls below again. */
export interface RiskWarning {
  readonly type: 'riskWarning';
  readonly uid: number;
  /** Dollars, 10^-8. */
  readonly effective: bigint;
  readonly maintenance: bigint;
  readonly time: number;
}

/** A position that has ended, as its owner reads it later. */
export interface PositionClosed {
  readonly type: 'positionClosed';
  readonly positionId: number;
  readonly uid: number;
  readonly instrument: number;
  readonly category: Category;
  readonly long: boolean;
  readonly hedge: boolean;
  readonly isolated: boolean;
  readonly openedLots: number;
  readonly openedValue: bigint;
  readonly closedLots: number;
  readonly closedValue: bigint;
  /** In the settlement coin. */
  readonly realised: bigint;
  readonly funding: bigint;
  readonly openFee: bigint;
  readonly closeFee: bigint;
  readonly createdTime: number;
  readonly updatedTime: number;
}

/** Lots of a position that one account of a party has handed to another; both have an order and fills of it. */
export interface PositionMoved {
  readonly type: 'positionMoved';
  /** The giving account's order; it names the move. */
  readonly orderId: number;
  readonly openOrderId: number;
  /** The giving account's fill, and the receiving account's last one; 0 for a house account, whose fills are not emitted. */
  readonly closeExecId: number;
  readonly openExecId: number;
  /** The main account of both, whose history it is in. */
  readonly masterUid: number;
  readonly fromUid: number;
  readonly toUid: number;
  readonly instrument: number;
  readonly category: Category;
  readonly long: boolean;
  readonly sizeLots: number;
  readonly priceTicks: number;
  readonly time: number;
}

/** A perpetual's funding at the moment it was paid. */
export interface FundingSettled {
  readonly type: 'fundingSettled';
  readonly instrument: number;
  /** 10^-12. */
  readonly rate: bigint;
  /** 10^-8 of the settlement coin: what payers gave and no receiver got. */
  readonly toFund: bigint;
  readonly time: number;
}

/** `ROLLBACK`: the pool could not lend, or the pledge was not there. */
export type LoanStatus = 'ONGOING' | 'ROLLBACK' | 'FORCE' | 'REPAY';

/** A loan as it began or ended. */
export interface LoanChanged {
  readonly type: 'loan';
  readonly loanId: number;
  readonly uid: number;
  readonly loanCoin: number;
  readonly pledgeCoin: number;
  readonly term: LoanTerm;
  /** 10^-12. */
  readonly hourRate: bigint;
  readonly initLoan: bigint;
  readonly initPledge: bigint;
  readonly status: LoanStatus;
  readonly borrowTime: number;
  readonly updatedTime: number;
}

interface AboutLoan {
  readonly loanId: number;
  readonly uid: number;
  readonly loanCoin: number;
  readonly pledgeCoin: number;
  readonly time: number;
}

/** Interest and principal together are the repayment. */
export interface LoanRepaid extends AboutLoan {
  readonly type: 'loanRepaid';
  readonly repayId: number;
  readonly interest: bigint;
  readonly principal: bigint;
  /** Collateral given back. */
  readonly unlocked: bigint;
}

export interface PledgeRevised extends AboutLoan {
  readonly type: 'pledgeRevised';
  readonly reviseId: number;
  readonly into: boolean;
  readonly amount: bigint;
  /** Pledge rates in 10^-2 percent. */
  readonly before: bigint;
  readonly after: bigint;
}

/** A loan closed by force. */
export interface LoanReduced extends AboutLoan {
  readonly type: 'loanReduced';
  readonly reduceId: number;
  /** Pledge rate in 10^-2 percent. */
  readonly rate: bigint;
  /** Loan coins for one collateral coin, 10^-8. */
  readonly price: bigint;
  readonly sold: bigint;
  /** In the loan coin. */
  readonly fee: bigint;
  readonly unlocked: bigint;
  /** Interest and principal that the sale has paid. */
  readonly paid: bigint;
}

/** The pledge should be supplemented, or the term is over. */
export interface LoanNotice extends AboutLoan {
  readonly type: 'loanNotice';
  readonly kind: 'supplement' | 'overdue';
  /** Pledge rate in 10^-2 percent; 0 when it is not the point. */
  readonly rate: bigint;
}

export type LoanEvent = LoanChanged | LoanRepaid | PledgeRevised | LoanReduced | LoanNotice;

/** The insurance fund of a coin at a full hour since whose predecessor it has changed by `amount`. */
export interface InsuranceHour {
  readonly type: 'insuranceHour';
  readonly coin: number;
  readonly amount: bigint;
  readonly balance: bigint;
  readonly time: number;
}

/** A candle with trades whose interval is over. */
export interface CandleClosed {
  readonly type: 'candle';
  readonly instrument: number;
  readonly interval: CandleInterval;
  readonly openTime: number;
  readonly openTicks: number;
  readonly highTicks: number;
  readonly lowTicks: number;
  readonly closeTicks: number;
  readonly volumeLots: number;
  readonly turnover: bigint;
}

/**
 * A candle of mark, index or premium whose interval is over and in which the price moved. Ticks are those of the
 * instrument, of a premium 10^-8.
 */
export interface PriceCandleClosed {
  readonly type: 'priceCandle';
  readonly kind: PriceKind;
  readonly instrument: number;
  readonly interval: CandleInterval;
  readonly openTime: number;
  readonly openTicks: number;
  readonly highTicks: number;
  readonly lowTicks: number;
  readonly closeTicks: number;
}

export interface AccountOpened {
  readonly type: 'accountOpened';
  readonly uid: number;
  readonly masterUid: number;
  readonly time: number;
}

export interface CoinListed {
  readonly type: 'coinListed';
  readonly coin: number;
}

export interface InstrumentChanged {
  readonly type: 'instrument';
  readonly instrument: number;
}

export type Event =
  | OrderChanged
  | StrategyOrderChanged
  | Filled
  | Traded
  | LedgerLine
  | PositionClosed
  | PositionMoved
  | FundingSettled
  | LoanEvent
  | Transferred
  | WalletRecord
  | Converted
  | RiskWarning
  | CandleClosed
  | PriceCandleClosed
  | InsuranceHour
  | AccountOpened
  | CoinListed
  | InstrumentChanged;
