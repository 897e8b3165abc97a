/**
 * What a request may hold, as the documents say it. The schemas of the routes see a request after `normaliseFields`,
 * which takes empty text in an optional field for a field that was left out: clients send it so.
 */
import type { TSchema } from 'typebox';

type Fields = Readonly<Record<string, unknown>>;

interface Input extends Fields {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Input>>;
  readonly required?: readonly string[];
  readonly items?: Input;
}

/** The schema of a query or a body with empty text allowed wherever it counts as nothing. */
export function documentedInput(schema: TSchema): TSchema {
  return accepting(schema as Input) as TSchema;
}

function accepting(schema: Input): Input {
  const { type, properties, required = [], items } = schema;
  if (type === 'array' && items !== undefined) return { ...schema, items: accepting(items) };
  if (properties === undefined) return schema;
  const fields = Object.entries(properties).map(([name, field]): [string, Input] => {
    const inner = field.type === 'array' ? accepting(field) : field;
    return [name, required.includes(name) ? inner : orEmpty(inner)];
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}

function orEmpty(field: Input): Input {
  const { minLength: _, ...rest } = field;
  if (Array.isArray(field.enum)) return { ...rest, enum: [...field.enum, ''] };
  if (field.type === 'array') return { ...rest, type: ['array', 'string'], maxLength: 0 } as unknown as Input;
  const { pattern } = field;
  if (typeof pattern !== 'string') return rest;
  return { ...rest, pattern: `^(${pattern.replace(/^\^|\$$/g, '')})?$` };
}
