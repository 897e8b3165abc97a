import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatUnits } from '../core/model/units.ts';
import { type HeldCoins, heldCoins } from './held-coins.ts';
import { type Claim, type InclusionProof, MerkleSumTree, verifyProof } from './merkle-sum-tree.ts';

const COINS = ['USDT', 'BTC', 'ETH'];
const noPause = () => Promise.resolve();
const build = (claims: readonly Claim[]) => MerkleSumTree.build(claims, noPause);
const holding = (amounts: readonly bigint[]): HeldCoins =>
  heldCoins(amounts.map((units, coin) => [COINS[coin]!, units] as const));
const claimOf = (uid: number, nonce: string, ...amounts: bigint[]): Claim => ({
  uid,
  nonce,
  held: holding(amounts),
});

const someClaims = fc
  .array(fc.tuple(fc.bigInt(0n, 10n ** 20n), fc.bigInt(0n, 10n ** 12n), fc.bigInt(0n, 3n)), { maxLength: 40 })
  .map((rows) => rows.map((amounts, n) => ({ amounts, claim: claimOf(1001 + n, `n${n}`, ...amounts) })));

test('the proof of every account leads to the root and to the sums of all of them', async () => {
  await fc.assert(
    fc.asyncProperty(someClaims, async (rows) => {
      const claims = rows.map(({ claim }) => claim);
      const tree = await build(claims);
      const sums = COINS.map((_, coin) => rows.reduce((sum, { amounts }) => sum + amounts[coin]!, 0n));
      assert.deepEqual(tree.totals, holding(sums));
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
  const claims = [3n, 5n, 7n].map((usdt, n) => claimOf(n, `n${n}`, usdt, 1n));
  const { root } = await build(claims);
  assert.equal((await build([...claims])).root, root);
  const others = [
    [],
    claims.slice(1),
    [{ ...claims[0]!, held: holding([2n, 1n]) }, ...claims.slice(1)],
    [{ ...claims[0]!, uid: 9 }, ...claims.slice(1)],
    [{ ...claims[0]!, nonce: 'other' }, ...claims.slice(1)],
  ];
  for (const other of others) assert.notEqual((await build(other)).root, root);
});

test('leaves stand where their nonces put them, so that nobody knows whose its neighbour is', async () => {
  const claims = ['c', 'a', 'd', 'b'].map((nonce, n) => claimOf(n, nonce, 1n));
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
  const claims = [10n, 5n].map((usdt, n) => claimOf(n, `n${n}`, usdt));
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
  const claims = [3n, 5n, 7n].map((usdt, n) => claimOf(n, `n${n}`, usdt, 1n));
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

test('a text that could be read as other holdings is no proof', async () => {
  const claims = [3n, 5n].map((usdt, n) => claimOf(n, `n${n}`, usdt, 1n));
  const proof = (await build(claims)).proofOf(0)!;
  const [step] = proof.path as [InclusionProof['path'][number]];
  const { hash } = step;
  // The same bytes are hashed: coins in the name of another, holdings in the hash or in the nonce.
  const others: Partial<InclusionProof>[] = [
    { holdings: { 'BTC=0.00000001,USDT': '0.00000003' } },
    { holdings: { ...proof.holdings, USDT: '0.000000030' } },
    { nonce: `${proof.nonce}|BTC=0.00000001`, holdings: { USDT: '0.00000003' } },
    { path: [{ ...step, holdings: { 'BTC=0.00000001,USDT': '0.00000005' } }] },
    { path: [{ ...step, hash: `${hash}|USDT=0.00000005` }] },
  ];
  for (const other of others) assert.equal(verifyProof({ ...proof, ...other }), undefined);
});
