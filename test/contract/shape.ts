/**
 * The interface document's tables as checks. A shape is one object of interface 2: each documented field with what its
 * value must be. A field that is missing, of another type, or not documented fails with the section's number, and every
 * word of an enumeration that was seen is remembered (`occurrence.contract.ts` asks for it).
 */
import assert from 'node:assert/strict';

/** What is wrong with the value, if anything is; `where` is the section and the path of the field. */
export interface Check {
  (value: unknown, where: string): string | undefined;
  /** In the notation of the tables (`wire-spec.ts`), where it is not a text. */
  readonly notation?: string;
}
export type Fields = Readonly<Record<string, Check>>;

export interface Shape {
  readonly section: string;
  readonly name: string;
  readonly fields: Fields;
}

export function shape(section: string, name: string, fields: Fields): Shape {
  return { section, name, fields };
}

/** An object in the notation of the tables; a field that not every variant of it has is marked with `?`. */
export function notationOf(...variants: readonly Shape[]): string {
  const fields = new Set(variants.flatMap((variant) => Object.keys(variant.fields)));
  const written = [...fields].map((field) => {
    const holders = variants.filter((variant) => Object.hasOwn(variant.fields, field));
    const { notation } = holders[0]!.fields[field]!;
    const mark = holders.length < variants.length ? '?' : '';
    return `${field}${mark}${notation === undefined ? '' : `:${notation}`}`;
  });
  return `{${written.join(', ')}}`;
}

/** Of one enumeration, by `section name.field`: the words that are documented and those that were seen. */
export interface Enumeration {
  readonly documented: Set<string>;
  readonly seen: Set<string>;
}
export const enumerations = new Map<string, Enumeration>();

function note(where: string, allowed: readonly string[], word: string): void {
  const enumeration = enumerations.get(where) ?? { documented: new Set(), seen: new Set() };
  for (const each of allowed) enumeration.documented.add(each);
  enumeration.seen.add(word);
  enumerations.set(where, enumeration);
}

const pattern = (must: string, allowed: RegExp): Check => {
  return (value) => (typeof value === 'string' && allowed.test(value) ? undefined : `must be ${must}`);
};

export const text = pattern('a string', /^/);
export const name = pattern('a string that is not empty', /./);
export const empty = pattern('an empty string', /^$/);
export const id = pattern('an identifier of digits', /^[0-9]{1,32}$/);
export const decimal = pattern('a decimal number as a string', /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/);
export const positive = pattern('a decimal number that is not negative', /^(0|[1-9][0-9]*)(\.[0-9]+)?$/);
export const integer = pattern('a whole number as a string', /^(0|[1-9][0-9]*)$/);
export const time = pattern('Unix milliseconds as a string', /^1[0-9]{12}$/);

export const orEmpty = (check: Check): Check => {
  return (value, where) => (value === '' ? undefined : check(value, where));
};

/** One of the documented words, exactly so spelt. */
export const words = (...allowed: readonly string[]): Check => {
  return (value, where) => {
    if (typeof value !== 'string' || !allowed.includes(value)) return `must be one of ${allowed.join(', ')}`;
    note(where, allowed, value);
    return undefined;
  };
};

export const listOf = (item: Check): Check => {
  const check: Check = (value, where) => {
    if (!Array.isArray(value)) return 'must be an array';
    for (const each of value) {
      const problem = item(each, where);
      if (problem !== undefined) return `entries ${problem}`;
    }
    return undefined;
  };
  return Object.assign(check, { notation: `[${item.notation ?? 'text'}]` });
};

export const objectOf = (fields: Fields): Check => {
  const check: Check = (value, where) => problemOf(fields, value, where);
  return Object.assign(check, { notation: notationOf(shape('', '', fields)) });
};

function problemOf(fields: Fields, value: unknown, where: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  const record = value as Record<string, unknown>;
  for (const [field, check] of Object.entries(fields)) {
    if (!Object.hasOwn(record, field)) return `lacks the field ${field}`;
    const problem = check(record[field], `${where}.${field}`);
    if (problem !== undefined) return `field ${field} ${problem}, not ${JSON.stringify(record[field])}`;
  }
  const unknown = Object.keys(record).find((field) => !Object.hasOwn(fields, field));
  return unknown === undefined ? undefined : `has the undocumented field ${unknown}`;
}

/** Fails with the section when the value is not such an object. */
export function conforms({ section, name: object, fields }: Shape, value: unknown): void {
  const problem = problemOf(fields, value, `${section} ${object}`);
  // The message is made when it is told: thousands of values are as they should be.
  if (problem !== undefined)
    assert.fail(`interface ${section}: ${object} ${problem}: ${JSON.stringify(value)}`);
}

export function allConform(expected: Shape, values: unknown): void {
  assert.ok(Array.isArray(values), `interface ${expected.section}: a list of ${expected.name} is an array`);
  for (const value of values) conforms(expected, value);
}
