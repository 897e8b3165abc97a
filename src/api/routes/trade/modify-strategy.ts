/** Modifying a strategy order that waits (wire 4.1). */
import type { Static } from 'typebox';
import { Refusal } from '../../../core/model/reject-reason.ts';
import { openStrategy } from '../../../core/reads/strategy-reads.ts';
import type { Venue } from '../../../sequencer/sequencer.ts';
import { refusalError } from '../../wire/reject-messages.ts';
import { wireError } from '../../wire/wire-error.ts';
import { idsIn, UNNAMED } from './order-ref.ts';
import { idsOf } from './order-result.ts';
import { type ModifyStrategyBody, modifyCommand } from './strategy-input.ts';

/** Also what a modification of a plain order means when it names such an order. */
export async function modifyStrategy(venue: Venue, uid: number, body: Static<typeof ModifyStrategyBody>) {
  const name = idsIn(body);
  if (name === undefined) return UNNAMED;
  const order = openStrategy(venue.state, uid, name.orderId, name.clientOid);
  const instrument = order === undefined ? undefined : venue.state.instruments[order.instrument];
  // The right to trade was looked up for the category that the request names.
  if (body.category !== undefined && instrument !== undefined && body.category !== instrument.spec.category)
    return wireError('25597', `there is no waiting strategy order of that id in ${body.category}`);
  const command = modifyCommand(uid, name, instrument, (order?.quoteAmount ?? 0n) > 0n, body);
  const outcome = await venue.submit(command);
  return outcome.refusal === Refusal.none ? idsOf(outcome) : refusalError(venue.state, outcome, instrument);
}
