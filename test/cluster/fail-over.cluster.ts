/** Two real servers, the second a synchronous standby: the first is killed, the second promoted, the nodes go on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { durabilityRefusals } from '../../src/cluster/postgres/durability-checks.ts';
import { installCluster } from '../../src/cluster/postgres/install.ts';
import { Side } from '../../src/core/model/enums.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { NO_SERVER, PostgresServer, ROLE } from '../postgres/server.ts';
import { account, coin, deposit, order, spotPair } from '../property/venue.ts';
import { PostgresNode, replayOf } from './postgres-node.ts';

test('a node goes on over the loss of the primary: nothing acknowledged is lost, nothing stands twice', {
  skip: NO_SERVER,
}, async (context) => {
  const primary = await PostgresServer.start({ durable: true });
  const database = await primary.createDatabase();
  const client = new pg.Client({ connectionString: primary.url(database) });
  await client.connect();
  await installCluster(client, Buffer.alloc(32));
  await client.end();
  const standby = await primary.standby('second');
  await primary.run("ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (second)'");
  await primary.run('SELECT pg_reload_conf()');
  const asked = new pg.Client({ connectionString: primary.url(database) });
  await asked.connect();
  for (let n = 0; (await durabilityRefusals(asked, 'standby')).length > 0 && n < 200; n++) await sleep(50);
  assert.deepEqual(await durabilityRefusals(asked, 'standby'), []);
  await asked.end();

  const hosts = [primary, standby].map(({ port }) => ({ host: '127.0.0.1', port }));
  const address = { hosts, user: ROLE, password: undefined, database };
  const nodes = [await PostgresNode.join(address), await PostgresNode.join(address)];
  const funds = [1, 2].flatMap((uid) => [
    account(uid),
    deposit(uid, 0, 10n ** 15n),
    deposit(uid, 1, 10n ** 15n),
  ]);
  const opening = [coin('AAA'), coin('BBB'), spotPair('AAA', 'BBB'), ...funds];
  await Promise.all(opening.map((command) => nodes[0]!.sequencer.submit(command)));

  const acknowledged = new Map<string, number>();
  const refused: string[] = [];
  let isOver = false;
  const trade = async (n: number) => {
    for (let k = 0; !isOver; k++) {
      const clientOid = `n${n}-${k}`;
      const side = k % 2 === n ? Side.buy : Side.sell;
      const placed = order({ uid: 1 + n, side, priceTicks: 98 + (k % 5), sizeLots: 1 + (k % 7), clientOid });
      await nodes[n]!.sequencer.submit(placed).then(
        ({ orderId }) => acknowledged.set(clientOid, orderId),
        () => refused.push(clientOid),
      );
      await sleep(1);
    }
  };
  const trading = Promise.all([trade(0), trade(1)]);
  await sleep(400);
  const before = acknowledged.size;
  assert.ok(before > 0);
  await primary.kill();
  const killedMs = performance.now();
  await standby.promote();
  // What its manager does: it is alone from here on.
  await standby.run("ALTER SYSTEM SET synchronous_standby_names = ''");
  await standby.run('SELECT pg_reload_conf()');
  for (let n = 0; acknowledged.size < before + 20 && n < 1_000; n++) await sleep(20);
  context.diagnostic(`answers again ${Math.round(performance.now() - killedMs)} ms after the kill`);
  assert.ok(acknowledged.size >= before + 20, 'orders are answered again');
  isOver = true;
  await trading;
  await Promise.all(nodes.map(({ sequencer }) => sequencer.submit({ type: 'tick' })));

  const { exchange, orders, last } = await replayOf({ ...address, hosts: [hosts[1]!] });
  for (const [clientOid, orderId] of acknowledged) assert.equal(orders.get(clientOid), orderId, clientOid);
  for (const clientOid of refused) assert.ok(!orders.has(clientOid), `${clientOid} was refused`);
  for (const { log } of nodes) while (log.position.no < last) await sleep(10);
  for (const node of nodes) {
    assert.equal(stateHash(node.exchange.state), stateHash(exchange.state));
    await node.log.close();
  }
  await standby.kill();
});
