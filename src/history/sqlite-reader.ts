/**
 * Queries of the SQLite history. Every page is one walk down an index: the cost is that of the rows returned, however
 * old the page is. Only `category` beside another filter, `symbol` and `type` of ledger lines, and the filters of
 * transfers look at rows that they do not return.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { inflateRawSync } from 'node:zlib';
import { candleOpen, candleWidthIndex, nextCandleOpen } from '../core/market/candle-width.ts';
import { CATEGORY_NAMES, type CategoryName } from '../core/terms.ts';
import type { CandleRow } from '../record/candle-view.ts';
import type { ConversionView } from '../record/conversion-view.ts';
import type { FillView } from '../record/fill-view.ts';
import { type LedgerView, OTHER_CATEGORY } from '../record/ledger-view.ts';
import type { FundingRateView, InsuranceHourView } from '../record/market-record-view.ts';
import type { OrderView } from '../record/order-view.ts';
import type { ClosedPositionView } from '../record/position-view.ts';
import type { StrategyView } from '../record/strategy-view.ts';
import type { TransferView } from '../record/transfer-view.ts';
import type { WalletRecordView } from '../record/wallet-record-view.ts';
import {
  foldGenerated,
  type GeneratedCandles,
  type GeneratedWidth,
  generatedWidthFor,
  mergeCandles,
  unpackGenerated,
} from './generated-candles.ts';
import type {
  CandleQuery,
  CandleSeries,
  ConversionQuery,
  FillQuery,
  FundingRateQuery,
  HistoryCounts,
  LedgerQuery,
  LiquidationQuery,
  LoanQuery,
  LoanRecordKind,
  OrderQuery,
  PageQuery,
  PositionQuery,
  StoredLiquidation,
  StrategyQuery,
  TransferQuery,
  TransferRole,
  WalletRecordQuery,
} from './history.ts';
import { LOAN_TABLES, readLoan, selectLoans } from './sqlite-loans.ts';
import {
  CANDLE_COLUMNS,
  CONVERSION_COLUMNS,
  FILL_COLUMNS,
  FUNDING_RATE_COLUMNS,
  INSURANCE_HOUR_COLUMNS,
  LEDGER_COLUMNS,
  LIQUIDATION_COLUMNS,
  ORDER_COLUMNS,
  POSITION_COLUMNS,
  type Row,
  readCandle,
  readConversion,
  readFill,
  readFundingRate,
  readInsuranceHour,
  readLedgerLine,
  readLiquidation,
  readOrder,
  readPosition,
  readStrategy,
  readTransfer,
  readWalletRecord,
  STRATEGY_COLUMNS,
  TRANSFER_COLUMNS,
  WALLET_RECORD_COLUMNS,
} from './sqlite-rows.ts';

interface PagedTable {
  readonly name: string;
  readonly id: string;
  readonly time: string;
  /** The id first. */
  readonly columns: readonly string[];
}

const ORDERS: PagedTable = {
  name: 'closed_orders',
  id: 'order_id',
  time: 'created_time',
  columns: ORDER_COLUMNS,
};
const STRATEGIES: PagedTable = {
  name: 'strategy_orders',
  id: 'order_id',
  time: 'created_time',
  columns: STRATEGY_COLUMNS,
};
const FILLS: PagedTable = { name: 'fills', id: 'exec_id', time: 'created_time', columns: FILL_COLUMNS };
const LEDGER_LINES: PagedTable = { name: 'ledger_lines', id: 'id', time: 'ts', columns: LEDGER_COLUMNS };
const TRANSFERS: PagedTable = {
  name: 'transfers',
  id: 'transfer_id',
  time: 'created_time',
  columns: TRANSFER_COLUMNS,
};
const WALLET_RECORDS: PagedTable = {
  name: 'wallet_records',
  id: 'order_id',
  time: 'created_time',
  columns: WALLET_RECORD_COLUMNS,
};

const CONVERSIONS: PagedTable = {
  name: 'conversions',
  id: 'conversion_id',
  time: 'ts',
  columns: CONVERSION_COLUMNS,
};

const UID_COLUMN: Readonly<Record<TransferRole, string>> = {
  initiator: 'initiator_uid',
  sender: 'from_user_id',
  receiver: 'to_user_id',
};

const SELECT_ORDERS = `SELECT ${ORDER_COLUMNS.join(', ')} FROM closed_orders`;
const SELECT_LIQUIDATIONS = `SELECT ${LIQUIDATION_COLUMNS.join(', ')} FROM liquidations`;
const SELECT_CANDLES = `SELECT ${CANDLE_COLUMNS.join(', ')} FROM candles WHERE category = ? AND symbol = ? AND type = ? AND width = ?`;

type Filters = Readonly<Record<string, SQLInputValue | undefined>>;

export class SqliteReader {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  closedOrders(query: OrderQuery): OrderView[] {
    const { uid, category, symbol } = query;
    const rows =
      symbol === undefined
        ? this.#pageByCategory(ORDERS, query, category, {})
        : this.#page(ORDERS, 'closed_orders_by_symbol', query, { uid, symbol, category });
    return rows.map(readOrder);
  }

  orderById({ uid, orderId }: { uid: number; orderId: number }): OrderView | undefined {
    const rows = this.#rows(`${SELECT_ORDERS} WHERE order_id = ? AND uid = ?`, orderId, uid);
    return rows.map(readOrder)[0];
  }

  latestOrderByClientOid({ uid, clientOid }: { uid: number; clientOid: string }): OrderView | undefined {
    const rows = this.#rows(
      `${SELECT_ORDERS} WHERE uid = ? AND client_oid = ? ORDER BY order_id DESC LIMIT 1`,
      uid,
      clientOid,
    );
    return rows.map(readOrder)[0];
  }

  fills(query: FillQuery): FillView[] {
    const { uid, category, symbol, orderId } = query;
    return this.#fillRows(query, { uid, category, symbol, order_id: orderId }).map(readFill);
  }

  endedStrategies(query: StrategyQuery): StrategyView[] {
    const { uid, category, type } = query;
    const index = type === undefined ? 'strategy_orders_by_category' : 'strategy_orders_by_type';
    return this.#page(STRATEGIES, index, query, { uid, category, type }).map(readStrategy);
  }

  endedStrategy(name: { uid: number; orderId: number; clientOid: string }): StrategyView | undefined {
    const { uid, orderId, clientOid } = name;
    const select = `SELECT ${STRATEGY_COLUMNS.join(', ')} FROM strategy_orders`;
    const rows =
      orderId === 0
        ? this.#rows(
            `${select} WHERE uid = ? AND client_oid = ? ORDER BY order_id DESC LIMIT 1`,
            uid,
            clientOid,
          )
        : this.#rows(`${select} WHERE order_id = ? AND uid = ?`, orderId, uid);
    return rows.map(readStrategy)[0];
  }

  /** Positions end in another order than they begin, so a page goes on after the end and the id of its cursor's row. */
  closedPositions(query: PositionQuery): ClosedPositionView[] {
    const { uid, category, symbol, startTime, endTime, beforeId, limit } = query;
    const last =
      beforeId === undefined
        ? undefined
        : this.#rows(
            'SELECT updated_time FROM closed_positions WHERE position_id = ? AND uid = ?',
            beforeId,
            uid,
          )[0];
    const index = symbol === undefined ? 'closed_positions_by_category' : 'closed_positions_by_symbol';
    const rows = this.#rows(
      `SELECT ${POSITION_COLUMNS.join(', ')} FROM closed_positions INDEXED BY ${index}
       WHERE uid = ? AND category = ?${symbol === undefined ? '' : ' AND symbol = ?'}
         AND updated_time BETWEEN ? AND ? AND (updated_time, position_id) < (?, ?)
       ORDER BY updated_time DESC, position_id DESC LIMIT ?`,
      ...[uid, category, ...(symbol === undefined ? [] : [symbol])],
      startTime,
      endTime,
      last === undefined ? Number.MAX_SAFE_INTEGER : Number(last[0]),
      beforeId ?? Number.MAX_SAFE_INTEGER,
      limit,
    );
    return rows.map(readPosition);
  }

  ledgerLines(query: LedgerQuery): LedgerView[] {
    const { uid, wallet, category, symbol, coin, type } = query;
    const filters = { wallet, symbol, type };
    const rows =
      coin === undefined
        ? this.#pageByCategory(LEDGER_LINES, query, category, filters)
        : this.#page(LEDGER_LINES, 'ledger_lines_by_coin', query, { uid, coin, category, ...filters });
    return rows.map(readLedgerLine);
  }

  transfers(query: TransferQuery): TransferView[] {
    const { uid, role, coin, fromType, clientOid } = query;
    const filters = { [UID_COLUMN[role]]: uid, coin, from_type: fromType, client_oid: clientOid };
    const conditions = query.betweenAccounts === true ? ['from_user_id <> to_user_id'] : [];
    return this.#page(TRANSFERS, `transfers_by_${role}`, query, filters, conditions).map(readTransfer);
  }

  walletRecords(query: WalletRecordQuery): WalletRecordView[] {
    const { uid, type, coin, clientOid, status, orderId } = query;
    const filters = { uid, type, coin, client_oid: clientOid, status, order_id: orderId };
    return this.#page(WALLET_RECORDS, walletRecordIndex(query), query, filters).map(readWalletRecord);
  }

  conversions(query: ConversionQuery): ConversionView[] {
    const { uid, fromCoin, toCoin } = query;
    const filters = { uid, from_coin: fromCoin, to_coin: toCoin };
    return this.#page(CONVERSIONS, 'conversions_by_uid', query, filters).map(readConversion);
  }

  candles(query: CandleQuery): CandleRow[] {
    const { startTime = 0, endTime = Number.MAX_SAFE_INTEGER, limit } = query;
    const newest = query.from === 'newest';
    const rows = this.#rows(
      `${SELECT_CANDLES} AND open_time BETWEEN ? AND ? ORDER BY open_time ${newest ? 'DESC' : 'ASC'} LIMIT ?`,
      query.category,
      query.symbol,
      query.type,
      query.width,
      startTime,
      endTime,
      limit,
    );
    const real = rows.map(readCandle);
    if (newest) real.reverse();
    const generated = this.#generated(query, startTime, endTime, limit, newest);
    if (generated.length === 0) return real;
    const merged = mergeCandles(generated, real);
    return newest ? merged.slice(-limit) : merged.slice(0, limit);
  }

  lastCandleBefore({ series, openTime }: { series: CandleSeries; openTime: number }): CandleRow | undefined {
    return this.candles({ ...series, endTime: openTime - 1, limit: 1, from: 'newest' })[0];
  }

  /** Made-up candles from the end that is asked for, at least as many as `limit` where there are so many. */
  #generated(
    { category, symbol, width, type }: CandleSeries,
    startTime: number,
    endTime: number,
    limit: number,
    newest: boolean,
  ): CandleRow[] {
    // Mark and index went with the trades; a premium is not made up.
    if (type === 'premium') return [];
    const from = generatedWidthFor(width);
    const index = candleWidthIndex(width);
    // The last candle asked for goes on after it has opened.
    const lastEnd =
      endTime === Number.MAX_SAFE_INTEGER ? endTime : nextCandleOpen(index, candleOpen(index, endTime));
    const packs = this.#rows(
      `SELECT first_open, last_open FROM generated_candles WHERE category = ? AND symbol = ? AND width = ?
       AND first_open < ? AND last_open >= ? ORDER BY first_open ${newest ? 'DESC' : 'ASC'}`,
      category,
      symbol,
      from,
      lastEnd,
      startTime,
    );
    let rows: CandleRow[] = [];
    const chosen: GeneratedCandles[] = [];
    for (const [firstOpen] of packs) {
      const pack = this.#pack(category, symbol, from, Number(firstOpen));
      if (newest) chosen.unshift(pack);
      else chosen.push(pack);
      rows = foldGenerated(chosen, width, startTime, endTime);
      // The candle at the inner edge may go on in the next pack.
      if (rows.length > limit + 1) break;
    }
    return type === 'market' ? rows : rows.map((row) => ({ ...row, volume: '0', turnover: '0' }));
  }

  #pack(category: CategoryName, symbol: string, width: GeneratedWidth, firstOpen: number): GeneratedCandles {
    const [row] = this.#rows(
      `SELECT price_precision, quantity_precision, candles FROM generated_candles
       WHERE category = ? AND symbol = ? AND width = ? AND first_open = ?`,
      category,
      symbol,
      width,
      firstOpen,
    );
    const [pricePrecision, quantityPrecision, archive] = row!;
    return {
      category,
      symbol,
      width,
      firstOpen,
      pricePrecision: Number(pricePrecision),
      quantityPrecision: Number(quantityPrecision),
      ...unpackGenerated(inflateRawSync(archive as Uint8Array)),
    };
  }

  insuranceHours({ coin, startTime }: { coin: string; startTime: number }): InsuranceHourView[] {
    const columns = INSURANCE_HOUR_COLUMNS.join(', ');
    const before = this.#rows(
      `SELECT ${columns} FROM insurance_hours WHERE coin = ? AND hour_time < ? ORDER BY hour_time DESC LIMIT 1`,
      coin,
      startTime,
    );
    const since = this.#rows(
      `SELECT ${columns} FROM insurance_hours WHERE coin = ? AND hour_time >= ? ORDER BY hour_time`,
      coin,
      startTime,
    );
    return [...before, ...since].map(readInsuranceHour);
  }

  fundingRates({ category, symbol, skip, limit }: FundingRateQuery): FundingRateView[] {
    const rows = this.#rows(
      `SELECT ${FUNDING_RATE_COLUMNS.join(', ')} FROM funding_rates WHERE category = ? AND symbol = ?
       ORDER BY funding_time DESC LIMIT ? OFFSET ?`,
      category,
      symbol,
      limit,
      skip,
    );
    return rows.map(readFundingRate);
  }

  liquidations(query: LiquidationQuery): StoredLiquidation[] {
    const { category, symbol, startTime, beforeId = Number.MAX_SAFE_INTEGER, limit } = query;
    const bySymbol = symbol === undefined ? '' : 'AND symbol = ?';
    const rows = this.#rows(
      `${SELECT_LIQUIDATIONS} WHERE category = ? ${bySymbol} AND exec_id < ? AND ts >= ?
       ORDER BY exec_id DESC LIMIT ?`,
      category,
      ...(symbol === undefined ? [] : [symbol]),
      beforeId,
      startTime,
      limit,
    );
    return rows.map(readLiquidation);
  }

  loanRecords({ kind, query }: { kind: LoanRecordKind; query: LoanQuery }): Record<string, string>[] {
    const { sql, values } = selectLoans(kind, query);
    return this.#rows(sql, ...values).map((row) => readLoan(kind, row));
  }

  counts(): HistoryCounts {
    return {
      closedOrders: this.#count('closed_orders'),
      strategies: this.#count('strategy_orders'),
      closedPositions: this.#count('closed_positions'),
      fills: this.#count('fills'),
      ledgerLines: this.#count('ledger_lines'),
      transfers: this.#count('transfers'),
      walletRecords: this.#count('wallet_records'),
      conversions: this.#count('conversions'),
      candles: this.#count('candles'),
      fundingRates: this.#count('funding_rates'),
      insuranceHours: this.#count('insurance_hours'),
      liquidations: this.#count('liquidations'),
      loanRecords: Object.values(LOAN_TABLES).reduce((sum, { name }) => sum + this.#count(name), 0),
    };
  }

  #fillRows(query: FillQuery, filters: Filters): Row[] {
    if (query.orderId !== undefined) return this.#page(FILLS, 'fills_by_order', query, filters);
    if (query.symbol !== undefined) return this.#page(FILLS, 'fills_by_symbol', query, filters);
    return this.#pageByCategory(FILLS, query, query.category, {});
  }

  /** Without a category, the newest of every category's page. */
  #pageByCategory(
    table: PagedTable,
    query: PageQuery,
    category: string | undefined,
    filters: Filters,
  ): Row[] {
    const index = `${table.name}_by_category`;
    const pageOf = (category: string) =>
      this.#page(table, index, query, { uid: query.uid, category, ...filters });
    if (category !== undefined) return pageOf(category);
    return [...CATEGORY_NAMES, OTHER_CATEGORY]
      .flatMap(pageOf)
      .sort((a, b) => Number(b[0]) - Number(a[0]))
      .slice(0, query.limit);
  }

  #page(
    table: PagedTable,
    index: string,
    query: PageQuery,
    filters: Filters,
    furtherConditions: readonly string[] = [],
  ): Row[] {
    const conditions = [...furtherConditions];
    const values: SQLInputValue[] = [];
    for (const [column, value] of Object.entries(filters)) {
      if (value === undefined) continue;
      conditions.push(`${column} = ?`);
      values.push(value);
    }
    const beforeId = query.beforeId ?? Number.MAX_SAFE_INTEGER;
    conditions.push(`${table.time} BETWEEN ? AND ?`, `${table.id} < ?`);
    values.push(query.startTime, Math.min(query.endTime, this.#latestTimeBefore(table, beforeId)), beforeId);
    return this.#rows(
      `SELECT ${table.columns.join(', ')} FROM ${table.name} INDEXED BY ${index}
       WHERE ${conditions.join(' AND ')} ORDER BY ${table.time} DESC, ${table.id} DESC LIMIT ?`,
      ...values,
      query.limit,
    );
  }

  /** Times rise with ids: no row before `id` is later than the row at or after it. Lets a page start at its cursor. */
  #latestTimeBefore(table: PagedTable, id: number): number {
    const [row] = this.#rows(
      `SELECT ${table.time} FROM ${table.name} WHERE ${table.id} >= ? ORDER BY ${table.id} LIMIT 1`,
      id,
    );
    return row === undefined ? Number.MAX_SAFE_INTEGER : Number(row[0]);
  }

  #count(table: string): number {
    return Number(this.#rows(`SELECT count(*) FROM ${table}`)[0]![0]);
  }

  #rows(sql: string, ...values: SQLInputValue[]): Row[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    // The declared type knows rows as objects only.
    return statement.all(...values) as unknown as Row[];
  }
}

function walletRecordIndex({ coin, clientOid }: WalletRecordQuery): string {
  if (clientOid !== undefined) return 'wallet_records_by_client_oid';
  return coin === undefined ? 'wallet_records_by_type' : 'wallet_records_by_coin';
}
