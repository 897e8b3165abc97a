/**
 * The vocabulary of change: everything that alters the exchange is one of these records, nothing else does.
 * Commands are plain data; prices are ticks, sizes are lots, money is 10^-8 of the coin. A value the gateway could
 * not express on the instrument's grid arrives as `OFF_GRID`, `OUT_OF_RANGE` or `EXPLICIT_ZERO`, so that the core
 * refuses it at its own place in the order of checks (rules 1.2).
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
/** A zero that somebody wrote, where 0 stands for what was left out. */
export const EXPLICIT_ZERO = -3;
/** "All components of the index" in `ComponentPrice`. */
export const EVERY_COMPONENT = 255;
/** "The wallet that the owner has chosen for the coin" in `Deposit`. */
export const DEFAULT_WALLET = 255;
/** "Every instrument of the category" in `CancelAll`, "any" in lookups. */
export const ANY = -1;

/** The sequencer's clock; scheduled work up to `time` runs. */
export interface Tick {
  readonly type: 'tick';
  time: number;
  /** The operator and audit line, when somebody moved a manual clock. */
  by?: string;
}

export interface OpenAccount {
  readonly type: 'openAccount';
  time: number;
  uid: number;
  /** 0 for a master account; a sub-account is one party with its master. */
  masterUid: number;
  /** May place `rpi` orders. */
  marketMaker: boolean;
  /** Keeps no per-order history. */
  house: boolean;
  by?: string;
}

export interface ListCoin {
  readonly type: 'listCoin';
  time: number;
  spec: CoinSpec;
  by?: string;
}

export interface ListInstrument {
  readonly type: 'listInstrument';
  time: number;
  spec: InstrumentSpec;
  by?: string;
}

export interface SetInstrumentStatus {
  readonly type: 'setInstrumentStatus';
  time: number;
  instrument: number;
  status: InstrumentStatusName;
  by?: string;
}

export interface Deposit {
  readonly type: 'deposit';
  time: number;
  uid: number;
  coin: number;
  amount: bigint;
  /** What it is known by outside: a transaction id. */
  reference: string;
  /** Unified when absent. */
  wallet?: Wallet | typeof DEFAULT_WALLET;
  chain?: string;
  address?: string;
  /** The operator; absent when the program itself does it. */
  by?: string;
}

/** Money that leaves at once by an operator's hand; users ask with `RequestWithdrawal`. */
export interface Withdraw {
  readonly type: 'withdraw';
  time: number;
  uid: number;
  coin: number;
  amount: bigint;
  reference: string;
  by?: string;
}

/** Between wallets of one account, or between accounts of one party. */
export interface Transfer {
  readonly type: 'transfer';
  time: number;
  /** Who asked for it: the owner, or the master of both. */
  initiatorUid: number;
  fromUid: number;
  toUid: number;
  fromWallet: Wallet;
  toWallet: Wallet;
  coin: number;
  amount: bigint;
  clientOid: string;
}

/** The amount leaves the wallets now and the venue when the operator settles it. */
export interface RequestWithdrawal {
  readonly type: 'requestWithdrawal';
  time: number;
  uid: number;
  coin: number;
  /** What is taken from the account, the fee included. */
  amount: bigint;
  fee: bigint;
  /** Wallets to take it from: funding first. */
  fromFunding: boolean;
  fromUnified: boolean;
  address: string;
  chain: string;
  tag: string;
  clientOid: string;
}

/** A withdrawal to another account of the venue, whoever owns it: it arrives at once and costs nothing. */
export interface InternalWithdrawal {
  readonly type: 'innerWithdrawal';
  time: number;
  uid: number;
  /** Gets it where deposits of the coin arrive; into the funding wallet unless it has chosen. */
  toUid: number;
  coin: number;
  amount: bigint;
  fromFunding: boolean;
  fromUnified: boolean;
  clientOid: string;
}

/** How a withdrawal ends: paid out, refused by the operator, or taken back by its owner. */
export interface EndWithdrawal {
  readonly type: 'endWithdrawal';
  time: number;
  withdrawalId: number;
  /** The owner who takes it back; 0 when the operator acts. */
  uid: number;
  paid: boolean;
  /** Transaction id when paid, reason when not. */
  reference: string;
  by?: string;
}

/** Stops or resumes taking new orders on the whole venue. */
export interface SetHalt {
  readonly type: 'setHalt';
  time: number;
  halted: boolean;
  by?: string;
}

export interface SetMarketMaker {
  readonly type: 'setMarketMaker';
  time: number;
  uid: number;
  marketMaker: boolean;
  by?: string;
}

export interface SetFeeDeduction {
  readonly type: 'setFeeDeduction';
  time: number;
  uid: number;
  on: boolean;
}

/** Where deposits of a coin arrive from now on. */
export interface SetDepositWallet {
  readonly type: 'setDepositWallet';
  time: number;
  uid: number;
  coin: number;
  wallet: Wallet;
}

/** A main account's share of the trading fees that its sub-accounts pay, in 10^-12. */
export interface SetCommission {
  readonly type: 'setCommission';
  time: number;
  uid: number;
  rate: bigint;
  by?: string;
}

/** Fee rates of one account on one instrument, in 10^-12; a negative maker rate is a rebate. */
export interface SetFees {
  readonly type: 'setFees';
  time: number;
  uid: number;
  instrument: number;
  makerRate: bigint;
  takerRate: bigint;
  by?: string;
}

export interface PlaceOrder {
  readonly type: 'placeOrder';
  time: number;
  uid: number;
  source: Source;
  instrument: number;
  side: Side;
  orderType: OrderType;
  timeInForce: TimeInForce;
  stpMode: StpMode;
  /** Limit price; 0 on market orders. */
  priceTicks: number;
  /** Base quantity; 0 on a market buy by amount. */
  sizeLots: number;
  /** Quote money of a market buy by amount in 10^-8 units, else 0n; negative codes as for prices. */
  quoteAmount: bigint;
  /** '' lets the exchange use the order id. */
  clientOid: string;
  /** Futures: which position in hedge mode; absent elsewhere. */
  posSide?: PosSide;
  /** Futures in one-way mode: may only make the position smaller. */
  reduceOnly?: boolean;
  /** Take-profit and stop-loss for what an opening order fills. */
  preset?: Preset;
  /** It came later than its owner allows (wire 5.5), as the door saw: it is cancelled before it meets the book. */
  late?: boolean;
}

/** A strategy order: waits for a price and then places an order (rules 3). */
export interface PlaceStrategy {
  readonly type: 'placeStrategy';
  time: number;
  uid: number;
  source: Source;
  instrument: number;
  /** Not `attached`: those come with their orders. */
  kind: StrategyKind;
  /** Of the order that a trigger or trailing order makes; take-profit and stop-loss go against their position. */
  side: Side;
  /** The position to protect, `none` for the only one; on the other kinds as in `PlaceOrder`. */
  posSide: PosSide;
  reduceOnly: boolean;
  stpMode: StpMode;
  sizeLots: number;
  quoteAmount: bigint;
  takeProfit: TriggerLeg;
  stopLoss: TriggerLeg;
  /** Of a trigger order; the activation price of a trailing one, 0 = active at once. */
  trigger: TriggerLeg;
  /** Trailing: millionths. */
  callbackPpm: number;
  clientOid: string;
}

export interface ModifyStrategy {
  readonly type: 'modifyStrategy';
  time: number;
  uid: number;
  /** 0 when it is named by `clientOid`. */
  orderId: number;
  clientOid: string;
  /** 0 keeps the present value, here and below. */
  sizeLots: number;
  quoteAmount: bigint;
  takeProfit: LegChange;
  stopLoss: LegChange;
  trigger: LegChange;
  callbackPpm: number;
}

export interface CancelStrategy {
  readonly type: 'cancelStrategy';
  time: number;
  uid: number;
  orderId: number;
  clientOid: string;
}

export interface CancelOrder {
  readonly type: 'cancelOrder';
  time: number;
  uid: number;
  /** 0 when the order is named by `clientOid`; the id wins when both are given. */
  orderId: number;
  clientOid: string;
  /** ANY, or the order must be of it. */
  category: Category | typeof ANY;
  instrument: number;
}

export interface CancelAll {
  readonly type: 'cancelAll';
  time: number;
  uid: number;
  category: Category;
  instrument: number;
}

export interface AmendItem {
  orderId: number;
  clientOid: string;
  category: Category | typeof ANY;
  instrument: number;
  /** 0 keeps the present value. */
  priceTicks: number;
  /** New total quantity including what is filled; 0 keeps the present value. */
  sizeLots: number;
  /** Cancel the order when the modification fails. */
  autoCancel: boolean;
  /** Modifications of this order that were not yet durable when this one was sequenced. */
  outstanding: number;
  /** Changes of the take-profit and stop-loss it carries. */
  preset?: PresetChange;
  /** The owner's own name for this modification: what becomes of it is told under it. */
  requestId?: string;
}

export interface AmendOrders {
  readonly type: 'amendOrders';
  time: number;
  uid: number;
  source: Source;
  items: AmendItem[];
}

/** Dead man's switch: cancel everything of the account when no new countdown arrives in time; 0 switches it off. */
export interface CountdownCancel {
  readonly type: 'countdownCancel';
  time: number;
  uid: number;
  seconds: number;
}

/** The account has been frozen, and with a main account its sub-accounts: nothing of them may go on trading. */
export interface CancelEverything {
  readonly type: 'cancelEverything';
  time: number;
  uid: number;
  by?: string;
}

/** Leverage of a contract; 0 leaves a side as it is. */
export interface SetLeverage {
  readonly type: 'setLeverage';
  time: number;
  uid: number;
  instrument: number;
  longLeverage: number;
  shortLeverage: number;
}

/** Leverage of what is owed in a coin (margin trading). */
export interface SetCoinLeverage {
  readonly type: 'setCoinLeverage';
  time: number;
  uid: number;
  coin: number;
  leverage: number;
}

/** Sells a coin of the account to the house to pay a debt in another. */
export interface Repay {
  readonly type: 'repay';
  time: number;
  uid: number;
  debtCoin: number;
  payCoin: number;
}

export interface SetHoldMode {
  readonly type: 'setHoldMode';
  time: number;
  uid: number;
  holdMode: number;
}

export interface SetMarginMode {
  readonly type: 'setMarginMode';
  time: number;
  uid: number;
  instrument: number;
  isolated: boolean;
}

/** Moves margin into (positive) or out of (negative) an isolated position. */
export interface AdjustMargin {
  readonly type: 'adjustMargin';
  time: number;
  uid: number;
  instrument: number;
  posSide: PosSide;
  amount: bigint;
}

/** Lets an isolated position add margin by itself before it is liquidated, so much at most; 0n = no more. */
export interface SetAutoMargin {
  readonly type: 'setAutoMargin';
  time: number;
  uid: number;
  instrument: number;
  posSide: PosSide;
  room: bigint;
}

/** Pledges one coin and borrows another; one of the amounts is given, the other is 0n and follows from it. */
export interface LoanBorrow {
  readonly type: 'loanBorrow';
  time: number;
  uid: number;
  loanCoin: number;
  pledgeCoin: number;
  term: LoanTerm;
  loanAmount: bigint;
  pledgeAmount: bigint;
}

export interface LoanRepay {
  readonly type: 'loanRepay';
  time: number;
  uid: number;
  loanId: number;
  /** Sell collateral for it, instead of paying with the borrowed coin. */
  fromPledge: boolean;
  /** Everything that is owed; `amount` does not matter then. */
  all: boolean;
  amount: bigint;
  /** Give back the collateral that the rest of the debt does not need. */
  unlock: boolean;
}

export interface LoanRevise {
  readonly type: 'loanRevise';
  time: number;
  uid: number;
  loanId: number;
  pledgeCoin: number;
  /** More collateral, or less. */
  into: boolean;
  amount: bigint;
}

/**
 * The operator of a demo closes an account's positions as the exchange would: by liquidation, everything; by
 * deleveraging, those of one contract against the other side.
 */
export interface ForceClose {
  readonly type: 'forceClose';
  time: number;
  uid: number;
  deleverage: boolean;
  /** ANY for a liquidation. */
  instrument: number;
  by?: string;
}

/** Lots of one position that change hands. */
export interface MoveItem {
  instrument: number;
  /** What the giving account trades: a sell gives a long away, a buy a short. */
  side: Side;
  sizeLots: number;
}

/** Hands futures positions from one account of a party to another, at the mark and outside the book. */
export interface MovePositions {
  readonly type: 'movePositions';
  time: number;
  /** Who asked for it: the master of both. */
  initiatorUid: number;
  fromUid: number;
  toUid: number;
  /** Each is carried out or refused on its own, in this order. */
  items: MoveItem[];
  /** The owner's name for it: a retry with it moves nothing twice. */
  clientOid?: string;
}

/** The operator's money for loans: more when positive, less when negative. */
export interface FundLoanPool {
  readonly type: 'fundLoanPool';
  time: number;
  coin: number;
  amount: bigint;
  /** Counts once per coin. */
  reference: string;
  by?: string;
}

export interface SetLoanRate {
  readonly type: 'setLoanRate';
  time: number;
  coin: number;
  term: LoanTerm;
  /** Decimal text, as in the catalogue. */
  yearRate: string;
  by?: string;
}

/** What another venue pays for a pair: the only way prices of the outside enter. */
export interface ComponentPrice {
  readonly type: 'componentPrice';
  time: number;
  index: number;
  /** Its number, or `EVERY_COMPONENT`. */
  component: number;
  /** 10^-8 of the quote coin. */
  price: bigint;
  /** Its 24-hour volume in 10^-8 of the base coin; 0 = not known. */
  volume: bigint;
  by?: string;
}

/** The digest of all outcomes so far, as the writer saw it: a replay that disagrees stops here (reliability 2.1). */
export interface Checkpoint {
  readonly type: 'checkpoint';
  time: number;
  digest: number;
}

/** The command before this one broke the exchange: it counts as never given, and a replay passes over it. */
export interface SkipCommand {
  readonly type: 'setAside';
  time: number;
  seq: number;
  by?: string;
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
  | CancelEverything
  | ComponentPrice
  | SetLeverage
  | SetCoinLeverage
  | Repay
  | SetHoldMode
  | SetMarginMode
  | AdjustMargin
  | SetAutoMargin
  | LoanBorrow
  | LoanRepay
  | LoanRevise
  | FundLoanPool
  | ForceClose
  | MovePositions
  | SetLoanRate
  | Transfer
  | RequestWithdrawal
  | EndWithdrawal
  | InternalWithdrawal
  | SetHalt
  | SetMarketMaker
  | SetFeeDeduction
  | SetDepositWallet
  | SetCommission
  | PlaceStrategy
  | ModifyStrategy
  | CancelStrategy
  | SkipCommand
  | Checkpoint;
export type CommandType = Command['type'];
