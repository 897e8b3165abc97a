/** The servers compile a schema when it is first used; that each can be is known before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { OPERATOR_ROUTES } from '../../src/admin/server.ts';
import { ROUTES } from '../../src/api/http/routes.ts';
import { SchemasOnDemand } from '../../src/http/schemas-on-demand.ts';

const SCHEMA = { type: 'object', required: ['qty'], properties: { qty: { type: 'string' } } };

test('the schemas of all routes of both servers can be compiled', async () => {
  const app = Fastify();
  for (const { method, path, query, body, data } of ROUTES) {
    const schema = { ...(query && { querystring: query }), ...(body && { body }), response: { 200: data } };
    app.route({ method, url: path, schema, exposeHeadRoute: false, handler: () => undefined });
  }
  for (const { method, path, params, query, body, answer } of OPERATOR_ROUTES) {
    const taken = { ...(params && { params }), ...(query && { querystring: query }), ...(body && { body }) };
    const schema = { ...taken, response: { 200: answer } };
    app.route({ method, url: path, schema, exposeHeadRoute: false, handler: () => undefined });
  }
  await app.ready();
  await app.close();
});

test('compiled on demand or meanwhile, a schema refuses, tells why and serialises as one compiled at the start', async () => {
  const answers: unknown[] = [];
  const meanwhile = new SchemasOnDemand();
  for (const compilersFactory of [new SchemasOnDemand().compilers, meanwhile.compilers, {}]) {
    const app = Fastify({ schemaController: { compilersFactory } });
    app.post('/', { schema: { body: SCHEMA, response: { 200: SCHEMA } } }, () => ({ qty: 1, other: 2 }));
    await app.ready();
    if (compilersFactory === meanwhile.compilers) {
      assert.deepEqual(
        [1, 2, 3].map(() => meanwhile.compileNext()),
        [true, true, false],
      );
    }
    const told: unknown[] = [];
    for (const payload of [{ qty: '1' }, {}, { qty: '2' }, { qty: [] }]) {
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/', payload });
      told.push([statusCode, body]);
    }
    answers.push(told);
    await app.close();
  }
  assert.deepEqual(answers[0], answers[2]);
  assert.deepEqual(answers[1], answers[2]);
  assert.deepEqual(
    (answers[0] as unknown[][]).map(([status]) => status),
    [200, 400, 200, 400],
  );
});
