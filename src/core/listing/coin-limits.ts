/** What the operator allows of a coin: how much the house may lack, lend and keep (rules 13.2, 13.5, 13.7). */

import { readBorrowTerms } from '../model/borrow-terms.ts';
import type { SetCoinLimits } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { MONEY_MAX } from '../model/limits.ts';
import type { CoinSpec } from '../model/listing-spec.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { MONEY_SCALE, parseUnits } from '../model/units.ts';
import type { State } from '../state/state.ts';

/** An empty text leaves a limit as it is. */
export function setCoinLimits(state: State, command: SetCoinLimits): CommandResult {
  const { coin, houseShortUsd, lendShare, insuranceFloor } = command;
  const spec = state.coins[coin];
  if (spec === undefined) return rejected(RejectReason.unknownCoin);
  for (const [name, text] of Object.entries({ houseShortUsd, insuranceFloor }))
    if (text !== '' && !isAmount(text)) return rejectedBecause(`${name} must be an amount of zero or more`);
  if (lendShare !== '' && spec.borrow === undefined) return rejectedBecause(`${spec.coin} is not lent`);
  const changed: CoinSpec = {
    ...spec,
    ...(houseShortUsd !== '' && { houseShortUsd }),
    ...(insuranceFloor !== '' && { insuranceFloor }),
    ...(lendShare !== '' && { borrow: { ...spec.borrow!, lendShare } }),
  };
  const terms = readBorrowTerms(changed.borrow);
  if (terms === undefined) return rejectedBecause('lendShare must be a fraction from 0 to 1');
  state.coins[coin] = changed;
  state.lending[coin]!.terms = terms;
  // Contracts that may only close from now on are found when the command ends.
  state.clearingChanged = true;
  return OK;
}

function isAmount(text: string): boolean {
  const amount = parseUnits(text, MONEY_SCALE);
  return amount !== undefined && amount >= 0n && amount <= MONEY_MAX;
}

function rejectedBecause(detail: string): CommandResult {
  return { ...rejected(RejectReason.invalidSpecification), detail };
}
