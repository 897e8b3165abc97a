/** Rows of the SQLite tables and the records they stand for: the one place that knows both spellings. */
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { CandleRow, CandleType } from '../record/candle-view.ts';
import type { ConversionView } from '../record/conversion-view.ts';
import type { FeeDetail } from '../record/fee-detail.ts';
import type { FillView } from '../record/fill-view.ts';
import { formatId } from '../record/ids.ts';
import type { LedgerView } from '../record/ledger-view.ts';
import type { FundingRateView, InsuranceHourView, LiquidationView } from '../record/market-record-view.ts';
import type { OrderView } from '../record/order-view.ts';
import type { ClosedPositionView } from '../record/position-view.ts';
import type { StrategyView } from '../record/strategy-view.ts';
import { TRANSFERRED, type TransferView } from '../record/transfer-view.ts';
import type { WalletRecordView } from '../record/wallet-record-view.ts';
import type { StoredLiquidation } from './history.ts';

/** Values in the order of the table's columns here; the key comes first. */
export type Row = readonly SQLOutputValue[];

/** Fields of an order that are text in the record and in the table. */
const ORDER_TEXTS = [
  'clientOid',
  'category',
  'symbol',
  'price',
  'qty',
  'amount',
  'orderType',
  'cumExecQty',
  'cumExecValue',
  'avgPrice',
  'orderStatus',
  'side',
  'timeInForce',
  'posSide',
  'holdMode',
  'tradeSide',
  'delegateType',
  'marginMode',
  'stpMode',
  'takeProfit',
  'stopLoss',
  'tpTriggerBy',
  'slTriggerBy',
  'tpOrderType',
  'slOrderType',
  'tpLimitPrice',
  'slLimitPrice',
  'reduceOnly',
  'cancelReason',
  'execType',
] as const satisfies readonly (keyof OrderView)[];

const STRATEGY_TEXTS = [
  'clientOid',
  'category',
  'symbol',
  'qty',
  'posSide',
  'status',
  'triggerType',
  'tpTriggerBy',
  'slTriggerBy',
  'takeProfit',
  'stopLoss',
  'tpOrderType',
  'slOrderType',
  'tpLimitPrice',
  'slLimitPrice',
  'triggerBy',
  'triggerPrice',
  'triggerOrderType',
  'triggerOrderPrice',
  'type',
  'side',
  'reduceOnly',
  'tpslMode',
  'callbackRatio',
  'cancelReason',
  'failReason',
  'subOrderId',
] as const satisfies readonly (keyof StrategyView)[];

const POSITION_TEXTS = [
  'category',
  'symbol',
  'marginCoin',
  'holdMode',
  'posSide',
  'marginMode',
  'openPriceAvg',
  'closePriceAvg',
  'openTotalPos',
  'closeTotalPos',
  'cumRealisedPnl',
  'netProfit',
  'totalFunding',
  'openFeeTotal',
  'closeFeeTotal',
] as const satisfies readonly (keyof ClosedPositionView)[];

const FILL_TEXTS = [
  'clientOid',
  'category',
  'symbol',
  'orderType',
  'side',
  'execPrice',
  'execQty',
  'execValue',
  'tradeScope',
  'tradeSide',
  'posSide',
  'execPnl',
  'isRPI',
] as const satisfies readonly (keyof FillView)[];

const LEDGER_TEXTS = [
  'category',
  'symbol',
  'coin',
  'type',
  'amount',
  'fee',
  'balance',
] as const satisfies readonly (keyof LedgerView)[];

const TRANSFER_TEXTS = [
  'fromType',
  'toType',
  'coin',
  'amount',
  'clientOid',
] as const satisfies readonly (keyof TransferView)[];

const WALLET_RECORD_TEXTS = [
  'recordId',
  'clientOid',
  'coin',
  'type',
  'dest',
  'size',
  'status',
  'fromAddress',
  'toAddress',
  'chain',
  'fee',
  'tag',
] as const satisfies readonly (keyof WalletRecordView)[];

const CONVERSION_TEXTS = [
  'fromCoin',
  'fromCoinSize',
  'toCoin',
  'toCoinSize',
  'price',
  'type',
] as const satisfies readonly (keyof ConversionView)[];

const CANDLE_TEXTS = ['open', 'high', 'low', 'close', 'volume', 'turnover'] as const;

const LIQUIDATION_TEXTS = [
  'symbol',
  'side',
  'price',
  'amount',
] as const satisfies readonly (keyof LiquidationView)[];

const ORDER_IDS = ['order_id', 'uid'];
const POSITION_IDS = ['position_id', 'uid'];
const FILL_IDS = ['exec_id', 'exec_link_id', 'order_id', 'uid'];
const LEDGER_IDS = ['id', 'uid'];
const TRANSFER_IDS = ['transfer_id', 'initiator_uid', 'from_user_id', 'to_user_id'];
const WALLET_RECORD_IDS = ['order_id', 'uid'];
const CANDLE_IDS = ['category', 'symbol', 'type', 'width', 'open_time'];
const FEE_AND_TIMES = ['fee_coin', 'fee', 'created_time', 'updated_time'];

export const ORDER_COLUMNS = [...ORDER_IDS, ...ORDER_TEXTS.map(columnName), ...FEE_AND_TIMES];
export const STRATEGY_COLUMNS = [
  ...ORDER_IDS,
  ...STRATEGY_TEXTS.map(columnName),
  'created_time',
  'updated_time',
];
export const POSITION_COLUMNS = [
  ...POSITION_IDS,
  ...POSITION_TEXTS.map(columnName),
  'created_time',
  'updated_time',
];
export const FILL_COLUMNS = [...FILL_IDS, ...FILL_TEXTS.map(columnName), ...FEE_AND_TIMES];
export const LEDGER_COLUMNS = [...LEDGER_IDS, ...LEDGER_TEXTS, 'wallet', 'reference', 'ts'];
export const TRANSFER_COLUMNS = [...TRANSFER_IDS, ...TRANSFER_TEXTS.map(columnName), 'created_time'];
export const WALLET_RECORD_COLUMNS = [
  ...WALLET_RECORD_IDS,
  ...WALLET_RECORD_TEXTS.map(columnName),
  'reference',
  'created_time',
  'updated_time',
];
export const CONVERSION_COLUMNS = ['conversion_id', 'uid', ...CONVERSION_TEXTS.map(columnName), 'ts'];
export const CANDLE_COLUMNS = [...CANDLE_IDS, ...CANDLE_TEXTS];
export const FUNDING_RATE_COLUMNS = ['category', 'symbol', 'funding_time', 'funding_rate'];
export const INSURANCE_HOUR_COLUMNS = ['coin', 'hour_time', 'amount', 'balance'];
export const LIQUIDATION_COLUMNS = ['exec_id', 'category', ...LIQUIDATION_TEXTS, 'ts'];

/** A conflict of the key is a row projected before; every other conflict is an error. */
export const INSERT_ORDER = insertInto('closed_orders', ORDER_COLUMNS, 'order_id');
export const INSERT_STRATEGY = insertInto('strategy_orders', STRATEGY_COLUMNS, 'order_id');
export const INSERT_POSITION = insertInto('closed_positions', POSITION_COLUMNS, 'position_id');
export const INSERT_FILL = insertInto('fills', FILL_COLUMNS, 'exec_id');
export const INSERT_LEDGER_LINE = insertInto('ledger_lines', LEDGER_COLUMNS, 'id');
export const INSERT_TRANSFER = insertInto('transfers', TRANSFER_COLUMNS, 'transfer_id');
export const INSERT_CONVERSION = insertInto('conversions', CONVERSION_COLUMNS, 'conversion_id');
export const INSERT_CANDLE = insertInto('candles', CANDLE_COLUMNS, CANDLE_IDS.join(', '));

export const INSERT_INSURANCE_HOUR = insertInto('insurance_hours', INSURANCE_HOUR_COLUMNS, 'coin, hour_time');
export const INSERT_FUNDING_RATE = insertInto(
  'funding_rates',
  FUNDING_RATE_COLUMNS,
  'category, symbol, funding_time',
);
export const INSERT_LIQUIDATION = insertInto('liquidations', LIQUIDATION_COLUMNS, 'exec_id');

/** A pending withdrawal may still change; what has ended stays as it is, however often it is projected. */
export const UPSERT_WALLET_RECORD = `
  INSERT INTO wallet_records (${WALLET_RECORD_COLUMNS.join(', ')})
  VALUES (${WALLET_RECORD_COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (order_id) DO UPDATE
  SET record_id = excluded.record_id, status = excluded.status, reference = excluded.reference,
      updated_time = excluded.updated_time
  WHERE status = 'pending'`;

export function orderValues(orderId: number, uid: number, order: OrderView): SQLInputValue[] {
  const values: SQLInputValue[] = [orderId, uid];
  for (const field of ORDER_TEXTS) values.push(order[field]);
  values.push(...feeValues(order.feeDetail), Number(order.createdTime), Number(order.updatedTime));
  return values;
}

export function readOrder(row: Row): OrderView {
  const texts = readTexts(row, ORDER_TEXTS, ORDER_IDS.length);
  return Object.assign(texts, { orderId: formatId(Number(row[0])) }, readFeeAndTimes(row));
}

export function positionValues(
  positionId: number,
  uid: number,
  position: ClosedPositionView,
): SQLInputValue[] {
  const texts = POSITION_TEXTS.map((field) => position[field]);
  return [positionId, uid, ...texts, Number(position.createdTime), Number(position.updatedTime)];
}

export function readPosition(row: Row): ClosedPositionView {
  return {
    positionId: formatId(Number(row[0])),
    ...readTexts(row, POSITION_TEXTS, POSITION_IDS.length),
    createdTime: String(row.at(-2)),
    updatedTime: String(row.at(-1)),
  };
}

export function strategyValues(orderId: number, uid: number, strategy: StrategyView): SQLInputValue[] {
  const texts = STRATEGY_TEXTS.map((field) => strategy[field]);
  return [orderId, uid, ...texts, Number(strategy.createdTime), Number(strategy.updatedTime)];
}

export function readStrategy(row: Row): StrategyView {
  return {
    orderId: formatId(Number(row[0])),
    ...readTexts(row, STRATEGY_TEXTS, ORDER_IDS.length),
    createdTime: String(row.at(-2)),
    updatedTime: String(row.at(-1)),
  };
}

/** The ids of a fill as counters, since its record holds them printed. */
export interface FillIds {
  readonly execId: number;
  readonly execLinkId: number;
  readonly orderId: number;
}

export function fillValues(ids: FillIds, uid: number, fill: FillView): SQLInputValue[] {
  const values: SQLInputValue[] = [ids.execId, ids.execLinkId, ids.orderId, uid];
  for (const field of FILL_TEXTS) values.push(fill[field]);
  values.push(...feeValues(fill.feeDetail), Number(fill.createdTime), Number(fill.updatedTime));
  return values;
}

export function readFill(row: Row): FillView {
  const [execId, execLinkId, orderId] = row.slice(0, 3).map((id) => formatId(Number(id)));
  const texts = readTexts(row, FILL_TEXTS, FILL_IDS.length);
  const ids = { execId: execId!, execLinkId: execLinkId!, orderId: orderId! };
  return Object.assign(texts, ids, readFeeAndTimes(row));
}

/** What a line's record does not show. */
export interface LedgerContext {
  readonly lineId: number;
  readonly uid: number;
  readonly wallet: string;
  readonly reference: string;
}

export function ledgerValues(context: LedgerContext, line: LedgerView): SQLInputValue[] {
  const { lineId, uid, wallet, reference } = context;
  return [lineId, uid, ...LEDGER_TEXTS.map((field) => line[field]), wallet, reference, Number(line.ts)];
}

export function readLedgerLine(row: Row): LedgerView {
  const texts = readTexts(row, LEDGER_TEXTS, LEDGER_IDS.length);
  return { id: formatId(Number(row[0])), ...texts, ts: String(row.at(-1)) };
}

/** The ids of a transfer as counters and numbers. */
export interface TransferIds {
  readonly transferId: number;
  readonly initiatorUid: number;
  readonly fromUid: number;
  readonly toUid: number;
}

export function transferValues(ids: TransferIds, transfer: TransferView): SQLInputValue[] {
  const { transferId, initiatorUid, fromUid, toUid } = ids;
  const texts = TRANSFER_TEXTS.map((field) => transfer[field]);
  return [transferId, initiatorUid, fromUid, toUid, ...texts, Number(transfer.createdTime)];
}

export function readTransfer(row: Row): TransferView {
  const time = String(row.at(-1));
  return {
    transferId: formatId(Number(row[0])),
    ...readTexts(row, TRANSFER_TEXTS, TRANSFER_IDS.length),
    fromUserId: String(row[2]),
    toUserId: String(row[3]),
    status: TRANSFERRED,
    createdTime: time,
    updatedTime: time,
  };
}

export function walletRecordValues(
  recordId: number,
  uid: number,
  record: WalletRecordView,
  reference: string,
): SQLInputValue[] {
  const texts = WALLET_RECORD_TEXTS.map((field) => record[field]);
  return [recordId, uid, ...texts, reference, Number(record.createdTime), Number(record.updatedTime)];
}

export function readWalletRecord(row: Row): WalletRecordView {
  return {
    orderId: formatId(Number(row[0])),
    ...readTexts(row, WALLET_RECORD_TEXTS, WALLET_RECORD_IDS.length),
    createdTime: String(row.at(-2)),
    updatedTime: String(row.at(-1)),
  };
}

export function conversionValues(
  conversionId: number,
  uid: number,
  conversion: ConversionView,
): SQLInputValue[] {
  const texts = CONVERSION_TEXTS.map((field) => conversion[field]);
  return [conversionId, uid, ...texts, Number(conversion.ts)];
}

export function readConversion(row: Row): ConversionView {
  return {
    conversionId: formatId(Number(row[0])),
    ...readTexts(row, CONVERSION_TEXTS, 2),
    ts: String(row.at(-1)),
  };
}

export function candleValues(
  category: string,
  symbol: string,
  type: CandleType,
  width: string,
  row: CandleRow,
): SQLInputValue[] {
  return [category, symbol, type, width, row.openTime, ...CANDLE_TEXTS.map((field) => row[field])];
}

export function readCandle(row: Row): CandleRow {
  return { openTime: Number(row[4]), ...readTexts(row, CANDLE_TEXTS, CANDLE_IDS.length) };
}

export function fundingRateValues(category: string, rate: FundingRateView): SQLInputValue[] {
  return [category, rate.symbol, Number(rate.fundingRateTimestamp), rate.fundingRate];
}

export function insuranceHourValues(coin: string, hour: InsuranceHourView): SQLInputValue[] {
  return [coin, hour.time, hour.amount, hour.balance];
}

export function readInsuranceHour(row: Row): InsuranceHourView {
  return { time: Number(row[1]), amount: String(row[2]), balance: String(row[3]) };
}

export function readFundingRate(row: Row): FundingRateView {
  return { symbol: String(row[1]), fundingRate: String(row[3]), fundingRateTimestamp: String(row[2]) };
}

export function liquidationValues(
  execId: number,
  category: string,
  liquidation: LiquidationView,
): SQLInputValue[] {
  const texts = LIQUIDATION_TEXTS.map((field) => liquidation[field]);
  return [execId, category, ...texts, Number(liquidation.ts)];
}

export function readLiquidation(row: Row): StoredLiquidation {
  return {
    execId: formatId(Number(row[0])),
    ...readTexts(row, LIQUIDATION_TEXTS, 2),
    ts: String(row.at(-1)),
  };
}

/** An order that bought and sold nothing has no fee coin. */
function feeValues(fees: readonly FeeDetail[]): [string, string] {
  const [fee] = fees;
  return fee === undefined ? ['', '0'] : [fee.feeCoin, fee.fee];
}

/** They are the last four columns. */
function readFeeAndTimes(row: Row): Pick<OrderView, 'feeDetail' | 'createdTime' | 'updatedTime'> {
  const [feeCoin, fee, createdTime, updatedTime] = row.slice(-FEE_AND_TIMES.length).map(String);
  return {
    feeDetail: feeCoin === '' ? [] : [{ feeCoin: feeCoin!, fee: fee! }],
    createdTime: createdTime!,
    updatedTime: updatedTime!,
  };
}

/** A page has thousands of fields; spreading such an object costs ten times what filling it does. */
export function readTexts<Field extends string>(
  row: Row,
  fields: readonly Field[],
  from: number,
): Record<Field, string> {
  const texts: Partial<Record<Field, string>> = {};
  for (let n = 0; n < fields.length; n++) texts[fields[n]!] = String(row[from + n]);
  return texts as Record<Field, string>;
}

/** `isRPI` is `is_rpi`. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]+/g, (capitals) => `_${capitals.toLowerCase()}`);
}

export function insertInto(table: string, columns: readonly string[], key: string): string {
  const places = columns.map(() => '?').join(', ');
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places}) ON CONFLICT (${key}) DO NOTHING`;
}
