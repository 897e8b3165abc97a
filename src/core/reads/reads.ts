/** Questions to the state. Plain functions; nothing here changes anything that a later command could notice. */

import { type Depth, displayedDepth, rpiDepth as rpiDepthOf } from '../book/depth.ts';
import { NIL } from '../book/order-slab.ts';
import { mostLeaving } from '../margin/other-wallets.ts';
import type { Candle } from '../marketdata/candle-series.ts';
import type { DayStatistics } from '../marketdata/rolling-24h.ts';
import { type CandleInterval, candleIntervalIndex } from '../model/candle-interval.ts';
import { type AmendRequest, ANY } from '../model/command.ts';
import { CancelReason, type Category, type PriceKind, Wallet } from '../model/enums.ts';
import type { OrderRecord, Traded } from '../model/event.ts';
import type { Instrument } from '../model/instrument.ts';
import { Bucket, FIRST_USER_ACCOUNT, SYSTEM_ACCOUNT_NAMES } from '../model/ledger-accounts.ts';
import { parseOrderId } from '../model/order-id.ts';
import type { PendingWithdrawal } from '../model/pending-withdrawal.ts';
import { findOpenOrder } from '../orders/cancel.ts';
import { openRecord } from '../orders/order-lifecycle.ts';
import type { FeeRates } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { isTpsl } from '../strategy/strategy-lifecycle.ts';
import { freeIn } from '../wallet/wallet.ts';

export { depositWallet } from '../wallet/wallet.ts';

export interface OpenOrderQuery {
  readonly uid: number;
  readonly category?: Category | undefined;
  readonly symbol?: string | undefined;
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  /** Only orders with a smaller id. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/** Newest first. */
export function openOrders(state: State, query: OpenOrderQuery): OrderRecord[] {
  const account = state.accountByUid.get(query.uid);
  const orders: OrderRecord[] = [];
  if (account === undefined) return orders;
  const { slab } = state;
  for (let slot = account.lastOrder; slot !== NIL; slot = slab.accountPrevious[slot]!) {
    if (orders.length === query.limit) break;
    if (query.beforeId !== undefined && slab.id[slot]! >= query.beforeId) continue;
    const { category, symbol } = state.instrumentOf(slot);
    if (query.symbol !== undefined && symbol !== query.symbol) continue;
    if (query.category !== undefined && category !== query.category) continue;
    const created = slab.createdTime[slot]!;
    if (query.startTime !== undefined && created < query.startTime) continue;
    if (query.endTime !== undefined && created > query.endTime) continue;
    orders.push(openRecord(state, slot));
  }
  return orders;
}

/** Accounts with orders that a freeze would cancel (rules 1.13), unless they wait for just that (rules 19.4). */
export function uidsWithOrders({ accountByUid, pulled }: State): number[] {
  const uids: number[] = [];
  for (const { uid, index, firstOrder, strategies } of accountByUid.values()) {
    if (pulled.get(index) === CancelReason.delegatedRiskOrder) continue;
    if (firstOrder !== NIL || [...strategies.values()].some(({ kind }) => !isTpsl(kind))) uids.push(uid);
  }
  return uids;
}

/** Categories that the account has open orders in, ascending. */
export function openCategories(state: State, uid: number): Category[] {
  const categories = new Set<Category>();
  const { slab } = state;
  let slot = state.accountByUid.get(uid)?.firstOrder ?? NIL;
  for (; slot !== NIL; slot = slab.accountNext[slot]!) categories.add(state.instrumentOf(slot).category);
  return [...categories].sort((a, b) => a - b);
}

/** One open order of the caller by id, else by client id. */
export function openOrder(
  state: State,
  uid: number,
  orderId: number,
  clientOid: string,
): OrderRecord | undefined {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return undefined;
  const slot = findOpenOrder(state, account, { orderId, clientOid, category: ANY, instrument: ANY });
  return slot === NIL ? undefined : openRecord(state, slot);
}

/** Id of an open order of the caller; 0 when there is none. */
export function openOrderId(state: State, uid: number, orderId: number, clientOid: string): number {
  const slot = openOrderSlot(state, uid, orderId, clientOid);
  return slot === undefined ? 0 : state.slab.id[slot]!;
}

/** How many orders are open. */
export function openOrderCount(state: State): number {
  return state.slab.count;
}

/** Of every account, in no order. */
export function openOrderIds({ slab }: State): number[] {
  const ids: number[] = [];
  slab.eachSlot((slot) => ids.push(slab.id[slot]!));
  return ids;
}

/** Open orders by instrument: all orders are quicker to read than all accounts. */
export function openOrdersByInstrument({ instruments, slab }: State): Uint32Array {
  const counts = new Uint32Array(instruments.length);
  slab.eachSlot((slot) => {
    counts[slab.instrument[slot]!]!++;
  });
  return counts;
}

/** The instrument of an open order by its id, else of the caller's order by client id or printed id. */
export function instrumentOfOrder(
  { slab, accountByUid, instruments }: State,
  uid: number,
  orderId: number,
  clientOid: string,
): Instrument | undefined {
  const owner = accountByUid.get(uid)?.index ?? NIL;
  const slot = orderId > 0 ? slab.byId.get(orderId) : slab.clientOids.find(owner, clientOid, slab.account);
  const byPrintedId = slot >= 0 ? slot : slab.byId.get(parseOrderId(clientOid) ?? -1);
  return byPrintedId < 0 ? undefined : instruments[slab.instrument[byPrintedId]!];
}

/** Does the amendment cancel a part of the order and leave the rest unchanged? */
export function onlyReduces(state: State, uid: number, amendment: AmendRequest): boolean {
  const { orderId, clientOid, priceTicks, sizeLots, preset } = amendment;
  if (sizeLots === 0 || preset !== undefined) return false;
  const slot = openOrderSlot(state, uid, orderId, clientOid);
  if (slot === undefined) return false;
  const { slab } = state;
  const keepsPrice = priceTicks === 0 || priceTicks === slab.price[slot];
  return keepsPrice && sizeLots < slab.size[slot]!;
}

/** Where the open order of the caller lies; undefined when there is none. */
function openOrderSlot(state: State, uid: number, orderId: number, clientOid: string): number | undefined {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return undefined;
  const slot = findOpenOrder(state, account, { orderId, clientOid, category: ANY, instrument: ANY });
  return slot === NIL ? undefined : slot;
}

export interface CoinBalance {
  readonly coin: number;
  readonly cash: bigint;
  readonly locked: bigint;
  readonly funding: bigint;
}

/** Coins the account has ever held, ascending. */
export function balances(state: State, uid: number): CoinBalance[] {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return [];
  return state.ledger.coinsOf(account.index).map((coin) => ({
    coin,
    cash: state.ledger.balanceOf(account.index, coin, Bucket.cash),
    locked: state.ledger.balanceOf(account.index, coin, Bucket.locked),
    funding: state.ledger.balanceOf(account.index, coin, Bucket.funding),
  }));
}

/** What a wallet could give to others now. */
export function freeBalance(state: State, uid: number, coin: number, wallet: Wallet): bigint {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return 0n;
  return wallet === Wallet.funding ? mostLeaving(state, account, coin) : freeIn(state, account, coin, wallet);
}

/** A withdrawal of the caller that has not ended, by id, else by client id. */
export function pendingWithdrawal(
  state: State,
  uid: number,
  id: number,
  clientOid: string,
): PendingWithdrawal | undefined {
  if (id !== 0) {
    const withdrawal = state.withdrawals.get(id);
    return withdrawal?.uid === uid ? withdrawal : undefined;
  }
  for (const withdrawal of state.withdrawals.values()) {
    if (withdrawal.uid === uid && withdrawal.clientOid === clientOid) return withdrawal;
  }
  return undefined;
}

export function depth(state: State, instrument: Instrument, levels: number): Depth {
  return displayedDepth(state.market(instrument).book, levels);
}

export function rpiDepth(
  state: State,
  instrument: Instrument,
  levels: number,
): ReturnType<typeof rpiDepthOf> {
  return rpiDepthOf(state.market(instrument).book, levels);
}

export function dayStatistics(state: State, instrument: Instrument): DayStatistics {
  return state.market(instrument).day.statistics(state.now);
}

/** Newest first. */
export function publicFills(state: State, instrument: Instrument, limit: number): Traded[] {
  return state.market(instrument).tape.latest(limit);
}

/** The candle of the interval the clock is in; undefined while it has no trade. */
export function runningCandle(
  state: State,
  instrument: Instrument,
  interval: CandleInterval,
): Candle | undefined {
  return state.market(instrument).candles.current(candleIntervalIndex(interval), state.now);
}

/** The same of a price of futures; undefined while it has stood still in this interval. */
export function runningPriceCandle(
  state: State,
  instrument: Instrument,
  kind: PriceKind,
  interval: CandleInterval,
): Candle | undefined {
  return state.market(instrument).futures?.candles[kind].current(candleIntervalIndex(interval), state.now);
}

export function feeRates(state: State, uid: number, instrument: Instrument): FeeRates {
  return state.accountByUid.get(uid)?.fees.get(instrument.index) ?? instrument;
}

export interface SystemBalance {
  readonly account: string;
  readonly coin: number;
  readonly amount: bigint;
}

/** Accounts of the house and the outside world; with the users they sum to zero per coin. */
export function systemBalances(state: State): SystemBalance[] {
  const rows: SystemBalance[] = [];
  state.ledger.eachRow((account, coin, buckets) => {
    if (account >= FIRST_USER_ACCOUNT) return;
    rows.push({ account: SYSTEM_ACCOUNT_NAMES[account]!, coin, amount: buckets[Bucket.cash]! });
  });
  return rows;
}
