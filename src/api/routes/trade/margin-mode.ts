/** Requests with a margin mode: the symbol is switched to it where that is possible, else the request is rejected. */

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
 * Sequences the change of mode, if one is needed, and returns its result as a promise: the caller sequences its own
 * command before it waits. Undefined outside futures and without a mode.
 */
export function switchMarginMode(
  sequencer: Sequencer,
  uid: number,
  instrument: Instrument,
  mode: MarginModeName | undefined,
): Promise<CommandResult> | WireError | undefined {
  if (mode === 'isolated' && instrument.category === Category.margin) return marginIsCrossed();
  const account = sequencer.state.accountByUid.get(uid);
  if (mode === undefined || instrument.futures === undefined || account === undefined) return undefined;
  const isolated = mode === 'isolated';
  if (isolated === futuresSetting(account, instrument).isolated) return undefined;
  const locked = modeLocked(account, instrument, isolated);
  if (locked !== undefined) return locked;
  return setMode(sequencer, uid, instrument, isolated);
}

/**
 * Submits a command together with its margin mode. Both are sequenced before either is awaited, so no command comes
 * between them. When the command is rejected, the mode is switched back, unless a position or order has been opened
 * in it meanwhile.
 */
export async function submitInMarginMode(
  sequencer: Sequencer,
  command: Unstamped<PlaceOrder | PlaceStrategy | SetLeverage>,
  instrument: Instrument,
  mode: MarginModeName | undefined,
): Promise<CommandResult | WireError> {
  const { uid } = command;
  const switched = switchMarginMode(sequencer, uid, instrument, mode);
  if (switched instanceof WireError) return switched;
  if (switched === undefined) return sequencer.submit(command);
  const [result] = await Promise.all([sequencer.submit(command), switched]);
  if (result.rejectReason !== RejectReason.none) {
    await setMode(sequencer, uid, instrument, mode !== 'isolated');
  }
  return result;
}

function setMode(
  sequencer: Sequencer,
  uid: number,
  { index }: Instrument,
  isolated: boolean,
): Promise<CommandResult> {
  return sequencer.submit({ type: 'setMarginMode', uid, instrument: index, isolated });
}

/**
 * A debt of margin trading is a debt of the whole account (rules 6.9); a client that asks for isolated margin must
 * learn that it does not apply.
 */
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
