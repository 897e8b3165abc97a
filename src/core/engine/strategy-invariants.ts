/** What must hold of waiting strategy orders after every command (rules 10.1). */

import { InstrumentStatus, StrategyKind, StrategyStatus, TriggerBy } from '../model/enums.ts';
import { STRATEGIES_PER_ACCOUNT_MAX } from '../model/limits.ts';
import { hasLeg } from '../model/tpsl.ts';
import { assert } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { isEnding } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import type { StrategyOrder } from '../state/strategy-order.ts';
import { HIT_TRIGGER } from '../state/trigger-table.ts';
import { isTpsl } from '../strategy/strategy-lifecycle.ts';
import { protectedPosition } from '../strategy/strategy-lookup.ts';
import { triggerReference } from '../strategy/tpsl-checks.ts';

export function checkStrategies(state: State): void {
  const { byId, hasDue, hasQueued, paused, triggers } = state.strategies;
  assert(state.halted || paused || (!hasDue && !hasQueued), 'what was reached has fired');
  let count = 0;
  for (const account of state.accountByUid.values()) {
    if (account.strategies.size === 0) {
      assert(account.strategyOids.size === 0, 'I29: client ids of ended strategy orders remain');
      continue;
    }
    count += account.strategies.size;
    checkAccount(state, account);
  }
  assert(byId.size === count, 'the tables of strategy orders agree');
  assert(triggers.countOrders() === count, 'every strategy order has one seat among the triggers');
}

/** I33, I34; what has been reached does not wait on. */
function checkAccount(state: State, account: Account): void {
  assert(account.strategies.size <= STRATEGIES_PER_ACCOUNT_MAX, 'too many strategy orders');
  const full = new Set<string>();
  let id = 0;
  for (const order of account.strategies.values()) {
    const instrument = state.instruments[order.instrument]!;
    assert(order.id > id, 'I30: strategy orders out of order');
    id = order.id;
    assert(state.strategies.byId.get(id) === order, 'the tables of strategy orders agree');
    const trades = instrument.status !== InstrumentStatus.offline || isEnding(state, order.instrument);
    assert(trades, 'I42: a strategy order on what nobody can trade');
    if (order.clientOid !== '')
      assert(account.strategyOids.get(order.clientOid) === order, 'I29: client id of a strategy order');
    if (order.kind === StrategyKind.full) {
      const side = `${order.instrument} ${order.posSide}`;
      assert(!full.has(side), () => `I33: two full records of ${account.uid} on ${instrument.symbol}`);
      full.add(side);
    }
    if (isTpsl(order.kind) && instrument.futures !== undefined) {
      const position = protectedPosition(account, order.instrument, order.posSide);
      assert(position !== undefined, () => `I34: strategy order ${id} protects no position`);
    }
    if (order.status === StrategyStatus.pending) checkWaiting(state, order);
  }
}

/** The last price has been seen by everybody who waits for it. */
function checkWaiting(state: State, order: StrategyOrder): void {
  if (order.kind !== StrategyKind.trigger || state.strategies.paused || state.halted) return;
  const instrument = state.instruments[order.instrument]!;
  const market = state.market(instrument);
  const { triggerTicks, triggerBy } = order.trigger;
  assert(hasLeg(order.trigger) && (order.hits & HIT_TRIGGER) === 0, 'a trigger order waits for something');
  if (triggerBy === TriggerBy.mark || market.day.lastTicks === 0) return;
  const last = triggerReference(instrument, market, triggerBy);
  assert(
    order.rises ? last < triggerTicks : last > triggerTicks,
    () => `trigger order ${order.id} is overdue`,
  );
}
