/** Every schema obeys the schema of schemas; the running exchange does not check that again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import validatorCompiler from '@fastify/ajv-compiler';
import { OPERATOR_ROUTES } from '../../src/admin/server.ts';
import { describedRoute } from '../../src/api/http/described-route.ts';
import { ROUTES } from '../../src/api/http/routes.ts';
import { TRADE_TOPICS } from '../../src/api/ws/order-entry.ts';
import { COIN, INSTRUMENT } from '../../src/catalogue/entry-schemas.ts';
import { type TSchema, Type } from '../../src/validation/schema.ts';
import { VALIDATION } from '../../src/validation/schema-check.ts';

const customOptions = { ...VALIDATION, validateSchema: true };
const compile = validatorCompiler()({}, { customOptions }) as unknown as (route: {
  readonly schema: TSchema;
}) => unknown;

test('a schema that is none is noticed', () => {
  assert.throws(() => compile({ schema: { type: 'object', required: 'price' } }), /schema is invalid/);
});

test('the schemas of all routes, stream requests and catalogue files are valid', () => {
  const schemas: (TSchema | undefined)[] = [COIN, INSTRUMENT];
  for (const route of ROUTES) {
    const { querystring, body, response } = describedRoute(route).schema;
    schemas.push(querystring, body, response[200], response['4xx']);
  }
  for (const { params, query, body, answer } of OPERATOR_ROUTES) schemas.push(params, query, body, answer);
  for (const { schema } of Object.values(TRADE_TOPICS)) schemas.push(schema);
  let checked = 0;
  for (const schema of schemas) {
    if (schema === undefined) continue;
    compile({ schema: Type.Optional(schema) });
    checked++;
  }
  assert.ok(checked > 2 * ROUTES.length, `${checked} schemas`);
});
