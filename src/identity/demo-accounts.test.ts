import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { DEMO_ACCOUNTS, openDemoAccounts, writeDemoAccountsFile } from './demo-accounts.ts';
import { PUBLISHED_SCRYPT_COST, SCRYPT_COST } from './passphrase.ts';
import { IDENTITY_FILE, openIdentity } from './sqlite-identity.ts';

const NOW = 1_700_000_000_000;
const CHEAP = { scryptCost: { N: 2 ** 10, r: 8, p: 1 } };
const directory = mkdtempSync(join(tmpdir(), 'bourse-demo-'));
after(() => rmSync(directory, { recursive: true }));

test('alice, bob, bot and maker have well-known keys and funds in plain decimals', () => {
  assert.deepEqual(
    DEMO_ACCOUNTS.map(({ name }) => name),
    ['alice', 'bob', 'bot', 'maker'],
  );
  const { funding, ...alice } = DEMO_ACCOUNTS[0]!;
  assert.deepEqual(alice, {
    name: 'alice',
    apiKey: 'demo-alice',
    secretKey: 'demo-alice-secret',
    passphrase: 'demo',
    label: 'demo trader',
  });
  assert.deepEqual([funding.USDT, funding.USDC, funding.BTC, funding.ETH], ['100000', '100000', '2', '20']);
  for (const account of DEMO_ACCOUNTS) {
    for (const amount of Object.values(account.funding)) assert.match(amount, /^[1-9][0-9]*(\.[0-9]+)?$/);
  }
});

/** The cost of each passphrase that is stored. */
function storedCosts(home: string): number[] {
  const database = new DatabaseSync(join(home, IDENTITY_FILE), { readOnly: true });
  const rows = database.prepare('SELECT scrypt_n FROM passphrases').all();
  database.close();
  return rows.map(({ scrypt_n: cost }) => Number(cost));
}

test('demo accounts work at once, also with the real cost of a passphrase hash, and are stored afterwards', async () => {
  const home = join(directory, 'real');
  const identity = openIdentity(home);
  const { accounts, stored } = await openDemoAccounts(identity, NOW);
  assert.deepEqual(storedCosts(home), [], 'the start waited for no hash');
  for (const { account, uid } of accounts) {
    assert.equal(identity.checkPassphrase(account.apiKey, 'demo', NOW), 'ok');
    const { key, verifier } = identity.findKey(account.apiKey)!;
    assert.equal(verifier.export().toString(), account.secretKey);
    assert.deepEqual([key.uid, key.demo, key.permType], [uid, true, 'read_write']);
    assert.deepEqual(key.permissions, ['uta_trade', 'uta_mgt', 'withdraw']);
  }
  await stored;
  assert.equal(storedCosts(home).length, accounts.length);
  await identity.close();
});

test('a second start finds the same accounts and checks their passphrases the slow way', async () => {
  const home = join(directory, 'twice');
  const first = openIdentity(home, CHEAP);
  const opened = await openDemoAccounts(first, NOW);
  await opened.stored;
  must(await first.setPassphrase('demo-bob', 'changed by bob'));
  await first.close();

  const second = openIdentity(home, CHEAP);
  const again = await openDemoAccounts(second, NOW + 1);
  assert.deepEqual(again.accounts, opened.accounts);
  assert.ok(second.checkPassphrase('demo-alice', 'demo', NOW) instanceof Promise);
  await again.stored;
  assert.equal(second.checkPassphrase('demo-alice', 'demo', NOW), 'ok');
  assert.equal(await second.checkPassphrase('demo-bob', 'demo', NOW), 'wrong');
  assert.equal(await second.checkPassphrase('demo-bob', 'changed by bob', NOW), 'ok');
  await second.close();
});

test('published passphrases are stored cheaply, so that a second start has little to check', async () => {
  const home = join(directory, 'cheap');
  const first = openIdentity(home);
  await (await openDemoAccounts(first, NOW)).stored;
  await first.close();
  // A hundredth of what a passphrase costs that somebody has chosen.
  assert.deepEqual(new Set(storedCosts(home)), new Set([PUBLISHED_SCRYPT_COST.N]));
  assert.ok(PUBLISHED_SCRYPT_COST.N * 100 <= SCRYPT_COST.N);
  const second = openIdentity(home);
  await (await openDemoAccounts(second, NOW)).stored;
  assert.equal(second.checkPassphrase('demo-maker', 'demo', NOW), 'ok');
  await second.close();
});

test('a first start that was cut off before the hashes were stored is completed by the next', async () => {
  const home = join(directory, 'cut');
  const first = openIdentity(home, CHEAP);
  await openDemoAccounts(first, NOW);
  await first.close();
  const second = openIdentity(home, CHEAP);
  await (await openDemoAccounts(second, NOW)).stored;
  await second.close();
  const third = openIdentity(home, CHEAP);
  assert.equal(await third.checkPassphrase('demo-maker', 'demo', NOW), 'ok');
  await third.close();
});

test('the access file is private, also when an open one was there before', () => {
  const path = join(directory, 'demo-accounts.json');
  writeFileSync(path, 'old');
  chmodSync(path, 0o644);
  const opened = DEMO_ACCOUNTS.map((account, index) => ({ account, uid: 1000000001 + index }));
  assert.equal(writeDemoAccountsFile(directory, opened), path);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const rows = JSON.parse(readFileSync(path, 'utf8'));
  assert.equal(rows.length, 4);
  assert.deepEqual(rows[1], {
    name: 'bob',
    uid: 1000000002,
    apiKey: 'demo-bob',
    secretKey: 'demo-bob-secret',
    passphrase: 'demo',
  });
});

function must(outcome: { readonly ok: boolean }): void {
  assert.equal(outcome.ok, true);
}
