/** Public records of futures markets: settled funding rates, hours of the insurance funds, forced closes. */

import { CATEGORY_NAMES } from '../../core/model/enums.ts';
import type { FillRecord, FundingSettled, InsuranceHour } from '../../core/model/event.ts';
import { formatId } from '../../views/format.ts';
import {
  type FundingRateView,
  fundingRateView,
  type InsuranceHourView,
  insuranceHourView,
  LIQUIDATION_FIELDS,
  liquidationView,
} from '../../views/market-record-view.ts';
import type { GeneratedFunding, GeneratedRate } from '../generated-candles.ts';
import type { GeneratedReads } from '../generated-reads.ts';
import type { FundingRateQuery, LiquidationQuery, StoredLiquidation } from '../history.ts';
import type { Read } from '../read.ts';
import type { NameResolver } from './name-resolver.ts';
import { chosen, type Pages } from './pages.ts';
import { type Row, type RowValues, Table, textsAmong, UserTable } from './table.ts';

const RATE_KEY = ['category', 'symbol', 'funding_time'] as const;
export const FUNDING_RATES = new Table({
  name: 'funding_rates',
  key: RATE_KEY,
  before: RATE_KEY,
  texts: ['fundingRate'],
});

/** Generated rates before the first settlement; the same columns, so that both are read as one. */
export const GENERATED_FUNDING_RATES = new Table({
  name: 'generated_funding_rates',
  key: RATE_KEY,
  before: RATE_KEY,
  texts: ['fundingRate'],
});

export function generatedFundingRow({ category, symbol }: GeneratedFunding, rate: GeneratedRate): RowValues {
  return GENERATED_FUNDING_RATES.row([category, symbol, rate.time], rate);
}

export function fundingRateRow(settled: FundingSettled, names: NameResolver): RowValues {
  const instrument = names.instrument(settled.instrument);
  const key = [CATEGORY_NAMES[instrument.category], instrument.symbol, settled.time];
  return FUNDING_RATES.row(key, fundingRateView(settled, instrument));
}

/** Contracts may have settled before the simulator was first switched on: real rates come first. */
export function* fundingRates(pages: Pages, query: FundingRateQuery): Read<FundingRateView[]> {
  const rows = yield* pages.generated === undefined
    ? ratesOfTables(pages, query)
    : ratesBeside(pages, query, pages.generated);
  return rows.map((row) => ({
    symbol: String(row[1]),
    ...FUNDING_RATES.textsOf(row),
    fundingRateTimestamp: String(row[2]),
  }));
}

function* ratesBeside(
  pages: Pages,
  { category, symbol, skip, limit }: FundingRateQuery,
  generated: GeneratedReads,
): Read<Row[]> {
  const real = yield* pages.records(FUNDING_RATES, {
    text: 'WHERE category = ? AND symbol = ? ORDER BY funding_time DESC LIMIT ? OFFSET ?',
    values: [category, symbol, limit, skip],
  });
  if (real.length === limit) return real;
  const [counted] = yield* pages.rows(
    `SELECT count(*), min(funding_time) FROM ${FUNDING_RATES.name} WHERE category = ? AND symbol = ?`,
    ...[category, symbol],
  );
  const [count, first] = counted!;
  const earlier = generated.ratesBefore(category, symbol, first === null ? Infinity : Number(first));
  const from = Math.max(0, skip - Number(count));
  return [...real, ...earlier.slice(from, from + limit - real.length)];
}

/** The latest first. Throws DamagedRow. */
export function* generatedRatesBefore(
  pages: Pages,
  category: string,
  symbol: string,
  time: number,
): Read<Row[]> {
  return yield* pages.records(GENERATED_FUNDING_RATES, {
    text: 'WHERE category = ? AND symbol = ? AND funding_time < ? ORDER BY funding_time DESC',
    values: [category, symbol, time],
  });
}

function* ratesOfTables(pages: Pages, { category, symbol, skip, limit }: FundingRateQuery): Read<Row[]> {
  const book = [category, symbol];
  return yield* pages.records(FUNDING_RATES, {
    text: `WHERE category = ? AND symbol = ?
     UNION ALL ${GENERATED_FUNDING_RATES.select} WHERE category = ? AND symbol = ? AND funding_time < coalesce(
       (SELECT min(funding_time) FROM ${FUNDING_RATES.name} WHERE category = ? AND symbol = ?), ${Number.MAX_SAFE_INTEGER})
     ORDER BY funding_time DESC LIMIT ? OFFSET ?`,
    values: [...book, ...book, ...book, limit, skip],
  });
}

const HOUR_KEY = ['coin', 'hour_time'] as const;
export const INSURANCE_HOURS = new Table({
  name: 'insurance_hours',
  key: HOUR_KEY,
  before: HOUR_KEY,
  texts: ['amount', 'balance'],
});

export function insuranceHourRow(hour: InsuranceHour, names: NameResolver): RowValues {
  return INSURANCE_HOURS.row([names.coin(hour.coin), hour.time], insuranceHourView(hour));
}

export function* insuranceHours(
  pages: Pages,
  { coin, startTime }: { coin: string; startTime: number },
): Read<InsuranceHourView[]> {
  const hours = (which: string) =>
    pages.records(INSURANCE_HOURS, { text: `WHERE coin = ? AND ${which}`, values: [coin, startTime] });
  const before = yield* hours('hour_time < ? ORDER BY hour_time DESC LIMIT 1');
  const since = yield* hours('hour_time >= ? ORDER BY hour_time');
  return [...before, ...since].map((row) => ({ time: Number(row[1]), ...INSURANCE_HOURS.textsOf(row) }));
}

export const LIQUIDATIONS = new UserTable({
  name: 'liquidations',
  id: 'exec_id',
  created: 'ts',
  before: ['exec_id', 'category'],
  texts: textsAmong(LIQUIDATION_FIELDS, ['ts']),
  after: ['ts'],
});

export function liquidationRow(fill: FillRecord, names: NameResolver): RowValues {
  const view = liquidationView(fill, names.instrument(fill.instrument));
  return LIQUIDATIONS.row([fill.execId, CATEGORY_NAMES[fill.category]], view, [fill.time]);
}

function readLiquidation(row: Row): StoredLiquidation {
  return { execId: formatId(Number(row[0])), ...LIQUIDATIONS.textsOf(row), ts: String(row.at(-1)) };
}

export function* liquidations(pages: Pages, query: LiquidationQuery): Read<StoredLiquidation[]> {
  const { category, symbol, startTime, beforeId = Number.MAX_SAFE_INTEGER, limit } = query;
  const { conditions, values } = chosen({ category, symbol });
  const rows = yield* pages.records(LIQUIDATIONS, {
    text: `WHERE ${conditions.join(' AND ')} AND exec_id < ? AND ts >= ? ORDER BY exec_id DESC LIMIT ?`,
    values: [...values, beforeId, startTime, limit],
  });
  return rows.map(readLiquidation);
}
