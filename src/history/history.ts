/**
 * The past as people query it: closed orders and positions, moved positions, ended strategy orders, fills, ledger lines, transfers,
 * deposits, withdrawals, conversions, candles, funding rates, liquidations and loans, made from the core's events alone
 * and always rebuildable from the log. This is the port; `sqlite-history.ts` stands behind it and `history.contract.ts`
 * says what every adapter must do.
 *
 * Lists are newest first and paged by id: pass the smallest id of a page as `beforeId` to get the next. Ids come from
 * one counter and time never goes back, so adapters may rely on a larger id never having an earlier time.
 */

import type { CandleWidth } from '../core/model/candle-interval.ts';
import type { CategoryName, StrategyType, WalletName } from '../core/model/enums.ts';
import type { Event, WalletRecord } from '../core/model/event.ts';
import type { Instrument } from '../core/model/instrument.ts';
import type { CandleRow, CandleType } from '../views/candle-view.ts';
import type { ConversionView } from '../views/conversion-view.ts';
import type { FillView } from '../views/fill-view.ts';
import type { LedgerCategory, LedgerView } from '../views/ledger-view.ts';
import type { BorrowView, PledgeRateView, ReduceView, RepayView } from '../views/loan-view.ts';
import type { FundingRateView, InsuranceHourView, LiquidationView } from '../views/market-record-view.ts';
import type { MoveView } from '../views/move-view.ts';
import type { OrderView } from '../views/order-view.ts';
import type { ClosedPositionView } from '../views/position-view.ts';
import type { StrategyView } from '../views/strategy-view.ts';
import type { TransferView } from '../views/transfer-view.ts';
import type { WalletRecordType, WalletRecordView } from '../views/wallet-record-view.ts';
import type { GeneratedCandles } from './generated-candles.ts';
import type { GeneratedFunding } from './generated-funding.ts';

/** What was asked of the history needs space that the disk does not have. Nothing is lost: the log holds it. */
export class HistoryStarved extends Error {
  override readonly name = 'HistoryStarved';
}

/** What one command brought about. */
export interface ProjectedCommand {
  readonly seq: number;
  readonly time: number;
  readonly events: readonly Event[];
  /** The operator has accepted that records of commands up to this one are missing. */
  readonly gap?: boolean;
}

export interface History {
  /** Last command whose events are stored durably (0 = none). */
  readonly confirmedSeq: number;

  /**
   * Instruments and coin names by their index, so that rows are formatted away from the caller's thread. Must come
   * before the first event that names one of them; replaces what was described before.
   */
  describe(instruments: readonly Instrument[], coins: readonly string[]): void;

  /**
   * Queues the events of a command; commands come in ascending `seq`, those up to `confirmedSeq` are skipped. A command
   * without events is projected too: it costs next to nothing, and `confirmedSeq` can then be compared with the log.
   */
  project(command: ProjectedCommand): void;

  /** Adds a made-up past of a book; candle queries answer from it where nothing has happened. */
  addGenerated(candles: GeneratedCandles): void;

  /** Adds made-up funding rates of a perpetual, all older than its first settlement. */
  addGeneratedFunding(funding: GeneratedFunding): void;

  /** Rows projected and not yet durable. The caller slows down when this grows. */
  lag(): number;

  /** Reads since the start that were refused because a row they came to is not as it was written. */
  damagedReads(): number;

  /** The disk has no space for what was projected: it waits in memory until there is some, and reads see it. */
  readonly starved: boolean;

  /** Resolves when everything projected so far is durable; rejects with HistoryStarved while there is no space. */
  flush(): Promise<void>;

  // Reads see everything projected before them, durable here or not: the log already holds it.

  /** Filled and cancelled orders by creation time. */
  closedOrders(query: OrderQuery): Promise<OrderView[]>;
  orderById(uid: number, orderId: number): Promise<OrderView | undefined>;
  /** A client id may be used again once its order is closed; the newest order answers. */
  latestOrderByClientOid(uid: number, clientOid: string): Promise<OrderView | undefined>;
  fills(query: FillQuery): Promise<FillView[]>;
  /** What accounts have paid in fees and their broker has earned; undefined when it is too much to add up. */
  commissions(query: CommissionQuery): Promise<CommissionView[] | undefined>;
  /** Strategy orders that have fired, failed or been cancelled, by creation time. */
  endedStrategies(query: StrategyQuery): Promise<StrategyView[]>;
  /** One of them by its id, else the newest of the client id. */
  endedStrategy(uid: number, orderId: number, clientOid: string): Promise<StrategyView | undefined>;
  /** Positions that have ended, by the time they did; the cursor of a page is the id of its last row. */
  closedPositions(query: PositionQuery): Promise<ClosedPositionView[]>;
  /** Positions that a main account has moved between its accounts; `uid` is the main account. */
  positionMoves(query: MoveQuery): Promise<MoveView[]>;
  ledgerLines(query: LedgerQuery): Promise<LedgerView[]>;
  transfers(query: TransferQuery): Promise<TransferView[]>;
  /** Deposits or withdrawals as they stand now, by creation time. */
  walletRecords(query: WalletRecordQuery): Promise<WalletRecordView[]>;
  /** The same of several accounts together, newest first. */
  familyWalletRecords(query: FamilyRecordQuery): Promise<FamilyRecordView[]>;
  /** Coins sold for debts, by wish and by force. */
  conversions(query: ConversionQuery): Promise<ConversionView[]>;
  /** Stored candles, which are those with trades or moves and over, ascending; gaps are the caller's to fill. */
  candles(query: CandleQuery): Promise<CandleRow[]>;
  lastCandleBefore(series: CandleSeries, openTime: number): Promise<CandleRow | undefined>;
  /** What was made up of the candle that opened then; what happened in the same interval is not in it. */
  generatedPart(series: CandleSeries, openTime: number): Promise<CandleRow | undefined>;
  /** A JSON list of `CandleView`, ascending, without gaps: flat candles where nothing is stored, the running one last. */
  gaplessCandles(query: GaplessCandleQuery): Promise<string>;
  /** Made-up candles of five minutes that opened since then, ascending. */
  generatedCandles(query: GeneratedQuery): Promise<CandleRow[]>;
  /** Rates that were settled, newest first, and before them those that were made up. */
  fundingRates(query: FundingRateQuery): Promise<FundingRateView[]>;
  /** Full hours at which the insurance fund of a coin had changed, oldest first, and the last one before them. */
  insuranceHours(coin: string, startTime: number): Promise<InsuranceHourView[]>;
  /** Newest first; the cursor of a page is the id of its last row. */
  liquidations(query: LiquidationQuery): Promise<StoredLiquidation[]>;
  /** Loans that have ended, repayments, revised pledges, closings by force. */
  loanRecords<Kind extends LoanRecordKind>(kind: Kind, query: LoanQuery): Promise<LoanRecords[Kind][]>;
  /** Counts every row: for tests and operators, not for polling. */
  counts(): Promise<HistoryCounts>;

  /** Deletes what users can no longer ask for, `RETENTION_MS` before `now`; resolves with the number of rows. */
  prune(now: number): Promise<number>;

  /** Stores what is left and lets go of the database. */
  close(): Promise<void>;
}

/** Both time bounds are inclusive. */
export interface PageQuery {
  readonly uid: number;
  readonly startTime: number;
  readonly endTime: number;
  /** Only rows with a smaller id. */
  readonly beforeId?: number;
  readonly limit: number;
  readonly symbol?: string;
}

export interface OrderQuery extends PageQuery {
  readonly category?: CategoryName;
}

export interface PositionQuery extends PageQuery {
  readonly category: CategoryName;
}

export interface MoveQuery extends PageQuery {
  readonly category: CategoryName;
}

export interface StrategyQuery extends Omit<PageQuery, 'symbol'> {
  readonly category: CategoryName;
  readonly type?: StrategyType;
}

export interface FillQuery extends PageQuery {
  readonly category?: CategoryName;
  readonly orderId?: number;
}

/** Fills that one question about commissions adds up. */
export const COMMISSION_FILLS_MAX = 20_000;

export interface CommissionQuery {
  readonly uids: readonly number[];
  readonly categories: readonly CategoryName[];
  readonly startTime: number;
  readonly endTime: number;
  /** Sums that are left out before the first, and those that are given at most. */
  readonly skip: number;
  readonly limit: number;
}

export interface CommissionView {
  readonly uid: string;
  readonly category: string;
  readonly symbol: string;
  /** Of the fee. */
  readonly coin: string;
  readonly dealtAmount: string;
  readonly totalFee: string;
  readonly totalCommission: string;
}

export interface LedgerQuery extends PageQuery {
  /** Lines of one wallet have a balance that runs on; so there is always one. */
  readonly wallet: WalletName;
  readonly category?: LedgerCategory;
  readonly coin?: string;
  /** A type of `LEDGER_TYPES`; one that nothing has finds nothing. */
  readonly type?: string;
}

/** Which part the user had in a transfer. */
export type TransferRole = 'initiator' | 'sender' | 'receiver';

export interface TransferQuery extends MoneyQuery {
  readonly role: TransferRole;
  readonly fromType?: WalletName;
  /** Only those from one account to another. */
  readonly betweenAccounts?: boolean;
}

export interface WalletRecordQuery extends MoneyQuery {
  readonly type: WalletRecordType;
  readonly orderId?: number;
  readonly status?: WalletRecord['status'];
}

/** A sub-account's record, as the main account reads it. */
export type FamilyRecordView = WalletRecordView & { readonly uid: string };

export interface FamilyRecordQuery extends Omit<PageQuery, 'symbol' | 'uid'> {
  readonly uids: readonly number[];
  readonly status?: WalletRecord['status'];
}

interface MoneyQuery extends Omit<PageQuery, 'symbol'> {
  readonly coin?: string;
  readonly clientOid?: string;
}

export interface ConversionQuery extends Omit<PageQuery, 'symbol'> {
  readonly fromCoin?: string;
  readonly toCoin?: string;
}

export interface CandleSeries {
  readonly type: CandleType;
  readonly category: CategoryName;
  readonly symbol: string;
  readonly width: CandleWidth;
}

/** Bounds are of the open time and inclusive; `from` says which end `limit` keeps. */
export interface CandleQuery extends CandleSeries {
  readonly startTime?: number;
  readonly endTime?: number;
  readonly limit: number;
  readonly from: 'newest' | 'oldest';
}

/** Without an end up to `now`; with a start alone the first `limit` from there, otherwise the last. */
export interface GaplessCandleQuery {
  readonly series: CandleSeries;
  /** The candle that is not over yet. */
  readonly running: CandleRow | undefined;
  readonly now: number;
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
  readonly limit: number;
}

export interface GeneratedQuery {
  readonly category: CategoryName;
  readonly symbol: string;
  readonly startTime: number;
}

export interface FundingRateQuery {
  readonly category: CategoryName;
  readonly symbol: string;
  /** Newer rows that are left out. */
  readonly skip: number;
  readonly limit: number;
}

export interface LiquidationQuery {
  readonly category: CategoryName;
  readonly symbol?: string;
  readonly startTime: number;
  readonly beforeId?: number;
  readonly limit: number;
}

export type StoredLiquidation = LiquidationView & { readonly execId: string };

export interface LoanRecords {
  readonly borrow: BorrowView;
  readonly repay: RepayView;
  readonly pledgeRate: PledgeRateView;
  readonly reduce: ReduceView;
}
export type LoanRecordKind = keyof LoanRecords;

/** Pages of loan records go by number, newest first; loans are found by the time they were borrowed. */
export interface LoanQuery {
  readonly uid: number;
  /** Both bounds are inclusive. */
  readonly startTime: number;
  readonly endTime: number;
  /** Loans borrowed before this are found by the time of their end: else nobody could ever ask for them. */
  readonly endedSince?: number;
  /** Newer rows that are left out. */
  readonly skip: number;
  readonly limit: number;
  readonly loanId?: number;
  readonly loanCoin?: string;
  readonly pledgeCoin?: string;
  /** `status`, or `reviseSide` of revisions. */
  readonly choice?: string;
}

export const COUNTED_RECORDS = [
  'closedOrders',
  'strategies',
  'closedPositions',
  'positionMoves',
  'fills',
  'ledgerLines',
  'transfers',
  'walletRecords',
  'conversions',
  'candles',
  'fundingRates',
  'insuranceHours',
  'liquidations',
  'loanRecords',
] as const;
export type HistoryCounts = Readonly<Record<(typeof COUNTED_RECORDS)[number], number>>;

/** Users may look back 90 days (interface 8). Candles and funding rates are public and stay. */
export const RETENTION_MS = 90 * 24 * 60 * 60 * 1000;
/** Taxes are of years. */
export const LEDGER_RETENTION_MS = 366 * 24 * 60 * 60 * 1000;
/** Loan records reach back three months, which are at most so many days. */
export const LOAN_RETENTION_MS = 92 * 24 * 60 * 60 * 1000;
