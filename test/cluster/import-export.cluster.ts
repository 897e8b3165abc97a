/** An exchange moves from one machine into a cluster and back: the same state, history, users, keys and audit log. */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { command } from '../app/bourse-process.ts';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import type { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { NO_SERVER, PostgresServer, QUICK_BUT_TRUSTED } from '../postgres/server.ts';
import { clientOf, startNode } from './nodes.ts';

const ONE_PAIR = ['--instruments', 'SPOT:BTCUSDT', '--rate-limits', 'off'];
const SINGLE = ['--cluster-durability', 'single'];
const HASH = /^[0-9a-f]{64}$/;

describe('bourse cluster import and export', { skip: NO_SERVER }, () => {
  const home = temporaryDirectory();
  const data = join(home, 'data');
  const keys = join(home, 'keys');
  let server: PostgresServer;
  let database: string;
  let url: string;
  let hash: string;
  let lastSeq: number;
  let seen: unknown;

  before(async () => {
    server = await PostgresServer.start({ settings: QUICK_BUT_TRUSTED });
    database = await server.createDatabase();
    url = server.url(database);
    const exchange = await startHosted({ data, args: ONE_PAIR });
    for (let round = 0; round < 10; round++) await trade(exchange.url, round);
    const opened = await command(['account', 'create', 'carol', '--data', data]);
    assert.equal(opened.code, 0, opened.output);
    seen = await pastOf(exchange);
    assert.equal(await exchange.stop(), 0);
    ({ hash, lastSeq } = await verified(data));
  });
  after(() => server.kill());

  const json = async (args: readonly string[]) => {
    const ended = await command(['cluster', ...args, '--json']);
    return { ...ended, said: ended.stdout === '' ? undefined : JSON.parse(ended.stdout) };
  };
  const importing = (...more: string[]) =>
    json(['import', url, '--data', data, '--keys', keys, ...SINGLE, ...more]);
  const exporting = (copy: string) => json(['export', url, '--data', copy, '--keys', keys]);

  it('refuses what cannot be moved, and leaves the database empty', async () => {
    const refused = async (args: readonly string[], code: number, words: RegExp) => {
      const ended = await json(['import', url, ...args, ...SINGLE]);
      assert.equal(ended.code, code, ended.output);
      assert.match(ended.stderr, words);
    };
    await refused(['--data', join(home, 'nowhere'), '--keys', keys], 2, /holds no exchange/);
    const other = join(home, 'other-keys');
    mkdirSync(other, { mode: 0o700 });
    writeFileSync(join(other, 'identity.key'), 'kek-1 AAAA\n', { mode: 0o600 });
    await refused(
      ['--data', data, '--keys', other],
      2,
      /holds another identity\.key than .*: name a folder that does not exist/,
    );
    const running = await startHosted({ data, args: ONE_PAIR });
    await refused(['--data', data, '--keys', keys], 3, /is in use by process \d+\. Stop it first/);
    await running.kill();
    await refused(
      ['--data', data, '--keys', keys],
      3,
      /did not end in order\. Start it once, stop it with Ctrl-C/,
    );
    const again = await startHosted({ data, args: ONE_PAIR });
    assert.equal(await again.stop(), 0);
    ({ hash, lastSeq } = await verified(data));
    const [{ there }] = (await server.run(
      "SELECT to_regnamespace('bourse_cluster') IS NOT NULL AS there",
      database,
    )) as [{ there: boolean }];
    assert.equal(there, false);
  });

  it('moves everything in, with the same hash before and after, into a database without nodes alone', async () => {
    const { code, output, said } = await importing();
    assert.equal(code, 0, output);
    assert.match(said.hashBefore, HASH);
    assert.deepEqual([said.hashBefore, said.hashAfter, said.lastSeq], [hash, hash, lastSeq]);
    assert.ok(said.auditLines > 0);
    assert.equal(
      readFileSync(join(keys, 'identity.key'), 'utf8'),
      readFileSync(join(data, 'identity.key'), 'utf8'),
    );
    const status = await json(['status', url]);
    assert.deepEqual([status.said.log.packs, status.said.log.commands], [0, lastSeq]);
    const twice = await importing();
    assert.equal(twice.code, 3);
    assert.match(twice.stderr, /a cluster that is in use: import into a database of its own/);
  });

  it('moves out again what it has moved in', async () => {
    const copy = join(home, 'copy');
    const { code, output, said } = await exporting(copy);
    assert.equal(code, 0, output);
    assert.deepEqual([said.stateHash, said.lastSeq], [hash, lastSeq]);
    assert.deepEqual(await verified(copy), { hash, lastSeq });
    for (const name of readdirSync(copy)) assert.ok(!name.endsWith('.incomplete'), name);
    assert.equal(existsSync(`${copy}.incomplete`), false);
    const audit = (directory: string) => readFileSync(join(directory, 'audit.log'), 'utf8');
    assert.equal(audit(copy), audit(data));
    const twice = await exporting(copy);
    assert.equal(twice.code, 2);
    assert.match(twice.stderr, /is not empty .*: an export never overwrites anything/);
    const strange = join(home, 'strange-keys');
    cpSync(keys, strange, { recursive: true });
    writeFileSync(join(strange, 'operator.token'), `${'x'.repeat(43)}\n`);
    chmodSync(join(strange, 'operator.token'), 0o600);
    const foreign = await json(['export', url, '--data', join(home, 'no'), '--keys', strange]);
    assert.equal(foreign.code, 2);
    assert.match(foreign.stderr, /holds other keys than those of the cluster/);
  });

  it('goes on in a node with the same numbers, and moves out while the node runs', async () => {
    const node = await startNode({ url, keys, database }, 'a');
    try {
      assert.ok(node.sequencer.appliedSeq > lastSeq);
      await trade(node.url, 100);
      const past = await pastOf(node);
      const operator = ['--operator', node.operatorUrl!, '--token-file', join(keys, 'operator.token')];
      const frozen = await command(['account', 'freeze', 'carol', ...operator]);
      assert.equal(frozen.code, 0, frozen.output);
      const copy = join(home, 'running');
      const { code, output, said } = await exporting(copy);
      assert.equal(code, 0, output);
      assert.ok(said.lastSeq > lastSeq);
      assert.deepEqual(await verified(copy), { hash: said.stateHash, lastSeq: said.lastSeq });
      assert.match(readFileSync(join(copy, 'audit.log'), 'utf8'), /account\.create[\s\S]*account\.freeze/);
      const alone = await startHosted({ data: copy, args: ONE_PAIR });
      assert.deepEqual(await pastOf(alone), past);
      const shown = await command(['account', 'show', 'carol', '--data', copy]);
      assert.match(shown.stdout, /frozen/, shown.output);
      await trade(alone.url, 200);
      assert.equal(await alone.stop(), 0);
      await verified(copy);
      assert.notDeepEqual(past, seen);
    } finally {
      await node.stop();
    }
    const stopped = join(home, 'stopped');
    const { said } = await exporting(stopped);
    assert.deepEqual(await verified(stopped), { hash: said.stateHash, lastSeq: said.lastSeq });
  });
});

async function verified(data: string): Promise<{ hash: string; lastSeq: number }> {
  const { code, stdout, output } = await command(['verify', '--data', data, '--json']);
  assert.equal(code, 0, output);
  const { stateHash, lastSeq } = JSON.parse(stdout);
  return { hash: stateHash, lastSeq };
}

/** Alice and Bob trade with each other. */
async function trade(url: string, round: number): Promise<void> {
  for (const [name, side] of [
    ['alice', 'sell'],
    ['bob', 'buy'],
  ] as const) {
    const client = clientOf({ url }, name);
    const order = {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      orderType: 'limit',
      timeInForce: 'gtc',
      qty: '0.001',
    };
    const price = String(59_000 + (round % 50));
    const { code, text } = await client.post('/api/v3/trade/place-order', {
      ...order,
      side,
      price,
      clientOid: `${side}-${round}`,
    });
    assert.equal(code, '00000', text);
    client.close();
  }
}

/** What Bob can read of the past, and what he has. */
async function pastOf({ url }: Pick<TestServer, 'url'>): Promise<unknown> {
  const client: SignedClient = clientOf({ url }, 'bob');
  const read = async (path: string) => {
    const { code, data, text } = await client.get(path, { category: 'SPOT', limit: '100' });
    assert.equal(code, '00000', text);
    return data;
  };
  const past = [await read('/api/v3/trade/fills'), await read('/api/v3/account/financial-records')];
  client.close();
  return past;
}
