/** What is listed, and what markets remember, in a snapshot. */

import { openMarket } from '../listing/listing.ts';
import type { Candle } from '../marketdata/candle-series.ts';
import { type ByteReader, type ByteWriter, UnreadableRecord } from '../model/bytes.ts';
import type { InstrumentStatus, Side } from '../model/enums.ts';
import type { Traded } from '../model/event.ts';
import { PUBLIC_FILLS_KEPT } from '../model/limits.ts';
import { parseInstrument } from '../model/parse-instrument.ts';
import type { Market, State } from '../state/state.ts';

export function saveListings(w: ByteWriter, state: State): void {
  w.i32(state.coins.length);
  for (const spec of state.coins) w.text(JSON.stringify(spec));
  w.i32(state.instruments.length);
  for (const instrument of state.instruments) {
    w.text(JSON.stringify(instrument.spec));
    w.u8(instrument.status);
  }
}

export function loadListings(r: ByteReader, state: State): void {
  const coins = r.i32(0);
  for (let coin = 0; coin < coins; coin++) {
    if (!state.addCoin(JSON.parse(r.text('')))) throw new UnreadableRecord(`borrow terms of coin ${coin}`);
  }
  const instruments = r.i32(0);
  for (let index = 0; index < instruments; index++) {
    const spec = JSON.parse(r.text(''));
    const twin = spec.category === 'MARGIN' ? state.instrument('SPOT', spec.symbol) : undefined;
    const book = twin === undefined ? state.markets.length : twin.book;
    const instrument = parseInstrument(spec, index, book, (coin) => state.coinByName.get(coin));
    instrument.status = r.u8(0) as InstrumentStatus;
    state.instruments.push(instrument);
    openMarket(state, instrument, twin !== undefined);
    state.instrumentByName.set(`${spec.category} ${spec.symbol}`, index);
  }
}

export function saveMarket(w: ByteWriter, state: State, market: Market): void {
  w.f64(market.changes);
  market.day.expire(state.now);
  const day = market.day.save();
  w.i32(day.firstTicks);
  w.i32(day.leftTicks);
  w.i32(day.lastTicks);
  w.i32(day.resolution);
  w.i32(day.buckets.length);
  for (const bucket of day.buckets) {
    w.f64(bucket.time);
    w.i32(bucket.highTicks);
    w.i32(bucket.lowTicks);
    w.i32(bucket.lastTicks);
    w.f64(bucket.lots);
    w.money(bucket.value);
  }
  for (const candle of market.candles.running) saveCandle(w, candle);
  const trades = market.tape.latest(PUBLIC_FILLS_KEPT).reverse();
  w.i32(trades.length);
  for (const trade of trades) {
    w.f64(trade.execId);
    w.f64(trade.execLinkId);
    w.u8(trade.side);
    w.i32(trade.priceTicks);
    w.f64(trade.sizeLots);
    w.flag(trade.rpi);
    w.f64(trade.time);
  }
}

export function loadMarket(r: ByteReader, state: State, market: Market): void {
  market.changes = r.f64(0);
  const firstTicks = r.i32(0);
  const leftTicks = r.i32(0);
  const lastTicks = r.i32(0);
  const resolution = r.i32(0);
  const buckets = [];
  for (let left = r.i32(0); left > 0; left--) {
    buckets.push({
      time: r.f64(0),
      highTicks: r.i32(0),
      lowTicks: r.i32(0),
      lastTicks: r.i32(0),
      lots: r.f64(0),
      value: r.money(0n),
    });
  }
  market.day.restore({ firstTicks, leftTicks, lastTicks, resolution, buckets });
  for (let width = 0; width < market.candles.running.length; width++)
    market.candles.running[width] = loadCandle(r);
  const trades: Traded[] = [];
  for (let left = r.i32(0); left > 0; left--) {
    trades.push({
      type: 'trade',
      execId: r.f64(0),
      execLinkId: r.f64(0),
      instrument: market.instrument,
      side: r.u8(0) as Side,
      priceTicks: r.i32(0),
      sizeLots: r.f64(0),
      rpi: r.flag(false),
      time: r.f64(0),
    });
  }
  market.tape.restore(trades);
  market.day.expire(state.now);
}

function saveCandle(w: ByteWriter, candle: Candle | undefined): void {
  w.flag(candle !== undefined);
  if (candle === undefined) return;
  w.f64(candle.openTime);
  w.i32(candle.openTicks);
  w.i32(candle.highTicks);
  w.i32(candle.lowTicks);
  w.i32(candle.closeTicks);
  w.f64(candle.volumeLots);
  w.money(candle.turnover);
}

function loadCandle(r: ByteReader): Candle | undefined {
  if (!r.flag(false)) return undefined;
  return {
    openTime: r.f64(0),
    openTicks: r.i32(0),
    highTicks: r.i32(0),
    lowTicks: r.i32(0),
    closeTicks: r.i32(0),
    volumeLots: r.f64(0),
    turnover: r.money(0n),
  };
}
