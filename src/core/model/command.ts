/**
 * The commands: the only inputs that change the exchange. They are plain, immutable data; prices are ticks, sizes are lots,
 * money is 10^-8 of the coin. A value that the API could not express on the instrument's grid is `OFF_GRID`,
 * `OUT_OF_RANGE` or `EXPLICIT_ZERO`, so that the core rejects it at its place in the order of checks (rules 1.2).
 */

import type {
  Category,
  InstrumentStatusName,
  OrderType,
  PosSide,
  Side,
  Source,
  StpMode,
  StrategyKind,
  TimeInForce,
  Wallet,
} from './enums.ts';
import type { CoinSpec, InstrumentSpec } from './listing-spec.ts';
import type { LoanTerm } from './loan-terms.ts';
import type { LegChange, Preset, PresetChange, TriggerLeg } from './tpsl.ts';

export const OFF_GRID = -1;
export const OUT_OF_RANGE = -2;
/** A zero in the request, where 0 means that the field was left out. */
export const EXPLICIT_ZERO = -3;
/** "All components of the index" in `ComponentPrice`. */
export const EVERY_COMPONENT = 255;
/** "The wallet that the account has set for the coin" in `Deposit`. */
export const DEFAULT_WALLET = 255;
/** "Every instrument of the category" in `CancelAll`, "any" in lookups. */
export const ANY = -1;

/** The sequencer's clock: work that is scheduled up to `time` is done. */
export interface Tick {
  readonly type: 'tick';
  readonly time: number;
  /** Operator and audit reference, when an operator moved a manual clock. */
  readonly by?: string;
}

export interface OpenAccount {
  readonly type: 'openAccount';
  readonly time: number;
  readonly uid: number;
  /** 0 for a main account; a sub-account is one party with its main account. */
  readonly masterUid: number;
  /** May place `rpi` orders. */
  readonly marketMaker: boolean;
  /** Belongs to the exchange, as those of the simulator's agents do: no history of its orders is kept. */
  readonly house: boolean;
  readonly by?: string;
}

export interface ListCoin {
  readonly type: 'listCoin';
  readonly time: number;
  readonly spec: CoinSpec;
  readonly by?: string;
}

export interface ListInstrument {
  readonly type: 'listInstrument';
  readonly time: number;
  readonly spec: InstrumentSpec;
  readonly by?: string;
}

export interface SetInstrumentStatus {
  readonly type: 'setInstrumentStatus';
  readonly time: number;
  readonly instrument: number;
  readonly status: InstrumentStatusName;
  readonly by?: string;
}

export interface Deposit {
  readonly type: 'deposit';
  readonly time: number;
  readonly uid: number;
  readonly coin: number;
  readonly amount: bigint;
  /** Transaction id outside the exchange. */
  readonly reference: string;
  /** Unified when absent. */
  readonly wallet?: Wallet | typeof DEFAULT_WALLET;
  readonly chain?: string;
  readonly address?: string;
  /** The operator; absent when the program itself deposits. */
  readonly by?: string;
}

/** Takes money out at once, by the operator; users submit `RequestWithdrawal`. */
export interface Withdraw {
  readonly type: 'withdraw';
  readonly time: number;
  readonly uid: number;
  readonly coin: number;
  readonly amount: bigint;
  readonly reference: string;
  readonly by?: string;
}

/** Between wallets of one account, or between accounts of one party. */
export interface Transfer {
  readonly type: 'transfer';
  readonly time: number;
  /** The owner, or the main account of both. */
  readonly initiatorUid: number;
  readonly fromUid: number;
  readonly toUid: number;
  readonly fromWallet: Wallet;
  readonly toWallet: Wallet;
  readonly coin: number;
  readonly amount: bigint;
  readonly clientOid: string;
}

/** The amount leaves the wallets now, and the venue when the operator pays it out. */
export interface RequestWithdrawal {
  readonly type: 'requestWithdrawal';
  readonly time: number;
  readonly uid: number;
  readonly coin: number;
  /** Taken from the account, fee included. */
  readonly amount: bigint;
  readonly fee: bigint;
  /** Wallets that pay: funding first. */
  readonly fromFunding: boolean;
  readonly fromUnified: boolean;
  readonly address: string;
  readonly chain: string;
  readonly tag: string;
  readonly clientOid: string;
}

/** A withdrawal to any other account of the venue: it arrives at once and is free. */
export interface InternalWithdrawal {
  readonly type: 'internalWithdrawal';
  readonly time: number;
  readonly uid: number;
  /** Credited to the wallet that it has set for deposits of the coin; the funding wallet by default. */
  readonly toUid: number;
  readonly coin: number;
  readonly amount: bigint;
  readonly fromFunding: boolean;
  readonly fromUnified: boolean;
  readonly clientOid: string;
}

/** The end of a withdrawal: paid out, rejected by the operator, or cancelled by its owner. */
export interface EndWithdrawal {
  readonly type: 'endWithdrawal';
  readonly time: number;
  readonly withdrawalId: number;
  /** The owner who cancels it; 0 when the operator acts. */
  readonly uid: number;
  readonly paid: boolean;
  /** Transaction id when paid, reason when not. */
  readonly reference: string;
  readonly by?: string;
}

/** Halts or resumes trading on the whole venue. */
export interface SetHalt {
  readonly type: 'setHalt';
  readonly time: number;
  readonly halted: boolean;
  readonly by?: string;
}

/** The edition of the rule book that is in force from here on (rules 13.12). */
export interface SetEdition {
  readonly type: 'setEdition';
  readonly time: number;
  readonly edition: number;
  readonly by?: string;
}

export interface SetMarketMaker {
  readonly type: 'setMarketMaker';
  readonly time: number;
  readonly uid: number;
  readonly marketMaker: boolean;
  readonly by?: string;
}

export interface SetFeeDeduction {
  readonly type: 'setFeeDeduction';
  readonly time: number;
  readonly uid: number;
  readonly on: boolean;
}

/** Sets the wallet that deposits of a coin are credited to. */
export interface SetDepositWallet {
  readonly type: 'setDepositWallet';
  readonly time: number;
  readonly uid: number;
  readonly coin: number;
  readonly wallet: Wallet;
}

/** Share of a main account in the trading fees of its sub-accounts, in 10^-12. */
export interface SetCommission {
  readonly type: 'setCommission';
  readonly time: number;
  readonly uid: number;
  readonly rate: bigint;
  readonly by?: string;
}

/** Whether the sub-accounts of a main account belong to different people (rules 13.9). */
export interface SetBroker {
  readonly type: 'setBroker';
  readonly time: number;
  readonly uid: number;
  readonly broker: boolean;
  readonly by?: string;
}

/** Fee rates of one account on one instrument, in 10^-12; a negative maker rate is a rebate. */
export interface SetFees {
  readonly type: 'setFees';
  readonly time: number;
  readonly uid: number;
  readonly instrument: number;
  readonly makerRate: bigint;
  readonly takerRate: bigint;
  readonly by?: string;
}

export interface PlaceOrder {
  readonly type: 'placeOrder';
  readonly time: number;
  readonly uid: number;
  readonly source: Source;
  readonly instrument: number;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly stpMode: StpMode;
  /** Limit price; 0 on market orders. */
  readonly priceTicks: number;
  /** Base quantity; 0 on a market buy by amount. */
  readonly sizeLots: number;
  /** Quote money of a market buy by amount in 10^-8 units, else 0n; negative codes as for prices. */
  readonly quoteAmount: bigint;
  /** '' lets the exchange use the order id. */
  readonly clientOid: string;
  /** Futures: which position in hedge mode; absent elsewhere. */
  readonly posSide?: PosSide;
  /** Futures in one-way mode: may only make the position smaller. */
  readonly reduceOnly?: boolean;
  /** Take-profit and stop-loss for the fills of an opening order. */
  readonly preset?: Preset;
  /** It arrived after its receive window (wire 5.5), so it is cancelled before it is matched. */
  readonly expired?: boolean;
}

/** A strategy order: an order that is placed when a price is reached (rules 3). */
export interface PlaceStrategy {
  readonly type: 'placeStrategy';
  readonly time: number;
  readonly uid: number;
  readonly source: Source;
  readonly instrument: number;
  /** Not `attached`: those are the `preset` of an order. */
  readonly kind: StrategyKind;
  /** Of the order that a trigger or trailing order places; take-profit and stop-loss close their position. */
  readonly side: Side;
  /** The protected position, `none` in one-way mode; for the other kinds as in `PlaceOrder`. */
  readonly posSide: PosSide;
  readonly reduceOnly: boolean;
  readonly stpMode: StpMode;
  readonly sizeLots: number;
  readonly quoteAmount: bigint;
  readonly takeProfit: TriggerLeg;
  readonly stopLoss: TriggerLeg;
  /** Of a trigger order; of a trailing order its activation price, 0 = active at once. */
  readonly trigger: TriggerLeg;
  /** Trailing: millionths. */
  readonly callbackPpm: number;
  readonly clientOid: string;
}

export interface AmendStrategy {
  readonly type: 'modifyStrategy';
  readonly time: number;
  readonly uid: number;
  /** 0 when `clientOid` identifies it. */
  readonly orderId: number;
  readonly clientOid: string;
  /** 0 keeps the present value, here and below. */
  readonly sizeLots: number;
  readonly quoteAmount: bigint;
  readonly takeProfit: LegChange;
  readonly stopLoss: LegChange;
  readonly trigger: LegChange;
  readonly callbackPpm: number;
}

export interface CancelStrategy {
  readonly type: 'cancelStrategy';
  readonly time: number;
  readonly uid: number;
  readonly orderId: number;
  readonly clientOid: string;
}

export interface CancelOrder {
  readonly type: 'cancelOrder';
  readonly time: number;
  readonly uid: number;
  /** 0 when `clientOid` identifies the order; takes precedence when both are given. */
  readonly orderId: number;
  readonly clientOid: string;
  /** ANY, or the order must be of it. */
  readonly category: Category | typeof ANY;
  readonly instrument: number;
}

export interface CancelAll {
  readonly type: 'cancelAll';
  readonly time: number;
  readonly uid: number;
  readonly category: Category;
  readonly instrument: number;
}

export interface AmendItem {
  readonly orderId: number;
  readonly clientOid: string;
  readonly category: Category | typeof ANY;
  readonly instrument: number;
  /** 0 keeps the present value. */
  readonly priceTicks: number;
  /** New total quantity, filled lots included; 0 keeps the present value. */
  readonly sizeLots: number;
  /** Cancel the order when the amendment fails. */
  readonly autoCancel: boolean;
  /** Modifications of this order that were not yet durable when this one was sequenced. */
  readonly outstanding: number;
  /** Changes of its attached take-profit and stop-loss. */
  readonly preset?: PresetChange;
  /** The client's id of this amendment; the order events that it causes carry it. */
  readonly requestId?: string;
}

export interface AmendOrders {
  readonly type: 'amendOrders';
  readonly time: number;
  readonly uid: number;
  readonly source: Source;
  readonly items: readonly AmendItem[];
}

/** Dead man's switch: cancel everything of the account when no new countdown arrives in time; 0 switches it off. */
export interface CountdownCancel {
  readonly type: 'countdownCancel';
  readonly time: number;
  readonly uid: number;
  readonly seconds: number;
}

/** Cancels all orders of a frozen account; of a main account those of its sub-accounts as well. */
export interface CancelFrozenAccount {
  readonly type: 'cancelEverything';
  readonly time: number;
  readonly uid: number;
  readonly by?: string;
}

/** Leverage of a contract; 0 leaves a side as it is. */
export interface SetLeverage {
  readonly type: 'setLeverage';
  readonly time: number;
  readonly uid: number;
  readonly instrument: number;
  readonly longLeverage: number;
  readonly shortLeverage: number;
}

/** Leverage of debts in a coin (margin trading). */
export interface SetCoinLeverage {
  readonly type: 'setCoinLeverage';
  readonly time: number;
  readonly uid: number;
  readonly coin: number;
  readonly leverage: number;
}

/** Sells a coin of the account to the exchange to repay a debt in another. */
export interface RepayDebt {
  readonly type: 'repay';
  readonly time: number;
  readonly uid: number;
  readonly debtCoin: number;
  readonly payCoin: number;
}

export interface SetHoldMode {
  readonly type: 'setHoldMode';
  readonly time: number;
  readonly uid: number;
  readonly holdMode: number;
}

export interface SetMarginMode {
  readonly type: 'setMarginMode';
  readonly time: number;
  readonly uid: number;
  readonly instrument: number;
  readonly isolated: boolean;
}

/** Moves margin into (positive) or out of (negative) an isolated position. */
export interface AdjustMargin {
  readonly type: 'adjustMargin';
  readonly time: number;
  readonly uid: number;
  readonly instrument: number;
  readonly posSide: PosSide;
  readonly amount: bigint;
}

/** Most margin that an isolated position may add automatically before it is liquidated; 0n = none. */
export interface SetAutoMargin {
  readonly type: 'setAutoMargin';
  readonly time: number;
  readonly uid: number;
  readonly instrument: number;
  readonly posSide: PosSide;
  readonly room: bigint;
}

/** Pledges one coin and borrows another; one of the amounts is given, the other is 0n and computed from it. */
export interface LoanBorrow {
  readonly type: 'loanBorrow';
  readonly time: number;
  readonly uid: number;
  readonly loanCoin: number;
  readonly pledgeCoin: number;
  readonly term: LoanTerm;
  readonly loanAmount: bigint;
  readonly pledgeAmount: bigint;
}

export interface LoanRepay {
  readonly type: 'loanRepay';
  readonly time: number;
  readonly uid: number;
  readonly loanId: number;
  /** Repays by selling collateral instead of with the borrowed coin. */
  readonly fromPledge: boolean;
  /** Repays the whole debt; `amount` is ignored. */
  readonly all: boolean;
  readonly amount: bigint;
  /** Returns the collateral that the rest of the debt does not need. */
  readonly unlock: boolean;
}

export interface LoanRevise {
  readonly type: 'loanRevise';
  readonly time: number;
  readonly uid: number;
  readonly loanId: number;
  readonly pledgeCoin: number;
  /** Adds collateral when true, removes it when false. */
  readonly into: boolean;
  readonly amount: bigint;
}

/**
 * The operator of a demo closes positions of an account as the exchange does: all by liquidation, or those of one contract
 * by deleveraging.
 */
export interface ForceClose {
  readonly type: 'forceClose';
  readonly time: number;
  readonly uid: number;
  readonly deleverage: boolean;
  /** ANY for a liquidation. */
  readonly instrument: number;
  readonly by?: string;
}

/** On a demo, the operator settles funding of a perpetual at once, at the running rate; the schedule does not change. */
export interface ForceFunding {
  readonly type: 'forceFunding';
  readonly time: number;
  readonly instrument: number;
  readonly by?: string;
}

/** Lots of one position that move to another account. */
export interface MoveItem {
  readonly instrument: number;
  /** Side of the source account: a sell moves a long position, a buy a short one. */
  readonly side: Side;
  readonly sizeLots: number;
}

/** Moves futures positions from one account of a party to another, at the mark price and outside the book. */
export interface MovePositions {
  readonly type: 'movePositions';
  readonly time: number;
  /** The main account of both. */
  readonly initiatorUid: number;
  readonly fromUid: number;
  readonly toUid: number;
  /** Each is accepted or rejected by itself, in this order. */
  readonly items: readonly MoveItem[];
  /** The client's id: a retry under it moves nothing twice. */
  readonly clientOid?: string;
}

/** Adds to the operator's money for loans, or takes from it when negative. */
export interface FundLoanPool {
  readonly type: 'fundLoanPool';
  readonly time: number;
  readonly coin: number;
  readonly amount: bigint;
  /** Counts once per coin. */
  readonly reference: string;
  readonly by?: string;
}

/** Adds to an insurance fund, or takes from it when negative (rules 13.7). */
export interface FundInsurance {
  readonly type: 'fundInsurance';
  readonly time: number;
  readonly coin: number;
  /** The fund of margin debts and pledge loans; else that of contracts. */
  readonly lending: boolean;
  readonly amount: bigint;
  /** Counts once per coin and fund. */
  readonly reference: string;
  readonly by?: string;
}

/** Writes off a debt that cannot be collected (rules 13.7). */
export interface WriteOffDebt {
  readonly type: 'writeOffDebt';
  readonly time: number;
  readonly uid: number;
  readonly by?: string;
}

/** What the operator allows of a coin (rules 13.2, 13.5, 13.7). Decimal texts as in the catalogue; '' leaves one as it is. */
export interface SetCoinLimits {
  readonly type: 'setCoinLimits';
  readonly time: number;
  readonly coin: number;
  readonly houseShortUsd: string;
  readonly lendShare: string;
  readonly insuranceFloor: string;
  readonly by?: string;
}

export interface SetLoanRate {
  readonly type: 'setLoanRate';
  readonly time: number;
  readonly coin: number;
  readonly term: LoanTerm;
  /** Decimal text, as in the catalogue. */
  readonly yearRate: string;
  readonly by?: string;
}

/** Price of a pair on another exchange, a component of an index: the only input of outside prices. */
export interface ComponentPrice {
  readonly type: 'componentPrice';
  readonly time: number;
  readonly index: number;
  /** Its number, or `EVERY_COMPONENT`. */
  readonly component: number;
  /** 10^-8 of the quote coin. */
  readonly price: bigint;
  /** Its 24-hour volume in 10^-8 of the base coin; 0 = not known. */
  readonly volume: bigint;
  readonly by?: string;
}

/** The digest of all results so far: a replay with another digest stops here (reliability 2.1). */
export interface Checkpoint {
  readonly type: 'checkpoint';
  readonly time: number;
  readonly digest: number;
}

/** Command `seq` threw when it was applied: a replay skips it. */
export interface SkipCommand {
  readonly type: 'skipCommand';
  readonly time: number;
  readonly seq: number;
  readonly by?: string;
}

/**
 * The identity store and the number of its changes, which are not commands: a start on an older copy of the store is
 * refused (reliability 2.3).
 */
export interface IdentityMark {
  readonly type: 'identityMark';
  readonly time: number;
  readonly store: string;
  readonly changes: number;
}

export type Command =
  | Tick
  | OpenAccount
  | ListCoin
  | ListInstrument
  | SetInstrumentStatus
  | Deposit
  | Withdraw
  | SetFees
  | PlaceOrder
  | CancelOrder
  | CancelAll
  | AmendOrders
  | CountdownCancel
  | CancelFrozenAccount
  | ComponentPrice
  | SetLeverage
  | SetCoinLeverage
  | RepayDebt
  | SetHoldMode
  | SetMarginMode
  | AdjustMargin
  | SetAutoMargin
  | LoanBorrow
  | LoanRepay
  | LoanRevise
  | FundLoanPool
  | FundInsurance
  | WriteOffDebt
  | SetCoinLimits
  | ForceClose
  | ForceFunding
  | MovePositions
  | SetLoanRate
  | Transfer
  | RequestWithdrawal
  | EndWithdrawal
  | InternalWithdrawal
  | SetHalt
  | SetEdition
  | SetMarketMaker
  | SetFeeDeduction
  | SetDepositWallet
  | SetCommission
  | SetBroker
  | PlaceStrategy
  | AmendStrategy
  | CancelStrategy
  | SkipCommand
  | IdentityMark
  | Checkpoint;
export type CommandType = Command['type'];

/** A command without its time. */
export type Undated<C extends Command> = C extends Command ? Omit<C, 'time'> : never;

/** An amendment of one order, as it is asked for. */
export type AmendRequest = Omit<AmendItem, 'outstanding'>;

/**
 * A command as it is given to the sequencer, which adds the time and, to amendments, how many are outstanding. A tick
 * may name a second that has passed; without one it is the present.
 */
export type Unstamped<C extends Command> = C extends AmendOrders
  ? Omit<C, 'time' | 'items'> & { readonly items: readonly AmendRequest[] }
  : C extends Tick
    ? Omit<C, 'time'> & Partial<Pick<C, 'time'>>
    : Undated<C>;
