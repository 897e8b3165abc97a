/** A main account and its sub-accounts, with the unmodified SDK: opening, keys, freezing, trading as one party. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHosted } from '../harness/hosted-server.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { installKey, openUser, withIdentity } from '../security/hostile/identities.ts';
import { refusalOf, type SdkClient, sdkClient } from './clients.ts';

const PASSPHRASE = 'Passphrase1';

const data = temporaryDirectory();
let server: TestServer;
let alice: SdkClient;
let bob: SdkClient;
let readOnly: DemoKeys;
let mgtOnly: DemoKeys;
let halfOpen: number;
let sub: string;
let key: { readonly apiKey: string; readonly secretKey: string };

before(async () => {
  await withIdentity(data, async (identity) => {
    const uid = openUser(identity, 'alice');
    mgtOnly = await installKey(identity, uid, { permType: 'read_write', permissions: ['uta_mgt'] });
    readOnly = await installKey(identity, uid, {
      permType: 'read_only',
      permissions: ['uta_mgt', 'uta_trade'],
    });
    // What a crash between the two modules leaves behind: known to identity, unknown to the core.
    const cut = identity.createSub(uid, { name: 'cutoff', nowMs: Date.now() });
    assert.ok(cut.ok);
    halfOpen = cut.value.uid;
  });
  server = await startHosted({ data, args: ['--rate-limits', 'off'] });
  alice = sdkClient(server.url, server.account('alice'));
  bob = sdkClient(server.url, server.account('bob'));
  sub = (await alice.createSubAccount({ username: 'desk', note: 'first desk' })).data.subUid;
  const { apiKey, secret: secretKey } = (await createKey({})).data;
  key = { apiKey, secretKey };
});
after(async () => {
  await server.stop();
});

function createKey(change: object, client = alice) {
  return client.createSubAccountApiKey({
    subUid: sub,
    note: 'bot',
    type: 'read_write',
    passphrase: PASSPHRASE,
    permissions: ['uta_mgt', 'uta_trade'],
    ips: [],
    ...change,
  });
}
const update = (change: object, client = alice) =>
  client.updateSubAccountApiKey({ apiKey: key.apiKey, passphrase: PASSPHRASE, ...change });
const subClient = (keys = key) =>
  sdkClient(server.url, { name: 'sub', uid: Number(sub), ...keys, passphrase: PASSPHRASE });
const codeOf = async (call: Promise<unknown>) => (await refusalOf(call)).body.code;

/** Refused with this code and a message that says why, and everything is as it was. */
async function refused(call: () => Promise<unknown>, code: string, names: RegExp): Promise<void> {
  const look = async () => [
    (await alice.getSubAccountApiKeys({ subUid: sub })).data,
    (await alice.getSubAccountList()).data,
  ];
  const before = await look();
  const { body, code: status } = await refusalOf(call());
  assert.deepEqual([status, body.code, body.data], [400, code, null], body.msg);
  assert.match(body.msg, names);
  assert.deepEqual(await look(), before);
}

const fund = (to: string, coin: string, amount: string) =>
  alice.subAccountTransfer({
    fromType: 'uta',
    toType: 'uta',
    amount,
    coin,
    fromUserId: String(server.account('alice').uid),
    toUserId: to,
    clientOid: `fund-${to}-${coin}`,
  });

test('a sub-account is opened and listed, page by page', async () => {
  const { data: created } = await alice.createSubAccount({ username: 'second', accountMode: 'unified' });
  assert.deepEqual([created.username, created.status, created.note], ['second', 'normal', '']);
  assert.match(created.createdTime, /^[0-9]{13}$/);
  const { data: first } = await alice.getSubAccountList({ limit: '2' });
  assert.equal(first.hasNext, true);
  assert.equal(first.cursor, sub);
  assert.deepEqual(first.list[1], {
    username: 'desk',
    subUid: sub,
    status: 'normal',
    note: 'first desk',
    createdTime: first.list[1]!.createdTime,
    updatedTime: first.list[1]!.updatedTime,
    accountMode: 'UNIFIED',
    type: 'normal',
  });
  const { data: rest } = await alice.getSubAccountList({ limit: '2', cursor: first.cursor });
  assert.deepEqual(
    [rest.list.map(({ username }) => username), rest.hasNext, rest.cursor],
    [['second'], false, created.subUid],
  );
  assert.deepEqual((await bob.getSubAccountList()).data.list, []);
});

test('names: lower-case letters, unique under one main account, free under another', async () => {
  for (const username of ['Desk', 'desk1', 'de sk', 'x'.repeat(21), 'ß']) {
    await refused(() => alice.createSubAccount({ username }), '40017', /username.*lower-case letters/);
  }
  await refused(() => alice.createSubAccount({ username: 'desk' }), '40017', /username.*taken/);
  await refused(
    () => alice.createSubAccount({ username: 'desky', note: 'x'.repeat(51) }),
    '40017',
    /note.*50/,
  );
  await refused(
    () => alice.createSubAccount({ username: 'old', accountMode: 'classic' }),
    '25002',
    /accountMode/,
  );
  await bob.createSubAccount({ username: 'desk' });
});

test('a key of a sub-account: shown with its secret once, then without', async () => {
  const { data: made } = await createKey({ note: 'second', permissions: ['uta_trade'], ips: ['127.0.0.1'] });
  assert.deepEqual(
    { ...made, apiKey: '', secret: '' },
    {
      note: 'second',
      apiKey: '',
      secret: '',
      type: 'read_write',
      permissions: ['uta_trade'],
      ips: ['127.0.0.1'],
    },
  );
  const { data: listed } = await alice.getSubAccountApiKeys({ subUid: sub });
  assert.deepEqual(
    listed.items.map(({ note }) => note),
    ['bot', 'second'],
  );
  assert.deepEqual((listed as unknown as { list: unknown }).list, listed.items, 'under both names');
  assert.ok(!JSON.stringify(listed).includes(made.secret));
  const { data: page } = await alice.getSubAccountApiKeys({ subUid: sub, limit: '1' });
  assert.deepEqual([page.items.length, page.hasNext], [1, true]);
  // The place in the list outlives the key that marked it.
  const { data: next } = await alice.getSubAccountApiKeys({ subUid: sub, limit: '1', cursor: page.cursor });
  assert.deepEqual([next.items[0]!.apiKey, next.hasNext], [made.apiKey, false]);
  assert.deepEqual((await alice.deleteSubAccountApiKey({ apiKey: made.apiKey })).data, {});
  assert.equal(await codeOf(subClient({ ...made, secretKey: made.secret }).getAccountInfo()), '40037');
});

test('a changed key counts from the next call on, under both spellings of its name', async () => {
  const trader = subClient();
  await trader.getUnfilledOrders();
  const { data: changed } = await update({ type: 'read_only', permissions: ['uta_mgt'], ips: ['10.1.2.3'] });
  assert.deepEqual(changed, {
    note: 'bot',
    apiKey: key.apiKey,
    type: 'read_only',
    permissions: ['uta_mgt'],
    ips: ['10.1.2.3'],
  });
  assert.equal(await codeOf(trader.getAccountInfo()), '40018');
  const spelled = { apikey: key.apiKey, passphrase: PASSPHRASE, ips: [] } as unknown as { apiKey: string };
  await alice.updateSubAccountApiKey(spelled as never);
  assert.equal(await codeOf(trader.getUnfilledOrders()), '40014');
  await update({ type: 'read_write', permissions: ['uta_mgt', 'uta_trade'] });
  await trader.getUnfilledOrders();
});

test('what is wrong with a key is said, and nothing is changed', async () => {
  await refused(() => createKey({ note: '1st' }), '40017', /note.*letter/);
  await refused(() => createKey({ passphrase: 'short' }), '40070', /passphrase.*8 to 32/);
  await refused(() => createKey({ permissions: ['withdraw'] }), '40020', /permissions.*uta_mgt, uta_trade/);
  await refused(() => createKey({ ips: Array(31).fill('10.0.0.1') }), '40017', /ips.*31.*30/);
  await refused(() => createKey({ ips: undefined }), '40019', /ips/);
  await refused(() => update({ ips: ['nowhere'] }), '40017', /ips.*"nowhere"/);
  await refused(() => update({ passphrase: 'Passphrase2' }), '40036', /passphrase/);
  await refused(() => update({ apiKey: undefined }), '40019', /apiKey/);
  await refused(() => createKey({}, sdkClient(server.url, readOnly)), '40014', /read_write/);
  await refused(() => createKey({}, sdkClient(server.url, mgtOnly)), '40014', /permissions: uta_trade/);
});

test('a sub-account is no main account: it cannot manage, not even itself', async () => {
  const trader = subClient();
  await refused(() => trader.createSubAccount({ username: 'grandchild' }), '40014', /main account/);
  await refused(() => createKey({}, trader), '40014', /main account/);
  await refused(() => update({ ips: [] }, trader), '40014', /main account/);
  await refused(() => trader.getSubAccountList(), '40014', /main account/);
});

test("a stranger's sub-account or key and a missing one give the same answer, byte by byte", async () => {
  const same = async (calls: readonly (() => Promise<unknown>)[], code: string) => {
    const bodies = await Promise.all(calls.map(async (call) => (await refusalOf(call())).body));
    const [one, other] = bodies.map((body) => JSON.stringify({ ...body, requestTime: 0 }));
    assert.equal(one, other);
    assert.equal(bodies[0]!.code, code);
  };
  const uids = [sub, '1999999999'];
  const before = (await alice.getSubAccountApiKeys({ subUid: sub })).data;
  await same(
    uids.map((subUid) => () => bob.freezeSubAccount({ subUid, operation: 'freeze' })),
    '25005',
  );
  await same(
    uids.map((subUid) => () => bob.getSubAccountApiKeys({ subUid })),
    '25005',
  );
  await same(
    uids.map((subUid) => () => createKey({ subUid }, bob)),
    '25005',
  );
  const names = [key.apiKey, 'bk_00000000000000000000000000000000'];
  await same(
    names.map((apiKey) => () => update({ apiKey }, bob)),
    '40034',
  );
  await same(
    names.map((apiKey) => () => bob.deleteSubAccountApiKey({ apiKey })),
    '40034',
  );
  assert.deepEqual((await alice.getSubAccountApiKeys({ subUid: sub })).data, before);
});

test('a frozen sub-account is out at the next call, and back when it is unfrozen', async () => {
  const trader = subClient();
  assert.deepEqual((await alice.freezeSubAccount({ subUid: sub, operation: 'freeze' })).data, {});
  assert.equal(await codeOf(trader.getAccountInfo()), '40068');
  const { data: listed } = await alice.getSubAccountList();
  assert.deepEqual(
    listed.list.filter(({ status }) => status === 'freeze').map(({ subUid }) => subUid),
    [sub],
  );
  await alice.freezeSubAccount({ subUid: sub, operation: 'unfreeze' });
  await trader.getAccountInfo();
});

test('main account and sub-account are one party: with cancel_maker they do not trade with each other', async () => {
  const trader = subClient();
  await fund(sub, 'USDT', '10000');
  const price = '58111';
  const limit = { category: 'SPOT', symbol: 'BTCUSDT', orderType: 'limit', price, qty: '0.01' } as const;
  const { data: bid } = await alice.submitNewOrder({ ...limit, side: 'buy' });
  const { data: further } = await bob.submitNewOrder({ ...limit, side: 'buy' });
  await fund(sub, 'BTC', '0.1');
  const { data: sale } = await trader.submitNewOrder({ ...limit, side: 'sell', stpMode: 'cancel_maker' });
  const status = async (client: SdkClient, orderId: string) =>
    (await client.getOrderInfo({ orderId })).data.orderStatus;
  assert.equal(await status(alice, bid.orderId), 'cancelled', "the main account's order gave way");
  assert.equal(await status(bob, further.orderId), 'filled', "the stranger's order behind it traded");
  assert.equal(await status(trader, sale.orderId), 'filled');
  assert.deepEqual((await alice.getTradeFills({ orderId: bid.orderId })).data.list, []);
});

test('what a frozen sub-account had in the books is cancelled with it: nobody could cancel it any more', async () => {
  const trader = subClient();
  const placed = await trader.submitNewOrder({
    category: 'SPOT',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    price: '50000',
    qty: '0.01',
  });
  await alice.freezeSubAccount({ subUid: sub, operation: 'freeze' });
  await alice.freezeSubAccount({ subUid: sub, operation: 'unfreeze' });
  const { orderStatus, cancelReason } = (await trader.getOrderInfo({ orderId: placed.data.orderId })).data;
  assert.deepEqual([orderStatus, cancelReason], ['cancelled', 'delegated_risk_order_cancel']);
});

test('a sub-account that a crash left half open was completed by the start', async () => {
  await fund(String(halfOpen), 'USDT', '1');
  const { data: made } = await createKey({ subUid: String(halfOpen) });
  const client = subClient({ ...made, secretKey: made.secret });
  const { data: assets } = await client.getBalances();
  assert.deepEqual(
    assets.assets.map(({ coin, balance }) => [coin, balance]),
    [['USDT', '1']],
  );
});

test('a server killed right after an answer has the sub-account and its key', async () => {
  const { data: created } = await alice.createSubAccount({ username: 'survivor' });
  const { data: made } = await createKey({ subUid: created.subUid });
  await server.kill();
  server = await startHosted({ data, args: ['--rate-limits', 'off'] });
  alice = sdkClient(server.url, server.account('alice'));
  const keys = { name: '', uid: 0, apiKey: made.apiKey, secretKey: made.secret, passphrase: PASSPHRASE };
  const client = new SignedClient(server.url, keys);
  assert.equal((await client.get('/api/v3/account/info')).data.userId, created.subUid);
  await fund(created.subUid, 'USDT', '1');
  client.close();
});
