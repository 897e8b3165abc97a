/** The laboratory of an exchange with a data directory, over its operator's listener. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../app/bourse-process.ts';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { spotOrder } from './lab.ts';

const ARGS = ['--clock', 'manual', '--clock-start', '2026-01-01T00:00:00Z', '--instruments', 'BTCUSDT'];
export const PLACE = '/api/v3/trade/place-order';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Json = any;

const running = new Set<TestServer>();

/** After each test. */
export async function killAll(): Promise<void> {
  for (const server of running) await server.kill();
  running.clear();
}

export async function start(data: string, starter: typeof startHosted = startHosted): Promise<TestServer> {
  const server = await starter({ data, args: ARGS });
  running.add(server);
  return server;
}

export async function stop(server: TestServer): Promise<void> {
  running.delete(server);
  assert.equal(await server.stop(), 0);
}

export async function kill(server: TestServer): Promise<void> {
  running.delete(server);
  await server.kill();
}

export async function ask({ data }: TestServer, method: string, path: string, body?: object): Promise<Json> {
  const { url, token } = JSON.parse(readFileSync(join(data, 'operator.json'), 'utf8'));
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const content = (await answer.json()) as Json;
  assert.equal(answer.status, 200, JSON.stringify(content));
  return content;
}

export const save = (server: TestServer, name: string) => ask(server, 'POST', '/lab/snapshots', { name });
export const revert = (server: TestServer, to: string) => ask(server, 'POST', '/lab/revert', { to });

/** The present state: that of a snapshot which is deleted again. */
export async function hashOf(server: TestServer): Promise<string> {
  const { stateHash } = await save(server, 'look');
  await ask(server, 'DELETE', '/lab/snapshots/look');
  return stateHash;
}

export const clientOf = (server: TestServer, name: string) =>
  new SignedClient(server.url, server.account(name));

export async function place(server: TestServer, side: 'buy' | 'sell', price = '60000'): Promise<string> {
  const name = side === 'buy' ? 'alice' : 'bob';
  const { code, data, msg } = await clientOf(server, name).post(PLACE, spotOrder(side, price));
  assert.equal(code, '00000', msg);
  return data.orderId;
}

export async function proven(data: string): Promise<void> {
  for (const words of [['verify'], ['audit', 'verify']]) {
    const { code, stdout, stderr } = await command([...words, '--data', data, '--json']);
    assert.equal(code, 0, stdout + stderr);
  }
}
