/** Money that moves between wallets, accounts and the outside world, through both clients and the operator's API. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import ccxt from 'ccxt';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type CcxtClient, ccxtClient, refusalOf, refusesWith, type SdkClient, sdkClient } from './clients.ts';
import { decimal, units } from './ledger-by-hand.ts';

const data = temporaryDirectory();
const TRON = 'TFcWfiw5p5DDZ6vi6Bktf7yK1asRYLpN33';

let server: TestServer;
let operator: Operator;
let alice: Party;
let bob: Party;
let kid: Party;
let cub: Party;

/** One account through both clients and ours. */
interface Party {
  readonly keys: DemoKeys;
  readonly ccxt: CcxtClient;
  readonly sdk: SdkClient;
  readonly raw: SignedClient;
}

function party(keys: DemoKeys): Party {
  return {
    keys,
    ccxt: ccxtClient(server.url, keys, { number: String, enableRateLimit: false }),
    sdk: sdkClient(server.url, keys),
    raw: new SignedClient(server.url, keys),
  };
}

/** The markets are the same for all; nobody needs to load them twice. */
async function enter(...keys: DemoKeys[]): Promise<Party[]> {
  const parties = keys.map(party);
  await parties[0]!.ccxt.loadMarkets();
  for (const { ccxt: other } of parties.slice(1)) other.setMarketsFromExchange(parties[0]!.ccxt);
  return parties;
}

async function open(): Promise<void> {
  server = await startHosted({ data, args: ['--rate-limits', 'off', '--operator-port', '0'] });
  operator = new Operator(server);
}

before(async () => {
  await open();
  const rights = ['uta_trade', 'uta_mgt', 'withdraw'];
  const kidKeys = await operator.openSub('kid', 'alice', rights);
  const cubKeys = await operator.openSub('cub', 'alice', rights);
  const all = await enter(server.account('alice'), server.account('bob'), kidKeys, cubKeys);
  [alice, bob, kid, cub] = all as [Party, Party, Party, Party];
});

after(async () => {
  for (const { raw } of [alice, bob, kid, cub]) raw.close();
  await server.stop();
});

/** What both wallets hold of a coin, as ccxt reads it: `funding + unified`. */
async function wallets({ ccxt: client, raw }: Party, coin = 'USDT'): Promise<string> {
  const total = async (params: object) => String((await client.fetchBalance(params))[coin]?.total ?? '0');
  const funding = await total({ type: 'funding' });
  const named = (await raw.get('/api/v3/account/funding-assets', { coin })).data as { balance: string }[];
  assert.equal(named[0]?.balance ?? '0', funding);
  return `${funding} + ${await total({})}`;
}

const sinceAnHour = () => ({
  startTime: String(Date.now() - 3_600_000),
  endTime: String(Date.now() + 1000),
});

test('money moves from the unified account to the funding wallet and back, through both clients', async () => {
  const sent = await alice.ccxt.transfer('USDT', 1234.56789012, 'unified', 'funding');
  assert.match(sent.id!, /^1\d{18}$/);
  assert.equal(await wallets(alice), '1234.56789012 + 98765.43210988');
  const back = await alice.sdk.submitTransfer({
    fromType: 'spot',
    toType: 'uta',
    amount: '34.56789012',
    coin: 'USDT',
    clientOid: 'back-1',
  });
  assert.equal(back.data.clientOid, 'back-1');
  assert.equal(await wallets(alice), '1200 + 98800');
});

test('ccxt lists what has left each wallet', async () => {
  const fromFunding = await alice.ccxt.fetchTransfers('USDT');
  assert.deepEqual(
    fromFunding.map(({ amount, fromAccount, toAccount, status }) => [amount, fromAccount, toAccount, status]),
    [['34.56789012', 'spot', 'uta', 'ok']],
  );
  const fromUnified = await alice.ccxt.fetchTransfers('USDT', undefined, 10, { fromAccount: 'uta' });
  assert.deepEqual(
    fromUnified.map(({ amount, currency, fromAccount }) => [amount, currency, fromAccount]),
    [['1234.56789012', 'USDT', 'uta']],
  );
  // The older names of what the unified account holds, and of wallets that nobody has.
  for (const fromAccount of ['swap', 'usdc_swap', 'future', 'cross'])
    assert.deepEqual(await alice.ccxt.fetchTransfers('USDT', undefined, 10, { fromAccount }), fromUnified);
  for (const fromAccount of ['isolated', 'p2p'])
    assert.deepEqual(await alice.ccxt.fetchTransfers('USDT', undefined, 10, { fromAccount }), []);
  const { code } = await alice.raw.get('/api/v2/spot/account/transferRecords', { fromType: 'savings' });
  assert.equal(code, '40020');
  assert.deepEqual(await alice.ccxt.fetchTransfers('BTC'), []);
  assert.deepEqual(await bob.ccxt.fetchTransfers('USDT'), []);
});

test('a repeated client id, too much, an older kind of account and the same wallet twice are refused', async () => {
  const transfer = { fromType: 'spot', toType: 'uta', amount: '1', coin: 'USDT' } as const;
  const code = async (changes: object) =>
    (await refusalOf(alice.sdk.submitTransfer({ ...transfer, ...changes }))).body;
  assert.equal((await code({ clientOid: 'back-1' })).code, '25212');
  const tooMuch = await code({ amount: '1200.00000001' });
  assert.deepEqual(
    [tooMuch.code, tooMuch.msg],
    ['43117', 'amount is above the maximum transferable: 1200 USDT'],
  );
  // Nothing is lent for a transfer, and a permission to borrow changes that as little as a missing one.
  const unified = { fromType: 'uta', toType: 'spot', amount: '98800.00000001' };
  for (const allowBorrow of ['yes', 'no'])
    assert.equal((await code({ ...unified, allowBorrow })).code, '43117');
  assert.equal((await code({ toType: 'spot' })).code, '40017');
  assert.equal((await code({ amount: '0' })).code, '25200');
  assert.equal((await code({ amount: '0.000000001' })).code, '40017');
  assert.equal((await code({ coin: 'NONE' })).code, '25201');
  for (const toType of ['usdt_futures', 'crossed_margin', 'p2p']) {
    const { code: wireCode, msg } = await code({ toType });
    assert.deepEqual([wireCode, msg], ['40020', 'parameter toType must be one of spot, uta']);
  }
  await refusesWith(alice.ccxt.transfer('USDT', 1, 'funding', 'swap'), ccxt.BadRequest, '40020');
  assert.equal(await wallets(alice), '1200 + 98800');
});

test('what can be moved and withdrawn is what is free', async () => {
  const order = { category: 'SPOT', symbol: 'ETHUSDT', side: 'buy', orderType: 'limit' } as const;
  const { orderId } = (await alice.sdk.submitNewOrder({ ...order, qty: '1', price: '2400' })).data;
  const { maxTransfer, borrowMaxTransfer } = (await alice.sdk.getMaxTransferable({ coin: 'USDT' })).data;
  assert.deepEqual([maxTransfer, borrowMaxTransfer], ['96400', '96400']);
  assert.deepEqual((await alice.sdk.getMaxWithdrawal({ coin: 'USDT' })).data, {
    coin: 'USDT',
    otcMaxWithdrawal: '0',
    spotMaxWithdrawal: '1200',
    utaMaxWithdrawal: '96400',
    totalMaxWithdrawal: '97600',
  });
  await alice.sdk.cancelOrder({ orderId });
  const coins = (await alice.sdk.getTransferableCoins({ fromType: 'spot', toType: 'uta' })).data;
  assert.ok(['USDT', 'BTC', 'ETH'].every((coin) => coins.includes(coin)));
});

test('a main account moves money down, across and up again; both sides read the same record', async () => {
  const move = { fromType: 'uta', toType: 'uta', coin: 'USDT' } as const;
  const [aliceUid, kidUid, cubUid] = [alice, kid, cub].map(({ keys }) => String(keys.uid));
  await alice.sdk.subAccountTransfer({
    ...move,
    amount: '500',
    fromUserId: aliceUid!,
    toUserId: kidUid!,
    clientOid: 'down',
  });
  await alice.sdk.subAccountTransfer({
    ...move,
    toType: 'spot',
    amount: '120.5',
    fromUserId: kidUid!,
    toUserId: cubUid!,
    clientOid: 'across',
  });
  await kid.sdk.subMasterTransfer({ ...move, amount: '79.5', clientOid: 'up' });
  assert.deepEqual(
    [await wallets(alice), await wallets(kid), await wallets(cub)],
    ['1200 + 98379.5', '0 + 300', '120.5 + 0'],
  );

  const rows = (page: { data: { items?: unknown } }) =>
    (page.data as unknown as { list: { clientOid: string; amount: string; status: string }[] }).list.map(
      ({ clientOid, amount, status }) => [clientOid, amount, status],
    );
  const ofKid = await alice.sdk.getSubTransferRecords({ subUid: kidUid! });
  assert.deepEqual(rows(ofKid), [
    ['up', '79.5', 'Successful'],
    ['across', '120.5', 'Successful'],
  ]);
  assert.deepEqual(
    (ofKid.data as { items: unknown }).items,
    (ofKid.data as unknown as { list: unknown }).list,
  );
  assert.deepEqual(rows(await alice.sdk.getSubTransferRecords({ subUid: kidUid!, role: 'receiver' })), [
    ['down', '500', 'Successful'],
  ]);
  assert.deepEqual(rows(await alice.sdk.getSubTransferRecords()), [['down', '500', 'Successful']]);
  assert.deepEqual(rows(await kid.sdk.getSubTransferRecords({ role: 'receiver' })), [
    ['down', '500', 'Successful'],
  ]);
  assert.deepEqual(rows(await alice.sdk.getSubTransferRecords({ clientOid: 'nothing' })), []);
});

test('the main account sees what its sub-accounts hold', async () => {
  const rows = (await alice.sdk.getSubUnifiedAssets()).data as unknown as {
    subUid: string;
    assets: { coin: string; balance: string }[];
  }[];
  assert.deepEqual(
    rows.map(({ subUid, assets }) => [subUid, assets.map(({ coin, balance }) => `${balance} ${coin}`)]),
    [
      [String(kid.keys.uid), ['300 USDT']],
      [String(cub.keys.uid), ['0 USDT']],
    ],
  );
  const page = await alice.raw.get('/api/v3/account/sub-unified-assets', {
    limit: '1',
    cursor: String(kid.keys.uid),
  });
  assert.deepEqual(
    page.data.map(({ subUid }: { subUid: string }) => subUid),
    [String(cub.keys.uid)],
  );
});

test('a sub-account cannot pull, push sideways or look around', async () => {
  const pull = {
    fromType: 'uta',
    toType: 'uta',
    coin: 'USDT',
    amount: '1',
    fromUserId: String(cub.keys.uid),
    toUserId: String(kid.keys.uid),
    clientOid: 'pull',
  } as const;
  assert.equal((await refusalOf(kid.sdk.subAccountTransfer(pull))).body.code, '40014');
  assert.equal((await refusalOf(kid.sdk.getSubUnifiedAssets())).body.code, '40014');
  const looked = await refusalOf(kid.sdk.getSubTransferRecords({ subUid: String(cub.keys.uid) }));
  assert.equal(looked.body.code, '25005');
  const up = { fromType: 'uta', toType: 'uta', coin: 'USDT', amount: '1' } as const;
  assert.equal((await refusalOf(alice.sdk.subMasterTransfer(up))).body.code, '25002');
});

test("a stranger's account and one that never was are answered alike, byte by byte", async () => {
  const answers = async (uid: string) => {
    const { raw } = bob;
    const sub = { subUid: uid, ...sinceAnHour() };
    const transfer = { fromType: 'uta', toType: 'uta', coin: 'USDT', amount: '1', clientOid: 'x' };
    const own = String(bob.keys.uid);
    const replies = [
      await raw.post('/api/v3/account/sub-transfer', { ...transfer, fromUserId: uid, toUserId: own }),
      await raw.post('/api/v3/account/sub-transfer', { ...transfer, fromUserId: own, toUserId: uid }),
      await raw.get('/api/v3/account/sub-transfer-record', { subUid: uid }),
      await raw.get('/api/v3/account/sub-unified-assets', { subUid: uid }),
      await raw.get('/api/v3/account/sub-deposit-address', { subUid: uid, coin: 'USDT' }),
      await raw.get('/api/v3/account/sub-deposit-records', sub),
      await raw.post('/api/v3/account/sub-deposit-records', sub),
    ];
    return replies.map(({ status, code, msg }) => `${status} ${code} ${msg}`);
  };
  const missing = await answers('999999999');
  assert.ok(missing.every((answer) => answer.startsWith('400 25005 ')));
  assert.deepEqual(await answers(String(kid.keys.uid)), missing);
  assert.deepEqual(await answers(String(alice.keys.uid)), missing);
});

test('a deposit address is the same every time and nobody else has it', async () => {
  const seen = new Map<string, string>();
  for (const [name, { ccxt: client }] of Object.entries({ alice, bob, kid })) {
    for (const [coin, network] of [
      ['USDT', 'ERC20'],
      ['USDT', 'TRC20'],
      ['ETH', 'ERC20'],
      ['XRP', undefined],
    ] as const) {
      const params = network === undefined ? {} : { network };
      const { address = '', tag } = await client.fetchDepositAddress(coin, params);
      assert.match(address, /^bourse1[a-z0-9]{32}$/);
      assert.equal((await client.fetchDepositAddress(coin, params)).address, address);
      assert.equal(tag !== undefined, coin === 'XRP');
      assert.equal(seen.get(address), undefined);
      seen.set(address, `${name} ${coin} ${network}`);
    }
  }
  const ofKid = await alice.sdk.getSubDepositAddress({
    subUid: String(kid.keys.uid),
    coin: 'usdt',
    chain: 'erc20',
  });
  assert.equal(seen.get(ofKid.data.address), 'kid USDT ERC20');
  assert.equal(
    (await refusalOf(alice.sdk.getDepositAddress({ coin: 'USDT', chain: 'NONE' }))).body.code,
    '40034',
  );
});

test('money of the demo came over a network to the address of its account', async () => {
  const records = (await bob.sdk.getDepositRecords(sinceAnHour())).data;
  assert.ok(records.length > 1);
  for (const { coin, dest, chain, toAddress } of records) {
    const { data } = await bob.sdk.getDepositAddress({ coin });
    assert.deepEqual([dest, chain, toAddress], ['on_chain', data.chain, data.address], coin);
  }
});

test('records of a period before the window are an empty list', async () => {
  const DAY = 86_400_000;
  const between = (from: number, to: number) => ({
    startTime: String(Date.now() - from * DAY),
    endTime: String(Date.now() - to * DAY),
  });
  const sub = { subUid: String(kid.keys.uid) };
  const old = between(1000, 990);
  assert.deepEqual((await alice.sdk.getDepositRecords(old)).data, []);
  assert.deepEqual((await alice.sdk.getWithdrawRecords(old)).data, []);
  assert.deepEqual((await alice.sdk.getSubDepositRecords({ ...sub, ...old })).data, []);
  assert.deepEqual((await alice.sdk.getDepositRecords(between(95, 10))).data, []);
  for (const wrong of [between(1000, 0), between(990, 1000)])
    assert.equal((await refusalOf(alice.sdk.getDepositRecords(wrong))).body.code, '40017');
});

test('a deposit that the operator credits is in the wallet and in the records', async () => {
  const { address = '' } = await alice.ccxt.fetchDepositAddress('USDT', { network: 'TRC20' });
  const credit = { coin: 'USDT', amount: '30.5', chain: 'TRC20', address, wallet: 'funding' } as const;
  await operator.deposit({ account: 'alice', ...credit, reference: '0xfeed' });
  await operator.deposit({ account: String(kid.keys.uid), ...credit, reference: '0xcafe' });
  assert.equal(await wallets(alice), '1230.5 + 98379.5');

  const [deposit] = (await alice.ccxt.fetchDeposits('USDT')).toReversed();
  assert.deepEqual(
    [deposit!.txid, deposit!.amount, deposit!.status, deposit!.network, deposit!.address, deposit!.type],
    ['0xfeed', '30.5', 'ok', 'TRC20', address, 'deposit'],
  );
  const found = await alice.ccxt.fetchDeposit(deposit!.id!);
  assert.equal(found.txid, '0xfeed');

  const query = { subUid: String(kid.keys.uid), ...sinceAnHour() };
  const posted = (await alice.sdk.getSubDepositRecords(query)).data;
  assert.deepEqual(
    posted.map(({ recordId, size, dest, status }) => [recordId, size, dest, status]),
    [['0xcafe', '30.5', 'on_chain', 'success']],
  );
  const got = await alice.raw.get('/api/v3/account/sub-deposit-records', query);
  assert.deepEqual(got.data, posted);
});

interface Withdrawn {
  readonly id: string;
  readonly status: string;
  readonly amount: string;
  readonly fee: string;
  readonly txid: string;
}

/** ccxt's view of one withdrawal. */
async function withdrawal({ ccxt: client }: Party, orderId: string): Promise<Withdrawn> {
  const [row] = await client.fetchWithdrawals('USDT', undefined, undefined, { orderId });
  const { id, status, amount, fee, txid } = row! as unknown as Withdrawn & { fee: { cost: string } };
  return { id, status, amount, fee: fee.cost, txid };
}

test('a withdrawal is pending until the operator settles it; the network gets it less the fee', async () => {
  const { id } = await alice.ccxt.withdraw('USDT', 1250.5, TRON, undefined, { network: 'TRC20' });
  // Funding pays first: 1230.5, the unified account the rest.
  assert.equal(await wallets(alice), '0 + 98359.5');
  assert.deepEqual(await withdrawal(alice, id!), {
    id,
    status: 'pending',
    amount: '1249',
    fee: '1.5',
    txid: id,
  });
  assert.equal(await operator.settle(id!, '0xpaid'), 200);
  assert.deepEqual(await withdrawal(alice, id!), {
    id,
    status: 'ok',
    amount: '1249',
    fee: '1.5',
    txid: '0xpaid',
  });
  assert.equal(await wallets(alice), '0 + 98359.5');
  assert.notEqual(await operator.settle(id!, '0xagain'), 200);
  assert.notEqual(await operator.refuse(id!, 'late'), 200);
  const late = await refusalOf(alice.sdk.cancelWithdrawal({ orderId: id! }));
  assert.equal(late.body.code, '40034');
  assert.equal(await wallets(alice), '0 + 98359.5');
});

test('a withdrawal that the operator refuses, or its owner takes back, returns to the wallets it came from', async () => {
  await alice.sdk.submitTransfer({ fromType: 'uta', toType: 'spot', amount: '10', coin: 'USDT' });
  const request = {
    coin: 'USDT',
    transferType: 'on_chain',
    chain: 'TRC20',
    address: TRON,
    size: '25',
  } as const;
  const first = (await alice.sdk.submitWithdraw({ ...request, clientOid: 'w-1' })).data;
  assert.equal(await wallets(alice), '0 + 98334.5');
  assert.equal(await operator.refuse(first.orderId, 'no reason'), 200);
  assert.equal(await wallets(alice), '10 + 98349.5');
  assert.equal((await withdrawal(alice, first.orderId)).status, 'failed');

  const second = (await alice.sdk.submitWithdraw({ ...request, clientOid: 'w-2', accountType: 'uta' })).data;
  assert.equal(await wallets(alice), '10 + 98324.5');
  assert.equal((await refusalOf(bob.sdk.cancelWithdrawal({ orderId: second.orderId }))).body.code, '40034');
  assert.equal((await alice.sdk.cancelWithdrawal({ clientOid: 'w-2' })).data, 'success');
  assert.equal(await wallets(alice), '10 + 98349.5');
  const records = (await alice.sdk.getWithdrawRecords({ clientOid: 'w-2', ...sinceAnHour() })).data;
  assert.deepEqual(
    records.map(({ orderId, status, fee, size }) => [orderId, status, fee, size]),
    [[second.orderId, 'fail', '-1.5', '25']],
  );
});

test('a withdrawal that cannot be is refused and moves nothing', async () => {
  const request = {
    coin: 'USDT',
    transferType: 'on_chain',
    chain: 'TRC20',
    address: TRON,
    size: '25',
  } as const;
  const code = async (changes: object) =>
    (await refusalOf(alice.sdk.submitWithdraw({ ...request, ...changes }))).body.code;
  const before = await wallets(alice);
  assert.equal(await code({ coin: 'NONE' }), '13002');
  assert.equal(await code({ chain: 'NONE' }), '40034');
  assert.equal(await code({ chain: undefined }), '40019');
  assert.equal(await code({ size: '0.5' }), '25611');
  assert.equal(await code({ size: '1000000' }), '25202');
  assert.equal(await code({ size: '11', accountType: 'funding' }), '25202');
  assert.equal(await code({ accountType: 'savings' }), '40020');
  assert.equal(await code({ accountType: 'otc' }), '40020');
  assert.equal(await code({ clientOid: 'w-1' }), '25212');
  assert.equal(await code({ address: 'a b' }), '40017');
  assert.equal(await code({ transferType: 'internal_transfer', address: '999999999' }), '25005');
  assert.equal(await code({ transferType: 'internal_transfer', address: TRON }), '25005');
  assert.equal(await code({ transferType: 'internal_transfer', innerToType: 'email' }), '40020');
  assert.equal(await code({ coin: 'XRP', chain: 'XRP', size: '100' }), '40019');
  assert.equal(await wallets(alice), before);
});

test('a withdrawal to another account is there at once, and each side has its record', async () => {
  const before = await wallets(bob);
  assert.equal(before, '0 + 100000');
  const { orderId } = (
    await alice.sdk.submitWithdraw({
      coin: 'USDT',
      transferType: 'internal_transfer',
      address: String(bob.keys.uid),
      size: '12.00000001',
    })
  ).data;
  assert.deepEqual(
    [await wallets(alice), await wallets(bob)],
    ['0 + 98347.49999999', '12.00000001 + 100000'],
  );
  const sent = await withdrawal(alice, orderId);
  assert.deepEqual([sent.status, sent.amount, sent.fee], ['ok', '12.00000001', '0']);
  const [received] = (await bob.sdk.getDepositRecords(sinceAnHour())).data;
  assert.deepEqual(
    [received!.dest, received!.size, received!.fromAddress, received!.toAddress, received!.status],
    ['internal_transfer', '12.00000001', String(alice.keys.uid), String(bob.keys.uid), 'success'],
  );
});

test('only a key with the permission withdraw takes money out, only one that manages moves it', async () => {
  const { uid } = bob.keys;
  const manager = new SignedClient(server.url, await operator.openKey(uid, 'manager', ['uta_mgt']));
  const trader = new SignedClient(server.url, await operator.openKey(uid, 'trader', ['uta_trade']));
  const withdraw = { coin: 'USDT', transferType: 'on_chain', chain: 'TRC20', address: TRON, size: '25' };
  for (const path of ['withdrawal', 'withdraw', 'cancel-withdrawal']) {
    assert.equal((await manager.post(`/api/v3/account/${path}`, withdraw)).code, '40014');
  }
  const transfer = { fromType: 'spot', toType: 'uta', amount: '1', coin: 'USDT' };
  assert.equal((await trader.post('/api/v3/account/transfer', transfer)).code, '40014');
  assert.equal((await trader.get('/api/v3/account/funding-assets')).code, '40014');
  assert.equal((await manager.get('/api/v3/account/funding-assets')).code, '00000');
  manager.close();
  trader.close();
});

interface Line {
  readonly id: string;
  readonly coin: string;
  readonly amount: string;
  readonly fee: string;
  readonly balance: string;
}

/** All lines of a wallet, newest first, in pages of three. */
async function lines({ raw }: Party, path: string, query: Record<string, string>): Promise<Line[]> {
  const all: Line[] = [];
  for (let cursor = {}; ; ) {
    const { data: page } = await raw.get(`/api/v3/account/${path}`, { ...query, limit: '3', ...cursor });
    if (page.list.length === 0) return all;
    all.push(...page.list);
    cursor = { cursor: page.cursor };
  }
}

const CATEGORIES = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES', 'OTHER'];

async function linesOf(who: Party, wallet: 'funding' | 'unified'): Promise<Line[]> {
  if (wallet === 'funding') return lines(who, 'funding-financial-records', {});
  const pages = [];
  for (const category of CATEGORIES) pages.push(...(await lines(who, 'financial-records', { category })));
  return pages.sort((a, b) => (a.id < b.id ? 1 : -1));
}

const signed = (text: string) => (text.startsWith('-') ? -units(text.slice(1)) : units(text));

test('every movement is in the financial records once: the lines of a wallet add up to what it holds', async () => {
  // Some trading in between, so that there is more than transfers.
  await bob.ccxt.createOrder('ETH/USDT', 'limit', 'sell', 0.3333, 2499.99);
  await alice.ccxt.createOrder('ETH/USDT', 'limit', 'buy', 0.3333, 2500);
  for (const who of [alice, bob, kid, cub]) {
    for (const wallet of ['funding', 'unified'] as const) {
      const all = await linesOf(who, wallet);
      assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
      const sums = new Map<string, bigint>();
      for (const { coin, amount, fee, balance } of all.toReversed()) {
        const sum = (sums.get(coin) ?? 0n) + signed(amount) + signed(fee);
        assert.equal(decimal(sum), balance, `${who.keys.name} ${wallet} ${coin}`);
        sums.set(coin, sum);
      }
      const params = wallet === 'funding' ? { type: 'funding' } : {};
      const held = (await who.ccxt.fetchBalance(params)).total as unknown as Record<string, string>;
      for (const [coin, sum] of sums) {
        assert.equal(decimal(sum), held[coin] ?? '0', `${who.keys.name} ${wallet} ${coin}`);
      }
    }
  }
});

test('ccxt reads the ledger of both wallets', async () => {
  const other = await alice.ccxt.fetchLedger('USDT', undefined, undefined, { category: 'OTHER' });
  const [first] = other;
  assert.deepEqual(
    [first!.type, first!.direction, first!.amount, first!.after],
    ['transfer', 'in', '100000', '100000'],
  );
  const trades = await alice.ccxt.fetchLedger('USDT');
  assert.deepEqual(
    trades.map(({ type, direction }) => [type, direction]),
    [['trade', 'out']],
  );
  const funding = await alice.ccxt.fetchLedger('USDT', undefined, undefined, { type: 'funding' });
  assert.deepEqual(
    funding.map(({ type, direction, amount }) => `${type} ${direction} ${amount}`),
    [
      'transfer in 1234.56789012',
      'transfer out 34.56789012',
      'deposit in 30.5',
      'withdrawal out 1230.5',
      'transfer in 10',
      'withdrawal out 10',
      'withdrawal in 10',
      'withdrawal out 10',
    ],
  );
  const deposits = await alice.raw.get('/api/v3/account/funding-financial-records', { type: 'DEPOSIT' });
  assert.equal(deposits.data.list.length, 1);
  const incoming = await alice.raw.get('/api/v3/account/financial-records', {
    category: 'other',
    type: 'transfer_out',
    coin: 'usdt',
  });
  assert.ok(incoming.data.list.every(({ type }: { type: string }) => type === 'TRANSFER_OUT'));
  assert.ok(incoming.data.list.length > 0);
});

test('the wish to pay fees in a deduction coin is remembered', async () => {
  assert.deepEqual((await alice.sdk.getDeductInfo()).data, { deduct: 'off' });
  assert.equal((await alice.sdk.switchDeduct({ deduct: 'on' })).data, true);
  assert.deepEqual((await alice.sdk.getDeductInfo()).data, { deduct: 'on' });
});

test('a crash loses and repeats nothing: balances, records, addresses, pending withdrawals and client ids', async () => {
  const request = { coin: 'USDT', transferType: 'on_chain', chain: 'TRC20', address: TRON } as const;
  const pending = (await alice.sdk.submitWithdraw({ ...request, size: '40', clientOid: 'over' })).data;
  const view = async () => ({
    wallets: await Promise.all([alice, bob, kid, cub].map((who) => wallets(who))),
    lines: [await linesOf(alice, 'funding'), await linesOf(alice, 'unified')],
    transfers: (await alice.sdk.getSubTransferRecords()).data,
    withdrawals: (await alice.sdk.getWithdrawRecords(sinceAnHour())).data,
    deposits: (await alice.sdk.getDepositRecords(sinceAnHour())).data,
    address: (await alice.sdk.getDepositAddress({ coin: 'USDT' })).data,
    deduct: (await alice.sdk.getDeductInfo()).data,
  });
  const before = await view();
  await server.kill();
  for (const { raw } of [alice, bob, kid, cub]) raw.close();
  const keys = [alice, bob, kid, cub].map((who) => who.keys);
  await open();
  [alice, bob, kid, cub] = (await enter(...keys)) as [Party, Party, Party, Party];
  assert.deepEqual(await view(), before);

  const again = { fromType: 'spot', toType: 'uta', amount: '1', coin: 'USDT', clientOid: 'back-1' } as const;
  assert.equal((await refusalOf(alice.sdk.submitTransfer(again))).body.code, '25212');
  assert.equal(await operator.settle(pending.orderId, '0xafter'), 200);
  assert.equal((await withdrawal(alice, pending.orderId)).txid, '0xafter');
  assert.deepEqual((await view()).wallets, before.wallets);
});
