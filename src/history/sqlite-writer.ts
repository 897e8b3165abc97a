/**
 * Writes packs of events into the tables. Rows collect in one open transaction that `commit` makes durable together
 * with the number of the last command, so the tables never hold half of what `last_seq` claims.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { deflateRawSync } from 'node:zlib';
import type {
  CandleClosed,
  Converted,
  FillRecord,
  FundingSettled,
  InsuranceHour,
  LedgerLine,
  OrderRecord,
  PositionClosed,
  PriceCandleClosed,
  StrategyOrderRecord,
  Transferred,
  WalletRecord,
} from '../core/event.ts';
import type { Instrument } from '../core/instrument.ts';
import { CATEGORY_NAMES, WALLET_NAMES, Wallet } from '../core/terms.ts';
import { candleRow, priceCandleRow } from '../record/candle-view.ts';
import { conversionView } from '../record/conversion-view.ts';
import { fillView } from '../record/fill-view.ts';
import { ledgerView } from '../record/ledger-view.ts';
import {
  fundingRateView,
  insuranceHourView,
  isLiquidation,
  liquidationView,
} from '../record/market-record-view.ts';
import { orderView } from '../record/order-view.ts';
import { closedPositionView } from '../record/position-view.ts';
import { strategyView } from '../record/strategy-view.ts';
import { transferView } from '../record/transfer-view.ts';
import { walletRecordView } from '../record/wallet-record-view.ts';
import { GENERATED_STEP_MS, type GeneratedCandles, packGenerated } from './generated-candles.ts';
import { LOAN_RETENTION_MS, type LoanRecordKind, RETENTION_MS } from './history.ts';
import { packRows, type RowPack } from './row-pack.ts';
import { insertLoan, LOAN_TABLES, type LoanRow, loanValues } from './sqlite-loans.ts';
import {
  candleValues,
  conversionValues,
  fillValues,
  fundingRateValues,
  INSERT_CANDLE,
  INSERT_CONVERSION,
  INSERT_FILL,
  INSERT_FUNDING_RATE,
  INSERT_INSURANCE_HOUR,
  INSERT_LEDGER_LINE,
  INSERT_LIQUIDATION,
  INSERT_ORDER,
  INSERT_POSITION,
  INSERT_STRATEGY,
  INSERT_TRANSFER,
  insuranceHourValues,
  ledgerValues,
  liquidationValues,
  orderValues,
  positionValues,
  strategyValues,
  transferValues,
  UPSERT_WALLET_RECORD,
  walletRecordValues,
} from './sqlite-rows.ts';
import { readMeta } from './sqlite-schema.ts';

/** Rows looked at in one step of pruning: a few milliseconds, between which packs and reads get their turn. */
const PRUNE_STEP_ROWS = 500;

interface UserTable {
  readonly name: string;
  readonly id: string;
  readonly created: string;
  readonly updated: string;
  /** How long rows are kept; `RETENTION_MS` when absent. */
  readonly keepMs?: number;
  /** Rows that stay however old they are. */
  readonly unless?: string;
}

const USER_TABLES: readonly UserTable[] = [
  { name: 'closed_orders', id: 'order_id', created: 'created_time', updated: 'updated_time' },
  { name: 'strategy_orders', id: 'order_id', created: 'created_time', updated: 'updated_time' },
  { name: 'closed_positions', id: 'position_id', created: 'created_time', updated: 'updated_time' },
  { name: 'fills', id: 'exec_id', created: 'created_time', updated: 'updated_time' },
  { name: 'ledger_lines', id: 'id', created: 'ts', updated: 'ts' },
  { name: 'transfers', id: 'transfer_id', created: 'created_time', updated: 'created_time' },
  {
    name: 'wallet_records',
    id: 'order_id',
    created: 'created_time',
    updated: 'updated_time',
    unless: "status = 'pending'",
  },
  { name: 'conversions', id: 'conversion_id', created: 'ts', updated: 'ts' },
  { name: 'liquidations', id: 'exec_id', created: 'ts', updated: 'ts' },
  ...Object.values(LOAN_TABLES).map(({ name, key, time }) => ({
    name,
    id: key,
    created: time,
    updated: key === 'order_id' ? 'updated_time' : time,
    keepMs: LOAN_RETENTION_MS,
  })),
];

export class SqliteWriter {
  readonly #database: DatabaseSync;
  readonly #insertOrder: StatementSync;
  readonly #insertStrategy: StatementSync;
  readonly #insertPosition: StatementSync;
  readonly #insertFill: StatementSync;
  readonly #insertLedgerLine: StatementSync;
  readonly #insertTransfer: StatementSync;
  readonly #upsertWalletRecord: StatementSync;
  readonly #insertConversion: StatementSync;
  readonly #insertCandle: StatementSync;
  readonly #insertFundingRate: StatementSync;
  readonly #insertInsuranceHour: StatementSync;
  readonly #insertLiquidation: StatementSync;
  readonly #insertGenerated: StatementSync;
  readonly #insertLoan: ReadonlyMap<LoanRecordKind, StatementSync>;
  readonly #updateSeq: StatementSync;
  #instruments: readonly Instrument[] = [];
  #coins: readonly string[] = [];
  #seq: number;
  #committedSeq: number;
  #openRows = 0;
  #rows = 0;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#insertOrder = database.prepare(INSERT_ORDER);
    this.#insertStrategy = database.prepare(INSERT_STRATEGY);
    this.#insertPosition = database.prepare(INSERT_POSITION);
    this.#insertFill = database.prepare(INSERT_FILL);
    this.#insertLedgerLine = database.prepare(INSERT_LEDGER_LINE);
    this.#insertTransfer = database.prepare(INSERT_TRANSFER);
    this.#upsertWalletRecord = database.prepare(UPSERT_WALLET_RECORD);
    this.#insertConversion = database.prepare(INSERT_CONVERSION);
    this.#insertCandle = database.prepare(INSERT_CANDLE);
    this.#insertFundingRate = database.prepare(INSERT_FUNDING_RATE);
    this.#insertInsuranceHour = database.prepare(INSERT_INSURANCE_HOUR);
    this.#insertLiquidation = database.prepare(INSERT_LIQUIDATION);
    this.#insertGenerated = database.prepare(
      'INSERT OR IGNORE INTO generated_candles VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    const kinds = Object.keys(LOAN_TABLES) as LoanRecordKind[];
    this.#insertLoan = new Map(kinds.map((kind) => [kind, database.prepare(insertLoan(kind))]));
    this.#updateSeq = database.prepare("UPDATE meta SET value = ? WHERE key = 'last_seq'");
    this.#seq = readMeta(database, 'last_seq');
    this.#committedSeq = this.#seq;
  }

  /** Last command that is durable. */
  get committedSeq(): number {
    return this.#committedSeq;
  }

  /** Rows taken in since the start. */
  get rows(): number {
    return this.#rows;
  }

  /** Rows written or deleted since the last commit. */
  get openRows(): number {
    return this.#openRows;
  }

  get uncommitted(): boolean {
    return this.#database.isTransaction || this.#seq > this.#committedSeq;
  }

  describe(instruments: readonly Instrument[], coins: readonly string[]): void {
    this.#instruments = instruments;
    this.#coins = coins;
  }

  write(pack: RowPack): void {
    const rows = packRows(pack);
    if (rows > 0) this.#begin();
    for (const order of pack.orders) this.#writeOrder(order);
    for (const strategy of pack.strategies) this.#writeStrategy(strategy);
    for (const position of pack.positions) this.#writePosition(position);
    for (const fill of pack.fills) this.#writeFill(fill);
    for (const line of pack.ledgerLines) this.#writeLedgerLine(line);
    for (const transfer of pack.transfers) this.#writeTransfer(transfer);
    for (const record of pack.walletRecords) this.#writeWalletRecord(record);
    for (const conversion of pack.conversions) this.#writeConversion(conversion);
    for (const candle of pack.candles) this.#writeCandle(candle);
    for (const candle of pack.priceCandles) this.#writePriceCandle(candle);
    for (const rate of pack.fundingRates) this.#writeFundingRate(rate);
    for (const row of pack.loans) this.#writeLoan(row);
    for (const hour of pack.insuranceHours) this.#writeInsuranceHour(hour);
    this.#seq = pack.seq;
    this.#openRows += rows;
    this.#rows += rows;
  }

  addGenerated(candles: GeneratedCandles): void {
    const { category, symbol, width, firstOpen, lots, pricePrecision, quantityPrecision } = candles;
    const lastOpen = firstOpen + (lots.length - 1) * GENERATED_STEP_MS[width];
    const archive = deflateRawSync(packGenerated(candles), { level: 1 });
    this.#begin();
    this.#insertGenerated.run(
      category,
      symbol,
      width,
      firstOpen,
      lastOpen,
      pricePrecision,
      quantityPrecision,
      archive,
    );
    this.#openRows++;
  }

  commit(): void {
    if (!this.uncommitted) return;
    this.#begin();
    this.#updateSeq.run(this.#seq);
    this.#database.exec('COMMIT');
    this.#committedSeq = this.#seq;
    this.#openRows = 0;
  }

  /** Deletes old rows step by step: yields after each with the rows it deleted, so that others get their turn. */
  *prune(now: number): Generator<number> {
    for (const table of USER_TABLES) yield* this.#pruneTable(table, now - (table.keepMs ?? RETENTION_MS));
  }

  /**
   * Walks up the ids, which rise with creation, until rows are too young. An order that closed late stays until its
   * last change is old.
   */
  *#pruneTable(
    { name, id, created, updated, unless = 'FALSE' }: UserTable,
    cutoff: number,
  ): Generator<number> {
    const nextStep = this.#database.prepare(
      `SELECT max(id) AS last, max(created) AS created FROM
         (SELECT ${id} AS id, ${created} AS created FROM ${name} WHERE ${id} > ? ORDER BY ${id} LIMIT ?)`,
    );
    const remove = this.#database.prepare(
      `DELETE FROM ${name} WHERE ${id} > ? AND ${id} <= ? AND ${updated} < ? AND NOT (${unless})`,
    );
    let from = 0;
    for (;;) {
      const step = nextStep.get(from, PRUNE_STEP_ROWS);
      if (step === undefined || step.last === null) return;
      const last = Number(step.last);
      this.#begin();
      const deleted = Number(remove.run(from, last, cutoff).changes);
      this.#openRows += deleted;
      yield deleted;
      if (Number(step.created) >= cutoff) return;
      from = last;
    }
  }

  #begin(): void {
    if (!this.#database.isTransaction) this.#database.exec('BEGIN IMMEDIATE');
  }

  #writeOrder(order: OrderRecord): void {
    const view = orderView(order, this.#instrument(order.instrument), this.#coinName);
    this.#insertOrder.run(...orderValues(order.orderId, order.uid, view));
  }

  #writeStrategy(strategy: StrategyOrderRecord): void {
    const view = strategyView(strategy, this.#instrument(strategy.instrument));
    this.#insertStrategy.run(...strategyValues(strategy.orderId, strategy.uid, view));
  }

  #writePosition(position: PositionClosed): void {
    const view = closedPositionView(position, this.#instrument(position.instrument), this.#coinName);
    this.#insertPosition.run(...positionValues(position.positionId, position.uid, view));
  }

  #writeFill(fill: FillRecord): void {
    const instrument = this.#instrument(fill.instrument);
    const view = fillView(fill, instrument, this.#coinName);
    this.#insertFill.run(...fillValues(fill, fill.uid, view));
    if (!isLiquidation(fill)) return;
    const liquidation = liquidationView(fill, instrument);
    this.#insertLiquidation.run(...liquidationValues(fill.execId, view.category, liquidation));
  }

  #writeLedgerLine(line: LedgerLine): void {
    const symbol = line.instrument < 0 ? '' : this.#instrument(line.instrument).symbol;
    const view = ledgerView(line, symbol, this.#coinName);
    const wallet = WALLET_NAMES[line.wallet ?? Wallet.unified];
    this.#insertLedgerLine.run(...ledgerValues({ ...line, wallet }, view));
  }

  #writeTransfer(transfer: Transferred): void {
    this.#insertTransfer.run(...transferValues(transfer, transferView(transfer, this.#coinName)));
  }

  #writeWalletRecord(record: WalletRecord): void {
    const view = walletRecordView(record, this.#coinName);
    const { recordId, uid, reference } = record;
    this.#upsertWalletRecord.run(...walletRecordValues(recordId, uid, view, reference));
  }

  #writeConversion(conversion: Converted): void {
    const { conversionId, uid } = conversion;
    const view = conversionView(conversion, this.#coinName);
    this.#insertConversion.run(...conversionValues(conversionId, uid, view));
  }

  #writeCandle(candle: CandleClosed): void {
    const instrument = this.#instrument(candle.instrument);
    const row = candleRow(candle, instrument);
    const category = CATEGORY_NAMES[instrument.category];
    this.#insertCandle.run(...candleValues(category, instrument.symbol, 'market', candle.width, row));
  }

  #writePriceCandle(candle: PriceCandleClosed): void {
    const { kind, width } = candle;
    const instrument = this.#instrument(candle.instrument);
    const row = priceCandleRow(candle, kind, instrument);
    const category = CATEGORY_NAMES[instrument.category];
    this.#insertCandle.run(...candleValues(category, instrument.symbol, kind, width, row));
  }

  #writeInsuranceHour(hour: InsuranceHour): void {
    this.#insertInsuranceHour.run(...insuranceHourValues(this.#coinName(hour.coin), insuranceHourView(hour)));
  }

  #writeFundingRate(settled: FundingSettled): void {
    const instrument = this.#instrument(settled.instrument);
    const category = CATEGORY_NAMES[instrument.category];
    this.#insertFundingRate.run(...fundingRateValues(category, fundingRateView(settled, instrument)));
  }

  #writeLoan(row: LoanRow): void {
    const { kind, values } = loanValues(row, this.#coinName);
    this.#insertLoan.get(kind)!.run(...values);
  }

  #instrument(index: number): Instrument {
    const instrument = this.#instruments[index];
    if (instrument === undefined) throw new Error(`instrument ${index} was not described to history`);
    return instrument;
  }

  readonly #coinName = (index: number): string => {
    const coin = this.#coins[index];
    if (coin === undefined) throw new Error(`coin ${index} was not described to history`);
    return coin;
  };
}
