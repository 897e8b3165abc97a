/**
 * Cancels the orders of a frozen account. Its keys can cancel nothing any more, so its open, trigger and trailing
 * orders are cancelled. Take-profits and stop-losses stay: they only close positions, which the owner can no longer do.
 */
import { CancelReason, StrategyReason } from '../model/enums.ts';
import { cancelWhere } from '../orders/cancel.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { cancelStrategies, isTpsl } from './strategy-lifecycle.ts';

/** Returns what it counts in a portion: the account and what was cancelled. */
export function cancelOrdersOfFrozen(state: State, account: Account): number {
  state.settleOpenWork(account);
  const orders = cancelWhere(state, account, CancelReason.delegatedRiskOrder, () => true).length;
  const strategies = account.strategies.size;
  cancelStrategies(state, account, StrategyReason.frozen, ({ kind }) => !isTpsl(kind));
  return 1 + orders + strategies - account.strategies.size;
}
