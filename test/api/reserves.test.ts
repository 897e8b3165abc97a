/** Proof of reserves: what is published follows the books, and an account can check that it was counted. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { verifyProof } from '../../src/reserves/merkle-sum-tree.ts';
import { command } from '../app/bourse-process.ts';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { type SdkClient, sdkClient } from './clients.ts';
import { units } from './ledger-by-hand.ts';

let server: TestServer;
let operator: Operator;
let alice: SdkClient;
let bob: SdkClient;

before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
  operator = new Operator(server);
  [alice, bob] = ['alice', 'bob'].map((name) => sdkClient(server.url, server.account(name))) as [
    SdkClient,
    SdkClient,
  ];
});
after(async () => {
  await server.stop();
});

/** Of USDT: owed to accounts, held by the venue, in units. */
async function audited(): Promise<{ owed: bigint; held: bigint; ratio: string; root: string }> {
  await operator.auditReserves();
  const { list, merkleRootHash } = (await alice.getProofOfReserves()).data;
  const { userAssets, platformAssets, reserveRatio } = list.find(({ coin }) => coin === 'USDT')!;
  return { owed: units(userAssets), held: units(platformAssets), ratio: reserveRatio, root: merkleRootHash };
}

test('a deposit is owed and held; a withdrawal is both until it is paid', async () => {
  const start = await audited();
  // Beside what the demo accounts own there are the pool for loans and the two insurance funds, owed to nobody.
  assert.equal(start.held - start.owed, units('12000000'));
  assert.equal(start.ratio, '216.5%');
  await operator.deposit({ account: 'alice', coin: 'USDT', amount: '250', reference: 'por-1' });
  const more = await audited();
  assert.deepEqual([more.owed - start.owed, more.held - start.held], [units('250'), units('250')]);
  assert.notEqual(more.root, start.root);
  const asked = {
    coin: 'USDT',
    transferType: 'on_chain',
    chain: 'TRC20',
    address: 'x',
    size: '250',
  } as const;
  const { orderId } = (await alice.submitWithdraw(asked)).data;
  assert.equal((await audited()).owed, more.owed);
  await operator.settle(orderId, '0xpaid');
  const paid = await audited();
  // The network fee of 1.5 stays with the house: it is held and owed to nobody.
  assert.deepEqual([paid.owed - start.owed, paid.held - start.held], [0n, units('1.5')]);
});

test('the fee of a trade is held and no longer owed', async () => {
  const before = await audited();
  const order = {
    category: 'SPOT',
    symbol: 'BTCUSDT',
    orderType: 'limit',
    price: '60000',
    qty: '0.5',
  } as const;
  await alice.submitNewOrder({ ...order, side: 'buy' });
  await bob.submitNewOrder({ ...order, side: 'sell' });
  const after = await audited();
  assert.equal(after.held, before.held);
  const [fill] = (await bob.getTradeFills({ category: 'SPOT' } as never)).data.list;
  assert.equal(before.owed - after.owed, units(fill!.feeDetail[0]!.fee));
});

test('asking does not take an audit: between two audits the answer stays', async () => {
  const { root } = await audited();
  await operator.deposit({ account: 'bob', coin: 'USDT', amount: '1', reference: 'por-2' });
  assert.equal((await bob.getProofOfReserves()).data.merkleRootHash, root);
  assert.notEqual(await operator.auditReserves(), root);
});

test("an account's proof leads to the published root, and the command line checks it without the exchange", async () => {
  const { root } = await audited();
  const proof = await operator.proveReserves('alice');
  assert.equal(verifyProof(proof)!.root, root);
  const unified = (await alice.getBalances()).data.assets.find(({ coin }) => coin === 'USDT')!;
  assert.equal(proof.holdings.USDT, unified.balance);
  const file = join(server.data, 'proof.json');
  writeFileSync(file, JSON.stringify(proof));
  const checked = await command(['reserves', 'check', file, '--root', root]);
  assert.equal(checked.code, 0, checked.stderr);
  assert.match(checked.stdout, new RegExp(`account ${proof.uid} was counted`));
  writeFileSync(file, JSON.stringify({ ...proof, holdings: { USDT: '1' } }));
  const wrong = await command(['reserves', 'check', file, '--root', root]);
  assert.equal(wrong.code, 4);
  assert.match(wrong.stderr, /does not lead to the root/);
});
