/**
 * Emits a warning when the margin ratio of an account reaches the warning level of the pairs that lend the coins it owes,
 * once until it falls below again (rules 6.4). The flag is state, so it must depend on the ratio only, never on reads.
 */

import { warningRatio } from '../margin/debts.ts';
import { hasReachedRatio } from '../margin/margin.ts';
import { accountRisk, currentMargin } from '../margin/margin-cache.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** Far below every warning level of accounts without debts. */
const CALM = 0.4;

export function updateWarning(state: State, account: Account): void {
  const { effective, maintenance, debtMaintenance } = currentMargin(state, account);
  if (!account.warned && debtMaintenance === 0 && maintenance <= CALM * effective) return;
  const risk = accountRisk(state, account);
  const above = hasReachedRatio(risk, warningRatio(state, account));
  if (above === account.warned) return;
  account.warned = above;
  if (!above || account.house) return;
  state.emit({
    type: 'riskWarning',
    uid: account.uid,
    effective: risk.effective,
    maintenance: risk.maintenance,
    time: state.now,
  });
}
