/** The insurance funds (wire 4.2): one per settlement coin, shared by all contracts settled in it. */

import type { CategoryName } from '../../../core/model/enums.ts';
import { Bucket, SystemAccount } from '../../../core/model/ledger-accounts.ts';
import { formatMoney, MONEY_SCALE, parseUnits } from '../../../core/model/units.ts';
import { bucketBalance } from '../../../core/reads/ledger-reads.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import type { InsuranceHourView } from '../../../views/market-record-view.ts';
import { type Route, route } from '../../route.ts';
import { FuturesCategory, SymbolName } from '../../wire/fields.ts';
import { findInstrument, instrumentsOf } from '../../wire/instrument-lookup.ts';
import * as responses from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';

const group = 'Futures market data';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS_SHOWN = 72;
const DAYS_SHOWN = 30;

function balanceOf(state: State, coin: number): bigint {
  return bucketBalance(state, SystemAccount.insurance, coin, Bucket.cash);
}

function fundsOf(state: State, category: CategoryName) {
  const symbols = new Map<number, string[]>();
  for (const { futures, symbol } of instrumentsOf(state, category)) {
    const { settle } = futures!;
    symbols.set(settle, [...(symbols.get(settle) ?? []), symbol]);
  }
  return [...symbols].map(([coin, names]) => ({
    symbols: names,
    coin: state.coins[coin]!.coin,
    balance: formatMoney(balanceOf(state, coin)),
  }));
}

interface ReserveRecord {
  readonly amount: string;
  readonly balance: string;
  readonly ts: string;
}

/** Newest first: the running period, then the past ones, back to the first deposit into the fund. */
function periodRecords(
  hours: readonly InsuranceHourView[],
  now: number,
  balance: bigint,
  periodMs: number,
  count: number,
): ReserveRecord[] {
  const units = (text: string) => parseUnits(text, MONEY_SCALE)!;
  const records: ReserveRecord[] = [];
  const push = (amount: bigint, after: bigint, time: number) =>
    records.push({ amount: formatMoney(amount), balance: formatMoney(after), ts: String(time) });
  const balanceAt = (time: number) => units(hours.findLast((hour) => hour.time <= time)?.balance ?? '0');
  const begun = Math.floor(now / periodMs) * periodMs;
  push(balance - balanceAt(begun), balance, now);
  for (let n = 0; n < count; n++) {
    const end = begun - n * periodMs;
    if (hours[0] === undefined || hours[0].time > end) break;
    push(balanceAt(end) - balanceAt(end - periodMs), balanceAt(end), end);
  }
  return records;
}

const Query = Type.Object({
  category: FuturesCategory,
  symbol: SymbolName,
  marginCoin: Type.Optional(Type.String({ maxLength: 20, description: 'settlement coin' })),
});

async function reserveRecords(
  sequencer: Sequencer,
  query: Static<typeof Query>,
  periodMs: number,
  count: number,
): Promise<{ coin: string; records: ReserveRecord[] } | WireError> {
  const { state } = sequencer;
  const instrument = findInstrument(state, query.category, query.symbol);
  if (instrument instanceof WireError) return instrument;
  const { settle } = instrument.futures!;
  const { coin } = state.coins[settle]!;
  if (query.marginCoin !== undefined && query.marginCoin.toUpperCase() !== coin)
    return wireError('40020', `marginCoin of ${instrument.symbol} must be ${coin}`);
  const { now } = state;
  const balance = balanceOf(state, settle);
  await sequencer.durable();
  const since = Math.floor(now / periodMs) * periodMs - count * periodMs;
  const hours = await sequencer.history.insuranceHours(coin, since);
  return { coin, records: periodRecords(hours, now, balance, periodMs, count) };
}

export const riskReserveRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/market/risk-reserve',
    summary: 'The insurance fund behind a contract, day by day (UTC), newest first; today as it stands',
    group,
    access: 'public',
    perSecond: 20,
    query: Query,
    data: Type.Object({
      ...responses.texts('totalBalance', 'coin'),
      riskReserveRecords: Type.Array(Type.Object(responses.texts('type', 'amount', 'balance', 'ts'))),
    }),
    handle: async ({ sequencer, query }) => {
      const found = await reserveRecords(sequencer, query, DAY_MS, DAYS_SHOWN);
      if (found instanceof WireError) return found;
      const riskReserveRecords = found.records.map((record) => ({ type: '', ...record }));
      return { totalBalance: '', coin: found.coin, riskReserveRecords };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/risk-reserve-hour',
    summary: 'The same hour by hour',
    group,
    access: 'public',
    perSecond: 20,
    query: Query,
    data: Type.Object({
      ...responses.texts('coin'),
      riskReserveRecords: Type.Array(Type.Object(responses.texts('amount', 'balance', 'ts'))),
    }),
    handle: async ({ sequencer, query }) => {
      const found = await reserveRecords(sequencer, query, HOUR_MS, HOURS_SHOWN);
      return found instanceof WireError ? found : { coin: found.coin, riskReserveRecords: found.records };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/risk-reserve-all',
    summary: 'The insurance funds of a category',
    group,
    access: 'public',
    perSecond: 3,
    query: Type.Object({ category: FuturesCategory }),
    data: Type.Object({
      list: Type.Array(
        Type.Object({ symbols: Type.Array(Type.String()), ...responses.texts('coin', 'balance') }),
      ),
    }),
    handle: ({ sequencer: { state }, query }) => ({ list: fundsOf(state, query.category) }),
  }),
];
