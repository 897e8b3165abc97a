/** Strategy orders that wait, as their owners see them. */

import { type Category, STRATEGY_TYPES, type StrategyType } from '../model/enums.ts';
import type { StrategyOrderRecord } from '../model/event.ts';
import type { State } from '../state/state.ts';
import type { StrategyOrder } from '../state/strategy-order.ts';
import { strategyRecord } from '../strategy/strategy-lifecycle.ts';
import { strategyNamed } from '../strategy/strategy-lookup.ts';

export interface OpenStrategyQuery {
  readonly uid: number;
  readonly category?: Category | undefined;
  readonly type?: StrategyType | undefined;
  readonly symbol?: string | undefined;
}

/** Newest first. There are never more than `STRATEGIES_PER_ACCOUNT_MAX`, so there are no pages. */
export function openStrategies(state: State, query: OpenStrategyQuery): StrategyOrderRecord[] {
  const account = state.accountByUid.get(query.uid);
  if (account === undefined) return [];
  return [...account.strategies.values()]
    .filter((order) => isAsked(state, order, query))
    .reverse()
    .map((order) => strategyRecord(state, order));
}

function isAsked(state: State, order: StrategyOrder, query: OpenStrategyQuery): boolean {
  const { category, symbol } = state.instruments[order.instrument]!;
  return (
    (query.category === undefined || query.category === category) &&
    (query.symbol === undefined || query.symbol === symbol) &&
    (query.type === undefined || query.type === STRATEGY_TYPES[order.kind])
  );
}

/** One of the caller's that waits, by id, else by client id. */
export function openStrategy(
  state: State,
  uid: number,
  orderId: number,
  clientOid: string,
): StrategyOrder | undefined {
  const account = state.accountByUid.get(uid);
  return account === undefined ? undefined : strategyNamed(account, orderId, clientOid);
}
