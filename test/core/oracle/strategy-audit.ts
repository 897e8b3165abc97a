/** Strategy orders by their records: table 3.2, I30, I33. */

import {
  STRATEGY_STATUS_NAMES,
  StrategyKind,
  StrategyReason,
  StrategyStatus,
} from '../../../src/core/model/enums.ts';
import type { Event, StrategyOrderRecord } from '../../../src/core/model/event.ts';
import { openStrategies } from '../../../src/core/reads/strategy-reads.ts';
import type { State } from '../../../src/core/state/state.ts';
import { protectedPosition } from '../../../src/core/strategy/strategy-lookup.ts';
import { expect } from './failure.ts';

/** Table 3.2 as statuses of consecutive records of one strategy order. */
const STRATEGY_TRANSITIONS: Record<StrategyStatus | 'none', readonly StrategyStatus[]> = {
  none: [StrategyStatus.pending],
  [StrategyStatus.pending]: [StrategyStatus.pending, StrategyStatus.submitting, StrategyStatus.cancelled],
  [StrategyStatus.submitting]: [StrategyStatus.success, StrategyStatus.failed, StrategyStatus.cancelled],
  [StrategyStatus.success]: [],
  [StrategyStatus.failed]: [],
  [StrategyStatus.cancelled]: [],
};

export class StrategyAudit {
  private readonly state: State;
  /** Strategy orders that were ever told of, as they stood last. */
  private readonly strategies = new Map<number, StrategyStatus>();
  private lastStrategy: number;

  constructor(state: State) {
    this.state = state;
    this.lastStrategy = state.lastId;
    for (const { uid, house } of state.accountByUid.values()) {
      if (house) continue;
      for (const { orderId, status } of openStrategies(state, { uid })) this.strategies.set(orderId, status);
    }
    // In portions an order is told of as submitting when its turn comes (rules 14.4).
    if (state.rules.portions)
      for (const id of state.strategies.queued()) this.strategies.set(id, StrategyStatus.pending);
  }

  /** Table 3.2, I30 and the second half of I33; a child is told of before the record that it made successful. */
  check(order: StrategyOrderRecord, events: readonly Event[]): void {
    const { orderId: id, status } = order;
    const before = this.strategies.get(id);
    if (before === undefined) {
      expect(id > this.lastStrategy, () => `I30: strategy order ${id} after ${this.lastStrategy}`);
      this.lastStrategy = id;
      this.checkPartial(order);
    }
    expect(
      STRATEGY_TRANSITIONS[before ?? 'none'].includes(status),
      () => `strategy order ${id} from ${before} to ${STRATEGY_STATUS_NAMES[status]}`,
    );
    this.strategies.set(id, status);
    expect(
      (order.reason !== StrategyReason.none) === (status === StrategyStatus.cancelled) &&
        (order.failure !== 0) === (status === StrategyStatus.failed) &&
        (order.childOrderId !== 0) === (status === StrategyStatus.success),
      () => `strategy order ${id} gives the wrong reasons`,
    );
    const told = () =>
      events.some((event) => event.type === 'order' && event.order.orderId === order.childOrderId);
    expect(
      order.childOrderId === 0 || told(),
      () => `strategy order ${id} made an order that nobody was told of`,
    );
  }

  private checkPartial({ orderId, kind, uid, instrument, posSide, sizeLots }: StrategyOrderRecord): void {
    if (kind !== StrategyKind.partial || this.state.instruments[instrument]!.futures === undefined) return;
    if (!this.state.strategies.byId.has(orderId)) return;
    const position = protectedPosition(this.state.accountByUid.get(uid)!, instrument, posSide);
    expect(
      position !== undefined && sizeLots <= position.lots,
      () => `I33: strategy order ${orderId} closes more than there is`,
    );
  }
}
