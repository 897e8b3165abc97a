/** What a broker sees of all its sub-accounts, and the share of their fees that it is paid. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { refusalOf, type SdkClient, sdkClient } from './clients.ts';

const HOUR_MS = 3_600_000;
const data = temporaryDirectory();
let server: TestServer;
let operator: Operator;
let alice: SdkClient;
let bob: SdkClient;
const desks: DemoKeys[] = [];

async function open(): Promise<void> {
  server = await startHosted({ data, args: ['--rate-limits', 'off', '--clock', 'manual'] });
  operator = new Operator(server);
  [alice, bob] = ['alice', 'bob'].map((name) => sdkClient(server.url, server.account(name))) as [
    SdkClient,
    SdkClient,
  ];
}

before(async () => {
  await open();
  await operator.makeBroker('bob');
  for (const name of ['desk', 'pit']) {
    desks.push(await operator.openSub(name, 'bob', ['uta_trade', 'uta_mgt', 'withdraw']));
    await operator.deposit({
      account: String(desks.at(-1)!.uid),
      coin: 'USDT',
      amount: '50000',
      reference: name,
    });
  }
});
after(async () => {
  await server.stop();
});

const lately = async () => {
  const now = await operator.time();
  return { startTime: String(now - HOUR_MS), endTime: String(now) };
};
const uidOf = (n: number) => String(desks[n]!.uid);

async function commission(query: object = {}): Promise<string[]> {
  const rows = (await bob.getBrokerCommission({ ...(await lately()), ...query })).data;
  return rows.map(
    ({ uid, symbol, coin, dealtAmount, totalFee, paidFee, totalCommission }) =>
      `${uid} ${symbol} ${dealtAmount} fee ${totalFee} (${paidFee}) ${coin} earns ${totalCommission}`,
  );
}

/** The desk sells what it buys; alice is on the other side. */
async function roundTrip(desk: number, qty: string): Promise<void> {
  const client = sdkClient(server.url, desks[desk]);
  const order = { category: 'SPOT', symbol: 'BTCUSDT', orderType: 'limit', price: '60000', qty } as const;
  await alice.submitNewOrder({ ...order, side: 'sell' });
  await client.submitNewOrder({ ...order, side: 'buy' });
}

const funding = async (coin: string) => (await bob.getFundingAssets({ coin })).data[0]?.balance ?? '0';

test('fees of the sub-accounts are shown by account and coin; without a share they earn nothing', async () => {
  await roundTrip(0, '0.1');
  // The demo's takers pay 0.1 %.
  assert.deepEqual(await commission(), [`${uidOf(0)} BTCUSDT 6000 fee 0.0001 (0.0001) BTC earns 0`]);
  assert.equal(await funding('BTC'), '0');
});

test('a share of the fees is in the broker’s funding wallet at once, and a crash keeps it', async () => {
  await operator.setCommission('bob', '0.4');
  await roundTrip(0, '0.2');
  await roundTrip(1, '0.3');
  const rows = [
    `${uidOf(0)} BTCUSDT 18000 fee 0.0003 (0.0003) BTC earns 0.00008`,
    `${uidOf(1)} BTCUSDT 18000 fee 0.0003 (0.0003) BTC earns 0.00012`,
  ];
  assert.deepEqual(await commission(), rows);
  assert.equal(await funding('BTC'), '0.0002');
  await server.kill();
  await open();
  assert.deepEqual(await commission(), rows);
  assert.equal(await funding('BTC'), '0.0002');
  await roundTrip(1, '0.1');
  assert.equal(await funding('BTC'), '0.00024', 'the share outlives the crash too');
  const { list } = (await bob.getFinancialRecords({ category: 'OTHER' as never, coin: 'BTC' })).data;
  assert.deepEqual(
    list.map(({ type }) => type),
    ['TRANSFER_IN'],
    'commissions are no lines of the unified account',
  );
  assert.ok((await operator.books()).balanced);
});

test('the list goes by pages and by lines of business', async () => {
  const all = await commission();
  assert.deepEqual(await commission({ pageSize: '1', pageNo: '2' }), all.slice(1));
  assert.deepEqual(await commission({ pageSize: '1', pageNo: '3' }), []);
  assert.deepEqual(await commission({ bizType: 'spot' }), all);
  assert.deepEqual(await commission({ subBizType: 'spot_trade' }), all);
  for (const none of [{ bizType: 'futures' }, { subBizType: 'spot_margin' }]) {
    assert.deepEqual(await commission(none), []);
  }
});

test('deposits and withdrawals of all sub-accounts make one list; without times it is that of yesterday', async () => {
  const pit = sdkClient(server.url, desks[1]);
  const asked = { coin: 'USDT', transferType: 'on_chain', chain: 'TRC20', address: 'x', size: '40' } as const;
  await pit.submitWithdraw(asked);
  await pit.submitWithdraw({ ...asked, transferType: 'internal_transfer', address: uidOf(0) });
  const records = async (query: object) => {
    const { list, endId } = (await bob.getBrokerAllSubDepositWithdrawal(query)).data;
    const rows = list.map((row) => `${row.uid} ${row.type} ${row.subType} ${row.amount} ${row.status}`);
    return { rows, endId };
  };
  const [desk, other] = [uidOf(0), uidOf(1)];
  const rows = [
    `${desk} deposit internal 40 success`,
    `${other} withdrawal internal 40 success`,
    `${other} withdrawal onchain 40 pending`,
    `${other} deposit onchain 50000 success`,
    `${desk} deposit onchain 50000 success`,
  ];
  const first = await records({ ...(await lately()), limit: '2' });
  assert.deepEqual(first.rows, rows.slice(0, 2));
  const rest = await records({ ...(await lately()), cursor: first.endId });
  assert.deepEqual(rest.rows, rows.slice(2));
  assert.deepEqual((await records({ ...(await lately()), status: 'pending' })).rows, rows.slice(2, 3));
  assert.deepEqual((await records({})).rows, [], 'nothing happened yesterday');
  await operator.advanceClock('1d', '1h');
  assert.deepEqual((await records({})).rows, rows);
});

test('who is no broker, spans that are too long and shares that are none are refused', async () => {
  const code = async (call: Promise<unknown>) => (await refusalOf(call)).body.code;
  assert.equal(await code(alice.getBrokerCommission({})), '40029');
  assert.equal(await code(alice.getBrokerAllSubDepositWithdrawal({})), '40029');
  const now = await operator.time();
  const days = (n: number) => ({ startTime: String(now - n * 24 * HOUR_MS), endTime: String(now) });
  assert.equal(await code(bob.getBrokerAllSubDepositWithdrawal(days(8))), '40017');
  assert.equal(await code(bob.getBrokerCommission(days(31))), '40017');
  assert.equal(await code(bob.getBrokerCommission({ bizType: 'earn' as never })), '40020');
  assert.equal(await code(bob.getBrokerCommission({ pageNo: '0' })), '40020');
  await assert.rejects(operator.setCommission('alice', '0.1'), /is no broker/);
  await assert.rejects(operator.setCommission('bob', '1.5'), /must lie between 0 and 1/);
});
