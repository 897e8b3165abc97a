/**
 * Cancels the orders of a frozen account. Its keys can cancel nothing any more, so its open, trigger and trailing
 * orders are cancelled. Take-profits and stop-losses stay: they only close positions, which the owner can no longer do.
 */
import type { CancelFrozenAccount } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { CancelReason, StrategyReason } from '../model/enums.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { cancelWhere } from '../orders/cancel.ts';
import type { State } from '../state/state.ts';
import { cancelStrategies, isTpsl } from './strategy-lifecycle.ts';

export function cancelFrozenAccount(state: State, { uid }: CancelFrozenAccount): CommandResult {
  const frozen = state.accountByUid.get(uid);
  if (frozen === undefined) return rejected(RejectReason.unknownAccount);
  for (const account of [frozen, ...frozen.subAccounts]) {
    state.settleOpenWork(account);
    cancelWhere(state, account, CancelReason.delegatedRiskOrder, () => true);
    cancelStrategies(state, account, StrategyReason.frozen, ({ kind }) => !isTpsl(kind));
  }
  return OK;
}
