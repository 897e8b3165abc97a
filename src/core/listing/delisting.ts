/**
 * The delisting of a spot pair (rules 14.2): from its instant on the pair takes no order and matches none, and its orders are
 * cancelled in portions, account by account. Until then their amounts stay held, which gives no advantage: such an order can
 * only be cancelled.
 */

import { CancelReason, StrategyReason } from '../model/enums.ts';
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import { PORTION_LOOKS_MAX } from '../model/limits.ts';
import { cancelWhere } from '../orders/cancel.ts';
import type { Account } from '../state/account.ts';
import type { Delisting } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { cancelStrategies } from '../strategy/strategy-lifecycle.ts';

/** The first portion is done at once: a pair with few orders ends in one step. */
export function delistPair(state: State, instrument: number): void {
  const delisting = { instrument, next: FIRST_USER_ACCOUNT };
  state.delistings.push(delisting);
  if (state.delistings.length === 1) cancelPortion(state, delisting);
}

/** Cancels the next orders of the pair that was delisted first. */
export function continueDelisting(state: State): void {
  const first = state.delistings[0];
  if (first !== undefined) cancelPortion(state, first);
}

function cancelPortion(state: State, delisting: Delisting): void {
  const { accounts, portion } = state;
  const until = Math.min(accounts.length, delisting.next + PORTION_LOOKS_MAX);
  for (let cancelled = 0; delisting.next < until && cancelled < portion; delisting.next++)
    cancelled += cancelOrdersOf(state, accounts[delisting.next]!, delisting.instrument);
  if (delisting.next >= accounts.length) state.delistings.shift();
}

function cancelOrdersOf(state: State, account: Account, instrument: number): number {
  const { size: waiting } = account.strategies;
  const orders = state.openOrders.of(account.index, instrument);
  if (orders > 0) state.settleOpenWork(account);
  if (orders > 0) cancelWhere(state, account, CancelReason.delegatedRiskOrder, (each) => each === instrument);
  if (waiting > 0)
    cancelStrategies(state, account, StrategyReason.delisting, (order) => order.instrument === instrument);
  return orders + waiting - account.strategies.size;
}
