/** Places an order (interface 4.3, wire 4.1). */

import type { PlaceOrder, PlaceStrategy, Unstamped } from '../../../core/model/command.ts';
import {
  ORDER_TYPE_NAMES,
  type OrderType,
  POS_SIDE_NAMES,
  type PosSide,
  SIDE_NAMES,
  type Side,
  Source,
  STP_MODE_NAMES,
  TIME_IN_FORCE_NAMES,
} from '../../../core/model/enums.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { isEmpty } from '../../../core/model/tpsl.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import * as fields from '../../wire/fields.ts';
import { findInstrument } from '../../wire/instrument-lookup.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { submitInMarginMode } from './margin-mode.ts';
import { priceTicks, quoteAmount, sizeLots } from './order-input.ts';
import { idsOf, type OrderResult } from './order-result.ts';
import { presetBody, presetOf } from './preset-input.ts';
import { conditionalBody, conditionalCommand, isConditional } from './strategy-input.ts';

export const PlaceBody = Type.Object({
  category: fields.Category,
  symbol: fields.SymbolName,
  qty: Type.String({ ...fields.Decimal, description: 'base quantity; quote money on a spot market buy' }),
  side: fields.Side,
  orderType: fields.OrderType,
  price: Type.Optional(fields.Decimal),
  timeInForce: Type.Optional(fields.TimeInForce),
  clientOid: Type.Optional(fields.ClientOid),
  stpMode: Type.Optional(fields.StpMode),
  posSide: Type.Optional(fields.PosSide),
  reduceOnly: Type.Optional(fields.YesNo),
  marginMode: Type.Optional(fields.MarginMode),
  ...presetBody,
  ...conditionalBody,
});

type Writable<Record> = { -readonly [Field in keyof Record]: Record[Field] };

/** A place-order body as a command, or the error found before the core is asked. */
function placeCommand(
  state: State,
  uid: number,
  body: Static<typeof PlaceBody>,
  expired: boolean,
): Unstamped<PlaceOrder | PlaceStrategy> | WireError {
  const instrument = findInstrument(state, body.category, body.symbol);
  if (instrument instanceof WireError) return instrument;
  // Ignoring a trigger would place at once an order that was meant to wait (wire 4.1).
  if (isConditional(body)) return expired ? receiveWindowPassed() : conditionalCommand(uid, instrument, body);
  const preset = presetOf(instrument, body);
  const market = body.orderType === 'market';
  if (!market && body.price === undefined) return wireError('40019', 'price must be given for a limit order');
  const futures = instrument.futures !== undefined;
  const quoteSized = market && body.side === 'buy' && !futures;
  const command: Writable<Unstamped<PlaceOrder>> = {
    type: 'placeOrder',
    uid,
    source: Source.api,
    instrument: instrument.index,
    side: SIDE_NAMES.indexOf(body.side) as Side,
    orderType: ORDER_TYPE_NAMES.indexOf(body.orderType) as OrderType,
    timeInForce: TIME_IN_FORCE_NAMES.indexOf(body.timeInForce ?? 'gtc') as PlaceOrder['timeInForce'],
    stpMode: STP_MODE_NAMES.indexOf(body.stpMode ?? 'none') as PlaceOrder['stpMode'],
    priceTicks: market ? 0 : priceTicks(body.price!, instrument),
    sizeLots: quoteSized ? 0 : sizeLots(body.qty, instrument),
    quoteAmount: quoteSized ? quoteAmount(body.qty, instrument) : 0n,
    clientOid: body.clientOid ?? '',
  };
  if (futures) {
    command.posSide = POS_SIDE_NAMES.indexOf(body.posSide ?? '') as PosSide;
    command.reduceOnly = body.reduceOnly === 'yes';
  }
  if (!isEmpty(preset)) command.preset = preset;
  if (expired) command.expired = expired;
  return command;
}

/** For requests that leave no record when their receive window has passed. */
export function receiveWindowPassed(): WireError {
  return wireError('25200', 'receiveWindow: the request came later than it allows; nothing was done');
}

/** Most orders are one command and one promise. */
export function place(
  sequencer: Sequencer,
  uid: number,
  body: Static<typeof PlaceBody>,
  expired = false,
): Promise<OrderResult | WireError> | WireError {
  const command = placeCommand(sequencer.state, uid, body, expired);
  if (command instanceof WireError) return command;
  const instrument = sequencer.state.instruments[command.instrument]!;
  const mode = expired ? undefined : body.marginMode;
  const submitted =
    mode === undefined ? sequencer.submit(command) : submitInMarginMode(sequencer, command, instrument, mode);
  return submitted.then((result) => {
    if (result instanceof WireError) return result;
    if (result.rejectReason === RejectReason.none) return idsOf(result);
    return rejectError(sequencer.state, result, instrument);
  });
}
