import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatUnits } from '../core/model/units.ts';
import { type Claim, type InclusionProof, MerkleSumTree, verifyProof } from './merkle-sum-tree.ts';

const COINS = ['USDT', 'BTC', 'ETH'];
const noPause = () => Promise.resolve();
const build = (claims: readonly Claim[]) => MerkleSumTree.build(COINS, claims, noPause);

const someClaims = fc
  .array(fc.tuple(fc.bigInt(0n, 10n ** 20n), fc.bigInt(0n, 10n ** 12n), fc.bigInt(0n, 3n)), { maxLength: 40 })
  .map((rows) => rows.map((amounts, n): Claim => ({ uid: 1001 + n, nonce: `n${n}`, amounts })));

test('the proof of every account leads to the root and to the sums of all of them', async () => {
  await fc.assert(
    fc.asyncProperty(someClaims, async (claims) => {
      const tree = await build(claims);
      const sums = COINS.map((_, coin) => claims.reduce((sum, { amounts }) => sum + amounts[coin]!, 0n));
      assert.deepEqual(tree.totals, sums);
      const held = COINS.flatMap((coin, index) =>
        sums[index] === 0n ? [] : [[coin, formatUnits(sums[index]!, 8)]],
      );
      for (const { uid } of claims) {
        const found = verifyProof(tree.proofOf(uid)!);
        assert.deepEqual(found, { root: tree.root, totals: Object.fromEntries(held) });
      }
    }),
    { numRuns: 60 },
  );
});

test('equal claims have equal roots; a claim more, less, smaller or of another owner has another', async () => {
  const claims: Claim[] = [3n, 5n, 7n].map((usdt, n) => ({
    uid: n,
    nonce: `n${n}`,
    amounts: [usdt, 1n, 0n],
  }));
  const { root } = await build(claims);
  assert.equal((await build([...claims])).root, root);
  const others = [
    [],
    claims.slice(1),
    [{ ...claims[0]!, amounts: [2n, 1n, 0n] }, ...claims.slice(1)],
    [{ ...claims[0]!, uid: 9 }, ...claims.slice(1)],
    [{ ...claims[0]!, nonce: 'other' }, ...claims.slice(1)],
  ];
  for (const other of others) assert.notEqual((await build(other)).root, root);
});

test('leaves stand where their nonces put them, so that nobody knows whose its neighbour is', async () => {
  const claims = ['c', 'a', 'd', 'b'].map((nonce, n): Claim => ({ uid: n, nonce, amounts: [1n, 0n, 0n] }));
  const tree = await build(claims);
  const turns = claims.map(({ uid }) =>
    tree
      .proofOf(uid)!
      .path.map(({ at }) => at)
      .join(' '),
  );
  assert.deepEqual(turns, ['right left', 'right right', 'left left', 'left right']);
  assert.equal((await build(claims.toReversed())).root, tree.root);
});

test('a smaller claim cannot be hidden behind a larger one by showing each owner another neighbour', async () => {
  const claims: Claim[] = [10n, 5n].map((usdt, n) => ({ uid: n, nonce: `n${n}`, amounts: [usdt, 0n, 0n] }));
  const tree = await build(claims);
  const [large, small] = claims.map(({ uid }) => tree.proofOf(uid)!) as [InclusionProof, InclusionProof];
  // Both are to believe in a sum of ten: the larger that nobody else is there, the smaller that five are another's.
  const printed = (proof: InclusionProof, holdings: InclusionProof['holdings']) =>
    verifyProof({ ...proof, path: [{ ...proof.path[0]!, holdings }] })!;
  const [one, other] = [printed(large, {}), printed(small, { USDT: '0.00000005' })];
  assert.deepEqual(one.totals, other.totals);
  assert.notEqual(one.root, other.root);
});

test('a proof with other numbers, another order or a debt in it leads nowhere', async () => {
  const claims: Claim[] = [3n, 5n, 7n].map((usdt, n) => ({
    uid: n,
    nonce: `n${n}`,
    amounts: [usdt, 1n, 0n],
  }));
  const tree = await build(claims);
  const proof = tree.proofOf(0)!;
  const leads = (changed: typeof proof) => verifyProof(changed)?.root === tree.root;
  assert.ok(leads(proof));
  assert.ok(!leads({ ...proof, holdings: { ...proof.holdings, USDT: '0.00000004' } }));
  assert.ok(!leads({ ...proof, uid: 1 }));
  assert.ok(!leads({ ...proof, path: proof.path.toReversed() }));
  assert.ok(!leads({ ...proof, path: proof.path.slice(1) }));
  const [first, ...rest] = proof.path;
  assert.equal(
    verifyProof({ ...proof, path: [{ ...first!, holdings: { USDT: '-1' } }, ...rest] }),
    undefined,
  );
  assert.equal(tree.proofOf(77), undefined);
});
