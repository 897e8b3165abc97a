/** What the owner of an account may not do while it is being liquidated over several commands (rules 19.1). */

import type { Command } from '../model/command.ts';
import { rejected } from '../model/command-result.ts';
import { Wallet } from '../model/enums.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { hasOpenIsolatedClose } from '../state/open-closes.ts';
import type { State } from '../state/state.ts';

/**
 * Commands that would take something from the account or change its terms, with the fields that name it. Orders, loans and
 * repayments look for themselves; deposits and transfers to it help.
 */
const BARRED_COMMANDS: { readonly [Type in Command['type']]?: readonly string[] } = {
  withdraw: ['uid'],
  transfer: ['fromUid'],
  requestWithdrawal: ['uid'],
  internalWithdrawal: ['uid'],
  movePositions: ['fromUid', 'toUid'],
  adjustMargin: ['uid'],
  setAutoMargin: ['uid'],
  setLeverage: ['uid'],
  setCoinLeverage: ['uid'],
  setHoldMode: ['uid'],
  setMarginMode: ['uid'],
  writeOffDebt: ['uid'],
};

/** What takes money away: the account may have to pay what an isolated position of it that is being closed will lack. */
const TAKES_MONEY: ReadonlySet<Command['type']> = new Set([
  'withdraw',
  'transfer',
  'requestWithdrawal',
  'internalWithdrawal',
]);

export const BARRED = rejected(RejectReason.accountLiquidating);

export function isBarred(state: State, command: Command): boolean {
  if (state.inLiquidation.size === 0 && state.openCloses.length === 0) return false;
  const fields = BARRED_COMMANDS[command.type];
  if (fields === undefined || isOwnHelp(command)) return false;
  const takesMoney = TAKES_MONEY.has(command.type);
  const named = command as unknown as Readonly<Record<string, number>>;
  return fields.some((field) => {
    const account = state.accountByUid.get(named[field]!);
    if (account === undefined) return false;
    return account.liquidating || (takesMoney && hasOpenIsolatedClose(state, account.index));
  });
}

/** From the owner's funding wallet into the account. */
function isOwnHelp(command: Command): boolean {
  return (
    command.type === 'transfer' && command.fromUid === command.toUid && command.toWallet === Wallet.unified
  );
}
