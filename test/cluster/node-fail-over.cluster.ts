/** A whole node over the loss of the primary: log, users, history and duties find the promoted server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../harness/until.ts';
import { NO_SERVER, PostgresServer, ROLE } from '../postgres/server.ts';
import { clientOf, newCluster, ORDER, startNode } from './nodes.ts';

test('a node goes on with everything on the promoted server', { skip: NO_SERVER }, async () => {
  const primary = await PostgresServer.start({ durable: true });
  const cluster = await newCluster(primary);
  const standby = await primary.standby('second');
  await primary.run("ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (second)'");
  await primary.run('SELECT pg_reload_conf()');
  const url = `postgres://${ROLE}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${cluster.database}`;
  const node = await until('the standby is connected', () =>
    startNode({ ...cluster, url }, 'a', { clusterDurability: 'standby' }).catch((error: Error) => {
      assert.match(error.message, /no synchronous standby/);
      return false as const;
    }),
  );
  const [alice, bob] = [clientOf(node, 'alice'), clientOf(node, 'bob')];
  const trade = async (round: number): Promise<boolean> => {
    const order = { ...ORDER, price: '59000' };
    const clientOid = `${round}`;
    const sold = await alice.post('/api/v3/trade/place-order', { ...order, side: 'sell', clientOid });
    const bought = await bob.post('/api/v3/trade/place-order', { ...order, side: 'buy', clientOid });
    return sold.code === '00000' && bought.code === '00000';
  };
  const fills = async () => {
    const reply = await alice.get('/api/v3/trade/fills?category=SPOT');
    return reply.status === 200 && (reply.data.list as { readonly execId: string }[]);
  };
  let round = 1;
  await until('orders are answered', () => trade(round++));
  const before = await until('there is a past', async () => {
    const list = await fills();
    return list !== false && list.length > 0 && list;
  });
  await primary.kill();
  await standby.promote();
  // What its manager does: it is alone from here on.
  await standby.run("ALTER SYSTEM SET synchronous_standby_names = ''");
  await standby.run('SELECT pg_reload_conf()');
  await until('orders are answered again', () => trade(round++));
  await until('and once more', () => trade(round++));
  const ready = await until('it is ready', async () => {
    const reply = await alice.get('/readyz');
    return reply.status === 200 && reply;
  });
  await until('it says that there is one copy', async () =>
    /one copy/.test((await alice.get('/readyz')).text),
  );
  assert.match(ready.text, /"cluster log","ok":true/);
  const past = await until('the past is there', async () => {
    const list = await fills();
    return list !== false && list.length >= before.length + 2 && list;
  });
  const ids = new Set(past.map(({ execId }) => execId));
  assert.equal(ids.size, past.length);
  assert.ok(before.every(({ execId }) => ids.has(execId)));
  assert.deepEqual(node.failures, []);
  await node.stop();
  await standby.kill();
});
