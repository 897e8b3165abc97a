/** A fault that the validator found in an entry, as a message: the field, its value, and what would be right. */
import type { TSchema } from '../validation/schema.ts';
import type { SchemaFault } from '../validation/schema-check.ts';

/** The parts of a schema that lead to those of its fields. */
interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

export function schemaProblem(
  schema: TSchema,
  entry: unknown,
  [fault]: readonly SchemaFault[],
): string | undefined {
  if (fault === undefined) return undefined;
  const { keyword, instancePath, params } = fault;
  const steps = instancePath.split('/').slice(1);
  if (keyword === 'additionalProperties')
    return `${fieldName([...steps, String(params.additionalProperty)])} is not a known field`;
  if (keyword === 'required') steps.push(String(params.missingProperty));
  let node: Node | undefined = schema;
  let value = entry;
  for (const step of steps) {
    node = node?.properties?.[step] ?? node?.items;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  const isWhole = node?.type === 'object' || node?.type === 'array';
  const must = `must be ${node?.description ?? 'something else'}`;
  return [fieldName(steps), ...(isWhole ? [] : [shown(value)]), must].filter((word) => word !== '').join(' ');
}

/** `chains`, `0`, `fee` becomes `chains[0].fee`. */
function fieldName(steps: readonly string[]): string {
  return steps.reduce((path, step) => {
    if (/^[0-9]+$/.test(step)) return `${path}[${step}]`;
    return path === '' ? step : `${path}.${step}`;
  }, '');
}

export function shown(value: unknown): string {
  return value === undefined ? '(missing)' : JSON.stringify(value);
}
