import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { openDemoAccounts } from './demo-accounts.ts';
import type { IdentityResult, LocalIdentity } from './identity.ts';
import { openMemoryIdentity } from './sqlite-identity.ts';

const NOW = 1_700_000_000_000;

function must<T>(outcome: IdentityResult<T>): T {
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.message);
  return outcome.value;
}

async function newKey(identity: LocalIdentity, name = 'alice') {
  const { uid } = must(identity.createUser({ name, nowMs: NOW }));
  const key = {
    uid,
    label: 'desk',
    permType: 'read_write',
    permissions: ['uta_trade'],
    passphrase: 'passphrase1',
    nowMs: NOW,
  } as const;
  return must(await identity.createKey(key));
}

/** Resources of this process that are worker threads. */
const threads = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'MessagePort' || name === 'Worker');

test('users, keys and passphrases work without a thread and without a file', async () => {
  const before = readdirSync('.');
  const identity = openMemoryIdentity();
  const { key, secretKey } = await newKey(identity);
  assert.match(secretKey!, /^[0-9a-f]{64}$/);
  assert.equal(identity.findKey(key.apiKey)?.key.uid, key.uid);
  assert.equal(await identity.checkPassphrase(key.apiKey, 'passphrase1', NOW), 'ok');
  assert.equal(await identity.checkPassphrase(key.apiKey, 'passphrase2', NOW), 'wrong');
  must(await identity.setPassphrase(key.apiKey, 'passphrase3'));
  assert.equal(await identity.checkPassphrase(key.apiKey, 'passphrase3', NOW), 'ok');
  assert.deepEqual(threads(), []);
  await identity.close();
  assert.deepEqual(readdirSync('.'), before);
});

test('guesses of a passphrase are limited as on a disk', async () => {
  const identity = openMemoryIdentity();
  const { key } = await newKey(identity);
  const verdicts: string[] = [];
  for (let guess = 0; guess < 11; guess++)
    verdicts.push(await identity.checkPassphrase(key.apiKey, `guess ${guess}`, NOW));
  assert.deepEqual(verdicts, [...Array(10).fill('wrong'), 'locked']);
  await identity.close();
});

test('the demo accounts are open at once', async () => {
  const identity = openMemoryIdentity();
  const { accounts, stored } = await openDemoAccounts(identity, NOW);
  await stored;
  for (const { account, uid } of accounts) {
    assert.equal(identity.findKey(account.apiKey)?.key.uid, uid);
    assert.equal(await identity.checkPassphrase(account.apiKey, account.passphrase, NOW), 'ok');
  }
  await identity.close();
});

test('secrets stay readable when the key that seals them is changed', async () => {
  const identity = openMemoryIdentity();
  const { key } = await newKey(identity);
  const before = identity.findKey(key.apiKey)!.verifier.export();
  assert.equal(identity.rotateKek().resealed, 1);
  identity.setFrozen(key.uid, true, NOW);
  assert.deepEqual(identity.findKey(key.apiKey)!.verifier.export(), before);
  const addressKey = identity.fileKey('address.key', '');
  assert.deepEqual(identity.fileKey('address.key', '').export(), addressKey.export());
  await identity.close();
});

test('two of them do not know each other', async () => {
  const [one, other] = [openMemoryIdentity(), openMemoryIdentity()];
  const { key } = await newKey(one);
  assert.equal(other.findKey(key.apiKey), undefined);
  assert.notDeepEqual(one.fileKey('address.key', '').export(), other.fileKey('address.key', '').export());
  await one.close();
  await other.close();
});
