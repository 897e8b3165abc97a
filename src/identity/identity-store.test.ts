/** A store that is lost, changed or older than it was is noticed; one that a crash has left is not. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import type { LocalIdentity } from './identity.ts';
import { IDENTITY_MARK_FILE, type Mark, markFromBytes, markToBytes, readMark } from './identity-mark.ts';
import { IDENTITY_FILE, KEYRING_FILE, openIdentity } from './sqlite-identity.ts';

const NOW = 1_700_000_000_000;
const CHEAP = { scryptCost: { N: 2 ** 10, r: 8, p: 1 } };
const ADDRESS_KEY = 'address.key';

class StoreAtTest implements AsyncDisposable {
  readonly directory = temporaryDirectory();
  identity!: LocalIdentity;

  static async withKeys(): Promise<StoreAtTest> {
    const store = new StoreAtTest();
    store.open();
    const user = store.identity.createUser({ name: 'alice', nowMs: NOW });
    assert.ok(user.ok);
    for (const apiKey of ['key-1', 'key-2']) store.install(user.value.uid, apiKey);
    store.addressKey();
    await store.identity.close();
    return store;
  }

  open(acceptGap = false): LocalIdentity {
    this.identity = openIdentity(this.directory, { ...CHEAP, acceptGap });
    return this.identity;
  }

  install(uid: number, apiKey: string): void {
    const rights = { permType: 'read_write', permissions: ['uta_trade'], label: '', demo: true } as const;
    const key = { uid, apiKey, secretKey: 'secret', passphrase: 'passphrase1', nowMs: NOW, ...rights };
    assert.ok(this.identity.installKey(key).ok);
  }

  addressKey(): string {
    return this.identity.fileKey(ADDRESS_KEY, 'restore it').export().toString('hex');
  }

  path(file: string): string {
    return join(this.directory, file);
  }

  /** Opens it, does something and closes it. */
  async session(work: (identity: LocalIdentity) => void): Promise<void> {
    work(this.open());
    await this.identity.close();
  }

  refuses(message: RegExp): void {
    assert.throws(
      () => this.open(),
      (error: Error) => error.name === 'IdentityDamaged' && message.test(error.message),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.identity.close();
  }
}

test('a store that is missing or empty is not taken for a new one', async () => {
  await using store = await StoreAtTest.withKeys();
  truncateSync(store.path(IDENTITY_FILE));
  store.refuses(/identity\.sqlite is empty; .*Restore .*--accept-identity-gap/);
  assert.equal(statSync(store.path(IDENTITY_FILE)).size, 0, 'and left as it is');
  rmSync(store.path(IDENTITY_FILE));
  store.refuses(/identity\.sqlite is missing/);
});

test('a copy from before a key was deleted is refused, and counts when the gap is accepted', async () => {
  await using store = await StoreAtTest.withKeys();
  const older = store.path('older');
  copyFileSync(store.path(IDENTITY_FILE), older);
  await store.session((identity) => identity.deleteKey('key-2'));
  const newest = readFileSync(store.path(IDENTITY_FILE));
  copyFileSync(older, store.path(IDENTITY_FILE));
  store.refuses(/identity\.sqlite: it is older than this exchange: it ends with change \d+, \d+ were made/);
  store.open(true);
  assert.ok(store.identity.findKey('key-2'));
  await store.identity.close();
  await store.session(() => {});
  writeFileSync(store.path(IDENTITY_FILE), newest);
  store.refuses(/it is not the one of this exchange/);
});

test('the use of a key makes no copy older', async () => {
  await using store = await StoreAtTest.withKeys();
  const copy = readFileSync(store.path(IDENTITY_FILE));
  await store.session((identity) => identity.noteUse('key-1', NOW + 1));
  assert.notDeepEqual(readFileSync(store.path(IDENTITY_FILE)), copy);
  writeFileSync(store.path(IDENTITY_FILE), copy);
  await store.session(() => {});
});

test('a mark file that a crash left behind, tore or lost is no reason to refuse: the journal has the mark too', async () => {
  await using store = await StoreAtTest.withKeys();
  const behind = readFileSync(store.path(IDENTITY_MARK_FILE));
  await store.session((identity) => identity.deleteKey('key-2'));
  const mark = readMark(store.path(IDENTITY_MARK_FILE))!;
  const torn = Buffer.from(behind);
  torn.fill(0xff, (mark.changes % 2) * 512, (mark.changes % 2) * 512 + 20);
  for (const left of [behind, torn, Buffer.alloc(0)]) {
    writeFileSync(store.path(IDENTITY_MARK_FILE), left);
    await store.session(() => {});
    assert.deepEqual(readMark(store.path(IDENTITY_MARK_FILE)), mark, 'and it is brought up');
  }
  rmSync(store.path(IDENTITY_MARK_FILE));
  await store.session((identity) => identity.proveNewest(mark));
});

test('a copy from before a key was deleted is refused by the mark of the journal alone', async () => {
  await using store = await StoreAtTest.withKeys();
  const older = [IDENTITY_FILE, IDENTITY_MARK_FILE].map((file) => readFileSync(store.path(file)));
  let told = 0;
  let mark!: Mark;
  await store.session((identity) => {
    identity.onChanged(() => {
      told += 1;
      mark = identity.mark;
    });
    identity.deleteKey('key-2');
  });
  assert.ok(told > 0, 'whoever keeps the mark is called');
  assert.deepEqual(markFromBytes(markToBytes(mark)), mark);
  const putBack = () => {
    writeFileSync(store.path(IDENTITY_FILE), older[0]!);
    writeFileSync(store.path(IDENTITY_MARK_FILE), older[1]!);
  };
  const refusal = /identity\.sqlite: it is older than this exchange: it ends with change \d+, \d+ were made/;
  for (const lost of [false, true]) {
    putBack();
    if (lost) rmSync(store.path(IDENTITY_MARK_FILE));
    await store.session((identity) => assert.throws(() => identity.proveNewest(mark), refusal));
  }
  putBack();
  store.open(true).proveNewest(mark);
  const accepted = store.identity.mark;
  assert.notEqual(accepted.store, mark.store);
  await store.identity.close();
  await store.session((identity) => identity.proveNewest(accepted));
});

test('every change of a row that this program did not make is noticed', async () => {
  await using store = await StoreAtTest.withKeys();
  const sound = readFileSync(store.path(IDENTITY_FILE));
  const changes = [
    'UPDATE users SET frozen = 1',
    'UPDATE users SET uid = uid + 1 WHERE uid NOT IN (SELECT uid FROM api_keys)',
    `UPDATE api_keys SET permissions = '["withdraw"]' WHERE api_key = 'key-1'`,
    "UPDATE api_keys SET last_used_time = 7 WHERE api_key = 'key-1'",
    "DELETE FROM api_keys WHERE api_key = 'key-1'",
    'UPDATE passphrases SET salt = zeroblob(16)',
    "INSERT INTO withdraw_addresses VALUES (1, 1000000001, 'regular', 'BTC', 'BTC', 'x', '', '', 0)",
    "UPDATE file_keys SET fingerprint = 'x'",
    "UPDATE sqlite_sequence SET seq = seq + 64 WHERE name = 'users'",
    'DELETE FROM contents',
  ];
  for (const sql of changes) {
    writeFileSync(store.path(IDENTITY_FILE), sound);
    const database = new DatabaseSync(store.path(IDENTITY_FILE));
    const { changes: rows } = database.prepare(sql).run();
    database.close();
    if (Number(rows) > 0) store.refuses(/identity\.sqlite/);
  }
  writeFileSync(store.path(IDENTITY_FILE), sound);
  await store.session(() => {});
});

test('the highest uid is never given out again, whatever becomes of its user', async () => {
  await using store = await StoreAtTest.withKeys();
  await store.session((identity) => {
    identity.reserveUids(1_000_000_050);
    const created = identity.createUser({ name: 'bob', nowMs: NOW });
    assert.ok(created.ok);
    assert.equal(created.value.uid, 1_000_000_051);
    identity.withdrawUser(created.value);
  });
  const next = store.open().createUser({ name: 'bob', nowMs: NOW });
  assert.equal(next.ok && next.value.uid, 1_000_000_052);
});

for (const [file, refusal] of [
  [KEYRING_FILE, /identity\.key .*(?:restore it from a backup)/],
  [ADDRESS_KEY, /address\.key .*restore it/],
] as const) {
  test(`a changed byte anywhere in ${file} is noticed`, async () => {
    await using store = await StoreAtTest.withKeys();
    const sound = readFileSync(store.path(file));
    const opened = () => {
      store.open();
      try {
        return store.addressKey();
      } finally {
        void store.identity.close();
      }
    };
    const before = opened();
    for (let index = 0; index < sound.length - 1; index += 5) {
      const changed = Buffer.from(sound);
      changed[index]! ^= 1 << (index % 7);
      writeFileSync(store.path(file), changed);
      assert.throws(
        opened,
        (error: Error) => error.name === 'IdentityDamaged' && refusal.test(error.message),
      );
    }
    rmSync(store.path(file));
    assert.throws(opened, refusal);
    writeFileSync(store.path(file), sound, { mode: 0o600 });
    assert.equal(opened(), before);
  });
}
