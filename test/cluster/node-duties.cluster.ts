/** What one node at a time does, over the death of the node that does it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../harness/until.ts';
import { NO_SERVER, PostgresServer, QUICK_BUT_TRUSTED } from '../postgres/server.ts';
import { clientOf, type NodeProcess, newCluster, ORDER, spawnNode, type TestCluster } from './nodes.ts';

const BOOK = '/api/v3/market/orderbook?category=SPOT&symbol=BTCUSDT&limit=50';
const FILLS = '/api/v3/trade/fills?category=SPOT';

describe('the duties of a node that was killed', { skip: NO_SERVER }, () => {
  let server: PostgresServer;
  let cluster: TestCluster;
  const nodes = new Map<string, NodeProcess>();
  const holders = async () => {
    const rows = await server.run('SELECT name, node FROM bourse_cluster.duty', cluster.database);
    return Object.fromEntries(rows.map(({ name, node }) => [name, node])) as Record<string, string>;
  };
  const start = async (name: string) => {
    nodes.set(name, await spawnNode(cluster, name, ['--market', 'quiet']));
  };
  before(async () => {
    server = await PostgresServer.start({ settings: QUICK_BUT_TRUSTED });
    cluster = await newCluster(server);
    await start('a');
    await until('the first node has every duty', async () => {
      const { market, history, snapshots } = await holders();
      return market === 'a' && history === 'a' && snapshots === 'a';
    });
    await start('b');
  });
  after(async () => {
    for (const node of nodes.values()) await node.kill();
  });

  it('move to another, and nothing that was acknowledged is lost or doubled', async () => {
    const [a, b] = [nodes.get('a')!, nodes.get('b')!];
    await until('there is a market', async () => (await clientOf(b, 'bob').get(BOOK)).data.b.length > 3);
    const alice = clientOf(a, 'alice');
    const filled = new Set<string>();
    for (let n = 0; n < 10; n++) {
      const order = { ...ORDER, orderType: 'market', side: 'sell', clientOid: `sold-${n}` };
      const { timeInForce: _, ...taken } = order;
      const placed = await alice.post('/api/v3/trade/place-order', taken);
      assert.equal(placed.code, '00000', placed.text);
      filled.add(placed.data.orderId);
    }
    await a.kill();
    nodes.delete('a');
    await until('the other node has the duties', async () => {
      const { market, history, snapshots } = await holders();
      return market === 'b' && history === 'b' && snapshots === 'b';
    });
    const bob = clientOf(b, 'alice');
    const fills = await until('the past is complete', async () => {
      const reply = await bob.get(FILLS);
      return reply.status === 200 && reply.data.list;
    });
    const orders = fills.map(({ orderId }: { orderId: string }) => orderId);
    assert.deepEqual(new Set(orders), filled);
    const ids = fills.map(({ execId }: { execId: string }) => execId);
    assert.equal(new Set(ids).size, ids.length, 'a fill twice');
    await until('the market runs on the other node', () => /the market runs on this node/.test(b.log()));
    const prices = async () => JSON.stringify((await bob.get(BOOK)).data.b);
    const first = await prices();
    await until('it quotes', async () => (await prices()) !== first && (await prices()) !== '[]');
    assert.doesNotMatch(b.log(), /"level":[56]0/);
  });

  it('leave with a node that stops in order', async () => {
    await start('c');
    assert.equal(await nodes.get('b')!.stop(), 0);
    nodes.delete('b');
    await until('the third node has them', async () => {
      const { market, history, snapshots } = await holders();
      return market === 'c' && history === 'c' && snapshots === 'c';
    });
    const [newest] = await server.run(
      'SELECT count(*) AS n FROM bourse_cluster.snapshot WHERE whole',
      cluster.database,
    );
    assert.ok(Number(newest?.n) > 0, 'no snapshot at the stop');
    assert.equal(await nodes.get('c')!.stop(), 0);
    nodes.delete('c');
  });
});
