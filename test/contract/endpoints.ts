/**
 * Interface 4: what each of the 23 endpoints answers. Every answer that any test of this suite receives
 * is held against its row here, so no field of any category can change its name, its type or its presence unnoticed.
 */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import {
  ACCOUNT_INFO,
  ADL_RANK,
  BORROW,
  BROKER_KEY,
  CATEGORIES,
  candleProblem,
  DEBTS,
  FILL,
  historyOrder,
  INDEX_COMPONENTS,
  INSTRUMENTS,
  instrument,
  ORDER_FAILURE,
  ORDER_IDS,
  openOrder,
  orderDetail,
  PLEDGE_RATE,
  POSITION,
  PUBLIC_FILL,
  REPAYABLE,
  STRATEGY_ORDER,
  TICKERS,
  ticker,
} from './objects.ts';
import { assertRejection } from './rejections.ts';
import { conforms, notationOf, type Shape } from './shape.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are what this suite examines
type Data = any;

/** Holds the data of an answer against its description, and says that in the notation of `wire-spec.ts`. */
interface Answer {
  (data: Data): void;
  readonly notation: string;
}

const answer = (notation: string, check: (data: Data) => void): Answer => Object.assign(check, { notation });

const one = (shape: Shape): Answer => answer(notationOf(shape), (data) => conforms(shape, data));

/** One of several objects, told apart by the record. */
const oneOf = (choose: (record: Data) => Shape, variants: readonly Shape[]): Answer =>
  answer(notationOf(...variants), (data) => conforms(choose(data ?? {}), data));

const arrayOf = (section: string, item: Answer): Answer =>
  answer(`[${item.notation}]`, (data) => {
    if (!Array.isArray(data))
      assert.fail(`interface ${section}: the answer is an array: ${JSON.stringify(data)}`);
    for (const each of data) item(each);
  });

/** An object of exactly these fields, of which `list` holds the items. */
const listed = (section: string, fields: readonly string[], item: Answer): Answer => {
  const written = fields.map((field) => (field === 'list' ? `list:[${item.notation}]` : field));
  return answer(`{${written.join(', ')}}`, (data) => {
    const isSo =
      isDeepStrictEqual(Object.keys(data ?? {}).sort(), [...fields].sort()) &&
      (!fields.includes('cursor') || (typeof data.cursor === 'string' && /^([0-9]+)?$/.test(data.cursor)));
    if (!isSo)
      assert.fail(`interface ${section}: the answer has ${fields.join(' and ')}: ${JSON.stringify(data)}`);
    arrayOf(section, item)(data.list);
  });
};
const paged = (item: Answer) => listed('1.5', ['list', 'cursor'], item);

/** `code` and `msg` describe the failure of one order; what succeeded has its ids only. */
const entry = oneOf(
  (record) => (record.code === undefined ? ORDER_IDS : ORDER_FAILURE),
  [ORDER_IDS, ORDER_FAILURE],
);
const result = answer(entry.notation, (data) => {
  entry(data);
  if (data.code !== undefined) assertRejection(data.code, data.msg, 'interface 7.3: an order of a batch');
});
/** The list holds what could not be cancelled; its entries are those of a batch. */
const failure = answer(entry.notation, (data) => conforms(ORDER_FAILURE, data));
const success = answer('"success"', (data) =>
  assert.equal(data, 'success', 'interface 4.4: data is the string success'),
);

const candle = answer('[text]', (data) => {
  const problem = candleProblem(data);
  if (problem !== undefined) assert.fail(`interface 2.8: a candle ${problem}: ${JSON.stringify(data)}`);
});

const DELIVERY_FIELDS = ['deliveryStartTime', 'deliveryTime', 'deliveryStatus'];
const tickerOf = (record: Data) =>
  ticker(
    record.category,
    DELIVERY_FIELDS.some((field) => record[field] !== undefined),
  );

/** An order says different things in different categories. */
const order = (shapeOf: (category: string) => Shape) =>
  oneOf(({ category }) => shapeOf(category), CATEGORIES.map(shapeOf));

export const ENDPOINTS: Readonly<Record<string, Answer>> = {
  'GET market/candles': arrayOf('2.8', candle),
  'GET market/instruments': arrayOf('4.1', oneOf(instrument, INSTRUMENTS)),
  'GET market/tickers': arrayOf('4.1', oneOf(tickerOf, TICKERS)),
  'GET market/index-components': one(INDEX_COMPONENTS),
  'GET market/fills': arrayOf('4.1', one(PUBLIC_FILL)),
  'GET trade/unfilled-orders': paged(order(openOrder)),
  'GET trade/history-orders': paged(order(historyOrder)),
  'GET trade/order-info': order(orderDetail),
  'GET trade/fills': paged(one(FILL)),
  'GET trade/history-strategy-orders': paged(one(STRATEGY_ORDER)),
  'POST trade/cancel-order': one(ORDER_IDS),
  'POST trade/cancel-batch': arrayOf('4.3', result),
  'POST trade/cancel-symbol-order': listed('4.3', ['list'], failure),
  'POST trade/batch-modify-order': arrayOf('4.3', result),
  'GET position/current-position': listed('4.4', ['list'], one(POSITION)),
  'GET position/adlRank': arrayOf('4.4', one(ADL_RANK)),
  'POST account/set-leverage': success,
  'GET account/info': one(ACCOUNT_INFO),
  'GET account/repayable-coins': one(REPAYABLE),
  'POST broker/modify-sub-apikey': one(BROKER_KEY),
  'GET loan/borrow-history': arrayOf('4.6', one(BORROW)),
  'GET loan/pledge-rate-history': arrayOf('4.6', one(PLEDGE_RATE)),
  'GET loan/debts': one(DEBTS),
};

/** The endpoints that need credentials: all outside interface 4.1. */
export const PRIVATE = Object.keys(ENDPOINTS)
  .filter((endpoint) => !endpoint.includes(' market/'))
  .map((endpoint) => endpoint.split(' ') as ['GET' | 'POST', string]);

/** Fails with the section when the endpoint does not answer so; other endpoints answer as they like. */
export function holds(endpoint: string, data: unknown): void {
  const answer = ENDPOINTS[endpoint];
  if (answer === undefined) return;
  answer(data);
  note(endpoint, data);
}

/** One answer of each endpoint and kind of content, for `breakage.contract.ts`. */
export const examples = new Map<string, { endpoint: string; data: unknown }>();

function note(endpoint: string, data: unknown): void {
  const key = `${endpoint} ${contentOf(data)}`;
  if (!examples.has(key)) examples.set(key, { endpoint, data });
}

/** The fields of an answer; an empty list has none. Records of different categories are different contents. */
export function contentOf(data: unknown): string {
  if (typeof data !== 'object' || data === null) return typeof data;
  if (Array.isArray(data)) return `[${[...new Set(data.map(contentOf))].sort().join()}]`;
  const fields = Object.entries(data).map(([field, value]) =>
    field === 'category' ? `${field}=${value}` : `${field}:${contentOf(value)}`,
  );
  return `{${fields.join()}}`;
}
