/**
 * Writes a data directory with the present program: `node test/app/data-formats/record.ts format-2`. To be run once when
 * a format changes, with the program before the change: `data-format.test.ts` then opens the directory for ever after.
 * Agents trade for some seconds of a manual clock, a user places orders of every kind, a stop writes a snapshot, a second
 * run adds commands behind it and is killed. Each file is compressed; the operator's token stays out.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Verification } from '../../../src/app/verify/verification.ts';
import { SignedClient } from '../../harness/signed-client.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';
import { bourse, Server } from '../bourse-process.ts';

const CLOCK = ['--clock', 'manual', '--clock-start', '2026-06-25T07:59:30Z'];
const ALICE = {
  name: 'demo-alice',
  uid: 0,
  apiKey: 'demo-alice',
  secretKey: 'demo-alice-secret',
  passphrase: 'demo',
};
const LEFT_OUT = /token|lock|reserve-|operator.json/;

const name = process.argv[2];
if (name === undefined) throw new Error('which name?');
const data = join(temporaryDirectory(), 'data');
const first = await start('quiet');
await advance('10s');
const alice = new SignedClient(first.url, ALICE);
const spot = { category: 'SPOT', symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc' };
const futures = { category: 'USDT-FUTURES', symbol: 'ETHUSDT', orderType: 'market', marginMode: 'crossed' };
await post(alice, '/api/v3/trade/place-order', {
  ...spot,
  side: 'buy',
  price: '40000',
  qty: '0.01',
  clientOid: 'low',
});
await post(alice, '/api/v3/trade/place-order', { ...spot, orderType: 'market', side: 'buy', qty: '200' });
await post(alice, '/api/v3/trade/place-order', { ...futures, side: 'buy', qty: '0.5' });
await post(alice, '/api/v3/trade/place-strategy-order', {
  category: 'USDT-FUTURES',
  symbol: 'ETHUSDT',
  type: 'tpsl',
  tpslMode: 'full',
  stopLoss: '100',
});
await post(alice, '/api/v3/account/transfer', {
  fromType: 'uta',
  toType: 'spot',
  amount: '12.5',
  coin: 'USDT',
  clientOid: 'aside',
});
await advance('40s');
await first.end('SIGTERM');
const second = await start('off');
const again = new SignedClient(second.url, ALICE);
await post(again, '/api/v3/trade/place-order', {
  ...spot,
  side: 'buy',
  price: '41000',
  qty: '0.02',
  clientOid: 'next',
});
await advance('5s');
await second.end('SIGKILL');

const { code, stdout, stderr } = await bourse(['verify', '--data', data, '--json']);
assert.equal(code, 0, `${stdout}${stderr}`);
const { stateHash, lastSeq, openOrders, snapshots }: Verification = JSON.parse(stdout);
const target = join(import.meta.dirname, name);
rmSync(target, { recursive: true, force: true });
for (const file of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
  if (!statSync(join(data, file)).isFile() || LEFT_OUT.test(file)) continue;
  mkdirSync(dirname(join(target, file)), { recursive: true });
  writeFileSync(join(target, `${file}.gz`), gzipSync(readFileSync(join(data, file)), { level: 9 }));
}
const expected = { lastSeq, openOrders, snapshots, stateHash };
writeFileSync(`${target}.json`, `${JSON.stringify(expected, null, 2)}\n`);
console.log(expected);

function start(market: string): Promise<Server> {
  const small = ['--segment-bytes', '1048576', '--operator-port', '0', '--backfill', '0'];
  return Server.start(['--data', data, '--market', market, ...CLOCK, ...small]);
}

async function advance(duration: string): Promise<void> {
  const { code, stdout, stderr } = await bourse(['clock', 'advance', duration, '--data', data]);
  assert.equal(code, 0, `${stdout}${stderr}`);
}

async function post(client: SignedClient, path: string, body: object): Promise<void> {
  const reply = await client.post(path, body);
  assert.equal(reply.code, '00000', `${path}: ${reply.text}`);
}
