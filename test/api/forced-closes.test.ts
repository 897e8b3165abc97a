/** Liquidation and deleveraging at the operator's word on a demo, as a client sees them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPerpetuals, PERPETUALS } from '../harness/contracts.ts';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { type SdkClient, sdkClient } from './clients.ts';

const CONTRACT = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;
let server: TestServer;
let operator: Operator;
let alice: SdkClient;
let maker: SdkClient;

before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
  operator = new Operator(server);
  alice = sdkClient(server.url, server.account('alice'));
  maker = sdkClient(server.url, server.account('maker'));
  await openPerpetuals(server, '60000', PERPETUALS.slice(0, 1));
});

after(() => server.stop());

async function deal(): Promise<void> {
  const order = { ...CONTRACT, orderType: 'limit', qty: '0.1', price: '60000' } as const;
  await maker.submitNewOrder({ ...order, side: 'sell' });
  await alice.submitNewOrder({ ...order, side: 'buy' });
}

async function positions(client: SdkClient): Promise<number> {
  return ((await client.getCurrentPosition(CONTRACT)).data.list ?? []).length;
}

/** The kind of the last fill. */
async function lastFill(client: SdkClient): Promise<string | undefined> {
  const { list } = (await client.getTradeFills({ category: CONTRACT.category })).data;
  return list[0]!.tradeSide;
}

test('a demo account is liquidated at the word of the operator, and its counterparty deleveraged', async () => {
  await deal();
  assert.equal(await positions(alice), 1);
  await operator.force('alice');
  assert.equal(await positions(alice), 0);
  assert.equal(await positions(maker), 0);
  assert.equal(await lastFill(alice), 'burst_sell_single');
  assert.equal(await lastFill(maker), 'dte_sys_adl_buy_in_single_side_mode');
});

test('a demo account is deleveraged in one contract', async () => {
  await deal();
  await operator.force('alice', CONTRACT);
  assert.equal(await positions(alice), 0);
  assert.equal(await lastFill(alice), 'dte_sys_adl_sell_in_single_side_mode');
});
