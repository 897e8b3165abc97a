/** What an owner chooses about money that comes and goes, through the SDK, and that it outlives a crash. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Operator } from '../harness/operator-door.ts';
import { type RunningServer, startServer } from '../harness/server.ts';
import { refusalOf, type SdkClient, sdkClient } from './clients.ts';

const data = mkdtempSync(join(tmpdir(), 'bourse-choices-'));
let server: RunningServer;
let operator: Operator;
let alice: SdkClient;
let bob: SdkClient;

async function open(): Promise<void> {
  server = await startServer({ data, args: ['--rate-limits', 'off'] });
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
  rmSync(data, { recursive: true, force: true });
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
  assert.equal((await alice.setDepositAccount(choice)).data as unknown, 'success');
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
