/** Modifying a strategy order that waits (wire 4.1). */
import type { Static } from 'typebox';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { openStrategy } from '../../../core/reads/strategy-reads.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { refusalError } from '../../wire/reject-messages.ts';
import { wireError } from '../../wire/wire-error.ts';
import { idsIn, UNNAMED } from './order-ref.ts';
import { idsOf } from './order-result.ts';
import { type ModifyStrategyBody, modifyCommand } from './strategy-input.ts';

/** Also what a modification of a plain order means when it names such an order. */
export async function modifyStrategy(
  sequencer: Sequencer,
  uid: number,
  body: Static<typeof ModifyStrategyBody>,
) {
  const name = idsIn(body);
  if (name === undefined) return UNNAMED;
  const order = openStrategy(sequencer.state, uid, name.orderId, name.clientOid);
  const instrument = order === undefined ? undefined : sequencer.state.instruments[order.instrument];
  // The right to trade was looked up for the category that the request names.
  if (body.category !== undefined && instrument !== undefined && body.category !== instrument.spec.category)
    return wireError('25597', `there is no waiting strategy order of that id in ${body.category}`);
  const command = modifyCommand(uid, name, instrument, (order?.quoteAmount ?? 0n) > 0n, body);
  const outcome = await sequencer.submit(command);
  return outcome.rejectReason === RejectReason.none
    ? idsOf(outcome)
    : refusalError(sequencer.state, outcome, instrument);
}
