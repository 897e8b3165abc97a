import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ClaimRow, ClaimTree, type TreePlace } from './claim-tree.ts';
import { verifyProof } from './merkle-sum-tree.ts';
import { TreeThread } from './tree-thread.ts';

const COINS = ['USDT', 'BTC', 'ETH'];
const plan = (time: number) => ({ coins: COINS, secret: 'secret', time });

const someRows = fc.array(
  fc.tuple(
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 0, max: 2 }),
    fc.bigInt(-(2n ** 40n), 2n ** 100n),
  ),
  { maxLength: 30 },
);

async function grown(place: TreePlace, rows: readonly ClaimRow[], time: number) {
  place.begin();
  for (let at = 0; at < rows.length; at += 4) place.add(rows.slice(at, at + 4));
  const summary = await place.build(plan(time));
  place.publish();
  return summary;
}

test('rows of an account are added coin by coin, a debt reduces no other claim, and a thread of its own finds the same', async () => {
  const thread = new TreeThread();
  const here = new ClaimTree();
  let time = 0;
  await fc.assert(
    fc.asyncProperty(someRows, async (rows) => {
      const summary = await grown(here, rows, ++time);
      assert.deepEqual(await grown(thread, rows, time), summary);
      const owed = (uid: number, coin: number) => {
        const sum = rows.reduce(
          (total, [of, what, units]) => (of === uid && what === coin ? total + units : total),
          0n,
        );
        return sum > 0n ? sum : 0n;
      };
      const uids = [...new Set(rows.map(([uid]) => uid))];
      const totals = COINS.map((_, coin) => uids.reduce((sum, uid) => sum + owed(uid, coin), 0n));
      for (const [coin, name] of COINS.entries())
        assert.equal(summary.totals.units[summary.totals.names.indexOf(name)] ?? 0n, totals[coin]);
      for (const uid of [...uids, 77]) {
        const proof = await here.proofOf(uid);
        assert.deepEqual(await thread.proofOf(uid), proof);
        assert.equal(
          proof !== undefined,
          COINS.some((_, coin) => owed(uid, coin) > 0n),
        );
        if (proof === undefined) continue;
        assert.deepEqual(
          [proof.time, proof.root, verifyProof(proof)?.root],
          [time, summary.root, summary.root],
        );
      }
    }),
    { numRuns: 50 },
  );
  await thread.close();
});

for (const [name, placeOf] of [
  ['this thread', () => new ClaimTree()],
  ['a thread of its own', () => new TreeThread()],
] as const)
  test(`on ${name} proofs are of the published tree until another is published`, async () => {
    const place = placeOf();
    const { root } = await grown(place, [[1, 0, 5n]], 1);
    place.begin();
    place.add([[2, 0, 7n]]);
    assert.equal((await place.proofOf(1))?.root, root);
    await place.build(plan(2));
    assert.equal((await place.proofOf(1))?.root, root);
    assert.equal(await place.proofOf(2), undefined);
    place.publish();
    assert.equal(await place.proofOf(1), undefined);
    assert.equal((await place.proofOf(2))?.time, 2);
    assert.equal(place.isLost, false);
    if (place instanceof TreeThread) await place.close();
  });

/** Ends the thread as a lack of memory would: its owner did not ask for it. */
async function breakThread(thread: TreeThread): Promise<void> {
  thread.add(undefined as never);
  await assert.rejects(thread.build(plan(9)), /the thread of the audit has ended/);
}

test('a thread that ends takes its tree along, and the next audit starts another', async () => {
  const thread = new TreeThread();
  await grown(thread, [[1, 0, 5n]], 1);
  thread.begin();
  await breakThread(thread);
  assert.equal(thread.isLost, true);
  await assert.rejects(thread.proofOf(1), /has ended/);
  assert.equal((await grown(thread, [[1, 0, 5n]], 2)).size, 1);
  assert.equal((await thread.proofOf(1))?.time, 2);
  await thread.close();
});

test('an audit whose thread ended while claims were gathered fails, and never counts the rest alone', async () => {
  const thread = new TreeThread();
  thread.begin();
  thread.add([[1, 0, 5n]]);
  await breakThread(thread);
  thread.add([[2, 0, 5n]]);
  await assert.rejects(thread.build(plan(1)), /has ended/);
  thread.publish();
  assert.equal(thread.isLost, true);
  await thread.close();
});

test('a closed thread is not started again', async () => {
  const thread = new TreeThread();
  await grown(thread, [[1, 0, 5n]], 1);
  thread.begin();
  await thread.close();
  await assert.rejects(thread.build(plan(2)), /has ended/);
  assert.throws(() => thread.begin(), /has ended/);
});
