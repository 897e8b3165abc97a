import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, test } from 'node:test';
import { AT_ONCE, type ChangeOrder } from './change-order.ts';
import {
  type IdentityResult,
  KEYS_PER_USER_MAX,
  type LocalIdentity,
  type NewKey,
  SUB_RIGHTS,
  SUBS_PER_USER_MAX,
} from './identity.ts';
import { IDENTITY_MARK_FILE } from './identity-mark.ts';
import { writeIdentity } from './identity-storage.ts';
import {
  IDENTITY_FILE,
  KEYRING_FILE,
  newStoreContents,
  openIdentity,
  openIdentityCopy,
} from './sqlite-identity.ts';
import type { StoreCopy } from './store-copy.ts';

const NOW = 1_700_000_000_000;
const CHEAP = { scryptCost: { N: 2 ** 10, r: 8, p: 1 } };

const directories: string[] = [];
const identities: LocalIdentity[] = [];
afterEach(async () => {
  for (const identity of identities.splice(0)) await identity.close();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bourse-identity-'));
  directories.push(directory);
  return directory;
}

function open(directory = newDirectory()): LocalIdentity {
  const identity = openIdentity(directory, CHEAP);
  identities.push(identity);
  return identity;
}

function must<T>(outcome: IdentityResult<T>): T {
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.message);
  return outcome.value;
}

function reason(outcome: IdentityResult<unknown>): string {
  assert.ok(!outcome.ok, 'expected a refusal');
  return outcome.reason;
}

const newUser = (identity: LocalIdentity, name = 'alice') => must(identity.createUser({ name, nowMs: NOW }));

const keyOf = (uid: number, change: Partial<NewKey> = {}): NewKey => ({
  uid,
  label: 'desk',
  permType: 'read_write',
  permissions: ['uta_trade'],
  passphrase: 'passphrase1',
  nowMs: NOW,
  ...change,
});

test('uids have ten digits and grow', () => {
  const identity = open();
  const uids = ['a', 'b', 'c'].map((name) => newUser(identity, name).uid);
  assert.deepEqual(uids, [1000000001, 1000000002, 1000000003]);
  assert.equal(reason(identity.createUser({ name: 'b', nowMs: NOW })), 'name_taken');
  assert.equal(reason(identity.createUser({ name: '', nowMs: NOW })), 'name_invalid');
});

test('a main account has sub-accounts, a sub-account has none', () => {
  const identity = open();
  const main = newUser(identity);
  const sub = must(identity.createSub(main.uid, { name: 'desk one', note: 'first', nowMs: NOW }));
  const second = must(identity.createSub(main.uid, { name: 'desk two', nowMs: NOW }));
  assert.equal(sub.mainUid, main.uid);
  assert.equal(sub.note, 'first');
  assert.equal(reason(identity.createSub(sub.uid, { name: 'x', nowMs: NOW })), 'sub_of_sub');
  assert.equal(reason(identity.createSub(1, { name: 'x', nowMs: NOW })), 'user_unknown');
  assert.deepEqual(identity.listSubs(main.uid), [sub, second]);
  assert.deepEqual(identity.listSubs(main.uid, { afterUid: sub.uid }), [second]);
  assert.deepEqual(identity.listUsers({ limit: 1 }), [main]);
});

test('names of sub-accounts are unique under their main account only', () => {
  const identity = open();
  const [main, other] = [newUser(identity), newUser(identity, 'bob')];
  const sub = must(identity.createSub(main.uid, { name: 'desk', nowMs: NOW }));
  const twin = must(identity.createSub(other.uid, { name: 'desk', nowMs: NOW }));
  assert.equal(reason(identity.createSub(main.uid, { name: 'desk', nowMs: NOW })), 'name_taken');
  assert.deepEqual(identity.findSubByName(main.uid, 'desk'), sub);
  assert.deepEqual(identity.findSub(other.uid, twin.uid), twin);
  assert.equal(identity.findSub(main.uid, twin.uid), undefined, "a stranger's");
  assert.equal(identity.findUserByName('desk'), undefined, 'no main account has this name');
});

test('a passphrase costs the recommended minimum unless told otherwise', async () => {
  const directory = newDirectory();
  const identity = openIdentity(directory);
  identities.push(identity);
  must(await identity.createKey(keyOf(newUser(identity).uid)));
  const database = new DatabaseSync(join(directory, IDENTITY_FILE), { readOnly: true });
  const rows = database.prepare('SELECT scrypt_n, scrypt_r, scrypt_p FROM passphrases').all();
  database.close();
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ scrypt_n: 131_072, scrypt_r: 8, scrypt_p: 1 }],
  );
});

test('only a main account can be a broker, and its sub-accounts hold the rights it leaves them', () => {
  const identity = open();
  const main = newUser(identity);
  const sub = must(identity.createSub(main.uid, { name: 'desk', nowMs: NOW }));
  assert.equal(must(identity.setUser(main.uid, { broker: true }, NOW)).broker, true);
  assert.equal(reason(identity.setUser(sub.uid, { broker: true }, NOW)), 'not_main');
  assert.deepEqual(sub.rights, SUB_RIGHTS);
  const changed = must(identity.setUser(sub.uid, { rights: ['deposit', 'spot_trade'] }, NOW + 1));
  assert.deepEqual([changed.rights, changed.updatedTime], [['spot_trade', 'deposit'], NOW + 1]);
  assert.deepEqual(must(identity.setUser(sub.uid, { frozen: true }, NOW)).rights, ['spot_trade', 'deposit']);
  assert.deepEqual(identity.listSubs(main.uid, { frozen: false }), []);
  assert.equal(identity.listSubs(main.uid, { frozen: true }).length, 1);
});

test('an account has at most 100 sub-accounts and 50 keys', async () => {
  const identity = open();
  const main = newUser(identity);
  const names = Array.from({ length: SUBS_PER_USER_MAX }, (_, index) => `desk ${index}`);
  for (const name of names) must(identity.createSub(main.uid, { name, nowMs: NOW }));
  assert.equal(reason(identity.createSub(main.uid, { name: 'one more', nowMs: NOW })), 'too_many_subs');
  must(identity.setUser(main.uid, { broker: true }, NOW));
  must(identity.createSub(main.uid, { name: 'one more', nowMs: NOW }));
  for (let left = KEYS_PER_USER_MAX; left > 0; left -= 1) must(await identity.createKey(keyOf(main.uid)));
  assert.equal(reason(await identity.createKey(keyOf(main.uid))), 'too_many_keys');
  must(identity.deleteKey(identity.listKeys(main.uid)[0]!.apiKey));
  must(await identity.createKey(keyOf(main.uid)));
});

test('a key of a sub-account is found by its main account and nobody else', async () => {
  const identity = open();
  const [main, other] = [newUser(identity), newUser(identity, 'bob')];
  const sub = must(identity.createSub(main.uid, { name: 'desk', nowMs: NOW }));
  const { key } = must(await identity.createKey(keyOf(sub.uid)));
  assert.deepEqual(identity.findSubKey(main.uid, key.apiKey), key);
  assert.equal(identity.findSubKey(other.uid, key.apiKey), undefined);
  assert.equal(identity.findSubKey(sub.uid, key.apiKey), undefined);
});

test('a created key can be found with its secret and passphrase', async () => {
  const identity = open();
  const user = newUser(identity);
  const { key, secretKey } = must(await identity.createKey(keyOf(user.uid, { ipList: ['10.0.0.0/8'] })));
  assert.match(key.apiKey, /^bk_[0-9a-f]{32}$/);
  const credential = identity.findKey(key.apiKey)!;
  assert.deepEqual(credential.key, key);
  assert.deepEqual(credential.user, user);
  assert.equal(credential.verifier.export().toString(), secretKey);
  assert.equal(credential.ipList.contains('10.1.1.1'), true);
  assert.equal(identity.checkPassphrase(key.apiKey, 'passphrase1', NOW), 'ok');
  assert.equal(identity.findKey('bk_unknown'), undefined);
  assert.equal(identity.findKey(key.apiKey), credential, 'the second look comes from the cache');
});

test('everything survives a restart, and the first passphrase check takes the slow way', async () => {
  const directory = newDirectory();
  const first = open(directory);
  const user = must(
    first.createUser({
      name: 'broker',
      broker: true,
      inviterId: '7',
      channel: 'c',
      channelCode: 'cc',
      nowMs: NOW,
    }),
  );
  const { key, secretKey } = must(await first.createKey(keyOf(user.uid)));
  await first.close();
  const second = open(directory);
  assert.deepEqual(second.findUserByName('broker'), user);
  assert.deepEqual(second.findKey(key.apiKey)?.key, key);
  assert.equal(second.findKey(key.apiKey)?.verifier.export().toString(), secretKey);
  const verdict = second.checkPassphrase(key.apiKey, 'passphrase1', NOW);
  assert.ok(verdict instanceof Promise);
  assert.equal(await verdict, 'ok');
});

test('neither secret nor passphrase is readable in any file, and the files are private', async () => {
  const directory = newDirectory();
  const identity = open(directory);
  const { uid } = newUser(identity);
  const { secretKey } = must(await identity.createKey(keyOf(uid, { passphrase: 'canary-passphrase' })));
  for (const file of readdirSync(directory)) {
    const content = readFileSync(join(directory, file));
    assert.ok(!content.includes(secretKey!), `${file} holds the secret`);
    assert.ok(!content.includes(Buffer.from(secretKey!, 'hex')), `${file} holds the secret's bytes`);
    assert.ok(!content.includes('canary-passphrase'), `${file} holds the passphrase`);
  }
  for (const file of [IDENTITY_FILE, KEYRING_FILE]) {
    assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600, file);
  }
});

test('a change of a key counts from the next look on and raises its version', async () => {
  const identity = open();
  const { uid } = newUser(identity);
  const { apiKey } = must(await identity.createKey(keyOf(uid))).key;
  identity.findKey(apiKey);
  must(identity.setKey(apiKey, { permType: 'read_only', ipList: ['198.51.100.7'] }));
  const { key, ipList } = identity.findKey(apiKey)!;
  assert.equal(key.permType, 'read_only');
  assert.equal(key.label, 'desk');
  assert.equal(key.version, 2);
  assert.equal(ipList.contains('198.51.100.7'), true);
  must(identity.deleteKey(apiKey));
  assert.equal(identity.findKey(apiKey), undefined);
  assert.equal(await identity.checkPassphrase(apiKey, 'passphrase1', NOW), 'wrong');
  assert.equal(reason(identity.setKey(apiKey, {})), 'key_unknown');
});

test('a new passphrase replaces the old one at once', async () => {
  const identity = open();
  const { uid } = newUser(identity);
  const { apiKey } = must(await identity.createKey(keyOf(uid))).key;
  assert.equal(must(await identity.setPassphrase(apiKey, 'passphrase2')).version, 2);
  assert.equal(identity.checkPassphrase(apiKey, 'passphrase1', NOW), 'wrong');
  assert.equal(identity.checkPassphrase(apiKey, 'passphrase2', NOW), 'ok');
});

test('what an account changes is read anew for its own keys and those of its sub-accounts, and for no others', async () => {
  const identity = open();
  const main = newUser(identity);
  const sub = must(identity.createSub(main.uid, { name: 'desk', nowMs: NOW }));
  const stranger = newUser(identity, 'bob');
  const keys: string[] = [];
  for (const { uid } of [main, sub, stranger]) {
    keys.push(must(await identity.createKey(keyOf(uid))).key.apiKey);
  }
  const changes = [
    () => must(identity.setQuota(main.uid, 'spot', [sub.uid], 5)),
    () => must(identity.setFrozen(main.uid, true, NOW)),
  ];
  for (const change of changes) {
    const before = keys.map((key) => identity.findKey(key));
    change();
    const stays = keys.map((key, n) => identity.findKey(key) === before[n]);
    assert.deepEqual(stays, [false, false, true]);
  }
});

test('freezing reaches the keys of the user and of its sub-accounts', async () => {
  const identity = open();
  const main = newUser(identity);
  const sub = must(identity.createSub(main.uid, { name: 'sub', nowMs: NOW }));
  const mainKey = must(await identity.createKey(keyOf(main.uid))).key.apiKey;
  const subKey = must(await identity.createKey(keyOf(sub.uid))).key.apiKey;
  const frozen = () => [identity.findKey(mainKey)!.frozen, identity.findKey(subKey)!.frozen];
  assert.deepEqual(frozen(), [false, false]);
  must(identity.setFrozen(sub.uid, true, NOW + 1));
  assert.deepEqual(frozen(), [false, true]);
  must(identity.setFrozen(sub.uid, false, NOW + 2));
  must(identity.setFrozen(main.uid, true, NOW + 3));
  assert.deepEqual(frozen(), [true, true]);
  assert.equal(reason(identity.setFrozen(5, true, NOW)), 'user_unknown');
});

test('a key with wrong rights, addresses or passphrase is refused, and nothing is stored', async () => {
  const identity = open();
  const { uid } = newUser(identity);
  const refusal = async (change: Partial<NewKey>) => reason(await identity.createKey(keyOf(uid, change)));
  assert.equal(
    await refusal({ permType: 'read_only', permissions: ['withdraw'] }),
    'withdraw_needs_read_write',
  );
  assert.equal(await refusal({ permissions: ['uta_trade', 'uta_trade'] }), 'permission_invalid');
  assert.equal(await refusal({ permissions: ['root' as 'withdraw'] }), 'permission_invalid');
  assert.equal(await refusal({ ipList: ['10.0.0.1', 'home'] }), 'ip_list_invalid');
  assert.equal(await refusal({ ipList: Array(31).fill('10.0.0.1') }), 'ip_list_invalid');
  assert.equal(await refusal({ passphrase: '' }), 'passphrase_invalid');
  assert.equal(await refusal({ passphrase: 'pässword' }), 'passphrase_invalid');
  assert.equal(await refusal({ label: 'x'.repeat(65) }), 'label_invalid');
  assert.equal(await refusal({ uid: 5 }), 'user_unknown');
  assert.deepEqual(identity.listKeys(uid), []);
});

test('public keys are kept instead of secrets, if they are of the announced kind and strong', async () => {
  const identity = open();
  const { uid } = newUser(identity);
  const ed25519 = generateKeyPairSync('ed25519');
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pem = ed25519.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const { key, secretKey } = must(await identity.createKey(keyOf(uid, { kind: 'ed25519', publicKey: pem })));
  assert.equal(secretKey, undefined);
  assert.equal(identity.findKey(key.apiKey)!.verifier.equals(ed25519.publicKey), true);
  const weakPem = weak.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const privatePem = ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  for (const change of [
    { kind: 'rsa', publicKey: pem },
    { kind: 'rsa', publicKey: weakPem },
    { kind: 'ed25519', publicKey: privatePem },
    { kind: 'ed25519', publicKey: 'nonsense' },
    { kind: 'ed25519' },
  ] as const) {
    assert.equal(reason(await identity.createKey(keyOf(uid, change))), 'key_invalid');
  }
});

test('the time of last use is written behind the request', async () => {
  const directory = newDirectory();
  const identity = open(directory);
  const { uid } = newUser(identity);
  const { apiKey } = must(await identity.createKey(keyOf(uid))).key;
  const onDisk = () => {
    const reader = new DatabaseSync(join(directory, IDENTITY_FILE), { readOnly: true });
    const row = reader.prepare('SELECT last_used_time AS used FROM api_keys').get();
    reader.close();
    return row?.used;
  };
  identity.noteUse(apiKey, NOW + 5);
  identity.noteUse(apiKey, NOW + 6);
  assert.equal(onDisk(), 0);
  assert.equal(identity.listKeys(uid)[0]!.lastUsedTime, NOW + 6);
  assert.equal(onDisk(), NOW + 6);
  identity.noteUse(apiKey, NOW + 7);
  await identity.close();
  assert.equal(onDisk(), NOW + 7);
});

test('a key file that others can read, or that is lost, stops the start', async () => {
  const directory = newDirectory();
  const identity = open(directory);
  const { uid } = newUser(identity);
  must(await identity.createKey(keyOf(uid)));
  await identity.close();
  chmodSync(join(directory, KEYRING_FILE), 0o644);
  assert.throws(() => openIdentity(directory, CHEAP), /chmod 600/);
  unlinkSync(join(directory, KEYRING_FILE));
  assert.throws(() => openIdentity(directory, CHEAP), /missing and 1 API keys/);
});

test('the file is durable, and a file of a newer program is refused', async () => {
  const directory = newDirectory();
  await open(directory).close();
  const database = new DatabaseSync(join(directory, IDENTITY_FILE));
  assert.equal(database.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal');
  assert.equal(database.prepare('PRAGMA user_version').get()?.user_version, 6);
  database.exec('PRAGMA user_version = 99');
  database.close();
  assert.throws(() => openIdentity(directory, CHEAP), /schema 99/);
});

test('a store of the first schema keeps its users, keys and the counter of uids', async () => {
  const directory = newDirectory();
  const identity = open(directory);
  const main = newUser(identity);
  const sub = must(identity.createSub(main.uid, { name: 'desk', note: 'first', nowMs: NOW }));
  const { key } = must(await identity.createKey(keyOf(sub.uid)));
  await identity.close();
  const database = new DatabaseSync(join(directory, IDENTITY_FILE));
  // As the first schema had it, with the last user gone: its uid must not be given away again.
  const later = ['rights', 'spot_quota', 'futures_quota', 'spot_extra', 'futures_extra', 'address_lock'];
  for (const column of later) database.exec(`ALTER TABLE users DROP COLUMN ${column}`);
  database.exec(`DROP INDEX users_by_name; DROP TABLE withdraw_addresses;
    DROP TABLE contents; DROP TABLE file_keys; PRAGMA user_version = 1;
    INSERT INTO users SELECT uid + 7, 'gone', NULL, 0, '', 0, 0, '', '', '', 0 FROM users WHERE name = 'desk';
    DELETE FROM users WHERE name = 'gone';`);
  database.close();
  unlinkSync(join(directory, IDENTITY_MARK_FILE));
  const migrated = open(directory);
  assert.deepEqual(migrated.listUsers(), [main, sub]);
  assert.deepEqual(migrated.findKey(key.apiKey)?.key, key);
  assert.equal(newUser(migrated, 'new').uid, sub.uid + 8);
});

test('an image has every user, also while another program reads the file', async () => {
  const directory = newDirectory();
  const identity = open(directory);
  newUser(identity, 'alice');
  const reader = new DatabaseSync(join(directory, IDENTITY_FILE), { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT * FROM users').all();
  const { uid } = newUser(identity, 'bob');
  const place = newDirectory();
  writeIdentity(place, identity.image());
  reader.close();
  const copy = open(place);
  assert.equal(copy.findUser(uid)?.name, 'bob');
});

test('a passphrase that another node replaces, before its own node hears that it is kept, is not accepted', async () => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const order = (copy: StoreCopy): ChangeOrder => ({
    ...AT_ONCE,
    run: async <Result>(work: () => Result) => {
      const { outcomes, change } = copy.attempt([work]);
      if (change !== undefined) copy.apply(change);
      const act = meanwhile;
      meanwhile = undefined;
      await act?.();
      return (outcomes[0] as { readonly value: Result }).value;
    },
  });
  const keysDirectory = newDirectory();
  const contents = await newStoreContents(keysDirectory, []);
  const identity = openIdentityCopy({ keysDirectory, contents, order, ...CHEAP });
  const { uid } = must(await identity.change((to) => to.createUser({ name: 'alice', nowMs: NOW })));
  const { apiKey } = must(await identity.createKey(keyOf(uid))).key;
  meanwhile = () => identity.setPassphrase(apiKey, 'passphrase3');
  must(await identity.setPassphrase(apiKey, 'passphrase2'));
  assert.equal(await identity.checkPassphrase(apiKey, 'passphrase2', NOW), 'wrong');
  assert.equal(await identity.checkPassphrase(apiKey, 'passphrase3', NOW), 'ok');
  await identity.close();
});
