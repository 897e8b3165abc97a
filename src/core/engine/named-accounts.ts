/** The accounts that a command is about. */
import type { Command } from '../model/command.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** Fields of commands that name accounts. */
const NAMES = ['uid', 'fromUid', 'toUid', 'initiatorUid'] as const;

export function eachNamed(state: State, command: Command, visit: (account: Account) => void): void {
  const names: Partial<Record<(typeof NAMES)[number], number>> = command as object;
  for (const name of NAMES) visitUid(state, names[name], visit);
  if (command.type === 'endWithdrawal')
    visitUid(state, state.withdrawals.get(command.withdrawalId)?.uid, visit);
}

function visitUid(state: State, uid: number | undefined, visit: (account: Account) => void): void {
  const account = uid === undefined ? undefined : state.accountByUid.get(uid);
  if (account !== undefined) visit(account);
}
