import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import Fastify from 'fastify';
import type { Identity } from '../../identity/identity.ts';
import type { HttpCall } from '../../inspector/traffic.ts';
import type { Caller } from '../route.ts';
import { recordCalls } from './record-calls.ts';

const CALLER = { user: { uid: 7 }, key: { apiKey: 'k' } } as Caller;
const NO_KEYS = { findKey: () => undefined } as unknown as Identity;

test('a client that leaves before its answer is told of so, one that waits is not', async () => {
  const calls: HttpCall[] = [];
  const app = Fastify();
  app.decorateRequest('caller', undefined);
  const traffic = { call: (call: HttpCall) => void calls.push(call), frame: () => undefined };
  recordCalls(app, { traffic, identity: () => NO_KEYS, wallClock: { now: () => 1_000 } });
  const reached = Promise.withResolvers<void>();
  app.get('/api/slow', async (request, reply) => {
    request.caller = CALLER;
    reached.resolve();
    await once(reply.raw, 'close');
    return 'too late';
  });
  app.get('/api/fast', async (request) => {
    request.caller = CALLER;
    return 'in time';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /api/slow HTTP/1.1\r\nHost: a\r\n\r\n');
  await reached.promise;
  socket.destroy();
  await (await fetch(`http://127.0.0.1:${port}/api/fast`)).text();
  // Waits for both.
  await app.close();
  const shown = new Map(calls.map(({ target, unread, party: { uid } }) => [target, { unread, uid }]));
  assert.equal(calls.length, 2);
  assert.deepEqual(shown.get('/api/fast'), { unread: false, uid: 7 });
  assert.deepEqual(shown.get('/api/slow'), { unread: true, uid: 7 });
});
