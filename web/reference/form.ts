/** A form made from the schema of a call, and the request that its fields give. Empty fields are left out. */
import { type Field, fieldsOf, type Schema, sampleText, typeOf, wordsOf } from './schema.ts';

export type Values = Readonly<Record<string, string>>;

/** What was typed: plain fields, and the objects of the one list of objects that some calls have. */
export interface Draft {
  readonly values: Values;
  readonly items: readonly Values[];
}

export interface FormModel {
  readonly fields: readonly Field[];
  /** The list of objects: the whole body, or a field of it. */
  readonly list: { readonly name: string; readonly fields: readonly Field[] } | undefined;
}

const isObjectList = ({ items }: Schema): boolean => items !== undefined && typeOf(items) === 'object';

export function modelOf(schema: Schema): FormModel {
  if (isObjectList(schema)) return { fields: [], list: { name: '', fields: fieldsOf(schema.items!) } };
  const all = fieldsOf(schema);
  const list = all.find((field) => isObjectList(field.schema));
  return {
    fields: all.filter((field) => field !== list),
    list: list && { name: list.name, fields: fieldsOf(list.schema.items!) },
  };
}

/** Fields that a call does not require and that it is not much of an example without. */
const SHOWN: Readonly<Record<string, Values>> = {
  'trade/place-order': { price: '50000' },
  'trade/place-batch': { price: '50000' },
  'trade/place-strategy-order': {
    category: 'USDT-FUTURES',
    type: 'trigger',
    side: 'buy',
    qty: '0.001',
    triggerPrice: '50000',
    triggerOrderType: 'market',
  },
  'trade/order-info': { orderId: '' },
  'trade/modify-order': { orderId: '', qty: '', price: '' },
  'trade/cancel-order': { orderId: '' },
  'account/adjust-account-mode': { mode: 'advanced' },
  'account/set-collateral-type': { collateralType: 'all' },
  'account/set-leverage': { category: 'USDT-FUTURES', symbol: 'BTCUSDT', leverage: '10' },
  'account/pre-set-leverage': { category: 'USDT-FUTURES', symbol: 'BTCUSDT', leverage: '10' },
  'account/max-open-available': { symbol: 'BTCUSDT', orderType: 'limit', side: 'buy', price: '60000' },
  'account/transfer': { toType: 'uta' },
  'account/transferable-coins': { toType: 'uta' },
  'account/withdrawal': { chain: 'ERC20' },
  'account/withdraw': { chain: 'ERC20' },
  'market/current-fund-rate': { symbol: 'BTCUSDT' },
  'market/position-tier': { symbol: 'BTCUSDT' },
  'loan/borrow': { loanAmount: '200' },
};

/** Secrets and accounts of others: there is no value that one could propose. */
const UNKNOWN = /passphrase|uid$|userId$|orderId|clientOid|^apiKey$|uids$/i;

/** What is typed already when the form opens: every required field that a value can be proposed for. */
export function draftOf(slug: string, schema: Schema, now: number): Draft {
  const { fields, list } = modelOf(schema);
  const shown = SHOWN[slug.replace(/\/(?:get|post)$/, '')] ?? {};
  const filled = (each: readonly Field[]): Values =>
    Object.fromEntries(
      each
        .filter(({ name, required }) => name in shown || (required && !UNKNOWN.test(name)))
        .map(({ name, schema: of }) => [name, shown[name] ?? sampleText(name, of.items ?? of, now)]),
    );
  return { values: filled(fields), items: list === undefined ? [] : [filled(list.fields)] };
}

function objectOf(fields: readonly Field[], values: Values): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const { name, schema } of fields) {
    const text = (values[name] ?? '').trim();
    if (text === '') continue;
    object[name] = typeOf(schema) === 'array' ? text.split(/[\s,]+/) : text;
  }
  return object;
}

export function queryOf(schema: Schema, { values }: Draft): Record<string, string> {
  return objectOf(modelOf(schema).fields, values) as Record<string, string>;
}

export function bodyOf(schema: Schema, { values, items }: Draft): object {
  const { fields, list } = modelOf(schema);
  const own = objectOf(fields, values);
  if (list === undefined) return own;
  const objects = items.map((item) => objectOf(list.fields, item));
  return list.name === '' ? objects : { ...own, [list.name]: objects };
}

/** Required fields without a value. */
export function missingOf(schema: Schema, { values, items }: Draft): string[] {
  const { fields, list } = modelOf(schema);
  const empty = (each: readonly Field[], of: Values) =>
    each.filter(({ name, required }) => required && (of[name] ?? '').trim() === '').map(({ name }) => name);
  return [...empty(fields, values), ...items.flatMap((item) => empty(list?.fields ?? [], item))];
}

/** How a field is typed: one of a few words, a list of words, or text. */
export function kindOf(schema: Schema): 'choice' | 'text' {
  return wordsOf(schema).length > 0 ? 'choice' : 'text';
}
