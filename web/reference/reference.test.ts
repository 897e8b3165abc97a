/** The reference without a browser: the documents as the page reads them, forms from schemas, search. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, type Draft, draftOf, missingOf, modelOf, queryOf } from './form.ts';
import { boundsText, type Schema, sampleOf, sampleText, typeText, wordsOf } from './schema.ts';
import { entriesOf, find } from './search.ts';

const NOW = 1_800_000_000_000;
const DECIMAL = '^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$';
const OPTIONAL_DECIMAL = '^((0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?)?$';

const ORDER: Schema = {
  type: 'object',
  required: ['category', 'symbol', 'qty'],
  properties: {
    category: { enum: ['SPOT', 'MARGIN'], description: 'product category' },
    symbol: { type: 'string', minLength: 1, maxLength: 32 },
    qty: { type: 'string', pattern: DECIMAL, maxLength: 40 },
    price: { type: 'string', pattern: OPTIONAL_DECIMAL, maxLength: 40 },
    timeInForce: { enum: ['gtc', 'ioc', ''] },
  },
};

test('types and bounds are told in words', () => {
  const told = (schema: Schema) => [typeText(schema), boundsText(schema)];
  assert.deepEqual(told({ type: 'string', pattern: DECIMAL, maxLength: 40 }), [
    'decimal text',
    'at most 18 digits on each side of the point',
  ]);
  assert.deepEqual(told({ type: 'string', pattern: OPTIONAL_DECIMAL }), told(ORDER.properties!.qty!));
  assert.deepEqual(told({ type: 'string', pattern: '^([0-9]{1,16})?$' }), ['digits', '1 to 16 digits']);
  assert.deepEqual(told({ type: 'string', minLength: 1, maxLength: 32 }), ['text', '1 to 32 characters']);
  assert.deepEqual(told({ type: 'string', maxLength: 8 }), ['text', 'at most 8 characters']);
  assert.deepEqual(told({ type: 'string', pattern: '^([a-z]{1,4})?$' }), ['text', '[a-z]{1,4}']);
  assert.deepEqual(told({ type: ['array', 'string'], items: { enum: ['a', 'b'] }, maxItems: 3 }), [
    'list of words: a, b',
    'at most 3 items',
  ]);
  assert.deepEqual(told({ type: 'array', items: ORDER, minItems: 1 }), [
    'list of objects',
    'at least 1 items',
  ]);
  assert.deepEqual(told({ anyOf: [{ type: 'string' }, { type: 'integer' }] }), ['text or integer', '']);
  assert.deepEqual(wordsOf(ORDER.properties!.timeInForce!), ['gtc', 'ioc']);
});

test('a form proposes what is required, and leaves out what is empty', () => {
  const draft = draftOf('trade/place-order', ORDER, NOW);
  assert.deepEqual(draft.values, { category: 'SPOT', symbol: 'BTCUSDT', qty: '0.001', price: '50000' });
  const typed: Draft = { ...draft, values: { ...draft.values, price: ' ', timeInForce: '', qty: ' 0.5 ' } };
  assert.deepEqual(bodyOf(ORDER, typed), { category: 'SPOT', symbol: 'BTCUSDT', qty: '0.5' });
  assert.deepEqual(queryOf(ORDER, typed), bodyOf(ORDER, typed));
  assert.deepEqual(missingOf(ORDER, typed), []);
  assert.deepEqual(missingOf(ORDER, { values: { symbol: ' ' }, items: [] }), ['category', 'symbol', 'qty']);
});

test('a body that is a list, or has one, becomes a list of forms', () => {
  const batch: Schema = { type: 'array', items: ORDER };
  assert.equal(modelOf(batch).fields.length, 0);
  const draft = draftOf('trade/place-batch', batch, NOW);
  const two = { ...draft, items: [draft.items[0]!, { ...draft.items[0]!, qty: '2' }] };
  assert.deepEqual(
    (bodyOf(batch, two) as { qty: string }[]).map(({ qty }) => qty),
    ['0.001', '2'],
  );
  const moved: Schema = {
    type: 'object',
    required: ['toUid', 'positionList'],
    properties: { toUid: { type: 'string' }, positionList: { type: 'array', items: ORDER } },
  };
  const move = draftOf('account/move-positions', moved, NOW);
  assert.deepEqual(missingOf(moved, move), ['toUid']);
  const body = bodyOf(moved, { ...move, values: { toUid: '7' } }) as {
    toUid: string;
    positionList: object[];
  };
  assert.deepEqual([body.toUid, body.positionList.length], ['7', 1]);
});

test('a list of words is typed with commas', () => {
  const schema: Schema = {
    type: 'object',
    properties: { ips: { type: 'array', items: { type: 'string' } } },
  };
  assert.deepEqual(bodyOf(schema, { values: { ips: '10.0.0.1, 10.0.0.2' }, items: [] }), {
    ips: ['10.0.0.1', '10.0.0.2'],
  });
});

test('examples have the kind of value that the field has', () => {
  assert.equal(sampleText('startTime', { type: 'string' }, NOW), String(NOW - 7 * 86_400_000));
  assert.deepEqual(
    sampleOf(
      '',
      { type: 'object', properties: { ts: { type: 'integer' }, list: { type: 'array', items: ORDER } } },
      NOW,
    ),
    {
      ts: NOW,
      list: [{ category: 'SPOT', symbol: 'BTCUSDT', qty: '0.001', price: '60000', timeInForce: 'gtc' }],
    },
  );
});

test('search: every word must fit, and a name counts more than a text', () => {
  const operation = {
    id: 'postTradePlaceOrder',
    slug: 'trade/place-order',
    method: 'POST' as const,
    path: '/api/v3/trade/place-order',
    group: 'Trading',
    summary: 'Place one order',
    permission: '',
    limit: { perSecond: 10, per: 'UID' as const },
    changes: true,
    isPrivate: true,
    codes: ['25203'],
    query: undefined,
    body: ORDER,
    answer: {},
  };
  const read = {
    ...operation,
    slug: 'trade/fills',
    path: '/api/v3/trade/fills',
    summary: 'Fills of an order',
    body: undefined,
  };
  const entries = entriesOf(
    {
      introduction: '',
      version: '',
      groups: [],
      operations: [read, operation],
      errors: [{ code: '25203', means: 'the margin is insufficient', status: 400, again: 'corrected' }],
    },
    {
      introduction: '',
      addresses: [],
      messages: [],
      errors: [{ code: '30001', means: 'no topic', closes: false }],
    },
  );
  const slugs = (text: string) => find(entries, text).map(({ slug }) => slug);
  assert.deepEqual(slugs('order'), ['trade/place-order', 'trade/fills']);
  assert.deepEqual(slugs('timeinforce'), ['trade/place-order']);
  assert.deepEqual(slugs('margin insuff'), ['errors/25203']);
  assert.deepEqual(slugs('30001'), ['errors/30001']);
  assert.deepEqual(slugs('order nowhere'), []);
});
