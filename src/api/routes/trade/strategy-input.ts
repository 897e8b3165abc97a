/**
 * Strategy orders in requests (wire 4.1): with and without type, mode and position side, and as plain orders with a
 * trigger price. Absent fields are filled in here; the core gets complete commands.
 */

import {
  type AmendStrategy,
  OUT_OF_RANGE,
  type PlaceStrategy,
  type Unstamped,
} from '../../../core/model/command.ts';
import {
  POS_SIDE_NAMES,
  PosSide,
  SIDE_NAMES,
  Side,
  Source,
  STP_MODE_NAMES,
  type StpMode,
  StrategyKind,
} from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { KEEP_LEG, NO_LEG } from '../../../core/model/tpsl.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import { parseDecimal, unitsAtScale } from '../../wire/decimal.ts';
import * as fields from '../../wire/fields.ts';
import { type WireError, wireError } from '../../wire/wire-error.ts';
import { quoteAmount, sizeLots } from './order-input.ts';
import {
  leg,
  legChange,
  type PresetInput,
  presetBody,
  presetChangeOf,
  presetOf,
  triggerBy,
} from './preset-input.ts';

const triggerBody = {
  triggerBy: Type.Optional(fields.TriggerBy),
  triggerPrice: Type.Optional(fields.Decimal),
  triggerOrderType: Type.Optional(fields.OrderType),
  triggerOrderPrice: Type.Optional(fields.Decimal),
  callbackRatio: Type.Optional(
    Type.String({
      ...fields.Decimal,
      description: 'percent that a trailing order lets the price come back: 1 is 1 %, from 0.1 to 10',
    }),
  ),
};

/** Fields that make a plain order conditional; the second names are those of one client. */
export const conditionalBody = {
  triggerPrice: Type.Optional(
    Type.String({
      ...fields.Decimal,
      description: 'the order waits for this price: it becomes a trigger order',
    }),
  ),
  triggerBy: Type.Optional(fields.TriggerBy),
  callbackRatio: Type.Optional(
    Type.String({
      ...fields.Decimal,
      description: 'percent, from 0.1 to 10; the order becomes a trailing order',
    }),
  ),
  stopPrice: Type.Optional(fields.Decimal),
  triggerType: Type.Optional(Type.Enum(['fill_price', 'mark_price'] as const)),
  trailingPercent: Type.Optional(fields.Decimal),
  trailingTriggerPrice: Type.Optional(fields.Decimal),
};

export const StrategyBody = Type.Object({
  category: fields.Category,
  symbol: fields.SymbolName,
  type: Type.Optional(Type.Enum(['tpsl', 'trigger', 'trailing'] as const, { description: 'default tpsl' })),
  tpslMode: Type.Optional(
    Type.Enum(['full', 'partial'] as const, { description: 'partial when qty is given, else full' }),
  ),
  qty: Type.Optional(fields.Decimal),
  side: Type.Optional(fields.Side),
  posSide: Type.Optional(fields.PosSide),
  reduceOnly: Type.Optional(fields.YesNo),
  stpMode: Type.Optional(fields.StpMode),
  clientOid: Type.Optional(fields.ClientOid),
  ...presetBody,
  ...triggerBody,
});

export const ModifyStrategyBody = Type.Object({
  category: Type.Optional(fields.Category),
  orderId: Type.Optional(fields.OrderId),
  clientOid: Type.Optional(fields.ClientOid),
  qty: Type.Optional(fields.Decimal),
  ...presetBody,
  ...triggerBody,
});

const ConditionalShape = Type.Object(conditionalBody);
const TriggerShape = Type.Object(triggerBody);
type TriggerInput = Static<typeof TriggerShape>;
type ConditionalInput = Static<typeof ConditionalShape>;

/** A smaller ratio is a fraction that was meant as a percentage: 0.05 for 5 %. */
const LEAST_CALLBACK_PPM = 1000n;

/** Percent as millionths; -1 for what is too small and for text that is no such number: the core rejects it as out of range. */
function callbackPpm(percent: string | undefined): number {
  if (percent === undefined) return 0;
  const decimal = parseDecimal(percent);
  const ppm = decimal === undefined ? undefined : unitsAtScale(decimal, 4);
  return ppm === undefined || ppm < LEAST_CALLBACK_PPM || ppm > 10n ** 7n ? -1 : Number(ppm);
}

/** A side without a position side: a sell closes a long, a buy a short. */
function protectedSide(body: { side?: string; posSide?: string }): PosSide {
  if (body.posSide !== undefined) return POS_SIDE_NAMES.indexOf(body.posSide as 'long') as PosSide;
  if (body.side === undefined) return PosSide.none;
  return body.side === 'sell' ? PosSide.long : PosSide.short;
}

const blank = (uid: number, instrument: Instrument): Unstamped<PlaceStrategy> => ({
  type: 'placeStrategy',
  uid,
  source: Source.api,
  instrument: instrument.index,
  kind: StrategyKind.full,
  side: Side.buy,
  posSide: PosSide.none,
  reduceOnly: false,
  stpMode: 0,
  sizeLots: 0,
  quoteAmount: 0n,
  takeProfit: NO_LEG,
  stopLoss: NO_LEG,
  trigger: NO_LEG,
  callbackPpm: 0,
  clientOid: '',
});

export function strategyCommand(
  uid: number,
  instrument: Instrument,
  body: Static<typeof StrategyBody>,
): Unstamped<PlaceStrategy> | WireError {
  const common = {
    ...blank(uid, instrument),
    ...presetOf(instrument, body),
    stpMode: STP_MODE_NAMES.indexOf(body.stpMode ?? 'none') as StpMode,
    clientOid: body.clientOid ?? '',
  };
  if (body.type === 'trigger' || body.type === 'trailing') {
    if (body.side === undefined) return wireError('40019', 'side must be given');
    if (body.qty === undefined) return wireError('40019', 'qty must be given');
    if (body.type === 'trigger' && body.triggerPrice === undefined)
      return wireError('40019', 'triggerPrice must be given');
    if (body.type === 'trailing' && body.callbackRatio === undefined)
      return wireError('40019', 'callbackRatio must be given');
    const limit = body.triggerOrderType ?? (body.triggerOrderPrice === undefined ? 'market' : 'limit');
    if (limit === 'limit' && body.triggerOrderPrice === undefined)
      return wireError('40019', 'triggerOrderPrice must be given when triggerOrderType is limit');
    return {
      ...common,
      ...planOf(instrument, body.side, body.qty, {
        ...body,
        triggerOrderType: limit,
        // A trigger order with a callback ratio is still a trigger order.
        ...(body.type === 'trigger' && { callbackRatio: undefined }),
      }),
      posSide: POS_SIDE_NAMES.indexOf(body.posSide ?? '') as PosSide,
      reduceOnly: body.reduceOnly === 'yes',
    };
  }
  const partial = body.tpslMode === undefined ? body.qty !== undefined : body.tpslMode === 'partial';
  if (partial && body.qty === undefined) return wireError('40019', 'qty must be given with tpslMode partial');
  return {
    ...common,
    kind: partial ? StrategyKind.partial : StrategyKind.full,
    posSide: protectedSide(body),
    sizeLots: partial ? sizeLots(body.qty!, instrument) : 0,
  };
}

/** The common part of trigger and trailing orders; a callback ratio makes it trailing. */
function planOf(
  instrument: Instrument,
  side: 'buy' | 'sell',
  qty: string,
  body: { [K in keyof TriggerInput]: TriggerInput[K] | undefined },
) {
  const { triggerPrice, triggerOrderType, triggerOrderPrice } = body;
  const quoteSized = instrument.futures === undefined && side === 'buy' && triggerOrderType !== 'limit';
  return {
    kind: body.callbackRatio === undefined ? StrategyKind.trigger : StrategyKind.trailing,
    side: SIDE_NAMES.indexOf(side) as Side,
    sizeLots: quoteSized ? 0 : sizeLots(qty, instrument),
    quoteAmount: quoteSized ? quoteAmount(qty, instrument) : 0n,
    trigger: {
      ...leg(instrument, triggerPrice, body.triggerBy, triggerOrderType, triggerOrderPrice),
      triggerBy: triggerBy(body.triggerBy),
    },
    callbackPpm: callbackPpm(body.callbackRatio),
  };
}

interface ConditionalOrder extends ConditionalInput, PresetInput {
  readonly qty: string;
  readonly side: 'buy' | 'sell';
  readonly orderType: 'limit' | 'market';
  readonly price?: string;
  readonly timeInForce?: string;
  readonly clientOid?: string;
  readonly stpMode?: (typeof STP_MODE_NAMES)[number];
  readonly posSide?: 'long' | 'short';
  readonly reduceOnly?: 'yes' | 'no';
}

/** Is a place-order request conditional? Placing it at once would be the opposite of the request. */
export function isConditional(body: ConditionalInput): boolean {
  return (body.triggerPrice ?? body.stopPrice ?? body.callbackRatio ?? body.trailingPercent) !== undefined;
}

export function conditionalCommand(
  uid: number,
  instrument: Instrument,
  body: ConditionalOrder,
): Unstamped<PlaceStrategy> | WireError {
  const trailing = body.callbackRatio ?? body.trailingPercent;
  const market = body.orderType === 'market' || trailing !== undefined;
  if (!market && body.price === undefined) return wireError('40019', 'price must be given for a limit order');
  if (!market && (body.timeInForce ?? 'gtc') !== 'gtc')
    return wireError('25200', 'timeInForce: a limit order that waits for a trigger is gtc');
  const preset = presetOf(instrument, body);
  return {
    ...blank(uid, instrument),
    ...preset,
    ...planOf(instrument, body.side, body.qty, {
      triggerPrice: body.triggerPrice ?? body.stopPrice ?? body.trailingTriggerPrice,
      triggerBy: body.triggerBy ?? (body.triggerType === 'mark_price' ? 'mark' : undefined),
      triggerOrderType: market ? 'market' : 'limit',
      triggerOrderPrice: body.price,
      callbackRatio: trailing,
    }),
    posSide: POS_SIDE_NAMES.indexOf(body.posSide ?? '') as PosSide,
    reduceOnly: body.reduceOnly === 'yes',
    stpMode: STP_MODE_NAMES.indexOf(body.stpMode ?? 'none') as StpMode,
    clientOid: body.clientOid ?? '',
  };
}

/** `instrument` is that of the strategy order; without one the order does not exist, and the core rejects it. */
export function modifyCommand(
  uid: number,
  name: { readonly orderId: number; readonly clientOid: string },
  instrument: Instrument | undefined,
  quoteSized: boolean,
  body: Static<typeof ModifyStrategyBody>,
): Unstamped<AmendStrategy> {
  const command: Unstamped<AmendStrategy> = {
    type: 'modifyStrategy',
    uid,
    ...name,
    sizeLots: 0,
    quoteAmount: 0n,
    takeProfit: KEEP_LEG,
    stopLoss: KEEP_LEG,
    trigger: KEEP_LEG,
    callbackPpm: callbackPpm(body.callbackRatio),
  };
  if (instrument === undefined) return command;
  const { qty, triggerPrice, triggerOrderType, triggerOrderPrice } = body;
  return {
    ...command,
    ...presetChangeOf(instrument, body),
    sizeLots: qty === undefined || quoteSized ? 0 : sizeLots(qty, instrument),
    // Zero would mean "leave unchanged" to the core.
    quoteAmount: qty === undefined || !quoteSized ? 0n : quoteAmount(qty, instrument) || BigInt(OUT_OF_RANGE),
    trigger: legChange(instrument, triggerPrice, body.triggerBy, triggerOrderType, triggerOrderPrice),
  };
}
