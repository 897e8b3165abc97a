/**
 * The whole state as bytes, and back. The form is canonical: it holds what the state means (orders by id, accounts by
 * index, sums per row), not how the tables happen to be laid out, so equal states have equal bytes whether they came
 * from a replay of everything or from a snapshot and the rest. Its hash is the state hash.
 */

import { scheduleCalendar } from '../listing/status-calendar.ts';
import { indexedCoins } from '../margin/collateral.ts';
import { ByteReader, ByteWriter, UnreadableRecord } from '../model/bytes.ts';
import { scheduleCountdowns } from '../orders/cancel.ts';
import { earliestCandleEnd, State } from '../state/state.ts';
import { scheduleDelivery, scheduleFunding } from '../state/timers.ts';
import { loadAccounts, loadLedger, saveAccounts, saveLedger } from './accounts.ts';
import { loadListings, loadMarket, saveListings, saveMarket } from './markets.ts';
import { loadLoans, loadWallets, saveLoans, saveWallets } from './money.ts';
import { loadOrders, loadStrategies, saveOrders, saveStrategies } from './orders.ts';

const FORMAT = 1;

export function saveState(state: State): Uint8Array<ArrayBuffer> {
  const w = new ByteWriter(1 << 16);
  w.u16(FORMAT);
  w.f64(state.now);
  w.f64(state.lastId);
  w.f64(state.lastPriority);
  const [high, low] = state.digest.save();
  w.i32(high);
  w.i32(low);
  w.flag(state.halted);
  saveListings(w, state);
  saveAccounts(w, state);
  saveLedger(w, state);
  saveOrders(w, state);
  saveWallets(w, state);
  saveLoans(w, state);
  w.f64(state.nextSecond);
  for (const index of state.indices) index.fields(w);
  w.i32(state.coinPrices.length);
  for (const price of state.coinPrices) w.money(price);
  w.f64(state.nextInsuranceHour);
  w.i32(state.insuranceAtHour.length);
  for (const balance of state.insuranceAtHour) w.money(balance);
  for (const market of state.markets) {
    saveMarket(w, state, market);
    market.futures?.fields(w);
  }
  const failed = state.recentFailedAmends();
  w.i32(failed.length);
  for (const { account, orderId, clientOid } of failed) {
    w.i32(account);
    w.f64(orderId);
    w.text(clientOid);
  }
  saveStrategies(w, state);
  return w.written();
}

export function loadState(bytes: Uint8Array): State {
  const r = new ByteReader(bytes);
  const format = r.u16(0);
  if (format !== FORMAT) throw new UnreadableRecord(`state format ${format}, this version reads ${FORMAT}`);
  const state = new State();
  state.now = r.f64(0);
  state.lastId = r.f64(0);
  state.lastPriority = r.f64(0);
  state.digest.restore([r.i32(0), r.i32(0)]);
  state.halted = r.flag(false);
  loadListings(r, state);
  loadAccounts(r, state);
  loadLedger(r, state);
  loadOrders(r, state);
  loadWallets(r, state);
  loadLoans(r, state);
  state.nextSecond = r.f64(0);
  for (const index of state.indices) index.fields(r);
  const prices = Array.from({ length: r.i32(0) }, () => r.money(0n));
  state.setCoinPrices(prices, indexedCoins(state));
  state.nextInsuranceHour = r.f64(0);
  for (let left = r.i32(0); left > 0; left--) state.insuranceAtHour.push(r.money(0n));
  for (const market of state.markets) {
    loadMarket(r, state, market);
    market.futures?.fields(r);
  }
  for (let left = r.i32(0); left > 0; left--) {
    state.rememberFailedAmend({ account: r.i32(0), orderId: r.f64(0), clientOid: r.text('') });
  }
  loadStrategies(r, state);
  r.finish();
  scheduleCountdowns(state);
  scheduleFunding(state);
  scheduleDelivery(state);
  scheduleCalendar(state);
  for (const market of state.markets) {
    state.nextCandleEnd = Math.min(state.nextCandleEnd, earliestCandleEnd(market));
  }
  return state;
}
