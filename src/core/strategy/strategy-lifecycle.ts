/** The life of a strategy order from the moment it waits to its last record (rules 3.2). */

import { PosSide, StrategyKind, StrategyReason, StrategyStatus, TriggerBy } from '../model/enums.ts';
import type { StrategyOrderRecord } from '../model/event.ts';
import type { Instrument } from '../model/instrument.ts';
import { formatOrderId } from '../model/order-id.ts';
import { RejectReason } from '../model/reject-reason.ts';
import type { Account } from '../state/account.ts';
import type { Market } from '../state/market.ts';
import type { State } from '../state/state.ts';
import type { StrategyOrder } from '../state/strategy-order.ts';
import { TriggerBook } from '../state/trigger-book.ts';

interface End {
  readonly reason?: StrategyReason;
  readonly failure?: RejectReason;
  readonly childOrderId?: number;
}

/** Enters a strategy order into the tables and sets its triggers. */
export function enrollStrategy(state: State, order: StrategyOrder): void {
  const account = state.accounts[order.account]!;
  state.strategies.add(order);
  account.addStrategy(order);
  if (order.status === StrategyStatus.pending) armStrategy(state, order);
}

export function armStrategy(state: State, order: StrategyOrder): void {
  const market = state.market(state.instruments[order.instrument]!);
  for (const by of [TriggerBy.market, TriggerBy.mark]) {
    if (waitsFor(order, by)) triggerBookOf(state, market, by).arm(order, by);
  }
}

function waitsFor({ kind, trigger, takeProfit, stopLoss }: StrategyOrder, by: TriggerBy): boolean {
  if (kind === StrategyKind.trigger || kind === StrategyKind.trailing) return trigger.triggerBy === by;
  return takeProfit.triggerBy === by || stopLoss.triggerBy === by;
}

function triggerBookOf(state: State, market: Market, by: TriggerBy): TriggerBook {
  if (by === TriggerBy.mark) {
    market.markTriggers ??= new TriggerBook(state.strategies.triggers);
    return market.markTriggers;
  }
  market.lastTriggers ??= new TriggerBook(state.strategies.triggers);
  return market.lastTriggers;
}

/** Removes a strategy order from all tables; `emitFinal` writes its last record. */
export function unregisterStrategy(state: State, order: StrategyOrder): void {
  const { strategies } = state;
  const account = state.accounts[order.account]!;
  strategies.remove(order);
  account.dropStrategy(order);
}

export function emitFinal(
  state: State,
  order: StrategyOrder,
  status: typeof StrategyStatus.success | typeof StrategyStatus.failed | typeof StrategyStatus.cancelled,
  end: End,
): void {
  emitStrategy(state, order, status, end);
}

export function cancelStrategy(state: State, order: StrategyOrder, reason: StrategyReason): void {
  unregisterStrategy(state, order);
  emitFinal(state, order, StrategyStatus.cancelled, { reason });
}

/** Cancels matching strategy orders of an account in ascending id. */
export function cancelStrategies(
  state: State,
  account: Account,
  reason: StrategyReason,
  matches: (order: StrategyOrder) => boolean = () => true,
): void {
  if (account.strategies.size === 0) return;
  for (const order of [...account.strategies.values()]) {
    if (matches(order)) cancelStrategy(state, order, reason);
  }
}

/** Cancels every strategy order of an instrument that is no longer traded. */
export function cancelInstrumentStrategies(
  state: State,
  { index }: Instrument,
  reason: StrategyReason,
): void {
  for (const order of [...state.strategies.byId.values()]) {
    if (order.instrument === index) cancelStrategy(state, order, reason);
  }
}

/** Cancels take-profits and stop-losses of a closed position: they must not close a later one. */
export function cancelProtection(state: State, account: Account, instrument: number, long: boolean): void {
  const posSide = long ? PosSide.long : PosSide.short;
  cancelStrategies(
    state,
    account,
    StrategyReason.positionGone,
    (order) => order.instrument === instrument && order.posSide === posSide && isTpsl(order.kind),
  );
}

/** Take-profit and stop-loss close a position; the other kinds may open one. */
export function isTpsl(kind: StrategyKind): boolean {
  return kind !== StrategyKind.trigger && kind !== StrategyKind.trailing;
}

export function emitStrategy(
  state: State,
  order: StrategyOrder,
  status: StrategyStatus,
  end: End = {},
): void {
  order.updatedTime = state.now;
  state.digest.fold(order.id * 8 + status);
  if (state.accounts[order.account]!.house) return;
  state.emit({ type: 'strategyOrder', order: strategyRecord(state, order, status, end) });
}

export function strategyRecord(
  state: State,
  order: StrategyOrder,
  status: StrategyStatus = order.status,
  end: End = {},
): StrategyOrderRecord {
  return {
    orderId: order.id,
    clientOid: order.clientOid === '' ? formatOrderId(order.id) : order.clientOid,
    uid: state.accounts[order.account]!.uid,
    instrument: order.instrument,
    category: state.instruments[order.instrument]!.category,
    kind: order.kind,
    side: order.side,
    posSide: order.posSide,
    reduceOnly: order.reduceOnly,
    sizeLots: order.sizeLots,
    quoteAmount: order.quoteAmount,
    status,
    triggerType: order.triggerType,
    takeProfit: order.takeProfit,
    stopLoss: order.stopLoss,
    trigger: order.trigger,
    callbackPpm: order.callbackPpm,
    extremeTicks: order.extremeTicks,
    reason: end.reason ?? StrategyReason.none,
    failure: end.failure ?? RejectReason.none,
    childOrderId: end.childOrderId ?? 0,
    createdTime: order.createdTime,
    updatedTime: order.updatedTime,
  };
}
