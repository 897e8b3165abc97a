import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalIdentity } from './identity.ts';
import { keyFileOnDisk } from './key-file.ts';
import { extendKeyring } from './sealing.ts';
import { IDENTITY_FILE, KEYRING_FILE, openIdentity } from './sqlite-identity.ts';

const NOW = 1_700_000_000_000;
const KEYS = 40;
const CHEAP = { scryptCost: { N: 2 ** 10, r: 8, p: 1 } };
const apiKeys = Array.from({ length: KEYS }, (_, index) => `key-${index}`);

let directory: string;
let identity: LocalIdentity;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bourse-rotation-'));
  identity = openIdentity(directory, CHEAP);
  const user = identity.createUser({ name: 'alice', nowMs: NOW });
  assert.ok(user.ok);
  for (const apiKey of apiKeys) install(apiKey, user.value.uid);
});
afterEach(async () => {
  await identity.close();
  rmSync(directory, { recursive: true });
});

function install(apiKey: string, uid: number): void {
  const installed = identity.installKey({
    uid,
    apiKey,
    secretKey: `secret of ${apiKey}`,
    passphrase: 'passphrase1',
    label: '',
    permType: 'read_write',
    permissions: ['uta_trade'],
    nowMs: NOW,
    demo: true,
  });
  assert.ok(installed.ok, installed.ok ? '' : installed.message);
}

async function reopen(): Promise<void> {
  await identity.close();
  identity = openIdentity(directory, CHEAP);
}

function assertReadable(): void {
  for (const apiKey of apiKeys) {
    assert.equal(identity.findKey(apiKey)?.verifier.export().toString(), `secret of ${apiKey}`);
  }
}

function keyIdsOnFile(): string[] {
  const lines = readFileSync(join(directory, KEYRING_FILE), 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.split(' ')[0]!);
}

function keyIdsInUse(): string[] {
  const database = new DatabaseSync(join(directory, IDENTITY_FILE), { readOnly: true });
  const rows = database.prepare('SELECT DISTINCT seal_key_id AS id FROM api_keys').all();
  database.close();
  return rows.map(({ id }) => String(id));
}

test('a rotation seals every secret under a new key and forgets the old one', async () => {
  const [oldId] = keyIdsOnFile();
  const { keyId, resealed } = identity.rotateKek();
  assert.notEqual(keyId, oldId);
  assert.equal(resealed, KEYS);
  assert.deepEqual([keyIdsOnFile(), keyIdsInUse()], [[keyId], [keyId]]);
  assert.equal(statSync(join(directory, KEYRING_FILE)).mode & 0o777, 0o600);
  assertReadable();
  await reopen();
  assertReadable();
});

test('a rotation that ended after the new key was on file is harmless, and the next one completes it', async () => {
  const [oldId] = keyIdsOnFile();
  await identity.close();
  extendKeyring(keyFileOnDisk(join(directory, KEYRING_FILE)));
  await reopen();
  assertReadable();
  assert.deepEqual(keyIdsInUse(), [oldId]);
  const { keyId } = identity.rotateKek();
  assert.deepEqual([keyIdsOnFile(), keyIdsInUse()], [[keyId], [keyId]]);
  await reopen();
  assertReadable();
});

test('a rotation that fails at one secret changes none, and the old key stays', async () => {
  const [oldId] = keyIdsOnFile();
  const database = new DatabaseSync(join(directory, IDENTITY_FILE));
  const damaged = `WHERE api_key = '${apiKeys.at(-1)}'`;
  const { sealed } = database.prepare(`SELECT sealed FROM api_keys ${damaged}`).get()!;
  database.exec(`UPDATE api_keys SET sealed = zeroblob(60) ${damaged}`);
  assert.throws(() => identity.rotateKek());
  assert.deepEqual(keyIdsInUse(), [oldId]);
  assert.ok(keyIdsOnFile().includes(oldId!));
  database.prepare(`UPDATE api_keys SET sealed = ? ${damaged}`).run(sealed as Uint8Array);
  database.close();
  await reopen();
  assertReadable();
  // A key made between the failure and the next rotation is sealed under the new key already.
  install('key-between', identity.findKey(apiKeys[0]!)!.user.uid);
  assert.equal(keyIdsInUse().length, 2);
  identity.rotateKek();
  assert.equal(keyIdsOnFile().length, 1);
  assertReadable();
});

test('a process killed at any moment of a rotation leaves every secret readable', async () => {
  await identity.close();
  for (let round = 0; round < 4; round += 1) {
    const child = rotateForEver();
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    await sleep(Math.random() * 30);
    child.kill('SIGKILL');
    await ended;
    identity = openIdentity(directory, CHEAP);
    assertReadable();
    await identity.close();
  }
  identity = openIdentity(directory, CHEAP);
});

function rotateForEver(): ChildProcessByStdio<null, Readable, null> {
  const code = `
    const { openIdentity } = await import(${JSON.stringify(join(import.meta.dirname, 'sqlite-identity.ts'))});
    const identity = openIdentity(${JSON.stringify(directory)});
    process.stdout.write('rotating');
    for (;;) identity.rotateKek();`;
  const args = ['--input-type=module', '--eval', code];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}
