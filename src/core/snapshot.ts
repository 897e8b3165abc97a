/**
 * The whole state as bytes, and back. The form is canonical: it holds what the state means (orders by id, accounts by
 * index, sums per row), not how the tables happen to be laid out, so equal states have equal bytes whether they came
 * from a replay of everything or from a snapshot and the rest. Its hash is the state hash.
 */
import type { Account } from './account.ts';
import { restoreMarginLock } from './borrowing/margin-lock.ts';
import { ByteReader, ByteWriter, UnreadableRecord } from './bytes.ts';
import type { Traded } from './event.ts';
import { Position } from './futures/position.ts';
import { readInstrument } from './instrument.ts';
import { scheduleCalendar } from './instrument-calendar.ts';
import { BUCKETS } from './ledger.ts';
import { PUBLIC_FILLS_KEPT } from './limits.ts';
import { openMarket } from './listing.ts';
import { Loan } from './loan/loan.ts';
import type { Candle } from './market/candle-series.ts';
import { scheduleDelivery, scheduleFunding } from './market/prices.ts';
import { scheduleCountdowns } from './orders/cancel.ts';
import { enroll, lockedCoin, lockOf } from './orders/order-life.ts';
import { earliestCandleEnd, type Market, State } from './state.ts';
import { enrollStrategy } from './strategy/strategy-life.ts';
import { StrategyOrder } from './strategy/strategy-order.ts';
import { NO_PRESET, presetFields } from './strategy/trigger-leg.ts';
import {
  type HoldMode,
  type InstrumentStatus,
  OrderOrigin,
  type PosSide,
  type Side,
  type Source,
  type StrategyKind,
  StrategyStatus,
} from './terms.ts';
import { blankWithdrawal, withdrawalFields } from './wallet/pending-withdrawal.ts';
import type { RecentOids } from './wallet/recent-oids.ts';

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
  state.setCoinPrices(Array.from({ length: r.i32(0) }, () => r.money(0n)));
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

function saveListings(w: ByteWriter, state: State): void {
  w.i32(state.coins.length);
  for (const spec of state.coins) w.text(JSON.stringify(spec));
  w.i32(state.instruments.length);
  for (const instrument of state.instruments) {
    w.text(JSON.stringify(instrument.spec));
    w.u8(instrument.status);
  }
}

function loadListings(r: ByteReader, state: State): void {
  const coins = r.i32(0);
  for (let coin = 0; coin < coins; coin++) {
    if (!state.addCoin(JSON.parse(r.text('')))) throw new UnreadableRecord(`borrow terms of coin ${coin}`);
  }
  const instruments = r.i32(0);
  for (let index = 0; index < instruments; index++) {
    const spec = JSON.parse(r.text(''));
    const twin = spec.category === 'MARGIN' ? state.instrument('SPOT', spec.symbol) : undefined;
    const book = twin === undefined ? state.markets.length : twin.book;
    const instrument = readInstrument(spec, index, book, (coin) => state.coinByName.get(coin));
    instrument.status = r.u8(0) as InstrumentStatus;
    state.instruments.push(instrument);
    openMarket(state, instrument, twin !== undefined);
    state.instrumentByName.set(`${spec.category} ${spec.symbol}`, index);
  }
}

function saveAccounts(w: ByteWriter, state: State): void {
  w.i32(state.accountByUid.size);
  for (const account of state.accountByUid.values()) {
    w.f64(account.uid);
    w.f64(account.masterUid);
    w.flag(account.marketMaker);
    w.flag(account.house);
    w.f64(account.countdownDeadline);
    w.flag(account.feeDeduction);
    saveFutures(w, account);
    const fees = [...account.fees].sort((a, b) => a[0] - b[0]);
    w.i32(fees.length);
    for (const [instrument, { makerRate, takerRate }] of fees) {
      w.i32(instrument);
      w.money(makerRate);
      w.money(takerRate);
    }
  }
}

function loadAccounts(r: ByteReader, state: State): void {
  for (let left = r.i32(0); left > 0; left--) {
    const account = state.addAccount(r.f64(0), r.f64(0), r.flag(false), r.flag(false));
    account.countdownDeadline = r.f64(0);
    if (account.countdownDeadline !== 0) state.countdowns.add(account);
    account.feeDeduction = r.flag(false);
    loadFutures(r, state, account);
    for (let fees = r.i32(0); fees > 0; fees--) {
      account.fees.set(r.i32(0), { makerRate: r.money(0n), takerRate: r.money(0n) });
    }
  }
}

function saveFutures(w: ByteWriter, account: Account): void {
  w.u8(account.holdMode);
  w.flag(account.mayOwe);
  w.flag(account.warned);
  const leverages = [...account.coinLeverage].sort((a, b) => a[0] - b[0]);
  w.i32(leverages.length);
  for (const [coin, leverage] of leverages) {
    w.i32(coin);
    w.u16(leverage);
  }
  w.flag(account.liquidating);
  const settings = [...account.futuresSettings].sort((a, b) => a[0] - b[0]);
  w.i32(settings.length);
  for (const [instrument, { isolated, longLeverage, shortLeverage }] of settings) {
    w.i32(instrument);
    w.flag(isolated);
    w.u16(longLeverage);
    w.u16(shortLeverage);
  }
  const positions = [...account.positions.values()].sort((a, b) => a.id - b.id);
  w.i32(positions.length);
  for (const position of positions) {
    w.f64(position.id);
    w.i32(position.instrument);
    w.u8(position.posSide);
    w.flag(position.isolated);
    w.f64(position.createdTime);
    position.fields(w);
  }
}

function loadFutures(r: ByteReader, state: State, account: Account): void {
  account.holdMode = r.u8(0) as HoldMode;
  account.mayOwe = r.flag(false);
  account.warned = r.flag(false);
  for (let left = r.i32(0); left > 0; left--) account.chooseCoinLeverage(r.i32(0), r.u16(0));
  account.liquidating = r.flag(false);
  for (let left = r.i32(0); left > 0; left--) {
    const instrument = r.i32(0);
    const isolated = r.flag(false);
    account.choose(instrument, { isolated, longLeverage: r.u16(0), shortLeverage: r.u16(0) });
  }
  for (let left = r.i32(0); left > 0; left--) {
    const id = r.f64(0);
    const instrument = r.i32(0);
    const posSide = r.u8(0) as PosSide;
    const isolated = r.flag(false);
    const position = new Position(id, account.index, instrument, posSide, isolated, r.f64(0));
    position.fields(r);
    state.addPosition(account, position);
  }
}

function saveLedger(w: ByteWriter, state: State): void {
  let rows = 0;
  state.ledger.eachRow(() => rows++);
  w.i32(rows);
  state.ledger.eachRow((account, coin, buckets) => {
    w.i32(account);
    w.i32(coin);
    for (const amount of buckets) w.money(amount);
  });
}

function loadLedger(r: ByteReader, state: State): void {
  for (let rows = r.i32(0); rows > 0; rows--) {
    const account = r.i32(0);
    const coin = r.i32(0);
    state.ledger.restoreRow(
      account,
      coin,
      Array.from({ length: BUCKETS }, () => r.money(0n)),
    );
  }
}

function saveOrders(w: ByteWriter, state: State): void {
  const { slab } = state;
  const slots = new Int32Array(slab.count);
  let count = 0;
  for (let slot = 0; slot < slab.used; slot++) if (slab.id[slot] !== 0) slots[count++] = slot;
  slots.sort((a, b) => slab.id[a]! - slab.id[b]!);
  w.i32(count);
  for (const slot of slots) {
    w.f64(slab.id[slot]!);
    w.i32(slab.account[slot]!);
    w.i32(slab.instrument[slot]!);
    w.u8(slab.side[slot]!);
    w.u8(slab.orderType[slot]!);
    w.u8(slab.timeInForce[slot]!);
    w.u8(slab.stpMode[slot]!);
    w.u8(slab.flags[slot]!);
    w.i32(slab.price[slot]!);
    w.f64(slab.size[slot]!);
    w.f64(slab.remaining[slot]!);
    w.f64(slab.prioritySeq[slot]!);
    w.f64(slab.createdTime[slot]!);
    w.f64(slab.updatedTime[slot]!);
    w.text(slab.clientOids.get(slot) ?? '');
    w.money(slab.isolatedLocks.get(slot) ?? -1n);
    w.money(slab.marginLocks.get(slot)?.held ?? -1n);
    const execution = slab.executions[slot];
    w.flag(execution !== undefined);
    if (execution !== undefined) {
      w.money(execution.value);
      w.money(execution.fee);
      w.money(execution.pnl);
    }
    w.u8(slab.origins.get(slot) ?? OrderOrigin.hand);
    const attached = slab.presets.get(slot);
    w.flag(attached !== undefined);
    if (attached === undefined) continue;
    presetFields(w, attached.preset);
    w.f64(attached.strategyId);
  }
}

function loadOrders(r: ByteReader, state: State): void {
  const { slab } = state;
  const count = r.i32(0);
  const slots = new Int32Array(count);
  for (let n = 0; n < count; n++) {
    const slot = slab.allocate(r.f64(0));
    slots[n] = slot;
    slab.account[slot] = r.i32(0);
    slab.instrument[slot] = r.i32(0);
    slab.side[slot] = r.u8(0);
    slab.orderType[slot] = r.u8(0);
    slab.timeInForce[slot] = r.u8(0);
    slab.stpMode[slot] = r.u8(0);
    slab.flags[slot] = r.u8(0);
    slab.price[slot] = r.i32(0);
    slab.size[slot] = r.f64(0);
    slab.remaining[slot] = r.f64(0);
    slab.prioritySeq[slot] = r.f64(0);
    slab.createdTime[slot] = r.f64(0);
    slab.updatedTime[slot] = r.f64(0);
    const clientOid = r.text('');
    if (clientOid !== '') slab.clientOids.set(slot, clientOid);
    const isolatedLock = r.money(0n);
    if (isolatedLock >= 0n) slab.isolatedLocks.set(slot, isolatedLock);
    const held = r.money(0n);
    const instrument = state.instruments[slab.instrument[slot]!]!;
    if (held >= 0n) {
      const coin = lockedCoin(instrument, slab.side[slot] as Side);
      restoreMarginLock(state, slot, coin, held, lockOf(state, instrument, slot));
    }
    if (r.flag(false)) slab.executions[slot] = { value: r.money(0n), fee: r.money(0n), pnl: r.money(0n) };
    const origin = r.u8(0) as OrderOrigin;
    if (origin !== OrderOrigin.hand) slab.origins.set(slot, origin);
    if (r.flag(false)) slab.presets.set(slot, { preset: presetFields(r, NO_PRESET), strategyId: r.f64(0) });
    const account = state.accounts[slab.account[slot]!]!;
    slab.party[slot] = account.party;
    enroll(state, account, instrument, slot);
  }
  // Queues are in the order of the places given (I14).
  slots.sort((a, b) => slab.prioritySeq[a]! - slab.prioritySeq[b]!);
  for (const slot of slots) state.market(state.instruments[slab.instrument[slot]!]!).book.rest(slot);
}

/** The alarms are set again from what the records say. */
function saveStrategies(w: ByteWriter, state: State): void {
  const { byId, queue, paused } = state.strategies;
  const orders = [...byId.values()].sort((a, b) => a.id - b.id);
  w.i32(orders.length);
  for (const order of orders) {
    w.f64(order.id);
    w.i32(order.account);
    w.i32(order.instrument);
    w.u8(order.kind);
    w.u8(order.side);
    w.u8(order.posSide);
    w.u8(order.source);
    w.f64(order.createdTime);
    order.fields(w);
  }
  const queued = queue.filter((order) => byId.get(order.id) === order);
  w.i32(queued.length);
  for (const { id } of queued) w.f64(id);
  w.flag(paused);
  const oids = state.strategies.recentOids(state.now);
  w.i32(oids.length);
  for (const [key, time] of oids) {
    w.text(key);
    w.f64(time);
  }
}

function loadStrategies(r: ByteReader, state: State): void {
  const { strategies } = state;
  for (let left = r.i32(0); left > 0; left--) {
    const order = new StrategyOrder(
      r.f64(0),
      r.i32(0),
      r.i32(0),
      r.u8(0) as StrategyKind,
      r.u8(0) as Side,
      r.u8(0) as PosSide,
      r.u8(0) as Source,
      r.f64(0),
    );
    order.fields(r);
    enrollStrategy(state, order);
    if (order.hits !== 0 && order.status === StrategyStatus.pending) strategies.due.add(order);
  }
  for (let left = r.i32(0); left > 0; left--) strategies.queue.push(strategies.byId.get(r.f64(0))!);
  strategies.paused = r.flag(false);
  for (let left = r.i32(0); left > 0; left--) strategies.rememberKey(r.text(''), r.f64(0));
}

function saveWallets(w: ByteWriter, state: State): void {
  w.i32(state.withdrawals.size);
  for (const withdrawal of state.withdrawals.values()) withdrawalFields(w, withdrawal);
  saveOids(w, state.transferOids);
  saveOids(w, state.depositReferences);
}

function saveLoans(w: ByteWriter, { loans }: State): void {
  w.i32(loans.size);
  for (const loan of loans.loans.values()) loan.fields(w);
  for (const sums of [loans.funded, loans.lost]) {
    w.i32(sums.size);
    for (const [coin, amount] of [...sums].sort((a, b) => a[0] - b[0])) {
      w.u16(coin);
      w.money(amount);
    }
  }
}

function loadLoans(r: ByteReader, { loans, coins }: State): void {
  for (let left = r.i32(0); left > 0; left--) {
    const loan = new Loan();
    loan.fields(r);
    loans.add(loan, coins);
  }
  for (const sums of [loans.funded, loans.lost]) {
    for (let left = r.i32(0); left > 0; left--) sums.set(r.u16(0), r.money(0n));
  }
}

function saveOids(w: ByteWriter, known: RecentOids): void {
  const oids = known.recent();
  w.i32(oids.length);
  for (const oid of oids) w.text(oid);
}

function loadWallets(r: ByteReader, state: State): void {
  for (let left = r.i32(0); left > 0; left--) {
    const withdrawal = blankWithdrawal();
    withdrawalFields(r, withdrawal);
    state.withdrawals.set(withdrawal.id, withdrawal);
  }
  loadOids(r, state.transferOids);
  loadOids(r, state.depositReferences);
}

function loadOids(r: ByteReader, known: RecentOids): void {
  for (let left = r.i32(0); left > 0; left--) known.remember(r.text(''));
}

function saveMarket(w: ByteWriter, state: State, market: Market): void {
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

function loadMarket(r: ByteReader, state: State, market: Market): void {
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
