/** Finds what a command about contracts names. */
import type { Account } from './account.ts';
import type { Instrument } from '../model/instrument.ts';
import { type Outcome, refused } from '../model/command-result.ts';
import { Refusal } from '../model/reject-reason.ts';
import type { State } from './state.ts';
import type { Position } from '../model/position.ts';

export function positionsOf(account: Account, instrument: Instrument): Position[] {
  return [...account.positions.values()].filter((position) => position.instrument === instrument.index);
}

/** The account and the contract that a command names. */
export function futuresOf(
  state: State,
  uid: number,
  index: number,
): { account: Account; instrument: Instrument } | Outcome {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return refused(Refusal.unknownAccount);
  const instrument = state.instruments[index];
  if (instrument?.futures === undefined) return refused(Refusal.unknownInstrument);
  return { account, instrument };
}
