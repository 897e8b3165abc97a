/** Small calls that the SDK can make about an account as a whole, its agents, its broker's money and RPI books. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { refusalOf, type SdkClient, sdkClient } from './clients.ts';

let server: TestServer;
let operator: Operator;
let alice: SdkClient;
let bob: SdkClient;
let maker: SdkClient;

before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
  operator = new Operator(server);
  await operator.makeBroker('bob');
  await operator.approveMarketMaker('maker');
  [alice, bob, maker] = ['alice', 'bob', 'maker'].map((name) =>
    sdkClient(server.url, server.account(name)),
  ) as [SdkClient, SdkClient, SdkClient];
});

after(() => server.stop());

test('every account is unified and advanced, and stays so', async () => {
  assert.deepEqual((await alice.getUnifiedAccountSwitchStatus()).data, { status: 'success', reason: '' });
  assert.equal((await refusalOf(alice.downgradeAccountToClassic())).body.code, '25009');
  assert.equal((await alice.adjustAccountMode({ mode: 'advanced' })).data, null);
  const { body } = await refusalOf(alice.adjustAccountMode({ mode: 'delta' }));
  assert.deepEqual([body.code, /must be advanced/.test(body.msg)], ['25009', true]);
  assert.equal((await alice.getAccountSettings()).data.accountLevel, 'advanced');
});

test('all coins with a discount rate are collateral; the list needs no key', async () => {
  assert.equal((await alice.getCollateralType()).data.collateralType, 'all');
  assert.equal((await alice.setCollateralType({ collateralType: 'all' })).data, 'success');
  const custom = alice.setCollateralType({ collateralType: 'custom', collateralCoins: 'BTC' });
  assert.equal((await refusalOf(custom)).body.code, '25240');
  const coins = (await sdkClient(server.url).getCustomCollateralCoins()).data;
  const rated = (await alice.getDiscountRate()).data.filter(({ list }) => list.length > 0);
  assert.deepEqual(
    coins.map(({ collateralCoin }) => collateralCoin),
    rated.map(({ coin }) => coin),
  );
});

test('an agent’s sub-account comes with a key that trades at once', async () => {
  const made = (
    await alice.createAgentSubAccount({ username: 'robot', passphrase: 'Passphrase1', note: 'grid' })
  ).data;
  assert.deepEqual([made.username, made.note], ['robot', 'grid']);
  const keys = {
    name: 'robot',
    uid: Number(made.subUid),
    apiKey: made.apiKey,
    secretKey: made.secret,
    passphrase: 'Passphrase1',
  };
  const agent = sdkClient(server.url, keys);
  const info = (await agent.getAccountInfo()).data;
  assert.deepEqual([info.parentId, info.permType], [String(server.account('alice').uid), 'read-and-write']);
  assert.deepEqual([...info.permissions], ['uta_mgt', 'uta_trade']);
  await alice.subAccountTransfer({
    fromType: 'uta',
    toType: 'uta',
    amount: '1000',
    coin: 'USDT',
    fromUserId: String(server.account('alice').uid),
    toUserId: made.subUid,
    clientOid: 'to-the-robot',
  });
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' } as const;
  await agent.submitNewOrder({ ...order, price: '58000', qty: '0.01' });
  assert.equal((await agent.getUnfilledOrders()).data.list.length, 1);
});

test('a refused agent leaves no sub-account behind', async () => {
  const before = (await alice.getSubAccountList()).data.list.length;
  for (const wrong of [
    { username: 'Robot2', passphrase: 'Passphrase1' },
    { username: 'robottwo', passphrase: 'short' },
    { username: 'robot', passphrase: 'Passphrase1' },
  ]) {
    await refusalOf(alice.createAgentSubAccount(wrong));
  }
  assert.equal((await alice.getSubAccountList()).data.list.length, before);
});

test('a broker finds out where a sub-account’s deposits go, and pays out its money', async () => {
  const sub = (await bob.createBrokerSubAccount({ subaccountName: 'desk-7', label: 'desk' })).data;
  const { subUid } = sub;
  const address = (await bob.getBrokerSubDepositAddress({ subUid, coin: 'USDT' })).data;
  assert.deepEqual([address.subUid, address.coin, address.cTime], [subUid, 'USDT', sub.cTime]);
  assert.match(address.address, /^bourse1/);
  await operator.deposit({ account: subUid, coin: 'USDT', amount: '500', reference: 'desk-7-first' });

  const ask = {
    subUid,
    coin: 'USDT',
    dest: 'on_chain',
    address: 'somewhere',
    chain: address.chain,
    amount: '100',
    clientOid: 'pay-1',
  } as const;
  const { orderId, clientOid } = (await bob.brokerSubWithdrawal(ask)).data;
  assert.equal(clientOid, 'pay-1');
  const funds = (await bob.getSubUnifiedAssets({ subUid })).data[0]!.assets;
  assert.deepEqual(
    funds.map(({ coin, balance }) => [coin, balance]),
    [['USDT', '400']],
  );
  assert.equal(await operator.settle(orderId, 'tx-1'), 200);
  assert.equal(
    (await refusalOf(bob.brokerSubWithdrawal({ ...ask, clientOid: 'pay-2', amount: '500' }))).body.code,
    '25202',
  );
  const mine = { ...ask, subUid: String(server.account('alice').uid) };
  assert.equal((await refusalOf(bob.brokerSubWithdrawal(mine))).body.code, '25005');
});

test('the RPI book tells normal and RPI quantities of a level apart; the normal book adds them', async () => {
  const pairs = (await alice.getRpiSymbols()).data;
  assert.ok(pairs.some(({ category, symbol }) => category === 'spot' && symbol === 'BTCUSDT'));
  const on = { category: 'SPOT', symbol: 'ETHUSDT' } as const;
  const order = { ...on, side: 'buy', orderType: 'limit', price: '2450' } as const;
  await maker.submitNewOrder({ ...order, qty: '0.3' });
  await maker.submitNewOrder({ ...order, qty: '0.2', timeInForce: 'rpi' as 'gtc' });
  await maker.submitNewOrder({ ...order, price: '2440', qty: '0.1', timeInForce: 'rpi' as 'gtc' });
  const book = (await alice.getRpiOrderBook({ ...on, limit: '5' })).data;
  assert.deepEqual(book.b, [
    ['2450', '0.3', '0.2'],
    ['2440', '0', '0.1'],
  ]);
  assert.deepEqual((await alice.getOrderBook(on)).data.b, [
    ['2450', '0.5'],
    ['2440', '0.1'],
  ]);
});
