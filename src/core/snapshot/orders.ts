/** Open orders and waiting strategy orders in a snapshot. */

import type { ByteReader, ByteWriter } from '../model/bytes.ts';
import {
  OrderOrigin,
  type PosSide,
  type Side,
  type Source,
  type StrategyKind,
  StrategyStatus,
} from '../model/enums.ts';
import { NO_PRESET, presetFields } from '../model/tpsl.ts';
import { restoreMarginLock } from '../orders/margin-order-hold.ts';
import { lockedCoin, lockOf, register } from '../orders/order-lifecycle.ts';
import type { State } from '../state/state.ts';
import { StrategyOrder } from '../state/strategy-order.ts';
import { enrollStrategy } from '../strategy/strategy-lifecycle.ts';

export function saveOrders(w: ByteWriter, state: State): void {
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

export function loadOrders(r: ByteReader, state: State): void {
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
    register(state, account, instrument, slot);
  }
  // Queues are in the order of the places given (I14).
  slots.sort((a, b) => slab.prioritySeq[a]! - slab.prioritySeq[b]!);
  for (const slot of slots) state.market(state.instruments[slab.instrument[slot]!]!).book.rest(slot);
}

/** The alarms are set again from what the records say. */
export function saveStrategies(w: ByteWriter, state: State): void {
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

export function loadStrategies(r: ByteReader, state: State): void {
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
