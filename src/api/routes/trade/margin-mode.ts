/** Requests with a margin mode: the symbol is switched to it where that is possible, else the request is rejected. */

import type {
  PlaceOrder,
  PlaceStrategy,
  SetLeverage,
  SetMarginMode,
  Unstamped,
} from '../../../core/model/command.ts';
import type { CommandResult } from '../../../core/model/command-result.ts';
import { Category } from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { futuresSetting } from '../../../core/reads/margin-reads.ts';
import type { Account } from '../../../core/state/account.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { marginModeName } from '../../../views/futures-enums.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';

export type MarginModeName = 'crossed' | 'isolated' | 'cross';

/** The change of mode that a request needs; undefined when it needs none, outside futures and without a mode. */
export function marginModeChange(
  { state }: Sequencer,
  uid: number,
  instrument: Instrument,
  mode: MarginModeName | undefined,
): Unstamped<SetMarginMode> | WireError | undefined {
  if (mode === 'isolated' && instrument.category === Category.margin) return marginIsCrossed();
  const account = state.accountByUid.get(uid);
  if (mode === undefined || instrument.futures === undefined || account === undefined) return undefined;
  const isolated = mode === 'isolated';
  if (isolated === futuresSetting(account, instrument).isolated) return undefined;
  return modeLocked(state, account, instrument, isolated) ?? modeCommand(uid, instrument, isolated);
}

/**
 * Submits a command together with its margin mode, so that no other comes between them. When the command is rejected, the
 * mode is switched back, unless a position or order has been opened in it meanwhile.
 */
export async function submitInMarginMode(
  sequencer: Sequencer,
  command: Unstamped<PlaceOrder | PlaceStrategy | SetLeverage>,
  instrument: Instrument,
  mode: MarginModeName | undefined,
): Promise<CommandResult | WireError> {
  const { uid } = command;
  const { timing } = sequencer;
  const change = marginModeChange(sequencer, uid, instrument, mode);
  if (change instanceof WireError) return change;
  if (change === undefined) return sequencer.submit(command);
  const [, result] = await Promise.all(sequencer.submitTogether(change, command));
  if (result.rejectReason !== RejectReason.none)
    await sequencer.submit(modeCommand(uid, instrument, mode !== 'isolated'), timing);
  return result;
}

function modeCommand(uid: number, { index }: Instrument, isolated: boolean): Unstamped<SetMarginMode> {
  return { type: 'setMarginMode', uid, instrument: index, isolated };
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
  state: State,
  account: Account,
  instrument: Instrument,
  isolated: boolean,
): WireError | undefined {
  const { index, symbol } = instrument;
  const present = futuresSetting(account, instrument).isolated;
  const held = [...account.positions.values()].some((position) => position.instrument === index);
  if (isolated === present || (!held && state.openOrders.of(account.index, index) === 0)) return undefined;
  return wireError(
    '25010',
    `marginMode: ${symbol} is ${marginModeName(present)}; close its positions and cancel its orders before it can be ${marginModeName(isolated)}`,
  );
}
