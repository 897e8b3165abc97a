/** Requests about the margin of an isolated position, which they name by contract and side. */

import { PosSide } from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { AUTO_MARGIN_UNBOUNDED, type Position, positionKey } from '../../../core/model/position.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { findAccount } from '../../wire/instrument-lookup.ts';
import { refusalError } from '../../wire/reject-messages.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';

export type SideWord = 'long' | 'short';

/** Moves margin into (positive) or out of (negative) the isolated position of a side. */
export async function moveMargin(
  sequencer: Sequencer,
  uid: number,
  instrument: Instrument,
  side: SideWord | undefined,
  amount: bigint,
): Promise<'success' | WireError> {
  const position = isolatedPosition(sequencer.state, uid, instrument, side);
  if (position instanceof WireError) return position;
  const { posSide } = position;
  const at = { uid, instrument: instrument.index, posSide };
  const outcome = await sequencer.submit({ type: 'adjustMargin', ...at, amount });
  return outcome.rejectReason === RejectReason.none
    ? 'success'
    : refusalError(sequencer.state, outcome, instrument);
}

/** Lets the isolated position of a side take cash before it is liquidated: so much, all there is, or nothing. */
export async function setAutoMargin(
  sequencer: Sequencer,
  uid: number,
  instrument: Instrument,
  side: SideWord | undefined,
  room: bigint | 'off' | 'unbounded',
): Promise<'success' | WireError> {
  const position = isolatedPosition(sequencer.state, uid, instrument, side);
  if (position instanceof WireError) return position;
  const { posSide } = position;
  const at = { uid, instrument: instrument.index, posSide };
  const units = room === 'off' ? 0n : room === 'unbounded' ? AUTO_MARGIN_UNBOUNDED : room;
  const outcome = await sequencer.submit({ type: 'setAutoMargin', ...at, room: units });
  return outcome.rejectReason === RejectReason.none
    ? 'success'
    : refusalError(sequencer.state, outcome, instrument);
}

/** `on` while the isolated position of a side may still add margin by itself. */
export function autoMarginWord(
  state: State,
  uid: number,
  instrument: Instrument,
  side: SideWord,
): 'on' | 'off' {
  const position = isolatedPosition(state, uid, instrument, side);
  return position instanceof WireError || position.autoMargin === 0n ? 'off' : 'on';
}

function isolatedPosition(
  state: State,
  uid: number,
  instrument: Instrument,
  side: SideWord | undefined,
): Position | WireError {
  const account = findAccount(state, uid);
  if (account instanceof WireError) return account;
  const position = [PosSide.none, PosSide.long, PosSide.short]
    .map((posSide) => account.positions.get(positionKey(instrument.index, posSide)))
    .find((each) => each !== undefined && (side === undefined || each.long === (side === 'long')));
  if (position?.isolated) return position;
  const which = side === undefined ? '' : ` ${side}`;
  return wireError('25227', `${instrument.symbol} has no isolated${which} position`);
}
