/**
 * Schemas become code when a route is first used: compiling those of all routes took a third of a start, and after a
 * stop everybody waits for the start.
 */
import { createRequire } from 'node:module';
import type { FastifyServerOptions } from 'fastify';

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

type Factory<Compiled> = (shared: unknown, options: unknown) => (route: unknown) => Compiled;

interface Validate {
  (data: unknown): unknown;
  errors?: unknown;
}

type Serialise = (data: unknown) => string;

/** The compilers that Fastify brings and would use itself. */
const ofFastify = createRequire(import.meta.resolve('fastify'));
const validators = (ofFastify('@fastify/ajv-compiler') as () => Factory<Validate>)();
const serialisers = (ofFastify('@fastify/fast-json-stringify-compiler') as () => Factory<Serialise>)();

const buildValidator: Factory<Validate> = (shared, options) => {
  const compile = validators(shared, options);
  return (route) => {
    let compiled: Validate | undefined;
    const validate: Validate = (data) => {
      compiled ??= compile(route);
      const valid = compiled(data);
      validate.errors = compiled.errors;
      return valid;
    };
    return validate;
  };
};

const buildSerializer: Factory<Serialise> = (shared, options) => {
  const compile = serialisers(shared, options);
  return (route) => {
    let compiled: Serialise | undefined;
    return (data) => {
      compiled ??= compile(route);
      return compiled(data);
    };
  };
};

export const schemasOnDemand = { buildValidator, buildSerializer } as Compilers;
