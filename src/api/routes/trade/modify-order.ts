/** Modifying open orders (interface 4.3, wire 4.1). */
import Type, { type Static } from 'typebox';
import type { AmendRequest } from '../../../core/model/command.ts';
import type { CommandResult } from '../../../core/model/command-result.ts';
import { Source } from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import * as fields from '../../wire/fields.ts';
import { refusalError } from '../../wire/reject-messages.ts';
import { type ErrorDialect, WireError, wireError } from '../../wire/wire-error.ts';
import { modifyStrategy } from './modify-strategy.ts';
import { priceTicks, sizeLots } from './order-input.ts';
import { instrumentOfOrder, NamedOrder, namesStrategy, orderName } from './order-ref.ts';
import { checkBatch, idsOf, itemResult, type OrderResult } from './order-result.ts';
import { type PresetInput, presetBody, presetChangeOf } from './preset-input.ts';

export const AmendBody = Type.Object({
  ...NamedOrder,
  qty: Type.Optional(Type.String({ ...fields.Decimal, description: 'new total quantity, base coin' })),
  price: Type.Optional(fields.Decimal),
  autoCancel: Type.Optional(fields.YesNo),
  symbol: Type.Optional(fields.SymbolName),
  category: Type.Optional(fields.Category),
  requestId: Type.Optional(fields.RequestId),
});

/** A plain modification also reaches what came with the order, and a trigger order by its id (wire 4.1). */
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
  const name = orderName(state, uid, body);
  if (name instanceof WireError) return name;
  const instrument = instrumentOfOrder(state, uid, name.orderId, name.clientOid);
  const preset = instrument === undefined ? undefined : presetChangeOf(instrument, protection);
  if (body.qty === undefined && body.price === undefined && preset === undefined)
    return wireError('25200', 'qty or price must be given');
  const item = {
    ...name,
    // Without an instrument the order does not exist, and the core says so whatever the numbers are.
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
  outcome: CommandResult,
  instrument: Instrument | undefined,
): OrderResult | WireError {
  if (outcome.rejectReason !== RejectReason.none) return refusalError(state, outcome, instrument);
  return idsOf(outcome);
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
  const outcome = await sequencer.submit({
    type: 'amendOrders',
    uid,
    source: Source.api,
    items: [amended.item],
  });
  return amendResult(sequencer.state, outcome.items?.[0] ?? outcome, amended.instrument);
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
  // One category is that of the orders, whether the request names it or not.
  const mixed = checkBatch(
    asked.flatMap((each) => (each instanceof WireError ? [] : [each.instrument?.spec ?? {}])),
  );
  if (mixed !== undefined) return mixed;
  // What cannot be read fails alone (rules 1.12); the others go to the core together.
  const items = asked.flatMap((each) => (each instanceof WireError ? [] : [each.item]));
  const outcome = await sequencer.submit({ type: 'amendOrders', uid, source: Source.api, items });
  if (outcome.items === undefined) return refusalError(state, outcome);
  const outcomes = outcome.items.values();
  return asked.map((each, n) => {
    const result =
      each instanceof WireError ? each : amendResult(state, outcomes.next().value!, each.instrument);
    return itemResult(result, bodies[n]!, dialect);
  });
}
