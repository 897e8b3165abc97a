/** A broker, its sub-accounts and their keys, with the unmodified SDK: what the broker changes counts from the next call on. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHosted } from '../harness/hosted-server.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { installKey, withIdentity } from '../security/hostile/identities.ts';
import { refusalOf, type SdkClient, sdkClient } from './clients.ts';

const PASSPHRASE = 'Passphrase1';
const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '58000',
  qty: '0.01',
} as const;

const data = temporaryDirectory();
let server: TestServer;
/** The main account of a broker; another broker; somebody who is none. */
let broker: SdkClient;
let otherBroker: SdkClient;
let alice: SdkClient;
let tradeOnly: DemoKeys;
let readOnly: DemoKeys;
let sub: string;
let key: { readonly apiKey: string; readonly secretKey: string };

before(async () => {
  await withIdentity(data, async (identity) => {
    for (const name of ['bob', 'maker']) {
      const created = identity.createUser({ name, broker: true, nowMs: Date.now() });
      assert.ok(created.ok);
      if (name !== 'bob') continue;
      const { uid } = created.value;
      tradeOnly = await installKey(identity, uid, { permType: 'read_write', permissions: ['uta_trade'] });
      readOnly = await installKey(identity, uid, {
        permType: 'read_only',
        permissions: ['uta_trade', 'uta_mgt'],
      });
    }
  });
  server = await startHosted({ data, args: ['--rate-limits', 'off'] });
  broker = sdkClient(server.url, server.account('bob'));
  otherBroker = sdkClient(server.url, server.account('maker'));
  alice = sdkClient(server.url, server.account('alice'));
  const created = await broker.createBrokerSubAccount({ subaccountName: 'desk-1', label: 'first desk' });
  sub = created.data.subUid;
  const made = await broker.createBrokerSubApiKey({
    subUid: sub,
    passphrase: PASSPHRASE,
    label: 'bot',
    permType: 'read_write',
    permList: ['uta_trade', 'uta_mgt', 'withdraw'],
  });
  key = made.data;
});
after(async () => {
  await server.stop();
});

const subClient = (keys = key) =>
  sdkClient(server.url, { name: 'sub', uid: Number(sub), ...keys, passphrase: PASSPHRASE });
const codeOf = async (call: Promise<unknown>) => (await refusalOf(call)).body.code;
const modify = (change: object, client = broker) =>
  client.modifyBrokerSubApiKey({ subUid: sub, apiKey: key.apiKey, passphrase: PASSPHRASE, ...change });

/** Refused with this code and a message that says why, and everything is as it was. */
async function refused(call: () => Promise<unknown>, code: string, names: RegExp): Promise<void> {
  const look = async () => [
    (await broker.getBrokerSubApiKey({ subUid: sub })).data,
    (await broker.getBrokerSubAccountList()).data,
  ];
  const before = await look();
  const { body, code: status } = await refusalOf(call());
  assert.deepEqual([status, body.code, body.data], [400, code, null], body.msg);
  assert.match(body.msg, names);
  assert.ok(!body.msg.includes(PASSPHRASE));
  assert.deepEqual(await look(), before);
}

test('a sub-account is opened, listed and found by its status', async () => {
  const { data: created } = await broker.createBrokerSubAccount({ subaccountName: 'desk-2', label: 'two' });
  assert.match(created.subUid, /^[0-9]{10}$/);
  assert.deepEqual(
    { ...created, subUid: '', cTime: '' },
    {
      subUid: '',
      subaccountName: 'desk-2',
      subaccountEmail: '',
      status: 'normal',
      permList: ['withdraw', 'transfer', 'spot_trade', 'contract_trade', 'margin_trade', 'deposit'],
      label: 'two',
      cTime: '',
    },
  );
  const names = async (query: object) =>
    (await broker.getBrokerSubAccountList(query)).data.subList.map(({ subaccountName }) => subaccountName);
  assert.deepEqual(await names({}), ['desk-1', 'desk-2']);
  assert.deepEqual(await names({ limit: '1' }), ['desk-1']);
  assert.deepEqual(await names({ cursor: sub }), ['desk-2']);
  const { data: changed } = await broker.modifyBrokerSubAccount({ subUid: created.subUid, status: 'freeze' });
  assert.deepEqual([changed.status, changed.label], ['freeze', 'two']);
  assert.deepEqual(await names({ status: 'freeze' }), ['desk-2']);
  assert.deepEqual(await names({ status: 'normal' }), ['desk-1']);
  assert.deepEqual((await otherBroker.getBrokerSubAccountList()).data.subList, []);
});

test('the secret of a key is shown once and the passphrase never', async () => {
  const { data: seen } = await broker.getBrokerSubApiKey({ subUid: sub });
  assert.equal(seen.secretKey, '');
  assert.equal(seen.apiKey, key.apiKey);
  assert.ok(key.secretKey.length >= 32);
  assert.ok(!JSON.stringify(await modify({})).includes(PASSPHRASE));
});

test('the sub-account holds its key, sees its main account and trades what it was given', async () => {
  const trader = subClient();
  const { data: info } = await trader.getAccountInfo();
  assert.deepEqual([info.userId, info.parentId], [sub, String(server.account('bob').uid)]);
  await broker.subAccountTransfer({
    fromType: 'uta',
    toType: 'uta',
    amount: '5000',
    coin: 'USDT',
    fromUserId: String(server.account('bob').uid),
    toUserId: sub,
    clientOid: 'fund-desk-1',
  });
  const { data: placed } = await trader.submitNewOrder(ORDER);
  assert.equal((await trader.getOrderInfo({ orderId: placed.orderId })).data.orderStatus, 'new');
  await trader.cancelOrder({ orderId: placed.orderId });
});

test('permissions changed by modify-sub-apikey count from the next call on', async () => {
  const trader = subClient();
  await trader.getUnfilledOrders();
  const { data: changed } = await modify({ label: 'reader', permType: 'read_only', permList: ['uta_mgt'] });
  assert.deepEqual(changed, {
    subUid: sub,
    label: 'reader',
    apiKey: key.apiKey,
    permType: 'read_only',
    permList: ['uta_mgt'],
    ipList: [],
  });
  assert.equal(await codeOf(trader.getUnfilledOrders()), '40014');
  await trader.getBalances();
  const { data: info } = await trader.getAccountInfo();
  assert.deepEqual([info.permType, info.permissions], ['read-only', ['uta_mgt']]);
  await modify({ permType: 'read_write', permList: ['uta_trade', 'uta_mgt', 'withdraw'] });
  await trader.getUnfilledOrders();
});

test('the IP list set by modify-sub-apikey counts from the next call on', async () => {
  const trader = subClient();
  await modify({ ipList: ['198.51.100.7', '10.0.0.0/8'] });
  assert.equal(await codeOf(trader.getAccountInfo()), '40018');
  await modify({ ipList: ['127.0.0.1', '::1'] });
  assert.equal((await trader.getAccountInfo()).data.ips, '127.0.0.1,::1');
  assert.deepEqual((await modify({ ipList: [] })).data.ipList, []);
  await trader.getAccountInfo();
});

test('a frozen sub-account is out at the next call, and back when it is unfrozen', async () => {
  const trader = subClient();
  await broker.modifyBrokerSubAccount({ subUid: sub, status: 'freeze' });
  assert.equal(await codeOf(trader.getAccountInfo()), '40068');
  await broker.modifyBrokerSubAccount({ subUid: sub, status: 'normal' });
  await trader.getAccountInfo();
});

test('rights that the broker withholds stop orders of that category, never a cancel', async () => {
  const trader = subClient();
  const { data: order } = await trader.submitNewOrder(ORDER);
  await broker.modifyBrokerSubAccount({ subUid: sub, permList: ['deposit', 'contract_trade'] });
  const { body } = await refusalOf(trader.submitNewOrder(ORDER));
  assert.equal(body.code, '25620');
  assert.match(body.msg, /spot_trade/);
  assert.equal(await codeOf(trader.placeBatchOrders([ORDER])), '25620');
  assert.equal(await codeOf(trader.modifyOrder({ orderId: order.orderId, qty: '0.02' })), '25620');
  await trader.cancelOrder({ orderId: order.orderId });
  const close = () => trader.closeAllPositions({ category: 'USDT-FUTURES' });
  assert.deepEqual((await close()).data.list, []);
  await broker.modifyBrokerSubAccount({ subUid: sub, permList: ['deposit', 'spot_trade'] });
  assert.equal(await codeOf(close()), '25620');
  await broker.modifyBrokerSubAccount({
    subUid: sub,
    permList: ['withdraw', 'transfer', 'spot_trade', 'contract_trade', 'margin_trade', 'deposit'],
  });
  const { data: again } = await trader.submitNewOrder(ORDER);
  await trader.cancelOrder({ orderId: again.orderId });
});

test('withdraw needs read_write, whichever of the two is changed', async () => {
  await refused(() => modify({ permType: 'read_only' }), '40017', /permList.*withdraw.*read_write/);
  await refused(() => modify({ permType: 'read_only', permList: ['withdraw'] }), '40017', /permList/);
  await refused(
    () =>
      broker.createBrokerSubApiKey({
        subUid: sub,
        passphrase: PASSPHRASE,
        label: 'bad',
        permType: 'read_only',
        permList: ['withdraw'],
      }),
    '40017',
    /permList.*withdraw.*read_write/,
  );
});

test('thirty addresses are allowed, thirty-one are not, and each must be one', async () => {
  const addresses = Array.from({ length: 31 }, (_, index) => `127.0.0.${index + 1}`);
  await refused(() => modify({ ipList: addresses }), '40017', /ipList.*31.*30/);
  await refused(() => modify({ ipList: ['127.0.0.1', 'home'] }), '40017', /ipList.*"home"/);
  await refused(() => modify({ ipList: '127.0.0.1' }), '40017', /ipList/);
  assert.equal((await modify({ ipList: addresses.slice(0, 30) })).data.ipList.length, 30);
  await modify({ ipList: [] });
});

test('unknown permissions, types and missing fields are named', async () => {
  await refused(() => modify({ permList: ['root'] }), '40020', /permList.*uta_trade, uta_mgt, withdraw/);
  await refused(() => modify({ permList: ['uta_mgt', 'uta_mgt'] }), '40017', /permList.*distinct/);
  await refused(() => modify({ permType: 'admin' }), '40020', /permType.*read_write, read_only/);
  await refused(() => modify({ label: 'x'.repeat(65) }), '40017', /label.*64/);
  for (const field of ['subUid', 'apiKey', 'passphrase']) {
    await refused(() => modify({ [field]: undefined }), '40019', new RegExp(field));
  }
});

test('a passphrase of the wrong form, and one that is not of the key', async () => {
  await refused(() => modify({ passphrase: 'short' }), '40070', /passphrase.*8 to 32/);
  await refused(() => modify({ passphrase: 'Passphrase2', label: 'x' }), '40036', /passphrase/);
  for (const passphrase of ['short', 'with blank', 'ümlautümlaut', 'x'.repeat(33)]) {
    await refused(
      () =>
        broker.createBrokerSubApiKey({
          subUid: sub,
          passphrase,
          label: 'bad',
          permType: 'read_only',
          permList: ['uta_mgt'],
        }),
      '40070',
      /passphrase.*8 to 32/,
    );
  }
});

test('nobody gives away more than the calling key holds', async () => {
  const client = sdkClient(server.url, tradeOnly);
  await refused(
    () => modify({ permList: ['uta_trade', 'withdraw'] }, client),
    '40014',
    /permList: withdraw is .* calling API key/,
  );
  await refused(() => modify({ label: 'mine' }, client), '40014', /permList: uta_mgt/);
  await modify({ permList: ['uta_trade'] });
  await modify({ label: 'mine' }, client);
  await modify({ label: 'bot', permList: ['uta_trade', 'uta_mgt', 'withdraw'] });
});

test("an ordinary user, a sub-account, a read-only key and a stranger's broker are refused", async () => {
  await refused(() => modify({ label: 'x' }, alice), '40029', /broker/);
  await refused(() => modify({ label: 'x' }, subClient()), '40029', /broker/);
  await refused(() => alice.getBrokerSubAccountList(), '40029', /broker/);
  await refused(() => modify({ label: 'x' }, sdkClient(server.url, readOnly)), '40014', /read_write/);
  await sdkClient(server.url, readOnly).getBrokerSubAccountList();
  await refused(() => modify({ label: 'x' }, otherBroker), '25005', /subUid/);
});

test("a stranger's sub-account and a missing one give the same answer, byte by byte", async () => {
  const { data: foreign } = await otherBroker.createBrokerSubAccount({ subaccountName: 'f', label: 'f' });
  const { data: foreignKey } = await otherBroker.createBrokerSubApiKey({
    subUid: foreign.subUid,
    passphrase: PASSPHRASE,
    label: 'f',
    permType: 'read_write',
    permList: ['uta_trade'],
  });
  const missing = '1999999999';
  const sameAs = async (call: (subUid: string) => Promise<unknown>) => {
    const answers = await Promise.all([foreign.subUid, missing].map((uid) => refusalOf(call(uid))));
    const [one, other] = answers.map(({ code, body }) => JSON.stringify([code, { ...body, requestTime: 0 }]));
    assert.equal(one, other);
    assert.equal(answers[0]!.body.code, '25005');
  };
  await sameAs((subUid) => broker.getBrokerSubApiKey({ subUid }));
  await sameAs((subUid) => broker.modifyBrokerSubAccount({ subUid, status: 'freeze' }));
  await sameAs((subUid) => broker.deleteBrokerSubApiKey({ subUid, apiKey: foreignKey.apiKey }));
  await sameAs((subUid) => modify({ subUid, apiKey: foreignKey.apiKey }));
  const ofKey = async (apiKey: string) => JSON.stringify((await refusalOf(modify({ apiKey }))).body.msg);
  assert.equal(await ofKey(foreignKey.apiKey), await ofKey('bk_00000000000000000000000000000000'));
  const { data: left } = await otherBroker.getBrokerSubApiKey({ subUid: foreign.subUid });
  assert.deepEqual([left.apiKey, left.permList], [foreignKey.apiKey, ['uta_trade']]);
});

test('a key is reached through its own sub-account only, not through another of the same broker', async () => {
  const { data: other } = await broker.createBrokerSubAccount({ subaccountName: 'desk-3', label: 'three' });
  const { subUid } = other;
  const { apiKey } = key;
  await refused(() => modify({ subUid, label: 'x' }), '40034', /apiKey/);
  await refused(() => broker.deleteBrokerSubApiKey({ subUid, apiKey }), '40034', /apiKey/);
  await refused(() => broker.getBrokerSubApiKey({ subUid }), '40034', /no API key/);
});

test('a deleted key is out at the next call', async () => {
  const { data: made } = await broker.createBrokerSubApiKey({
    subUid: sub,
    passphrase: PASSPHRASE,
    label: 'short-lived',
    permType: 'read_only',
    permList: [],
    ipList: ['127.0.0.1', '::1'],
  });
  const client = subClient(made);
  await client.getAccountInfo();
  assert.equal((await broker.deleteBrokerSubApiKey({ subUid: sub, apiKey: made.apiKey })).data, null);
  assert.equal(await codeOf(client.getAccountInfo()), '40037');
  assert.equal(await codeOf(broker.deleteBrokerSubApiKey({ subUid: sub, apiKey: made.apiKey })), '40034');
});

test('everything is there again after the server was killed', async () => {
  await server.kill();
  server = await startHosted({ data, args: ['--rate-limits', 'off'] });
  broker = sdkClient(server.url, server.account('bob'));
  const trader = subClient();
  const { data: placed } = await trader.submitNewOrder(ORDER);
  await trader.cancelOrder({ orderId: placed.orderId });
  const { data: list } = await broker.getBrokerSubAccountList();
  assert.deepEqual(
    list.subList.map(({ subaccountName, status }) => [subaccountName, status]),
    [
      ['desk-1', 'normal'],
      ['desk-2', 'freeze'],
      ['desk-3', 'normal'],
    ],
  );
});
