/** JSON schemas in words: fields, types and bounds, and a value that would do. */

export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

export function fieldsOf({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    schema,
  }));
}

export const typeOf = (schema: Schema): string => [schema.type].flat()[0] ?? 'any';

/** Words that are allowed; empty text, which counts as left out, is not shown. */
export function wordsOf({ enum: words, const: only }: Schema): readonly string[] {
  const all = words ?? (only === undefined ? [] : [only]);
  return all.filter((word) => word !== '').map(String);
}

const DECIMAL = '(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?';

/** A pattern without its ends and without the empty text that optional fields may have. */
function coreOf(pattern: string): string {
  const whole = pattern.replace(/^\^(.*)\$$/, '$1');
  const [, inner] = /^\((.*)\)\?$/.exec(whole) ?? [];
  return inner !== undefined && isBalanced(inner) ? inner : whole;
}

/** Do its parentheses belong to each other? Else the outer ones were none of one pair. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** The type for people: `decimal text`, `one of …`, `list of …`. */
export function typeText(schema: Schema): string {
  const { items, anyOf, pattern, patternProperties } = schema;
  if (wordsOf(schema).length > 0) return wordsOf(schema).length === 1 ? 'always' : 'one of';
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeText))].join(' or ');
  switch (typeOf(schema)) {
    case 'array':
      return items === undefined ? 'list' : `list of ${listed(items)}`;
    case 'object':
      return patternProperties === undefined ? 'object' : 'object by name';
    case 'string':
      if (pattern === undefined) return 'text';
      if (/^-?\??\(0\|/.test(coreOf(pattern))) return 'decimal text';
      return /^\[0-9\](?:\+|\{\d+(?:,\d+)?\})$/.test(coreOf(pattern)) ? 'digits' : 'text';
    default:
      return typeOf(schema);
  }
}

function listed(items: Schema): string {
  if (wordsOf(items).length > 0) return `words: ${wordsOf(items).join(', ')}`;
  const text = typeText(items);
  return text === 'object' ? 'objects' : text.replace(/^list/, 'lists');
}

const range = (least: number | undefined, most: number | undefined, what: string): string => {
  if (most === undefined) return least === undefined || least === 0 ? '' : `at least ${least} ${what}`;
  if (least === undefined || least === 0) return `at most ${most} ${what}`;
  return least === most ? `${most} ${what}` : `${least} to ${most} ${what}`;
};

/** Bounds for people; a pattern that no words are known for as it stands. */
export function boundsText(schema: Schema): string {
  const { pattern, minLength, maxLength, minItems, maxItems } = schema;
  if (typeOf(schema) === 'array') return range(minItems, maxItems, 'items');
  if (pattern === undefined) return range(minLength, maxLength, 'characters');
  const core = coreOf(pattern);
  if (core === DECIMAL) return 'at most 18 digits on each side of the point';
  const [, digitsLeast, digitsMost] = /^\[0-9\]\{(\d+),(\d+)\}$/.exec(core) ?? [];
  if (digitsMost !== undefined) return range(Number(digitsLeast), Number(digitsMost), 'digits');
  return typeText(schema) === 'text' ? core : '';
}

const DAY_MS = 86_400_000;

/** Values by the name of a field, the first that fits; times are relative to now. */
const SAMPLES: readonly (readonly [RegExp, string | ((now: number) => string)])[] = [
  [/^(symbol|instId)$/, 'BTCUSDT'],
  [/^(loanCoin|repayableCoinList|quoteCoin|feeCoin|settleCoin|marginCoin|coin|toCoin)$/, 'USDT'],
  [/coin(List)?$/i, 'BTC'],
  [/^interval$/, '15m'],
  [/^startTime$/, (now) => String(now - 7 * DAY_MS)],
  [/time$|^ts$|ts$/i, (now) => String(now)],
  [/^instType$/, 'spot'],
  [/^(clientOid|requestId)$/, 'my-order-1'],
  [/uid$|userId$/i, '1001'],
  [/ids?$/i, '1387600000000000001'],
  [/leverage$/i, '10'],
  [/ratio|callback|percent/i, '1'],
  [/rate|pcnt|fee/i, '0.0006'],
  [/price|takeProfit|stopLoss/i, '60000'],
  [/pledgeAmount/, '0.01'],
  [/^(amount|size)$|loanAmount/, '10'],
  [/qty|size|volume|quantity|position/i, '0.001'],
  [/countdown/i, '30'],
  [/^(limit|pageSize)$/, '20'],
  [/^(pageNo|pageNum)$/, '1'],
  [/quota/i, '10'],
  [/chain/i, 'ERC20'],
  [/address$/i, '0x52908400098527886E0F7030069857D2E4169EE7'],
  [/^(username|subaccountName)$/, 'helper'],
  [/^(note|label|remark)$/, 'helper'],
  [/precision/i, '2'],
];

export function sampleText(name: string, schema: Schema, now: number): string {
  const [first] = wordsOf(schema);
  if (first !== undefined) return first;
  const found = SAMPLES.find(([names]) => names.test(name))?.[1];
  if (found !== undefined) return typeof found === 'string' ? found : found(now);
  return schema.pattern === undefined ? 'text' : '1';
}

/** An answer that the schema allows. */
export function sampleOf(name: string, schema: Schema, now: number): unknown {
  if (schema.const !== undefined) return schema.const;
  const [word] = schema.enum?.filter((each) => each !== '') ?? [];
  if (word !== undefined) return word;
  if (schema.anyOf !== undefined) return sampleOf(name, schema.anyOf[0]!, now);
  switch (typeOf(schema)) {
    case 'object': {
      const own = fieldsOf(schema).map((field) => [field.name, sampleOf(field.name, field.schema, now)]);
      const named = Object.values(schema.patternProperties ?? {}).map((each) => [
        'BTC',
        sampleOf('', each, now),
      ]);
      return Object.fromEntries([...own, ...named]);
    }
    case 'array':
      return schema.items === undefined
        ? []
        : Array.from({ length: schema.minItems || 1 }, () => sampleOf(name, schema.items!, now));
    case 'integer':
    case 'number':
      return /time|ts$/i.test(name) ? now : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return sampleText(name, schema, now);
  }
}
