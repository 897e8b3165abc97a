/**
 * Schemas of requests for the OpenAPI document. The routes validate after `normaliseFields`, which drops empty text
 * in optional fields because clients send it for absent ones; the document must show that empty text is accepted.
 */
import type { TSchema } from '../../validation/schema.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Input extends Fields {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Input>>;
  readonly required?: readonly string[];
  readonly items?: Input;
}

/** The schema of a query or body with empty text allowed in every optional field. */
export function documentedInput(schema: TSchema): TSchema {
  return accepting(schema as Input);
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
