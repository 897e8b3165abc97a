/**
 * The end of a spot pair (rules 14.2): from its instant on it takes no order and matches none, and its orders are cancelled
 * in portions, account by account. What they hold stays held until then. Nobody gains by that: an order that waits to be
 * cancelled can do nothing but be cancelled.
 */

import { CancelReason, StrategyReason } from '../model/enums.ts';
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import { PORTION_LOOKS_MAX } from '../model/limits.ts';
import { cancelWhere } from '../orders/cancel.ts';
import type { Account } from '../state/account.ts';
import type { Ending } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { cancelStrategies } from '../strategy/strategy-lifecycle.ts';

/** The first portion is done at once: a pair with few orders ends in one step. */
export function endPair(state: State, instrument: number): void {
  const ending = { instrument, next: FIRST_USER_ACCOUNT };
  state.endings.push(ending);
  if (state.endings.length === 1) cancelPortion(state, ending);
}

/** Cancels the next orders of the pair that ended first. */
export function continueEnding(state: State): void {
  const first = state.endings[0];
  if (first !== undefined) cancelPortion(state, first);
}

function cancelPortion(state: State, ending: Ending): void {
  const { accounts, portion } = state;
  const until = Math.min(accounts.length, ending.next + PORTION_LOOKS_MAX);
  for (let cancelled = 0; ending.next < until && cancelled < portion; ending.next++)
    cancelled += cancelOrdersOf(state, accounts[ending.next]!, ending.instrument);
  if (ending.next >= accounts.length) state.endings.shift();
}

function cancelOrdersOf(state: State, account: Account, instrument: number): number {
  const { size: waiting } = account.strategies;
  const orders = state.openOrders.of(account.index, instrument);
  if (orders > 0) state.touch(account);
  if (orders > 0) cancelWhere(state, account, CancelReason.delegatedRiskOrder, (each) => each === instrument);
  if (waiting > 0)
    cancelStrategies(state, account, StrategyReason.delisting, (order) => order.instrument === instrument);
  return orders + waiting - account.strategies.size;
}
