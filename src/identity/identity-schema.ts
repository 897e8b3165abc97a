/** Numbered migrations of `identity.sqlite`; `PRAGMA user_version` is the number that have run. Only ever append. */
import type { DatabaseSync } from 'node:sqlite';
import { IdentityDamaged } from './identity-damaged.ts';

/** Uids have ten digits; the first one assigned is the next after this. */
const UID_BEFORE_FIRST = 1_000_000_000;

const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE users (
    uid           INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT    NOT NULL UNIQUE,
    parent_uid    INTEGER REFERENCES users (uid),
    broker        INTEGER NOT NULL,
    note          TEXT    NOT NULL,
    regis_time    INTEGER NOT NULL,
    updated_time  INTEGER NOT NULL,
    inviter_id    TEXT    NOT NULL,
    channel       TEXT    NOT NULL,
    channel_code  TEXT    NOT NULL,
    frozen        INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX users_by_parent ON users (parent_uid, uid);
  INSERT INTO sqlite_sequence (name, seq) VALUES ('users', ${UID_BEFORE_FIRST});

  CREATE TABLE api_keys (
    api_key         TEXT    PRIMARY KEY,
    uid             INTEGER NOT NULL REFERENCES users (uid),
    kind            TEXT    NOT NULL,
    label           TEXT    NOT NULL,
    perm_type       TEXT    NOT NULL,
    permissions     TEXT    NOT NULL,
    ip_list         TEXT    NOT NULL,
    created_time    INTEGER NOT NULL,
    last_used_time  INTEGER NOT NULL,
    demo            INTEGER NOT NULL,
    version         INTEGER NOT NULL,
    seal_key_id     TEXT    NOT NULL,
    seal_version    INTEGER NOT NULL,
    sealed          BLOB    NOT NULL
  ) STRICT;
  CREATE INDEX api_keys_by_uid ON api_keys (uid, created_time);

  CREATE TABLE passphrases (
    api_key   TEXT    PRIMARY KEY REFERENCES api_keys (api_key) ON DELETE CASCADE,
    salt      BLOB    NOT NULL,
    hash      BLOB    NOT NULL,
    scrypt_n  INTEGER NOT NULL,
    scrypt_r  INTEGER NOT NULL,
    scrypt_p  INTEGER NOT NULL
  ) STRICT;
  `,
  // Names of sub-accounts are unique under their main account: a taken name must not reveal another owner's.
  `
  CREATE TABLE users_2 (
    uid           INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT    NOT NULL,
    parent_uid    INTEGER REFERENCES users (uid),
    broker        INTEGER NOT NULL,
    note          TEXT    NOT NULL,
    regis_time    INTEGER NOT NULL,
    updated_time  INTEGER NOT NULL,
    inviter_id    TEXT    NOT NULL,
    channel       TEXT    NOT NULL,
    channel_code  TEXT    NOT NULL,
    frozen        INTEGER NOT NULL,
    rights        TEXT
  ) STRICT;
  INSERT INTO users_2 SELECT uid, name, parent_uid, broker, note, regis_time, updated_time, inviter_id, channel,
    channel_code, frozen, NULL FROM users;
  DELETE FROM sqlite_sequence WHERE name = 'users_2';
  INSERT INTO sqlite_sequence (name, seq) SELECT 'users_2', seq FROM sqlite_sequence WHERE name = 'users';
  DROP TABLE users;
  ALTER TABLE users_2 RENAME TO users;
  CREATE UNIQUE INDEX users_by_name ON users (ifnull(parent_uid, 0), name);
  CREATE INDEX users_by_parent ON users (parent_uid, uid);
  `,
  // Orders a second: the quota of an account, and what its main account may distribute beyond the standard. NULL: the
  // standard.
  `
  ALTER TABLE users ADD COLUMN spot_quota INTEGER;
  ALTER TABLE users ADD COLUMN futures_quota INTEGER;
  ALTER TABLE users ADD COLUMN spot_extra INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE users ADD COLUMN futures_extra INTEGER NOT NULL DEFAULT 0;
  `,
  // Address books; with `address_lock`, withdrawals may go to their entries only.
  `
  CREATE TABLE withdraw_addresses (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    uid           INTEGER NOT NULL REFERENCES users (uid),
    type          TEXT    NOT NULL,
    coin          TEXT    NOT NULL,
    chain         TEXT    NOT NULL,
    address       TEXT    NOT NULL,
    memo          TEXT    NOT NULL,
    label         TEXT    NOT NULL,
    created_time  INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX withdraw_addresses_by_place ON withdraw_addresses (uid, type, coin, chain, address, memo);
  ALTER TABLE users ADD COLUMN address_lock INTEGER NOT NULL DEFAULT 0;
  `,
  // The summary of the store (`contents.ts`), and the keys in files beside it.
  `
  CREATE TABLE contents (
    store         TEXT    NOT NULL,
    changes       INTEGER NOT NULL,
    highest_uid   INTEGER NOT NULL,
    digest        TEXT    NOT NULL
  ) STRICT;
  INSERT INTO contents SELECT lower(hex(randomblob(8))), 0, seq, '' FROM sqlite_sequence WHERE name = 'users';
  CREATE TABLE file_keys (
    file          TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    fingerprint   TEXT    NOT NULL,
    PRIMARY KEY (file, id)
  ) STRICT;
  `,
  // The same tables. The journal has `identityMark` from here on, which programs before cannot read: as a migration it makes
  // the start keep a copy for them.
  '',
];

export const IDENTITY_SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Migrates the database to the newest schema; an older one is for tests of migrations. `migrated` is called in the
 * transaction of each migration, when its tables are there.
 */
export function migrate(
  database: DatabaseSync,
  migrated: () => void,
  version = IDENTITY_SCHEMA_VERSION,
): void {
  const done = schemaOf(database);
  if (done > MIGRATIONS.length) {
    throw new IdentityDamaged(
      `identity.sqlite has schema ${done}, this program knows ${MIGRATIONS.length}: start the newer program that wrote ` +
        'it, or, if there is none, restore the file from a backup',
    );
  }
  // A table is rebuilt by dropping it, which must not delete rows that refer to it.
  database.exec('PRAGMA foreign_keys = OFF');
  for (const [n, migration] of MIGRATIONS.slice(done, version).entries()) {
    inTransaction(database, () => {
      database.exec(migration);
      database.exec(`PRAGMA user_version = ${done + n + 1}`);
      migrated();
    });
  }
  database.exec('PRAGMA foreign_keys = ON');
}

/** Migrations that have run; 0 in a new file. */
function schemaOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

/** Within another transaction it is a part of that one, which may go on without it. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  const [begin, commit, rollback] = database.isTransaction
    ? ['SAVEPOINT part', 'RELEASE part', 'ROLLBACK TO part; RELEASE part']
    : ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'];
  database.exec(begin);
  try {
    const result = work();
    database.exec(commit);
    return result;
  } catch (error) {
    // A full disk has rolled back already; a second rollback would hide its error.
    if (database.isTransaction) database.exec(rollback);
    throw error;
  }
}
