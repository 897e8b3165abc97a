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
  return await place.build(plan(time));
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

test('proofs are of the last tree while another grows', async () => {
  const thread = new TreeThread();
  const { root } = await grown(thread, [[1, 0, 5n]], 1);
  thread.begin();
  thread.add([[2, 0, 7n]]);
  assert.equal((await thread.proofOf(1))?.root, root);
  await thread.build(plan(2));
  assert.equal(await thread.proofOf(1), undefined);
  assert.equal((await thread.proofOf(2))?.time, 2);
  await thread.close();
});

test('a thread that ends fails the audit that waits for it, and no later one', async () => {
  const thread = new TreeThread();
  thread.begin();
  const building = assert.rejects(thread.build(plan(1)), /the thread of the audit has ended/);
  await thread.close();
  await building;
  assert.equal(await thread.proofOf(1), undefined);
  assert.equal((await grown(thread, [[1, 0, 5n]], 2)).size, 1);
  await thread.close();
});
