/** Requests that name a margin mode: it becomes the symbol's mode when that is possible, else the request is refused. */

import type { PlaceOrder, PlaceStrategy, SetLeverage, Unstamped } from '../../../core/model/command.ts';
import type { CommandResult } from '../../../core/model/command-result.ts';
import { Category } from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { futuresSetting } from '../../../core/reads/margin-reads.ts';
import type { Account } from '../../../core/state/account.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { marginModeName } from '../../../views/futures-enums.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';

export type MarginModeName = 'crossed' | 'isolated' | 'cross';

/**
 * Sequences the change of mode, if one is needed, and returns its outcome as a promise: the caller sequences its own
 * command before it waits. Nothing to do outside futures, or when no mode is named.
 */
export function switchMarginMode(
  sequencer: Sequencer,
  uid: number,
  instrument: Instrument,
  word: MarginModeName | undefined,
): Promise<CommandResult> | WireError | undefined {
  if (word === 'isolated' && instrument.category === Category.margin) return marginIsCrossed();
  const account = sequencer.state.accountByUid.get(uid);
  if (word === undefined || instrument.futures === undefined || account === undefined) return undefined;
  const isolated = word === 'isolated';
  if (isolated === futuresSetting(account, instrument).isolated) return undefined;
  const kept = modeLocked(account, instrument, isolated);
  if (kept !== undefined) return kept;
  return setMode(sequencer, uid, instrument, isolated);
}

/**
 * A command in the margin mode that came with it. Both are sequenced before either is awaited, so nothing comes between
 * the mode and the command; what is refused leaves no mode behind, unless somebody has opened something in it meanwhile.
 */
export async function submitInMarginMode(
  sequencer: Sequencer,
  command: Unstamped<PlaceOrder | PlaceStrategy | SetLeverage>,
  instrument: Instrument,
  word: MarginModeName | undefined,
): Promise<CommandResult | WireError> {
  const { uid } = command;
  const mode = switchMarginMode(sequencer, uid, instrument, word);
  if (mode instanceof WireError) return mode;
  if (mode === undefined) return sequencer.submit(command);
  const [outcome] = await Promise.all([sequencer.submit(command), mode]);
  if (outcome.rejectReason !== RejectReason.none) {
    await setMode(sequencer, uid, instrument, word !== 'isolated');
  }
  return outcome;
}

function setMode(
  sequencer: Sequencer,
  uid: number,
  { index }: Instrument,
  isolated: boolean,
): Promise<CommandResult> {
  return sequencer.submit({ type: 'setMarginMode', uid, instrument: index, isolated });
}

/** A debt of margin trading stands on the whole account (rules 6.9); who asks for less risk must hear of it. */
export function marginIsCrossed(): WireError {
  return wireError('25240', 'marginMode isolated is for futures: MARGIN borrows against the whole account');
}

/** Why the symbol cannot have this mode now; undefined when it can. */
export function modeLocked(
  account: Account,
  instrument: Instrument,
  isolated: boolean,
): WireError | undefined {
  const { index, symbol } = instrument;
  const present = futuresSetting(account, instrument).isolated;
  const held = [...account.positions.values()].some((position) => position.instrument === index);
  if (isolated === present || (!held && account.openByInstrument.of(index) === 0)) return undefined;
  return wireError(
    '25010',
    `marginMode: ${symbol} is ${marginModeName(present)}; close its positions and cancel its orders before it can be ${marginModeName(isolated)}`,
  );
}
