/**
 * The past as clients query it: closed orders and positions, moved positions, ended strategy orders, fills, ledger
 * lines,
 * transfers, deposits, withdrawals, conversions, candles, funding rates, liquidations and loans, projected from the
 * core's
 * events alone and always rebuildable from the journal. This is the port; `sqlite-history.ts` and
 * `postgres/postgres-history.ts` implement it, `test/history/history.contract.ts` specifies every adapter.
 * Lists are newest first and paged by id: pass the smallest id of a page as `beforeId` to get the next. Ids come from
 * one counter and time never goes back, so adapters may rely on a larger id never having an earlier time.
 */

import type { CandleInterval } from '../core/model/candle-interval.ts';
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
import type { GeneratedBooks } from './generated-books.ts';
import type { GeneratedPast } from './generated-candles.ts';

/** The operation needs space that the disk does not have. Nothing is lost: the journal holds it. */
export class HistoryStarved extends Error {
  override readonly name = 'HistoryStarved';
}

/** The database cannot answer at present, or lacks what was projected before the read. Nothing is lost. */
export class HistoryUnavailable extends Error {
  override readonly name = 'HistoryUnavailable';
}

/** The database cannot be used as the history, for a reason that its owner can remove. */
export class HistoryRefused extends Error {
  override readonly name = 'HistoryRefused';
}

/** The events of one command. */
export interface ProjectedCommand {
  readonly seq: number;
  readonly time: number;
  readonly events: readonly Event[];
  /** The operator has accepted that records of commands up to this one are missing. */
  readonly gap?: boolean;
}

/** A history as bytes of its database. */
export interface HistoryContents {
  readonly bytes: Uint8Array;
  /** The generated past, shared by reference; bytes of an older program's file have it in their tables. */
  readonly generated?: GeneratedBooks;
}

/** Copies of a history, with everything projected before and nothing after. */
export interface HistoryCopies {
  /** For a history on disk: into a new file. Beside it comes a link to the file of the generated past. */
  copyTo(path: string): Promise<void>;
  /** For a history in memory. */
  contents(): Promise<HistoryContents>;
}

/** A history that can be left as a kill leaves it. */
export interface AbandonableHistory {
  /** Ends it at once: what is not stored is lost. */
  abandon(): Promise<void>;
}

export interface History {
  /** Last command whose events are stored durably (0 = none). */
  readonly confirmedSeq: number;

  /**
   * Instruments and coin names by their index, so that rows are formatted in the history's thread. Must come before
   * the first event that refers to one of them; replaces the last description.
   */
  describe(instruments: readonly Instrument[], coins: readonly string[]): void;

  /**
   * Queues the events of a command; commands come in ascending `seq`, those up to `confirmedSeq` are skipped. A
   * command without events is projected too: it is cheap, and `confirmedSeq` can then be compared with the journal.
   */
  project(command: ProjectedCommand): void;

  /** Adds the generated past of a book, all of it or nothing; queries use it where there are no real records. */
  addGenerated(past: GeneratedPast): void;

  /** Rows projected and not yet durable. The caller slows down when this grows. */
  lag(): number;

  /** Reads since the start that failed because of a damaged row. */
  damagedReads(): number;

  /** Projected rows wait in memory: the disk has no space for them, where reads see them, or the server is away. */
  readonly starved: boolean;
  /** What it is that they wait for. */
  readonly waitsFor: 'disk' | 'database';

  /** Resolves when everything projected so far is durable; rejects with HistoryStarved while there is no space. */
  flush(): Promise<void>;

  // Reads see everything projected before them, durable here or not: the journal already holds it.

  /** Filled and cancelled orders by creation time. */
  closedOrders(query: OrderQuery): Promise<OrderView[]>;
  orderById(uid: number, orderId: number): Promise<OrderView | undefined>;
  /** A client id may be used again once its order is closed; this finds the newest order. */
  latestOrderByClientOid(uid: number, clientOid: string): Promise<OrderView | undefined>;
  fills(query: FillQuery): Promise<FillView[]>;
  /** Fees of accounts and commissions of their broker; undefined when there are too many fills to sum. */
  commissions(query: CommissionQuery): Promise<CommissionView[] | undefined>;
  /** Strategy orders that have fired, failed or been cancelled, by creation time. */
  endedStrategies(query: StrategyQuery): Promise<StrategyView[]>;
  /** One of them by its id, else the newest of the client id. */
  endedStrategy(uid: number, orderId: number, clientOid: string): Promise<StrategyView | undefined>;
  /** Closed positions by their end; the cursor of a page is the id of its last row. */
  closedPositions(query: PositionQuery): Promise<ClosedPositionView[]>;
  /** Positions moved between accounts of a main account; `uid` is the main account. */
  positionMoves(query: MoveQuery): Promise<MoveView[]>;
  ledgerLines(query: LedgerQuery): Promise<LedgerView[]>;
  transfers(query: TransferQuery): Promise<TransferView[]>;
  /** Deposits or withdrawals with their present status, by creation time. */
  walletRecords(query: WalletRecordQuery): Promise<WalletRecordView[]>;
  /** The same for several accounts together, or for all of them, newest first. */
  familyWalletRecords(query: FamilyRecordQuery): Promise<FamilyRecordView[]>;
  /** Coins sold for debts, by their owner or by liquidation. */
  conversions(query: ConversionQuery): Promise<ConversionView[]>;
  /** Stored candles, which are ended ones with trades or price moves, ascending; the caller fills gaps. */
  candles(query: CandleQuery): Promise<CandleRow[]>;
  lastCandleBefore(series: CandleSeries, openTime: number): Promise<CandleRow | undefined>;
  /** The generated part of the candle that opened then; real trades of the same interval are not in it. */
  generatedPart(series: CandleSeries, openTime: number): Promise<CandleRow | undefined>;
  /**
   * JSON of a list of `CandleView`, ascending, without gaps: flat candles where nothing is stored, the running one
   * last.
   */
  gaplessCandles(query: GaplessCandleQuery): Promise<string>;
  /** Generated candles of five minutes that opened since then, ascending. */
  generatedCandles(query: GeneratedQuery): Promise<CandleRow[]>;
  /** Books with generated candles, as `SPOT:BTCUSDT`. */
  generatedBooks(): Promise<string[]>;
  /** Settled rates, newest first, and before them the generated ones. */
  fundingRates(query: FundingRateQuery): Promise<FundingRateView[]>;
  /** Full hours at which the insurance fund of a coin had changed, oldest first, and the last one before them. */
  insuranceHours(coin: string, startTime: number): Promise<InsuranceHourView[]>;
  /** Newest first; the cursor of a page is the id of its last row. */
  liquidations(query: LiquidationQuery): Promise<StoredLiquidation[]>;
  /** Closed loans, repayments, revised pledges, forced closes. */
  loanRecords<Kind extends LoanRecordKind>(kind: Kind, query: LoanQuery): Promise<LoanRecords[Kind][]>;
  /** Counts every row: for tests and operators, not for polling. */
  counts(): Promise<HistoryCounts>;

  /** Deletes rows that users can no longer query, `RETENTION_MS` before `now`; resolves with their number. */
  prune(now: number): Promise<number>;

  /** Stores the rest and closes the database. */
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

/** Largest number of fills that one query of commissions sums. */
export const COMMISSION_FILLS_MAX = 20_000;

export interface CommissionQuery {
  readonly uids: readonly number[];
  readonly categories: readonly CategoryName[];
  readonly startTime: number;
  readonly endTime: number;
  /** Sums to skip, and the largest number returned. */
  readonly skip: number;
  readonly limit: number;
}

export interface CommissionView {
  readonly uid: string;
  readonly category: string;
  readonly symbol: string;
  /** Coin of the fee. */
  readonly coin: string;
  readonly dealtAmount: string;
  readonly totalFee: string;
  readonly totalCommission: string;
}

export interface LedgerQuery extends PageQuery {
  /** Lines of one wallet have a running balance, so the wallet is always given. */
  readonly wallet: WalletName;
  readonly category?: LedgerCategory;
  readonly coin?: string;
  /** A type of `LEDGER_TYPES`; an unknown one matches nothing. */
  readonly type?: string;
}

/** The user's role in a transfer. */
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

/** A sub-account's record, for its main account. */
export type FamilyRecordView = WalletRecordView & { readonly uid: string };

export interface FamilyRecordQuery extends Omit<PageQuery, 'symbol' | 'uid'> {
  /** Undefined for all accounts. */
  readonly uids: readonly number[] | undefined;
  readonly type?: WalletRecordType;
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
  readonly interval: CandleInterval;
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
  /** Newer rows to skip. */
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
  /** Loans borrowed before this are found by the time of their end: otherwise no query could reach them. */
  readonly endedSince?: number;
  /** Newer rows to skip. */
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

/** Users may query 90 days (interface 8). Candles and funding rates are public and stay. */
export const RETENTION_MS = 90 * 24 * 60 * 60 * 1000;
/** Tax records cover a year. */
export const LEDGER_RETENTION_MS = 366 * 24 * 60 * 60 * 1000;
/** Loan records reach back three months, which are at most so many days. */
export const LOAN_RETENTION_MS = 92 * 24 * 60 * 60 * 1000;
