/** Nodes of a cluster as clients see them, on a real server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { until } from '../harness/until.ts';
import {
  NO_SERVER,
  type PostgresServer,
  QUICK_BUT_TRUSTED,
  PostgresServer as Server,
} from '../postgres/server.ts';
import { clientOf, newCluster, ORDER, startNode, type TestCluster, type TestNode } from './nodes.ts';

describe('nodes of a cluster', { skip: NO_SERVER }, () => {
  let server: PostgresServer;
  let cluster: TestCluster;
  const nodes = new Map<string, TestNode>();
  const start = async (name: string, settings = {}) => {
    const node = await startNode(cluster, name, settings);
    nodes.set(name, node);
    return node;
  };
  const stop = async (name: string) => {
    await nodes.get(name)?.stop();
    nodes.delete(name);
  };
  before(async () => {
    server = await Server.start({ settings: QUICK_BUT_TRUSTED });
    cluster = await newCluster(server);
  });
  after(async () => {
    for (const name of nodes.keys()) await stop(name);
  });

  it('have one book: an order of one is seen on the other', async () => {
    const [a, b] = await Promise.all([start('a'), start('b')]);
    const placed = await clientOf(a, 'alice').post('/api/v3/trade/place-order', {
      ...ORDER,
      side: 'buy',
      price: '59000',
      clientOid: 'one',
    });
    assert.equal(placed.code, '00000', placed.text);
    const seq = placed.headers['x-bourse-seq'];
    assert.match(String(seq), /^[1-9]\d*$/);
    const bob = clientOf(b, 'bob');
    const book = await bob.send('GET', '/api/v3/market/orderbook?category=SPOT&symbol=BTCUSDT', '', {
      'x-bourse-after': String(seq),
    });
    assert.deepEqual(book.data.b, [['59000', '0.001']], book.text);
    const sold = await bob.post('/api/v3/trade/place-order', {
      ...ORDER,
      side: 'sell',
      price: '59000',
      clientOid: 'two',
    });
    assert.equal(sold.code, '00000', sold.text);
    for (const client of [clientOf(a, 'alice'), clientOf(b, 'alice')]) {
      const fills = await client.send('GET', '/api/v3/trade/fills?category=SPOT', '', {
        'x-bourse-after': String(sold.headers['x-bourse-seq']),
      });
      assert.equal(fills.data.list.length, 1, fills.text);
    }
    assert.equal(a.failures.length + b.failures.length, 0);
    await until('both have applied the same', () => a.sequencer.appliedSeq === b.sequencer.appliedSeq);
    assert.equal(stateHash(a.sequencer.state), stateHash(b.sequencer.state));
  });
});
