/**
 * Take-profit and stop-loss that came with an opening order (rules 3.6): the first fill creates the strategy
 * order, further fills increase its size, and it stays when the order closes. Only filled lots are protected.
 */

import { FLAG_RETAIL, NIL } from '../book/order-slab.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { PosSide, Side, Source, StrategyKind, StrategyReason, StrategyStatus } from '../model/enums.ts';
import { STRATEGIES_PER_ACCOUNT_MAX } from '../model/limits.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { isEmpty, type Preset } from '../model/tpsl.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { StrategyOrder } from '../state/strategy-order.ts';
import { armStrategy, cancelStrategy, emitStrategy, enrollStrategy } from './strategy-lifecycle.ts';

/** A fill has opened `lots`. Once the attached strategy order has fired or was cancelled, a new fill creates another. */
export function onParentFill(state: State, slot: number, lots: number): void {
  const attached = state.slab.presets.get(slot);
  if (attached === undefined) return;
  const known = state.strategies.byId.get(attached.strategyId);
  if (known !== undefined && known.status === StrategyStatus.pending) {
    known.sizeLots += lots;
    emitStrategy(state, known, StrategyStatus.pending);
    return;
  }
  attached.strategyId = openAttached(state, slot, lots).id;
}

function openAttached(state: State, slot: number, lots: number): StrategyOrder {
  const { slab } = state;
  const instrument = state.instrumentOf(slot);
  const long = slab.side[slot] === Side.buy;
  const posSide = instrument.futures === undefined ? PosSide.none : long ? PosSide.long : PosSide.short;
  const order = new StrategyOrder(
    state.nextId(),
    slab.account[slot]!,
    instrument.index,
    StrategyKind.attached,
    long ? Side.sell : Side.buy,
    posSide,
    (slab.flags[slot]! & FLAG_RETAIL) === 0 ? Source.api : Source.retail,
    state.now,
  );
  const { takeProfit, stopLoss } = slab.presets.get(slot)!.preset;
  order.sizeLots = lots;
  order.takeProfit = takeProfit;
  order.stopLoss = stopLoss;
  order.reduceOnly = instrument.futures !== undefined;
  enrollStrategy(state, order);
  emitStrategy(state, order, StrategyStatus.pending);
  return order;
}

/** The strategy order that an order's fills have created, while it waits. */
export function attachedRecord(state: State, slot: number): StrategyOrder | undefined {
  const record = state.strategies.byId.get(state.slab.presets.get(slot)?.strategyId ?? 0);
  return record?.status === StrategyStatus.pending ? record : undefined;
}

/** Changes the preset of an open order, and the strategy order that its fills have created (wire 4.1, modify-order). */
export function replacePreset(state: State, slot: number, preset: Preset): void {
  const { presets } = state.slab;
  const record = attachedRecord(state, slot);
  if (isEmpty(preset)) {
    presets.delete(slot);
    if (record !== undefined) cancelStrategy(state, record, StrategyReason.owner);
    return;
  }
  presets.set(slot, { preset, strategyId: record?.id ?? 0 });
  if (record === undefined) return;
  record.disarm();
  record.takeProfit = preset.takeProfit;
  record.stopLoss = preset.stopLoss;
  armStrategy(state, record);
  emitStrategy(state, record, StrategyStatus.pending);
}

/** May the account have another strategy order? Presets of open orders count, because their fills will create one. */
export function checkStrategyCount(state: State, account: Account): CommandResult | undefined {
  const { slab } = state;
  let count = account.strategies.size;
  if (slab.presets.size !== 0) {
    for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
      if (slab.presets.has(slot)) count++;
    }
  }
  return count < STRATEGIES_PER_ACCOUNT_MAX
    ? undefined
    : rejected(RejectReason.tooManyStrategies, STRATEGIES_PER_ACCOUNT_MAX);
}
