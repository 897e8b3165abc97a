/** The number of a read is that of the state it shows, whatever is applied before it is sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_SERVER, PostgresServer, QUICK_BUT_TRUSTED } from '../postgres/server.ts';
import { clientOf, newCluster, ORDER, startNode } from './nodes.ts';

test('a read that waits for the history does not claim what came meanwhile', {
  skip: NO_SERVER,
}, async () => {
  const server = await PostgresServer.start({ settings: QUICK_BUT_TRUSTED });
  const node = await startNode(await newCluster(server), 'a');
  const alice = clientOf(node, 'alice');
  const { history } = node.sequencer;
  const honest = history.fills.bind(history);
  let known = 0;
  history.fills = async (query) => {
    known = node.sequencer.appliedSeq;
    const order = { ...ORDER, side: 'buy', price: '57100', clientOid: 'meanwhile' };
    const placed = await alice.post('/api/v3/trade/place-order', order);
    assert.equal(placed.code, '00000', placed.text);
    assert.ok(Number(placed.headers['x-bourse-seq']) > known);
    return honest(query);
  };
  const fills = await alice.get('/api/v3/trade/fills', { category: 'SPOT' });
  assert.equal(fills.code, '00000', fills.text);
  assert.ok(known > 0 && Number(fills.headers['x-bourse-seq']) <= known, fills.text);
  alice.close();
  await node.stop();
  await server.stop();
});
