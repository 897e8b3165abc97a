/**
 * Compiles schemas when a route is first used: compiling all of them took a third of a start, and clients wait for
 * the start. The rest are compiled one by one while the exchange runs, so that few requests wait for a schema.
 */
import validatorCompiler from '@fastify/ajv-compiler';
import serialiserCompiler from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

type Factory<Compiled> = (
  shared: unknown,
  options: unknown,
) => (route: { readonly schema: unknown }) => Compiled;

interface Validate {
  (data: unknown): unknown;
  errors?: unknown;
}

type Serialise = (data: unknown) => string;

/** The compilers that Fastify uses by default. */
const validators = onceForEqual(validatorCompiler() as Factory<Validate>);
const serialisers = onceForEqual(serialiserCompiler() as Factory<Serialise>);

/** Routes with equal schemas share what is compiled, also those of both servers. */
function onceForEqual<Compiled>(factory: Factory<Compiled>): Factory<Compiled> {
  const compiled = new Map<string, Compiled>();
  return (shared, options) => {
    const compile = factory(shared, options);
    const context = JSON.stringify([shared, options]);
    return (route) => {
      const key = context + JSON.stringify(route.schema);
      const known = compiled.get(key) ?? compile(route);
      compiled.set(key, known);
      return known;
    };
  };
}

export class SchemasOnDemand {
  /** Each compiles its schema unless a request has done so. */
  readonly #open: (() => void)[] = [];

  readonly compilers = {
    buildValidator: ((shared, options) => {
      const compile = validators(shared, options);
      return (route) => {
        const compiled = this.#once(() => compile(route));
        const validate: Validate = (data) => {
          const check = compiled();
          const valid = check(data);
          validate.errors = check.errors;
          return valid;
        };
        return validate;
      };
    }) satisfies Factory<Validate>,

    buildSerializer: ((shared, options) => {
      const compile = serialisers(shared, options);
      return (route) => {
        const compiled = this.#once(() => compile(route));
        return (data) => compiled()(data);
      };
    }) satisfies Factory<Serialise>,
  } as Compilers;

  /** Compiles a schema that no request has used yet; false when there is none. */
  compileNext(): boolean {
    const next = this.#open.pop();
    next?.();
    return next !== undefined;
  }

  #once<Compiled>(compile: () => Compiled): () => Compiled {
    let compiled: Compiled | undefined;
    const get = () => {
      compiled ??= compile();
      return compiled;
    };
    this.#open.push(get);
    return get;
  }
}
