/** Is a value what a schema says? For what comes by another way than a route, with the validator of the routes. */
import validatorCompiler from '@fastify/ajv-compiler';
import type { Static, TSchema } from 'typebox';

/** Nothing is coerced: `true` is no clientOid. Unknown keys pass where the schema does not forbid them. */
export const VALIDATION = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
} as const;

/** As the validator writes it. */
export interface SchemaFault {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Validate {
  (data: unknown): boolean;
  errors?: readonly SchemaFault[] | null;
}

const compile = validatorCompiler()({}, { customOptions: VALIDATION }) as unknown as (route: {
  readonly schema: TSchema;
}) => Validate;

/** Compiled when it is first asked: few starts see a client of every kind. */
export class SchemaCheck<Schema extends TSchema> {
  readonly #schema: Schema;
  #validate: Validate | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  passes(data: unknown): data is Static<Schema> {
    this.#validate ??= compile({ schema: this.#schema });
    return this.#validate(data);
  }

  /** What was wrong with the value that did not pass last. */
  get faults(): readonly SchemaFault[] {
    return this.#validate?.errors ?? [];
  }
}
