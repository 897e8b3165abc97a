/** Finds the account and the contract that a command names. */

import { type CommandResult, rejected } from '../model/command-result.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Position } from '../model/position.ts';
import { RejectReason } from '../model/reject-reason.ts';
import type { Account } from './account.ts';
import type { State } from './state.ts';

export function positionsOf(account: Account, instrument: Instrument): Position[] {
  return [...account.positions.values()].filter((position) => position.instrument === instrument.index);
}

/** The account and the contract that a command names. */
export function futuresOf(
  state: State,
  uid: number,
  index: number,
): { account: Account; instrument: Instrument } | CommandResult {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  const instrument = state.instruments[index];
  if (instrument?.futures === undefined) return rejected(RejectReason.unknownInstrument);
  return { account, instrument };
}
