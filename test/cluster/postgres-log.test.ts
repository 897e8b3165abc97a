/** The log of several nodes on a real PostgreSQL server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type DatabaseAddress, readAddress } from '../../src/cluster/postgres/address.ts';
import { durabilityRefusals } from '../../src/cluster/postgres/durability-checks.ts';
import { ClusterRefused, installCluster } from '../../src/cluster/postgres/install.ts';
import { Side } from '../../src/core/model/enums.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { NO_SERVER, type PostgresServer, sharedServer } from '../postgres/server.ts';
import { account, coin, deposit, order, spotPair } from '../property/venue.ts';
import { PostgresNode, replayOf } from './postgres-node.ts';

const addressOf = (url: string) => readAddress(url) as DatabaseAddress;

describe('the log of several nodes', { skip: NO_SERVER }, () => {
  let server: PostgresServer;
  let url: string;
  let client: pg.Client;
  before(async () => {
    server = await sharedServer();
    url = server.url(await server.createDatabase());
    client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    await installCluster(client, Buffer.alloc(32));
  });
  after(() => client.end().catch(() => {}));

  it('has one order, whatever node a command comes from, also over the death of a node and of the server', async () => {
    const address = addressOf(url);
    const nodes = [
      await PostgresNode.join(address),
      await PostgresNode.join(address),
      await PostgresNode.join(address),
    ];
    const funds = [1, 2, 3].flatMap((uid) => [
      account(uid),
      deposit(uid, 0, 10n ** 15n),
      deposit(uid, 1, 10n ** 15n),
    ]);
    await Promise.all(
      [coin('AAA'), coin('BBB'), spotPair('AAA', 'BBB'), ...funds].map((each) =>
        nodes[0]!.sequencer.submit(each),
      ),
    );

    const acknowledged = new Map<string, number>();
    let sent = 0;
    const trade = async (n: number, count: number) => {
      for (let k = 0; k < count; k++) {
        const clientOid = `o${sent++}`;
        const side = (sent + n) % 2 === 0 ? Side.buy : Side.sell;
        const placed = order({
          uid: 1 + n,
          side,
          priceTicks: 98 + (sent % 5),
          sizeLots: 1 + (sent % 7),
          clientOid,
        });
        try {
          const { orderId } = await nodes[n]!.sequencer.submit(placed);
          acknowledged.set(clientOid, orderId);
        } catch {
          // In doubt, or not executed: the log tells.
        }
      }
    };
    await Promise.all([trade(0, 40), trade(1, 40), trade(2, 40)]);
    assert.equal(acknowledged.size, 120);
    const trading = Promise.all([trade(0, 60), trade(1, 60), trade(2, 60)]);
    await sleep(30);
    await nodes[2]!.log.close();
    nodes[2]!.sequencer.fail(new Error('killed'));
    await server.kill();
    await server.resume();
    await trading;
    nodes[2] = await PostgresNode.join(address);
    await trade(2, 20);
    await Promise.all(nodes.map(({ sequencer }) => sequencer.submit({ type: 'tick' })));

    const { exchange: replayed, orders: found, last } = await replayOf(address);
    for (const [clientOid, orderId] of acknowledged) assert.equal(found.get(clientOid), orderId, clientOid);
    for (let n = 0; nodes.some(({ log }) => log.position.no < last) && n < 300; n++) await sleep(20);
    for (const { exchange, log } of nodes) {
      assert.equal(log.position.no, last);
      assert.equal(stateHash(exchange.state), stateHash(replayed.state));
    }
    for (const { log } of nodes) await log.close();
  });

  it('halts a node whose packs the database has lost', async () => {
    const address = addressOf(url);
    const node = await PostgresNode.join(address);
    await node.sequencer.submit({ type: 'tick' });
    const halted = new Promise<Error>((resolve) => node.sequencer.onFailed(resolve));
    const again = new pg.Client({ connectionString: url });
    await again.connect();
    await again.query('DELETE FROM bourse_cluster.pack WHERE no = (SELECT max(no) FROM bourse_cluster.pack)');
    await again.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = $1',
      ['bourse'],
    );
    await again.end();
    assert.match((await halted).message, /has lost or changed pack \d+, which it had confirmed/);
    await node.log.close();
  });

  it('refuses a second cluster in a database, and servers that promise too little', async () => {
    const again = new pg.Client({ connectionString: url });
    await again.connect();
    await assert.rejects(installCluster(again, Buffer.alloc(32)), ClusterRefused);
    await again.query('SET statement_timeout = 1000');
    const refusals = await durabilityRefusals(again, 'standby');
    for (const reason of [
      /^fsync is off: set fsync = on/,
      /^full_page_writes is off/,
      /^synchronous_standby_names is empty/,
      /^no synchronous standby/,
      /^statement_timeout is 1000 ms/,
    ])
      assert.ok(
        refusals.some((each) => reason.test(each)),
        String(reason),
      );
    assert.equal(refusals.length, 5, refusals.join('\n'));
    await again.end();
  });

  it('reads addresses of several servers', () => {
    assert.deepEqual(readAddress('postgres://me:p%40ss@db1,db2:5433,[::1]:5434/bourse'), {
      hosts: [
        { host: 'db1', port: 5432 },
        { host: 'db2', port: 5433 },
        { host: '::1', port: 5434 },
      ],
      user: 'me',
      password: 'p@ss',
      database: 'bourse',
    });
    for (const wrong of [
      'mysql://a/b',
      'postgres://db1',
      'postgres://me:geheim@db1:99999/x',
      'postgres://db1:x/y',
    ])
      assert.doesNotMatch((readAddress(wrong) as { wrong: string }).wrong, /geheim|undefined/);
  });
});
