/** Snapshots of a cluster, and nodes that have come to another state than the others. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { until } from '../harness/until.ts';
import { NO_SERVER, PostgresServer, QUICK_BUT_TRUSTED } from '../postgres/server.ts';
import { clientOf, newCluster, ORDER, startNode, type TestCluster, type TestNode } from './nodes.ts';

describe('the states of nodes', { skip: NO_SERVER }, () => {
  let server: PostgresServer;
  let cluster: TestCluster;
  const nodes = new Map<string, TestNode>();
  const start = async (name: string) => {
    const node = await startNode(cluster, name);
    nodes.set(name, node);
    return node;
  };
  const count = async (what: string) => {
    const [row] = await server.run(`SELECT ${what} AS n FROM bourse_cluster.pack`, cluster.database);
    return Number(row?.n);
  };
  /** At the operator's listener of a node. */
  const snapshot = async ({ operatorUrl }: TestNode) => {
    const token = readFileSync(join(cluster.keys, 'operator.token'), 'utf8').trim();
    const response = await fetch(`${operatorUrl}/admin/snapshots`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    return { status: response.status, text: await response.text() };
  };
  before(async () => {
    server = await PostgresServer.start({ settings: QUICK_BUT_TRUSTED });
    cluster = await newCluster(server);
  });
  after(async () => {
    for (const node of nodes.values()) await node.stop();
  });

  it('are saved by one node at a time; two snapshots stay, and the packs after the older', async () => {
    const a = await start('a');
    const first = await until('it has the duty', async () => {
      const made = await snapshot(a);
      return made.status === 200 && made;
    });
    assert.match(first.text, /"seq":\d+/);
    assert.equal(await count('min(no)'), 1);
    const b = await start('b');
    const refused = await snapshot(b);
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.text, /node a has the duty snapshots: ask its operator's listener at http/);
    for (let n = 0; n < 2; n++) {
      const placed = await clientOf(b, 'alice').post('/api/v3/trade/place-order', {
        ...ORDER,
        side: 'buy',
        price: '57100',
        clientOid: `kept-${n}`,
      });
      assert.equal(placed.code, '00000', placed.text);
      const made = await snapshot(a);
      assert.equal(made.status, 200, made.text);
    }
    const kept = await server.run(
      'SELECT no FROM bourse_cluster.snapshot WHERE whole ORDER BY no',
      cluster.database,
    );
    assert.equal(kept.length, 2);
    assert.equal(await count('min(no)'), Number(kept[0]?.no));
    const c = await start('c');
    await until('they have applied the same', () => a.sequencer.appliedSeq === c.sequencer.appliedSeq);
    assert.equal(stateHash(a.sequencer.state), stateHash(c.sequencer.state));
    assert.equal(a.sequencer.state.digest.value, c.sequencer.state.digest.value);
  });

  it('are compared: a node that differs from the others stops, and the others go on', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => nodes.get(name)!) as [TestNode, TestNode, TestNode];
    b.sequencer.state.digest.fold(4711);
    await until('it stops', () => b.sequencer.failure);
    assert.match(b.sequencer.failure!.message, /another state than most of the cluster \(a, c\): it stops/);
    assert.equal(b.failures.length, 1);
    await b.stop();
    nodes.delete('b');
    for (const node of [a, c]) {
      assert.equal(node.sequencer.failure, undefined);
      const ready = await until('it is ready', async () => {
        const reply = await clientOf(node, 'alice').get('/readyz');
        return reply.status === 200 && reply;
      });
      assert.match(ready.text, /"cluster states","ok":true/);
    }
  });

  it('without a majority take only cancellations', async () => {
    const [a, c] = [nodes.get('a')!, nodes.get('c')!];
    c.sequencer.state.digest.fold(4711);
    for (const node of [a, c]) {
      const alice = clientOf(node, 'alice');
      const ready = await until('it is not ready', async () => {
        const reply = await alice.get('/readyz');
        return reply.status === 503 && /"cluster states","ok":false/.test(reply.text) && reply;
      });
      assert.match(ready.text, /no majority says which is right/);
      const order = { ...ORDER, side: 'buy', price: '57100', clientOid: 'refused' };
      const refused = await alice.post('/api/v3/trade/place-order', order);
      assert.match(refused.msg, /only cancellations are taken/);
    }
    const cancelled = await clientOf(a, 'alice').post('/api/v3/trade/cancel-order', {
      clientOid: 'kept-0',
      category: 'SPOT',
      symbol: 'BTCUSDT',
    });
    assert.equal(cancelled.code, '00000', cancelled.text);
  });
});
