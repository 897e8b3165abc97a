/** Modifies open orders and waiting strategy orders (interface 4.3, wire 4.1). */

import type { AmendRequest } from '../../../core/model/command.ts';
import type { CommandResult } from '../../../core/model/command-result.ts';
import { Source } from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { instrumentOfOrder } from '../../../core/reads/reads.ts';
import { openStrategy } from '../../../core/reads/strategy-reads.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import * as fields from '../../wire/fields.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import { type ErrorDialect, WireError, wireError } from '../../wire/wire-error.ts';
import { priceTicks, sizeLots } from './order-input.ts';
import { NamedOrder, NO_ORDER_REF, namesStrategy, readOrderRef, resolveOrder } from './order-ref.ts';
import { checkBatch, idsOf, itemResult, type OrderResult } from './order-result.ts';
import { type PresetInput, presetBody, presetChangeOf } from './preset-input.ts';
import { type ModifyStrategyBody, modifyCommand } from './strategy-input.ts';

export const AmendBody = Type.Object({
  ...NamedOrder,
  qty: Type.Optional(Type.String({ ...fields.Decimal, description: 'new total quantity, base coin' })),
  price: Type.Optional(fields.Decimal),
  autoCancel: Type.Optional(fields.YesNo),
  symbol: Type.Optional(fields.SymbolName),
  category: Type.Optional(fields.Category),
  requestId: Type.Optional(fields.RequestId),
});

/**
 * A plain modification also changes the attached take-profit and stop-loss, and reaches a trigger order by its id
 * (wire 4.1).
 */
export const ModifyBody = Type.Object({
  ...AmendBody.properties,
  ...presetBody,
  triggerPrice: Type.Optional(fields.Decimal),
});

interface Amendment {
  readonly item: AmendRequest;
  /** Undefined when there is no such open order. */
  readonly instrument: Instrument | undefined;
}

function amendment(
  state: State,
  uid: number,
  body: Static<typeof AmendBody>,
  protection: PresetInput = {},
): Amendment | WireError {
  const name = resolveOrder(state, uid, body);
  if (name instanceof WireError) return name;
  const instrument = instrumentOfOrder(state, uid, name.orderId, name.clientOid);
  const preset = instrument === undefined ? undefined : presetChangeOf(instrument, protection);
  if (body.qty === undefined && body.price === undefined && preset === undefined)
    return wireError('25200', 'qty or price must be given');
  const item = {
    ...name,
    // Without an instrument the order does not exist; the core rejects it whatever the numbers are.
    priceTicks: body.price === undefined || instrument === undefined ? 0 : priceTicks(body.price, instrument),
    sizeLots: body.qty === undefined || instrument === undefined ? 0 : sizeLots(body.qty, instrument),
    autoCancel: body.autoCancel === 'yes',
    ...(body.requestId !== undefined && { requestId: body.requestId }),
    ...(preset !== undefined && { preset }),
  };
  return { item, instrument };
}

function amendResult(
  state: State,
  result: CommandResult,
  instrument: Instrument | undefined,
): OrderResult | WireError {
  if (result.rejectReason !== RejectReason.none) return rejectError(state, result, instrument);
  return idsOf(result);
}

export async function modify(sequencer: Sequencer, uid: number, body: Static<typeof ModifyBody>) {
  if (namesStrategy(sequencer.state, uid, body)) {
    return modifyStrategy(sequencer, uid, {
      ...body,
      ...(body.price !== undefined && { triggerOrderPrice: body.price }),
    });
  }
  const amended = amendment(sequencer.state, uid, body, body);
  if (amended instanceof WireError) return amended;
  const result = await sequencer.submit({
    type: 'amendOrders',
    uid,
    source: Source.api,
    items: [amended.item],
  });
  return amendResult(sequencer.state, result.items?.[0] ?? result, amended.instrument);
}

export async function modifyBatch(
  sequencer: Sequencer,
  uid: number,
  bodies: readonly Static<typeof AmendBody>[],
  dialect: ErrorDialect,
) {
  const { state } = sequencer;
  // A batch changes prices and quantities only (wire 3.14).
  const asked = bodies.map((each) => amendment(state, uid, each));
  // The batch has the category of its orders, whether the request names it or not.
  const mixed = checkBatch(
    asked.flatMap((each) => (each instanceof WireError ? [] : [each.instrument?.spec ?? {}])),
  );
  if (mixed !== undefined) return mixed;
  // An item that cannot be parsed fails alone (rules 1.12); the others go to the core together.
  const items = asked.flatMap((each) => (each instanceof WireError ? [] : [each.item]));
  const result = await sequencer.submit({ type: 'amendOrders', uid, source: Source.api, items });
  if (result.items === undefined) return rejectError(state, result);
  const results = result.items.values();
  return asked.map((each, n) => {
    const result =
      each instanceof WireError ? each : amendResult(state, results.next().value!, each.instrument);
    return itemResult(result, bodies[n]!, dialect);
  });
}

/** Also serves a modification of a plain order whose id is that of a strategy order. */
export async function modifyStrategy(
  sequencer: Sequencer,
  uid: number,
  body: Static<typeof ModifyStrategyBody>,
) {
  const name = readOrderRef(body);
  if (name === undefined) return NO_ORDER_REF;
  const order = openStrategy(sequencer.state, uid, name.orderId, name.clientOid);
  const instrument = order === undefined ? undefined : sequencer.state.instruments[order.instrument];
  // The right to trade was checked for the category of the request.
  if (body.category !== undefined && instrument !== undefined && body.category !== instrument.spec.category)
    return wireError('25597', `there is no waiting strategy order of that id in ${body.category}`);
  const command = modifyCommand(uid, name, instrument, (order?.quoteAmount ?? 0n) > 0n, body);
  const result = await sequencer.submit(command);
  return result.rejectReason === RejectReason.none
    ? idsOf(result)
    : rejectError(sequencer.state, result, instrument);
}
