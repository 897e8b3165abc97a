/**
 * Interface 4: what each of the 23 endpoints answers. Every answer that any test of this suite receives
 * is held against its row here, so no field of any category can change its name, its type or its presence unnoticed.
 */
import assert from 'node:assert/strict';
import {
  ACCOUNT_INFO,
  ADL_RANK,
  BORROW,
  BROKER_KEY,
  candleProblem,
  DEBTS,
  FILL,
  historyOrder,
  INDEX_COMPONENTS,
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
  ticker,
} from './objects.ts';
import { assertRejection } from './rejections.ts';
import { conforms, type Shape } from './shape.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are what this suite examines
type Data = any;
type Answer = (data: Data) => void;

const one =
  (shape: Shape | ((record: Data) => Shape)): Answer =>
  (data) =>
    conforms(typeof shape === 'function' ? shape(data ?? {}) : shape, data);

const arrayOf =
  (section: string, item: Answer): Answer =>
  (data) => {
    assert.ok(Array.isArray(data), `interface ${section}: the answer is an array: ${JSON.stringify(data)}`);
    for (const each of data) item(each);
  };

/** An object of exactly these fields, of which `list` holds the items. */
const listed =
  (section: string, fields: readonly string[], item: Answer): Answer =>
  (data) => {
    const where = `interface ${section}: the answer has ${fields.join(' and ')}: ${JSON.stringify(data)}`;
    assert.deepEqual(Object.keys(data ?? {}).sort(), [...fields].sort(), where);
    if (fields.includes('cursor')) assert.match(data.cursor, /^([0-9]+)?$/, where);
    arrayOf(section, item)(data.list);
  };
const paged = (item: Answer) => listed('1.5', ['list', 'cursor'], item);

/** `code` and `msg` describe the failure of one order; what succeeded has its ids only. */
const entry = one((record) => (record.code === undefined ? ORDER_IDS : ORDER_FAILURE));
const result: Answer = (data) => {
  entry(data);
  if (data.code !== undefined) assertRejection(data.code, data.msg, 'interface 7.3: an order of a batch');
};
const success: Answer = (data) => assert.equal(data, 'success', 'interface 4.4: data is the string success');

const candle: Answer = (data) => {
  const problem = candleProblem(data);
  assert.equal(problem, undefined, `interface 2.8: a candle ${problem}: ${JSON.stringify(data)}`);
};

const DELIVERY_FIELDS = ['deliveryStartTime', 'deliveryTime', 'deliveryStatus'];
const tickerOf = (record: Data) =>
  ticker(
    record.category,
    DELIVERY_FIELDS.some((field) => record[field] !== undefined),
  );

export const ENDPOINTS: Readonly<Record<string, Answer>> = {
  'GET market/candles': arrayOf('2.8', candle),
  'GET market/instruments': arrayOf('4.1', one(instrument)),
  'GET market/tickers': arrayOf('4.1', one(tickerOf)),
  'GET market/index-components': one(INDEX_COMPONENTS),
  'GET market/fills': arrayOf('4.1', one(PUBLIC_FILL)),
  'GET trade/unfilled-orders': paged(one(({ category }) => openOrder(category))),
  'GET trade/history-orders': paged(one(({ category }) => historyOrder(category))),
  'GET trade/order-info': one(({ category }) => orderDetail(category)),
  'GET trade/fills': paged(one(FILL)),
  'GET trade/history-strategy-orders': paged(one(STRATEGY_ORDER)),
  'POST trade/cancel-order': one(ORDER_IDS),
  'POST trade/cancel-batch': arrayOf('4.3', result),
  'POST trade/cancel-symbol-order': listed('4.3', ['list'], one(ORDER_FAILURE)),
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
