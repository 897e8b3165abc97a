/** Fields of requests as schemas: each gives validation, the type of the handler's argument, and documentation. */

import { CATEGORY_NAMES } from '../../core/model/enums.ts';
import { type TSchema, Type } from '../../validation/schema.ts';

export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(schema);
}

/** Letter case is ignored on input (wire rule 20); these fields are converted to the documented case. */
export const FIELD_CASE: Readonly<Record<string, 'upper' | 'lower'>> = {
  category: 'upper',
  symbol: 'upper',
  side: 'lower',
  orderType: 'lower',
  timeInForce: 'lower',
  posSide: 'lower',
  stpMode: 'lower',
  marginMode: 'lower',
  reduceOnly: 'lower',
  autoCancel: 'lower',
  type: 'lower',
  fromType: 'lower',
  toType: 'lower',
  transferType: 'lower',
  innerToType: 'lower',
  accountType: 'lower',
  bizType: 'upper',
  subBizType: 'lower',
  marginType: 'lower',
  allowBorrow: 'lower',
  role: 'lower',
  deduct: 'lower',
  holdMode: 'lower',
  holdSide: 'lower',
  operation: 'lower',
  tpTriggerBy: 'lower',
  slTriggerBy: 'lower',
  triggerBy: 'lower',
  triggerType: 'lower',
  tpOrderType: 'lower',
  slOrderType: 'lower',
  triggerOrderType: 'lower',
  tpslMode: 'lower',
  productType: 'upper',
  daily: 'upper',
  method: 'lower',
  repayAll: 'lower',
  repayUnlock: 'lower',
  reviseType: 'upper',
  reviseSide: 'lower',
};

export const Category = Type.Enum([...CATEGORY_NAMES], { description: 'product category' });
export const TickerCategory = Type.Enum(['SPOT', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const, {
  description: 'product category',
});
export const FuturesCategory = Type.Enum(['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const, {
  description: 'futures category',
});
export const PosSide = Type.Enum(['long', 'short'] as const, { description: 'futures only' });
export const MarginMode = Type.Enum(['crossed', 'isolated', 'cross'] as const, {
  description: 'futures only',
});
export const SymbolName = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'symbol name, such as BTCUSDT',
});
export const Side = Type.Enum(['buy', 'sell'] as const);
export const OrderType = Type.Enum(['limit', 'market'] as const);
export const TriggerBy = Type.Enum(['market', 'mark'] as const, {
  description: 'the last trade (default) or the mark price; spot has no mark and follows trades',
});
export const TimeInForce = Type.Enum(['gtc', 'ioc', 'fok', 'post_only', 'rpi'] as const, {
  description: 'default gtc; market orders accept gtc and ioc',
});
export const StpMode = Type.Enum(['none', 'cancel_taker', 'cancel_maker', 'cancel_both'] as const, {
  description: 'self-trade prevention, default none',
});
export const YesNo = Type.Enum(['yes', 'no'] as const);

/** Decimal text; the pattern excludes exponents, signs, blanks and digits of other scripts. */
export const Decimal = Type.String({
  pattern: '^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$',
  maxLength: 40,
  description: 'decimal number, such as "60000.5"',
});
export const Integer = Type.String({ pattern: '^[0-9]{1,16}$', description: 'whole number' });
export const Time = Type.String({ pattern: '^[0-9]{1,16}$', description: 'Unix time in milliseconds' });
export const OrderId = Type.String({ pattern: '^[0-9]{1,32}$', description: 'order id' });
/** rules 0.2 number 11. */
export const ClientOid = Type.String({
  pattern: '^[.A-Z:/a-z0-9_-]{1,32}$',
  description: "the client's own id: 1 to 32 of letters, digits and . : / _ -",
});
export const RequestId = Type.String({
  pattern: '^[ -~]{1,32}$',
  description: "the client's own name for the request, 1 to 32 characters: the topic `order` repeats it",
});
export const Limit = Type.String({
  pattern: '^[0-9]{1,9}$',
  description: 'page size; larger values are capped',
});
export const Cursor = Type.String({ pattern: '^[0-9]{1,32}$', description: 'cursor of the previous page' });

/** Parameters of every paged list. */
export const pageFields = {
  startTime: Type.Optional(Time),
  endTime: Type.Optional(Time),
  limit: Type.Optional(Limit),
  cursor: Type.Optional(Cursor),
};

/**
 * Characters of enumerated values. Beyond them, case conversion would turn `ſ` into `S` and the Kelvin sign into `k`.
 */
const PLAIN_NAME = /^[\w-]*$/;

/**
 * Normalises letter case, writes numbers as text (wire rule 19) and drops empty values, in place: clients send `""`
 * and `null` for absent fields. The value must be fresh from the parser, because it is changed.
 */
export function normaliseFields(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (typeof item === 'number') value[index] = plainText(item);
      else normaliseFields(item);
    }
    return value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    const field = fields[name];
    if (field === '' || field === null) {
      delete fields[name];
    } else if (Array.isArray(field)) {
      normaliseFields(field);
    } else if (typeof field === 'number') {
      fields[name] = plainText(field);
    } else if (typeof field === 'string') {
      const letterCase = FIELD_CASE[name];
      if (letterCase === undefined || !PLAIN_NAME.test(field)) continue;
      if (letterCase === 'upper') fields[name] = field.toUpperCase();
      else if (letterCase === 'lower') fields[name] = field.toLowerCase();
    }
  }
  return value;
}

/** JavaScript prints a number below 10^-6 as `1e-7`; a client that sent 0.0000001 meant the decimal. */
function plainText(value: number): string {
  const [digits, exponent] = String(value).split('e-');
  return exponent === undefined
    ? digits!
    : `0.${'0'.repeat(Number(exponent) - 1)}${digits!.replace('.', '')}`;
}
