/** Connections without a key must not use up what the process may open. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCommand } from '../harness/child-programs.ts';
import { programModule } from '../harness/program.ts';
import type { DemoKeys } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';

const MAIN = programModule('src/main.ts');
const SPOT = { category: 'SPOT', symbol: 'BTCUSDT' };
const NO_LIMIT = process.platform === 'win32' ? 'Windows has no such limit' : false;
const LIMIT = 256;
const CONNECTIONS = 400;

test('400 connections on a process that may open 256 files: it goes on and takes orders', {
  skip: NO_LIMIT,
}, async () => {
  const data = join(temporaryDirectory(), 'data');
  const flags = ['--data', data, '--port', '0', '--operator-port', '0', '--market', 'off'];
  const node = [process.execPath, MAIN, ...flags, '--rate-limits', 'off', '--segment-bytes', '262144'];
  const limited = ['-c', `ulimit -n ${LIMIT} && exec "$@"`, 'bash', ...node, '--snapshot-commands', '200'];
  const server = startCommand('bash', limited, {});
  const sockets: Socket[] = [];
  let client: SignedClient | undefined;
  try {
    const url = await until('the server', () => /^Listening on (\S+)$/m.exec(server.stdout)?.[1]);
    assert.match(server.stderr, /may open 256 files and sockets: it takes \d+ connections instead of 10000/);
    const [keys] = JSON.parse(readFileSync(join(data, 'demo-accounts.json'), 'utf8')) as [DemoKeys];
    client = new SignedClient(url, keys);
    assert.equal((await place(client)).code, '00000');
    const { port } = new URL(url);
    // More than one address: each has a share of its own.
    for (let n = 0; n < CONNECTIONS; n++) {
      const localAddress = process.platform === 'linux' ? `127.0.0.${2 + (n % 4)}` : '127.0.0.1';
      const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress });
      socket.on('error', () => {});
      sockets.push(socket);
    }
    await Promise.all(
      sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])),
    );
    await until('connections that are turned away', () => /new ones are closed/.test(server.stderr));
    // A connection that exists goes on; the log changes segments and snapshots are made meanwhile.
    for (let n = 0; n < 300; n++) {
      assert.equal((await place(client)).code, '00000');
      assert.equal((await client.post('/api/v3/trade/cancel-symbol-order', SPOT)).code, '00000');
    }
    const memory = await client.get('/metrics');
    assert.equal(memory.status, 200);
    for (const socket of sockets) socket.destroy();
    await until('new connections', async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.ok);
    assert.equal(server.process.exitCode, null);
    assert.doesNotMatch(server.stderr, /defect|"level":"fatal"/);
    server.process.kill('SIGTERM');
    assert.equal((await server.ended).code, 0, server.stderr);
  } finally {
    for (const socket of sockets) socket.destroy();
    client?.close();
    server.process.kill('SIGKILL');
  }
});

test('a log that can open no more files goes on from segment to segment', { skip: NO_LIMIT }, async () => {
  const directory = join(temporaryDirectory(), 'log');
  const command = [process.execPath, join(import.meta.dirname, 'exhausted-log.ts'), directory];
  const limited = ['-c', 'ulimit -n 64 && exec "$@"', 'bash', ...command];
  const { code, output } = await startCommand('bash', limited, {}).ended;
  assert.equal(code, 0, output);
  const { taken, durable } = JSON.parse(output) as { taken: number; durable: number };
  assert.ok(taken > 0 && durable >= 1500, output);
  const segments = readdirSync(directory).filter((name) => name.startsWith('segment-'));
  assert.ok(segments.length > 5, segments.join(' '));
});

function place(client: SignedClient) {
  const order = { ...SPOT, side: 'buy', orderType: 'limit', price: '59000', qty: '0.001' };
  return client.post('/api/v3/trade/place-order', order);
}
