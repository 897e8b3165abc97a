/** What an owner chooses about money that comes and goes, through the SDK, and that it outlives a crash. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { refusalOf, type SdkClient, sdkClient } from './clients.ts';

const data = temporaryDirectory();
let server: TestServer;
let operator: Operator;
let alice: SdkClient;
let bob: SdkClient;

async function open(): Promise<void> {
  server = await startHosted({ data, args: ['--rate-limits', 'off'] });
  operator = new Operator(server);
  [alice, bob] = ['alice', 'bob'].map((name) => sdkClient(server.url, server.account(name))) as [
    SdkClient,
    SdkClient,
  ];
}

async function crash(): Promise<void> {
  await server.kill();
  await open();
}

before(open);
after(async () => {
  await server.stop();
});

/** `funding + unified` of a coin. */
async function holdings(client: SdkClient, coin: string): Promise<string> {
  const [funding] = (await client.getFundingAssets({ coin })).data;
  const unified = (await client.getBalances()).data.assets.find((asset) => asset.coin === coin);
  return `${funding?.balance ?? '0'} + ${unified?.balance ?? '0'}`;
}

let deposits = 0;
const credit = (account: string, coin: string, amount: string) =>
  operator.deposit({ account, coin, amount, reference: `choice-${deposits++}` });

test('the next deposit lands in the wallet that was chosen for its coin, also after a crash', async () => {
  const [before, other] = [await holdings(alice, 'USDT'), await holdings(alice, 'ETH')];
  assert.match(before, /^0 \+ /);
  const choice = { coin: 'usdt', accountType: 'funding' } as const;
  assert.equal((await alice.setDepositAccount(choice)).data, 'success');
  await credit('alice', 'USDT', '12.5');
  assert.equal(await holdings(alice, 'USDT'), before.replace('0 + ', '12.5 + '));
  await credit('alice', 'ETH', '1');
  assert.match(other, /^0 \+ /);
  assert.match(await holdings(alice, 'ETH'), /^0 \+ /, 'another coin goes where it went');

  await crash();
  await credit('alice', 'USDT', '0.5');
  assert.equal(await holdings(alice, 'USDT'), before.replace('0 + ', '13 + '));
  const [uid, bobsUnified] = [String(server.account('alice').uid), await holdings(bob, 'USDT')];
  await alice.setDepositAccount({ coin: 'USDT', accountType: 'unified' });
  const paid = { coin: 'USDT', transferType: 'internal_transfer', address: uid, size: '7' } as const;
  await bob.submitWithdraw(paid);
  const unified = Number(before.split(' + ')[1]) + 7;
  assert.equal(await holdings(alice, 'USDT'), `13 + ${unified}`, 'from another account too');
  assert.notEqual(await holdings(bob, 'USDT'), bobsUnified);
});

test('a wallet that nobody has and a coin that is not listed are refused', async () => {
  const refused = async (choice: object) =>
    (await refusalOf(alice.setDepositAccount({ coin: 'USDT', accountType: 'funding', ...choice }))).body;
  const otc = await refused({ accountType: 'otc' });
  assert.deepEqual([otc.code, otc.msg], ['40020', 'parameter accountType must be one of funding, unified']);
  assert.equal((await refused({ coin: 'NONE' })).code, '25201');
  assert.equal((await refused({ coin: '' })).code, '40019');
});

const TRON = 'TFcWfiw5p5DDZ6vi6Bktf7yK1asRYLpN33';
const toTron = { coin: 'USDT', transferType: 'on_chain', chain: 'TRC20', address: TRON, size: '25' } as const;
const codeOf = async (call: Promise<unknown>) => (await refusalOf(call)).body.code;

test('the address book shows what was entered, newest first, page by page and by coin', async () => {
  const bobUid = String(server.account('bob').uid);
  await operator.addAddress('alice', { address: TRON, coin: 'USDT', chain: 'trc20', label: 'cold wallet' });
  await operator.addAddress('alice', { address: '0xfeed', chain: 'ERC20' });
  await operator.addAddress('alice', { address: bobUid, internal: true, label: 'bob' });
  const book = async (query: object) => {
    const { addressList, cursor } = (await alice.getWithdrawAddressBook(query)).data;
    const rows = addressList.map(({ type, coin, chain, address }) => `${type} ${coin} ${chain} ${address}`);
    return { rows, cursor: cursor! };
  };
  const [cold, universal, internal] = [
    `regular USDT TRC20 ${TRON}`,
    'universal  ERC20 0xfeed',
    `internal   ${bobUid}`,
  ];
  const first = await book({ limit: '2' });
  assert.deepEqual(first.rows, [internal, universal]);
  assert.deepEqual((await book({ limit: '2', cursor: first.cursor })).rows, [cold]);
  assert.deepEqual((await book({ type: 'regular' })).rows, [cold]);
  assert.deepEqual((await book({ type: 'EVM' })).rows, []);
  assert.deepEqual((await book({ coin: 'ETH' })).rows, [internal, universal], 'what serves every coin too');
  assert.deepEqual((await bob.getWithdrawAddressBook({})).data.addressList, []);
  const [entry] = (await alice.getWithdrawAddressBook({ type: 'internal' })).data.addressList;
  assert.deepEqual([entry!.label, entry!.internalType, entry!.memo], ['bob', 'uid', '']);
});

test('a locked book lets money go to its addresses and nowhere else, for sub-accounts too, also after a crash', async () => {
  const kidKeys = await operator.openSub('kid', 'alice', ['uta_mgt', 'withdraw']);
  await credit(String(kidKeys.uid), 'USDT', '100');
  assert.match((await alice.submitWithdraw({ ...toTron, address: 'anywhere' })).data.orderId, /^1/);
  await operator.lockAddresses('alice', true);
  await crash();
  const before = await holdings(alice, 'USDT');
  assert.equal(await codeOf(alice.submitWithdraw({ ...toTron, address: 'anywhere' })), '11000');
  assert.equal(await codeOf(alice.submitWithdraw({ ...toTron, chain: 'ERC20' })), '11000');
  assert.equal(await codeOf(alice.submitWithdraw({ ...toTron, tag: 'memo' })), '11000');
  const toKid = { ...toTron, transferType: 'internal_transfer', address: '1' } as const;
  assert.equal(await codeOf(alice.submitWithdraw(toKid)), '11000');
  assert.equal(await holdings(alice, 'USDT'), before, 'a refused withdrawal moves nothing');
  await alice.submitWithdraw(toTron);
  await alice.submitWithdraw({ ...toTron, chain: 'ERC20', address: '0xfeed' });
  await alice.submitWithdraw({ ...toKid, address: String(server.account('bob').uid) });
  const kid = sdkClient(server.url, kidKeys);
  assert.equal(await codeOf(kid.submitWithdraw({ ...toTron, address: 'anywhere' })), '11000');
  assert.match((await kid.submitWithdraw(toTron)).data.orderId, /^1/);
  await operator.lockAddresses('alice', false);
  await alice.submitWithdraw({ ...toTron, address: 'anywhere' });
});
