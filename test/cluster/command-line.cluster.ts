/** `bourse cluster ...` as operators type it: what it makes, what it refuses and in which words. */
import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { command } from '../app/bourse-process.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { NO_SERVER, PostgresServer, sharedServer } from '../postgres/server.ts';
import { nodeRow } from './node-row.ts';

const SINGLE = ['--cluster-durability', 'single'];

describe('bourse cluster', { skip: NO_SERVER }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start({ durable: true });
  });
  after(() => server.kill());

  it('refuses an address that is none, and one where no server is, without showing a password', async () => {
    const keys = join(temporaryDirectory(), 'keys');
    const refused = async (address: string, code: number, words: RegExp) => {
      const ended = await command(['cluster', 'init', address, '--keys', keys]);
      assert.equal(ended.code, code, ended.output);
      assert.match(ended.stderr, words);
      assert.doesNotMatch(ended.output, /s3cret/);
    };
    await refused(
      'postgres:/u:s3cret@h',
      2,
      /the address of the cluster must have the form postgres:\/\/user@host/,
    );
    await refused('postgres://u:s3cret@h:70000/x', 2, /a port from 1 to 65535/);
    await refused('postgres://u:s3cret@127.0.0.1:1/x', 3, /127\.0\.0\.1:1: no server listens there/);
    await refused(server.url('nowhere'), 3, /there is no database nowhere: make it with createdb nowhere/);
    const missing = await command(['cluster', 'init', server.url('x')]);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /--keys <dir>/);
  });

  it('refuses a server that cannot keep the promise, with every reason, and makes nothing', async () => {
    const quick = await sharedServer();
    const keys = join(temporaryDirectory(), 'keys');
    const database = await quick.createDatabase();
    const { code, stderr } = await command(['cluster', 'init', quick.url(database), '--keys', keys]);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /fsync is off: set fsync = on/);
    assert.match(stderr, /full_page_writes is off/);
    assert.match(stderr, /synchronous_standby_names is empty: name a standby, or say --cluster-durability/);
    assert.throws(() => readdirSync(keys), /ENOENT/);
    const status = await command(['cluster', 'status', quick.url(database)]);
    assert.equal(status.code, 3);
    assert.match(status.stderr, /the database has no cluster yet: make one with "bourse cluster init"/);
    await quick.dropDatabase(database);
  });

  it('makes keys that only their owner reads, and tables, once', async () => {
    const keys = join(temporaryDirectory(), 'keys');
    const url = server.url(await server.createDatabase());
    const args = ['cluster', 'init', url, '--keys', keys, ...SINGLE];
    const made = await command(args);
    assert.equal(made.code, 0, made.output);
    assert.match(made.stdout, /new: identity\.key, address\.key, operator\.token/);
    assert.match(made.stdout, /ONE COPY: the loss of the server loses everything/);
    assert.match(made.stdout, /--cluster postgres:\/\/bourse@127\.0\.0\.1:\d+\/\w+ --node a --keys /);
    for (const name of readdirSync(keys)) assert.equal(statSync(join(keys, name)).mode & 0o077, 0, name);
    const again = await command(args);
    assert.equal(again.code, 3);
    assert.match(again.stderr, /the database has a cluster already: nodes join it with --cluster/);
  });

  it('takes the keys that are there, and refuses damaged ones before it makes tables', async () => {
    const keys = join(temporaryDirectory(), 'keys');
    const first = server.url(await server.createDatabase());
    const init = (url: string) => command(['cluster', 'init', url, '--keys', keys, '--json', ...SINGLE]);
    const { keysFingerprint } = JSON.parse((await init(first)).stdout);
    const second = JSON.parse((await init(server.url(await server.createDatabase()))).stdout);
    assert.deepEqual([second.keysMade, second.keysFingerprint], [[], keysFingerprint]);
    writeFileSync(join(keys, 'address.key'), 'nothing\n');
    const database = await server.createDatabase();
    const damaged = await init(server.url(database));
    assert.equal(damaged.code, 4, damaged.output);
    assert.match(damaged.stderr, /address\.key is damaged/);
    const [{ made }] = (await server.run(
      "SELECT to_regnamespace('bourse_cluster') IS NOT NULL AS made",
      database,
    )) as [{ made: boolean }];
    assert.equal(made, false);
  });

  it('shows engine, log, nodes, duties and snapshots, and what is wrong with them', async () => {
    const database = await server.createDatabase();
    const url = server.url(database);
    const keys = join(temporaryDirectory(), 'keys');
    assert.equal((await command(['cluster', 'init', url, '--keys', keys, ...SINGLE])).code, 0);
    const status = async () => {
      const { code, stdout, stderr } = await command(['cluster', 'status', url, '--json']);
      assert.equal(stderr, '');
      return { code, ...JSON.parse(stdout) };
    };
    const fresh = await status();
    assert.deepEqual([fresh.code, fresh.log.packs, fresh.nodes, fresh.copies], [0, 0, [], 'one copy']);
    assert.match(fresh.warnings[0], /^one copy: no synchronous standby is connected/);
    assert.equal(fresh.servers[0].state, 'primary');
    assert.match((await command(['cluster', 'status', url])).stdout, /no node has joined yet/);

    const node = (name: string, hash: string, ago: number) =>
      server.run(
        nodeRow({ name, applied: 3, applied_seq: 9, hash_no: 2, hash: `\\x${hash}` }, ago),
        database,
      );
    await server.run(
      "SELECT * FROM bourse_cluster.append(1,1,0,0,0,9e15::bigint,0,0,NULL,NULL,4,'x')",
      database,
    );
    await node('a', '0a', 0);
    await node('b', '0a', 90);
    await server.run(
      "INSERT INTO bourse_cluster.duty VALUES ('market', 'a', 7, clock_timestamp())",
      database,
    );
    const two = await status();
    assert.equal(two.code, 0);
    assert.deepEqual(
      two.nodes.map((each: Record<string, unknown>) => [each.name, each.live, each.behindPacks]),
      [
        ['a', true, 0],
        ['b', false, 0],
      ],
    );
    assert.deepEqual([two.log.packs, two.log.commands, two.duties[0].epoch], [1, 4, 7]);
    const said = two.warnings.join('\n');
    assert.match(said, /node b has not been seen for 9\d s/);
    assert.match(said, /node a has applied pack 3, the log ends at 1: the database has lost packs/);
    assert.equal(two.diverged, false);

    await node('c', '0c', 0);
    const three = await status();
    assert.equal(three.code, 4);
    assert.match(three.warnings[0], /the nodes have different states after pack 2/);
  });
});
