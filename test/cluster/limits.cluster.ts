/** Limits of an account count its orders on all nodes. */
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { countCall, ORDER_CALLS } from '../../src/api/http/order-calls.ts';
import { ROUTES } from '../../src/api/http/routes.ts';
import { RateLimiter } from '../../src/api/limits/rate-limit.ts';
import { decodePack, encodePack, readPack } from '../../src/cluster/pack.ts';
import { UnreadableRecord } from '../../src/core/model/bytes.ts';
import type { Identity, User } from '../../src/identity/identity.ts';
import type { Reply } from '../harness/signed-client.ts';
import { until } from '../harness/until.ts';
import { NO_SERVER, PostgresServer, QUICK_BUT_TRUSTED } from '../postgres/server.ts';
import { clientOf, newCluster, ORDER, startNode, type TestNode } from './nodes.ts';

const PLACE = '/api/v3/trade/place-order';
const BATCH = '/api/v3/trade/place-batch';
const UID = 1_000_000_001;
/** Longer than a window with what may make it longer in these tests. */
const WINDOW_OVER_MS = 1_300;

test('every call that counts against the quota of orders has a number, which fits into a pack', () => {
  const counted = ROUTES.filter(({ orders }) => orders).map(({ path }) => path);
  assert.deepEqual([...ORDER_CALLS].sort(), counted.sort());
  assert.ok(ORDER_CALLS.length < 128);
});

test('a pack has the calls behind its commands, compressed or not', () => {
  const calls = [
    { uid: 2 ** 40 + 1, code: 255 },
    { uid: UID, code: 0 },
  ];
  for (const size of [3, 5_000]) {
    const payloads = [new Uint8Array(size).fill(7), new Uint8Array(1)];
    const body = encodePack(payloads, calls);
    assert.deepEqual(readPack(body).calls, calls);
    assert.deepEqual(
      decodePack(body).map(({ length }) => length),
      [size, 1],
    );
    assert.deepEqual(readPack(encodePack(payloads)).calls, []);
  }
  const whole = encodePack([new Uint8Array(3)], calls);
  for (const cut of [whole.subarray(0, -1), Buffer.concat([whole, Buffer.alloc(1)])])
    assert.throws(() => readPack(cut), UnreadableRecord);
});

test('an account with a quota is charged for its category alone, another for the call', () => {
  const userOf = (quotas: User['quotas']) =>
    ({ findUser: () => ({ uid: UID, quotas }) }) as unknown as Identity;
  const limiter = new RateLimiter();
  for (const code of [0, 0, 128])
    countCall(limiter, userOf({ spot: 20, futures: 40 }), { uid: UID, code }, 0);
  const left = (path: string, limit: number) => {
    const result = limiter.takeForUid(path, limit, UID, 1);
    return result.allowed ? result.remaining : undefined;
  };
  assert.equal(left(`${PLACE} spot`, 20), 17);
  assert.equal(left(`${PLACE} futures`, 40), 38);
  assert.equal(left(PLACE, 10), 9);
  countCall(limiter, userOf(undefined), { uid: UID, code: 128 }, 2);
  assert.equal(left(PLACE, 10), 7);
  // Of a newer program.
  countCall(limiter, userOf(undefined), { uid: UID, code: 127 }, 2);
});

describe('two nodes', { skip: NO_SERVER }, () => {
  let nodes: TestNode[] = [];
  before(async () => {
    const server = await PostgresServer.start({ settings: QUICK_BUT_TRUSTED });
    const cluster = await newCluster(server);
    nodes = await Promise.all(['a', 'b'].map((name) => startNode(cluster, name, { rateLimits: 'on' })));
  });
  after(async () => {
    for (const node of nodes) await node.stop();
  });
  const order = (n: number) => ({ ...ORDER, side: 'buy', price: String(30_000 + n) });
  const post = (node: number, path: string, body: unknown, seen?: Reply) => {
    const seq = seen?.headers['x-bourse-seq'];
    const headers = seq === undefined ? undefined : { 'x-bourse-after': String(seq) };
    return clientOf(nodes[node]!, 'alice').send('POST', path, JSON.stringify(body), headers);
  };
  const leftOf = ({ headers }: Reply) => Number(headers['x-mbx-used-remain-limit']);

  it('count an order of the other, and a batch as one call of its own', async () => {
    // On a busy machine a second may pass between two calls; then there is nothing to see.
    await until('the second node has counted the order at the first', async () => {
      await sleep(WINDOW_OVER_MS);
      const one = await post(0, PLACE, order(1));
      assert.equal(one.code, '00000', one.text);
      return leftOf(await post(1, PLACE, order(2), one)) === 8;
    });
    await until('the second node has counted the batch at the first, and no orders', async () => {
      await sleep(WINDOW_OVER_MS);
      const batch = await post(0, BATCH, [order(3), order(4), order(5)]);
      const [again, single] = await Promise.all([
        post(1, BATCH, [order(6)], batch),
        post(1, PLACE, order(7), batch),
      ]);
      return leftOf(again) === 3 && leftOf(single) === 9;
    });
  });

  it('refuse what is beyond the limit, though each had less', async () => {
    await until('the second node refuses', async () => {
      await sleep(WINDOW_OVER_MS);
      const placed = await Promise.all(Array.from({ length: 10 }, (_, n) => post(0, PLACE, order(n))));
      const refused = await post(1, PLACE, order(20), placed.at(-1));
      if (refused.code !== '429') return false;
      assert.match(refused.msg, /Too many requests for \/api\/v3\/trade\/place-order: try again in \d/);
      return true;
    });
  });
});
