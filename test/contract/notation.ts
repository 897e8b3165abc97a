/** Schemas in the notation of the documents (`wire-spec.ts`). */

/** As far as a JSON schema is used here. */
export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const WORDS_MAX = 9;

function words({ enum: all }: Schema): string | undefined {
  if (all === undefined) return undefined;
  return all.length > WORDS_MAX ? '…' : all.map((word) => (word === '' ? '""' : word)).join('/');
}

/** The parameters of a call: `category* SPOT/MARGIN, symbol, ips [text]`. */
export function asksIn(schema: Schema | undefined): string {
  if (schema === undefined) return '';
  if (schema.type === 'array') return `[${asksIn(schema.items)}]`;
  const { properties = {}, required = [] } = schema;
  const each = ([name, property]: [string, Schema]) => {
    const takes = taken(property);
    return `${name}${required.includes(name) ? '*' : ''}${takes === '' ? '' : ` ${takes}`}`;
  };
  return Object.entries(properties).map(each).join(', ');
}

/** Numbers come as text (interface 1.2), and what may be one of two texts is a text. */
function taken(property: Schema): string {
  if (property.type !== 'array') return words(property) ?? '';
  const { items } = property;
  return `[${items?.properties === undefined ? taken(items!) || 'text' : asksIn(items)}]`;
}

/** An answer: `{list:[{symbol, leverage}], cursor}`. */
export function answersIn(schema: Schema): string {
  if (schema.type === 'array') return `[${answersIn(schema.items!)}]`;
  if (schema.type !== 'object') return wordIn(schema);
  const { properties = {}, required = [] } = schema;
  const each = ([name, property]: [string, Schema]) => {
    const told = answersIn(property);
    return `${name}${required.includes(name) ? '' : '?'}${told === 'text' ? '' : `:${told}`}`;
  };
  return `{${Object.entries(properties).map(each).join(', ')}}`;
}

function wordIn(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map(wordIn).join(' or ');
  return words(schema) ?? (schema.type === 'string' ? 'text' : (schema.type ?? 'anything'));
}

/** The same whatever the order of fields and words. */
export function canonical(notation: string): string {
  return fieldsIn(notation)
    .map((field) => {
      const nested = /^([^{[]*)([{[])(.*)([}\]])$/s.exec(field);
      if (nested !== null) return `${nested[1]}${nested[2]}${canonical(nested[3]!)}${nested[4]}`;
      return field.replace(/[^ :]+\/[^ :]+/, (choice) => choice.split('/').sort().join('/'));
    })
    .sort()
    .join(', ');
}

/** What stands between the commas that are inside no bracket. */
function fieldsIn(notation: string): string[] {
  const fields = [''];
  let depth = 0;
  for (const letter of notation) {
    if (letter === '{' || letter === '[') depth++;
    if (letter === '}' || letter === ']') depth--;
    if (letter === ',' && depth === 0) fields.push('');
    else fields[fields.length - 1] += letter;
  }
  return fields.map((field) => field.trim());
}
