/** Margin of an isolated position, given by contract and side. */

import { PosSide } from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { AUTO_MARGIN_UNBOUNDED, type Position, positionKey } from '../../../core/model/position.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { findAccount } from '../../wire/instrument-lookup.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';

export type SideName = 'long' | 'short';

/** Moves margin into (positive) or out of (negative) the isolated position of a side. */
export async function moveMargin(
  sequencer: Sequencer,
  uid: number,
  instrument: Instrument,
  side: SideName | undefined,
  amount: bigint,
): Promise<'success' | WireError> {
  const position = isolatedPosition(sequencer.state, uid, instrument, side);
  if (position instanceof WireError) return position;
  const { posSide } = position;
  const at = { uid, instrument: instrument.index, posSide };
  const result = await sequencer.submit({ type: 'adjustMargin', ...at, amount });
  return result.rejectReason === RejectReason.none
    ? 'success'
    : rejectError(sequencer.state, result, instrument);
}

/**
 * Lets the isolated position of a side take cash before it is liquidated: up to an amount, without limit, or not at
 * all.
 */
export async function setAutoMargin(
  sequencer: Sequencer,
  uid: number,
  instrument: Instrument,
  side: SideName | undefined,
  limit: bigint | 'off' | 'unbounded',
): Promise<'success' | WireError> {
  const position = isolatedPosition(sequencer.state, uid, instrument, side);
  if (position instanceof WireError) return position;
  const { posSide } = position;
  const at = { uid, instrument: instrument.index, posSide };
  const units = limit === 'off' ? 0n : limit === 'unbounded' ? AUTO_MARGIN_UNBOUNDED : limit;
  const result = await sequencer.submit({ type: 'setAutoMargin', ...at, room: units });
  return result.rejectReason === RejectReason.none
    ? 'success'
    : rejectError(sequencer.state, result, instrument);
}

/** `on` while the isolated position of a side may still add margin automatically. */
export function autoMarginText(
  state: State,
  uid: number,
  instrument: Instrument,
  side: SideName,
): 'on' | 'off' {
  const position = isolatedPosition(state, uid, instrument, side);
  return position instanceof WireError || position.autoMargin === 0n ? 'off' : 'on';
}

function isolatedPosition(
  state: State,
  uid: number,
  instrument: Instrument,
  side: SideName | undefined,
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
