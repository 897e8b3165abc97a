/** What is listed, and what markets remember. */

import { openMarket } from '../listing/listing.ts';
import type { Candle } from '../marketdata/candle-series.ts';
import { UnreadableRecord } from '../model/bytes.ts';
import type { InstrumentStatus, Side } from '../model/enums.ts';
import type { Traded } from '../model/event.ts';
import type { Instrument } from '../model/instrument.ts';
import { PUBLIC_FILLS_KEPT } from '../model/limits.ts';
import type { CoinSpec, InstrumentSpec } from '../model/listing-spec.ts';
import { parseInstrument } from '../model/parse-instrument.ts';
import type { Market } from '../state/market.ts';
import type { State } from '../state/state.ts';
import { amountField, list, type StateFields } from './fields.ts';

export function listingFields(f: StateFields, state: State): void {
  const coins = list<CoinSpec>(f, state.coins, (spec) => specFields(f, spec));
  if (f.reading) {
    for (const [index, spec] of coins.entries())
      if (!state.addCoin(spec)) throw new UnreadableRecord(`borrow terms of coin ${index}`);
  }
  list<Instrument>(f, state.instruments, (known) => {
    const spec = specFields<InstrumentSpec>(f, known?.spec);
    const instrument = known ?? relist(state, spec);
    instrument.status = f.u8(instrument.status) as InstrumentStatus;
    return instrument;
  });
}

/** Specifications keep the names of their fields, as the catalogue has them. */
function specFields<Spec extends object>(f: StateFields, known: Spec | undefined): Spec {
  const text = f.text(known === undefined ? '' : textOf(known));
  return known ?? specOf(text);
}

/** Specifications are replaced, never changed: each has one text, and states that list the same share it. */
const texts = new WeakMap<object, string>();
const specs = new Map<string, object>();
const SPECS_MAX = 4096;

function textOf(spec: object): string {
  const known = texts.get(spec);
  if (known !== undefined) return known;
  const text = JSON.stringify(spec);
  texts.set(spec, text);
  return text;
}

function specOf<Spec extends object>(text: string): Spec {
  const known = specs.get(text);
  if (known !== undefined) return known as Spec;
  const spec = JSON.parse(text) as Spec;
  if (specs.size >= SPECS_MAX) specs.clear();
  specs.set(text, spec);
  return spec;
}

function relist(state: State, spec: InstrumentSpec): Instrument {
  const index = state.instruments.length;
  const twin = spec.category === 'MARGIN' ? state.instrument('SPOT', spec.symbol) : undefined;
  const book = twin === undefined ? state.markets.length : twin.book;
  const instrument = parseInstrument(spec, index, book, (coin) => state.coinByName.get(coin));
  state.instruments.push(instrument);
  openMarket(state, instrument, twin !== undefined);
  state.instrumentByName.set(`${spec.category} ${spec.symbol}`, index);
  return instrument;
}

export function marketFields(f: StateFields, state: State, market: Market): void {
  market.changes = f.f64(market.changes);
  dayFields(f, state, market);
  const { running } = market.candles;
  for (let interval = 0; interval < running.length; interval++) {
    const candle = candleFields(f, running[interval]);
    if (f.reading) running[interval] = candle;
  }
  const trades = list(f, market.tape.latest(PUBLIC_FILLS_KEPT).reverse(), (known) =>
    tradeFields(f, market, known),
  );
  if (f.reading) market.tape.restore(trades);
  market.day.expire(state.now);
}

function dayFields(f: StateFields, state: State, { day }: Market): void {
  day.expire(state.now);
  const known = day.save();
  const saved = {
    firstTicks: f.i32(known.firstTicks),
    leftTicks: f.i32(known.leftTicks),
    lastTicks: f.i32(known.lastTicks),
    resolution: f.i32(known.resolution),
    buckets: list(f, known.buckets, (bucket) => ({
      time: f.f64(bucket?.time ?? 0),
      highTicks: f.i32(bucket?.highTicks ?? 0),
      lowTicks: f.i32(bucket?.lowTicks ?? 0),
      lastTicks: f.i32(bucket?.lastTicks ?? 0),
      lots: f.f64(bucket?.lots ?? 0),
      value: amountField(f, bucket?.value ?? 0),
    })),
  };
  if (f.reading) day.restore(saved);
}

function candleFields(f: StateFields, known: Candle | undefined): Candle | undefined {
  if (!f.flag(known !== undefined)) return undefined;
  return {
    openTime: f.f64(known?.openTime ?? 0),
    openTicks: f.i32(known?.openTicks ?? 0),
    highTicks: f.i32(known?.highTicks ?? 0),
    lowTicks: f.i32(known?.lowTicks ?? 0),
    closeTicks: f.i32(known?.closeTicks ?? 0),
    volumeLots: f.f64(known?.volumeLots ?? 0),
    turnover: amountField(f, known?.turnover ?? 0),
  };
}

function tradeFields(f: StateFields, { instrument }: Market, known: Traded | undefined): Traded {
  return {
    type: 'trade',
    execId: f.f64(known?.execId ?? 0),
    execLinkId: f.f64(known?.execLinkId ?? 0),
    instrument,
    side: f.u8(known?.side ?? 0) as Side,
    priceTicks: f.i32(known?.priceTicks ?? 0),
    sizeLots: f.f64(known?.sizeLots ?? 0),
    rpi: f.flag(known?.rpi ?? false),
    time: f.f64(known?.time ?? 0),
  };
}
