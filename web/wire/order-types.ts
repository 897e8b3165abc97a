/** Every order that the interface has, one row a type: the form is made from this table, and so is the request. */
import { type Category, isFutures, type Side } from './types.ts';

export type OrderTypeId = 'limit' | 'market' | 'trigger' | 'trailing' | 'tpsl';

/** Fields of the form, in the order in which it shows them. */
export type FieldName =
  | 'triggerPrice'
  | 'callbackRatio'
  | 'activationPrice'
  | 'sends'
  | 'price'
  | 'scope'
  | 'size'
  | 'takeProfit'
  | 'stopLoss'
  | 'attached'
  | 'timeInForce'
  | 'reduceOnly';

export type Leg = 'takeProfit' | 'stopLoss';

export interface LegDraft {
  readonly price: string;
  readonly by: 'market' | 'mark';
  /** Empty for a market order. */
  readonly limit: string;
}

/** What a person has entered, as decimal text; empty where nothing was. */
export interface OrderDraft {
  readonly type: OrderTypeId;
  readonly category: Category;
  readonly symbol: string;
  readonly side: Side;
  readonly price: string;
  /** In the base coin. */
  readonly size: string;
  /** The worth of `size`, which a market buy on spot is sent as. */
  readonly quoteAmount: string;
  readonly timeInForce: string;
  readonly reduceOnly: boolean;
  readonly triggerPrice: string;
  readonly triggerBy: 'market' | 'mark';
  readonly sends: 'market' | 'limit';
  readonly callbackRatio: string;
  readonly activationPrice: string;
  /** Of a take-profit and stop-loss: the whole position or a part. */
  readonly scope: 'full' | 'partial';
  readonly attached: boolean;
  readonly takeProfit: LegDraft;
  readonly stopLoss: LegDraft;
  readonly hedged: boolean;
  /** Of the position that a take-profit and stop-loss protects. */
  readonly posSide: 'long' | 'short';
}

type Fields = Readonly<Record<string, string | undefined>>;

export interface OrderType {
  readonly id: OrderTypeId;
  readonly name: string;
  readonly key: string;
  readonly fields: readonly FieldName[];
  readonly futuresOnly?: boolean;
  readonly path: string;
  readonly body: (draft: OrderDraft) => Fields;
}

export const TIMES_IN_FORCE: readonly (readonly [value: string, name: string])[] = [
  ['gtc', 'GTC'],
  ['ioc', 'IOC'],
  ['fok', 'FOK'],
  ['post_only', 'Post only'],
  ['rpi', 'RPI'],
];

const PLACE = 'trade/place-order';
const PLACE_STRATEGY = 'trade/place-strategy-order';

export const ORDER_TYPES: readonly OrderType[] = [
  {
    id: 'limit',
    name: 'Limit',
    key: 'L',
    fields: ['price', 'size', 'attached', 'timeInForce', 'reduceOnly'],
    path: PLACE,
    body: (draft) => ({
      ...named(draft),
      orderType: 'limit',
      price: draft.price,
      qty: draft.size,
      timeInForce: draft.timeInForce,
      ...(draft.attached && legs(draft)),
    }),
  },
  {
    id: 'market',
    name: 'Market',
    key: 'M',
    fields: ['size', 'attached', 'reduceOnly'],
    path: PLACE,
    body: (draft) => ({
      ...named(draft),
      orderType: 'market',
      qty: quantity(draft),
      ...(draft.attached && legs(draft)),
    }),
  },
  {
    id: 'trigger',
    name: 'Trigger',
    key: 'T',
    fields: ['triggerPrice', 'sends', 'price', 'size', 'reduceOnly'],
    path: PLACE_STRATEGY,
    body: (draft) => ({
      ...named(draft),
      type: 'trigger',
      qty: draft.sends === 'market' ? quantity(draft) : draft.size,
      triggerPrice: draft.triggerPrice,
      triggerBy: draft.triggerBy,
      triggerOrderType: draft.sends,
      ...(draft.sends === 'limit' && { triggerOrderPrice: draft.price }),
    }),
  },
  {
    id: 'trailing',
    name: 'Trailing',
    key: 'R',
    fields: ['callbackRatio', 'activationPrice', 'size', 'reduceOnly'],
    path: PLACE_STRATEGY,
    body: (draft) => ({
      ...named(draft),
      type: 'trailing',
      qty: quantity(draft),
      callbackRatio: draft.callbackRatio,
      triggerPrice: draft.activationPrice,
      triggerBy: draft.triggerBy,
    }),
  },
  {
    id: 'tpsl',
    name: 'TP/SL',
    key: 'O',
    fields: ['scope', 'size', 'takeProfit', 'stopLoss'],
    futuresOnly: true,
    path: PLACE_STRATEGY,
    body: (draft) => ({
      category: draft.category,
      symbol: draft.symbol,
      type: 'tpsl',
      tpslMode: draft.scope,
      posSide: draft.posSide,
      side: draft.posSide === 'long' ? 'sell' : 'buy',
      ...(draft.scope === 'partial' && { qty: draft.size }),
      ...legs(draft),
    }),
  },
];

export const orderType = (id: OrderTypeId): OrderType => ORDER_TYPES.find((type) => type.id === id)!;

/** The request of a draft, without what was left empty. */
export function requestOf(draft: OrderDraft): {
  readonly path: string;
  readonly body: Record<string, string>;
} {
  const { path, body } = orderType(draft.type);
  const fields = Object.entries(body(draft)).filter(([, value]) => value !== undefined && value !== '');
  return { path, body: Object.fromEntries(fields) as Record<string, string> };
}

/** Is the size of this order sent as an amount of the quote coin? */
export function isByAmount({ type, category, side, sends }: OrderDraft): boolean {
  if (isFutures(category) || side === 'sell') return false;
  return type === 'market' || type === 'trailing' || (type === 'trigger' && sends === 'market');
}

const quantity = (draft: OrderDraft): string => (isByAmount(draft) ? draft.quoteAmount : draft.size);

function named({ category, symbol, side, reduceOnly, hedged }: OrderDraft): Fields {
  const common = { category, symbol, side };
  if (!isFutures(category)) return common;
  // A long and a short at once: which of them an order changes takes the place of reduce-only.
  if (hedged) return { ...common, posSide: (side === 'buy') === reduceOnly ? 'short' : 'long' };
  return { ...common, reduceOnly: reduceOnly ? 'yes' : 'no' };
}

function legs({ takeProfit, stopLoss }: OrderDraft): Fields {
  return { ...leg('takeProfit', 'tp', takeProfit), ...leg('stopLoss', 'sl', stopLoss) };
}

function leg(name: Leg, prefix: 'tp' | 'sl', { price, by, limit }: LegDraft): Fields {
  if (price === '') return {};
  return {
    [name]: price,
    [`${prefix}TriggerBy`]: by,
    [`${prefix}OrderType`]: limit === '' ? 'market' : 'limit',
    [`${prefix}LimitPrice`]: limit,
  };
}

/** Words of a refusal and the field that they are about; the first that fits. */
const FIELD_WORDS: readonly (readonly [RegExp, FieldName])[] = [
  [/take.?profit|\btp/i, 'takeProfit'],
  [/stop.?loss|\bsl/i, 'stopLoss'],
  [/callback/i, 'callbackRatio'],
  [/triggerPrice|trigger price/i, 'triggerPrice'],
  [/timeInForce|post.?only|\brpi\b/i, 'timeInForce'],
  [/reduce/i, 'reduceOnly'],
  [/price/i, 'price'],
  [/qty|size|quantity|amount|margin|balance|position|minimum|available|insufficient/i, 'size'],
];

/** The field of a form that caused a refusal; undefined when none did. */
export function fieldOf(msg: string, fields: readonly FieldName[]): FieldName | undefined {
  const found = FIELD_WORDS.find(([words]) => words.test(msg))?.[1];
  if (found === undefined) return undefined;
  if (fields.includes(found)) return found;
  // The legs of an order are shown below the box that attaches them.
  if (found === 'takeProfit' || found === 'stopLoss') return fields.includes('attached') ? found : undefined;
  return fields.find((field) => field === 'size');
}
