/** An instrument in responses of the operator's API: its state, its book at a glance, its calendar. */

import { CATEGORY_NAMES, INSTRUMENT_STATUS_NAMES } from '../../core/model/enums.ts';
import type { Instrument } from '../../core/model/instrument.ts';
import { shownStatus } from '../../core/model/instrument-status.ts';
import { formatRate, formatUnits } from '../../core/model/units.ts';
import { markTicks } from '../../core/reads/margin-reads.ts';
import { depth } from '../../core/reads/reads.ts';
import type { State } from '../../core/state/state.ts';
import { Type } from '../../validation/schema.ts';

const HOUR_MS = 3_600_000;
const TimeOrNull = Type.Union([Type.Integer(), Type.Null()]);

/** What is displayed of a book, to so many levels of each side. */
const DEPTH_LEVELS = 20;

export const InstrumentView = Type.Object({
  category: Type.String(),
  symbol: Type.String(),
  status: Type.String(),
  /** The house lacks too much of its coin (rules 13.2); the status reads `limit_open` meanwhile. */
  closeOnly: Type.Boolean(),
  /** Coin-margined, and its index is stale or silent: no order trades; `limit_open` is shown then too. */
  paused: Type.Boolean(),
  /** Hours between two settlements of funding as in force; empty where there is none. */
  fundInterval: Type.String(),
  baseCoin: Type.String(),
  quoteCoin: Type.String(),
  makerFeeRate: Type.String(),
  takerFeeRate: Type.String(),
  openOrders: Type.Integer(),
  /** Empty where there is none. */
  bid: Type.String(),
  ask: Type.String(),
  last: Type.String(),
  mark: Type.String(),
  /** Base quantity of the best levels. */
  bidDepth: Type.String(),
  askDepth: Type.String(),
  /** Funding as it would be now, and when it is settled next (ms). */
  fundingRate: Type.String(),
  nextFunding: TimeOrNull,
  /** When its status changes by itself (ms). */
  launchTime: TimeOrNull,
  limitOpenTime: TimeOrNull,
  offTime: TimeOrNull,
  deliveryTime: TimeOrNull,
});
export function instrumentView(state: State, instrument: Instrument, openOrders: number) {
  const fundIntervalMs = state.market(instrument).futures?.interval.ms ?? 0;
  return {
    category: CATEGORY_NAMES[instrument.category],
    symbol: instrument.symbol,
    status: INSTRUMENT_STATUS_NAMES[shownStatus(instrument)],
    closeOnly: instrument.closeOnly,
    paused: instrument.paused,
    fundInterval: fundIntervalMs === 0 ? '' : String(fundIntervalMs / HOUR_MS),
    baseCoin: instrument.spec.baseCoin,
    quoteCoin: instrument.spec.quoteCoin,
    makerFeeRate: formatRate(instrument.makerRate),
    takerFeeRate: formatRate(instrument.takerRate),
    openOrders,
    ...quotesOf(state, instrument),
    ...calendarOf(state, instrument),
  };
}

function quotesOf(state: State, instrument: Instrument) {
  const { pricePrecision, quantityPrecision } = instrument;
  const { bids, asks } = depth(state, instrument, DEPTH_LEVELS);
  const { day, futures } = state.market(instrument);
  const price = (ticks = 0) => (ticks === 0 ? '' : formatUnits(BigInt(ticks), pricePrecision));
  const quantity = (levels: readonly { readonly lots: number }[]) =>
    formatUnits(BigInt(levels.reduce((sum, { lots }) => sum + lots, 0)), quantityPrecision);
  return {
    bid: price(bids[0]?.priceTicks),
    ask: price(asks[0]?.priceTicks),
    last: price(day.lastTicks),
    mark: price(futures === undefined ? 0 : markTicks(state, instrument)),
    bidDepth: quantity(bids),
    askDepth: quantity(asks),
  };
}

function calendarOf(state: State, instrument: Instrument) {
  const { futures } = state.market(instrument);
  const { launchTime, limitOpenTime, offTime } = instrument.calendar;
  const time = (at = Number.POSITIVE_INFINITY) => (at > 0 && Number.isFinite(at) ? at : null);
  const isPerpetual = futures !== undefined && futures.interval.ms > 0;
  return {
    fundingRate: isPerpetual ? formatRate(futures.rate) : '',
    nextFunding: time(futures?.nextFunding),
    launchTime: time(launchTime),
    limitOpenTime: time(limitOpenTime),
    offTime: time(offTime),
    deliveryTime: time(futures?.terms.delivery?.time),
  };
}
