/** Checks values against schemas outside of routes, with the validator of the routes, and words what it found. */
import validatorCompiler from '@fastify/ajv-compiler';
import type { Static, TSchema } from './schema.ts';

/**
 * Nothing is coerced: `true` is not a clientOid. Unknown keys pass unless the schema forbids them. That each schema is one
 * is tested (`test/docs/schemas.test.ts`): compiling the schema of schemas costs a start 50 ms.
 */
export const VALIDATION = {
  validateSchema: false,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
} as const;

/** A fault as the validator reports it. */
export interface SchemaFault {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** `/0/price` as `0.price`; empty for the value as a whole. */
export function fieldOf({ instancePath }: SchemaFault): string {
  return instancePath.slice(1).replaceAll('/', '.');
}

/** For a value that is none of an enumeration. */
export function mustBeOneOf({ params }: SchemaFault): string {
  return `must be one of ${(params.allowedValues as string[]).join(', ')}`;
}

interface Validate {
  (data: unknown): boolean;
  errors?: readonly SchemaFault[] | null;
}

const compile = validatorCompiler()({}, { customOptions: VALIDATION }) as unknown as (route: {
  readonly schema: TSchema;
}) => Validate;

/** Made on first use. */
let compiledForAll: typeof compile | undefined;

const compileForAll: typeof compile = (route) => {
  const options = { customOptions: { ...VALIDATION, allErrors: true } };
  compiledForAll ??= validatorCompiler()({}, options) as unknown as typeof compile;
  return compiledForAll(route);
};

/** Compiled on first use: few runs see a client of every kind. */
export class SchemaCheck<Schema extends TSchema> {
  readonly #schema: Schema;
  readonly #compile: typeof compile;
  #validate: Validate | undefined;

  /** With `allErrors` it names every fault and not the first alone. */
  constructor(schema: Schema, { allErrors = false }: { readonly allErrors?: boolean } = {}) {
    this.#schema = schema;
    this.#compile = allErrors ? compileForAll : compile;
  }

  passes(data: unknown): data is Static<Schema> {
    this.#validate ??= this.#compile({ schema: this.#schema });
    return this.#validate(data);
  }

  /** Faults of the last value that did not pass. */
  get faults(): readonly SchemaFault[] {
    return this.#validate?.errors ?? [];
  }
}
