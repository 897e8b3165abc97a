/**
 * Every method of the SDK's REST client against one exchange with a simulated market: it works, or its endpoint answers
 * 404 and the reason is written down. The methods come from the library itself, so a new one cannot be forgotten.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RestClientV3, WebsocketAPIClient } from 'bitget-api';
import { ROUTES } from '../../src/api/http/routes.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { documentSection, keepDocument } from './document.ts';
import { SDK_CALLS } from './sdk/calls.ts';
import { SDK_LOCAL, SDK_NOT_SERVED } from './sdk/not-served.ts';
import { hangUp, SOCKET_CALLS, SOCKET_LOCAL, TOPIC_CALLS } from './sdk/sockets.ts';
import { openWorld, type Row, type World } from './world.ts';

const METHODS = Object.getOwnPropertyNames(RestClientV3.prototype).filter((name) => name !== 'constructor');
const SERVED = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`));
const WIRE_METHODS = { get: 'GET', getPrivate: 'GET', post: 'POST', postPrivate: 'POST' } as const;

/** What a method of the SDK sends, without sending it. */
function endpointOf(name: string): string | undefined {
  const client = new RestClientV3() as unknown as Record<string, (...args: unknown[]) => unknown>;
  let called: string | undefined;
  for (const [own, method] of Object.entries(WIRE_METHODS)) {
    client[own] = (path: unknown) => {
      called ??= `${method} /${String(path).replace(/^\//, '')}`;
      return Promise.resolve({ data: { serverTime: '0' } });
    };
  }
  void Promise.resolve(client[name]!({})).catch(() => undefined);
  return called;
}

const rowsOf = (calls: Readonly<Record<string, Row<World>>>) =>
  Object.entries(calls).map(([name, { checks }]) => [name.replace('topic ', ''), checks]);
const reasonOf = (name: string) => SDK_NOT_SERVED.find(([methods]) => methods.test(name))?.[1];

describe('bitget-api, RestClientV3', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(async () => {
    hangUp();
    await world.server.stop();
  });

  it('every method of the library has its place in the matrix', () => {
    const placed = (name: string) =>
      [SDK_CALLS[name], SDK_LOCAL[name], reasonOf(name)].filter((place) => place !== undefined).length;
    assert.deepEqual(
      METHODS.filter((name) => placed(name) !== 1),
      [],
    );
    assert.deepEqual(
      Object.keys(SDK_CALLS).filter((name) => !METHODS.includes(name)),
      [],
    );
  });

  for (const [name, { checks, call }] of Object.entries(SDK_CALLS)) {
    it(`${name}: ${checks}`, async () => {
      assert.ok(SERVED.has(endpointOf(name)!), `${endpointOf(name)} is not served`);
      await call(world);
    });
  }

  for (const name of METHODS.filter((each) => reasonOf(each) !== undefined)) {
    it(`${name}: 404, ${reasonOf(name)}`, async () => {
      const [method, path] = endpointOf(name)!.split(' ') as ['GET' | 'POST', string];
      const client = new SignedClient(world.server.url, world.keys('alice'));
      const reply = await client.send(method, path, method === 'POST' ? '{}' : '');
      client.close();
      assert.deepEqual([reply.status, reply.code], [404, '40404'], path);
    });
  }

  for (const [name, { checks, call }] of Object.entries({ ...TOPIC_CALLS, ...SOCKET_CALLS })) {
    it(`over a socket, ${name}: ${checks}`, async () => {
      await call(world);
    });
  }

  it('every method that trades over a socket has its place in the matrix', () => {
    const methods = Object.getOwnPropertyNames(WebsocketAPIClient.prototype);
    assert.deepEqual([...Object.keys(SOCKET_CALLS), ...SOCKET_LOCAL].sort(), methods.sort());
  });

  it('docs/clients.md shows this table', () => {
    const served = Object.entries(SDK_CALLS).map(([name, { checks }]) => [name, endpointOf(name)!, checks]);
    const missing = METHODS.filter((name) => reasonOf(name) !== undefined).map((name) => [
      name,
      endpointOf(name)!,
      reasonOf(name)!,
    ]);
    keepDocument('sdk', [
      documentSection('`bitget-api`: `RestClientV3`', ['method', 'endpoint', 'checked'], served),
      documentSection('`bitget-api`: `WebsocketClientV3`', ['topic', 'checked'], rowsOf(TOPIC_CALLS)),
      documentSection('`bitget-api`: `WebsocketAPIClient`', ['method', 'checked'], rowsOf(SOCKET_CALLS)),
      documentSection('`bitget-api`: answered with 404 `40404`', ['method', 'endpoint', 'why'], missing),
    ]);
  });
});
