/**
 * A summary of the store that is updated with every change: SQLite has no checksums, so a changed bit could be a changed
 * permission. `digest` is the sum of the hashes of all rows, in any order; `changes` counts changes, so that an older copy
 * can be recognised (`identity-mark.ts`); uids up to the highest one are never assigned again. Triggers of this connection
 * update the summary. A write to the file by any other way is detected.
 */
import { createHash } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';

/** The time of a key's last use is written at intervals; it does not make a copy older. */
const TABLES: Readonly<Record<string, { readonly uncounted?: string }>> = {
  users: {},
  api_keys: { uncounted: 'last_used_time' },
  passphrases: {},
  withdraw_addresses: {},
  file_keys: {},
};

/** Main tables first: rows of the others refer to theirs. */
export const KEPT_TABLES: readonly string[] = Object.keys(TABLES);

const EMPTY_DIGEST = '0'.repeat(64);

export interface ContentsSummary {
  /** Random, created with the store. */
  readonly store: string;
  readonly changes: number;
  readonly highestUid: number;
}

export class Contents {
  readonly #database: DatabaseSync;
  /** Asked for with every change and every snapshot. */
  #select: StatementSync | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.function('row_hash', { varargs: true, deterministic: true }, rowHash);
    database.function('digest_moved', { deterministic: true }, digestMoved);
  }

  /** Undefined in a store of a version without a summary. */
  summary(): ContentsSummary | undefined {
    const row = this.#row();
    if (row === undefined) return undefined;
    const { store, changes, highest_uid } = row;
    return { store: String(store), changes: Number(changes), highestUid: Number(highest_uid) };
  }

  /** The fault of the rows as text; undefined when they are as they were written. */
  fault(): string | undefined {
    const [broken] = this.#database.prepare('PRAGMA integrity_check(1)').all();
    if (broken?.integrity_check !== 'ok') return String(broken?.integrity_check);
    if (!this.#exist()) return undefined;
    const { digest, highest_uid } = this.#row() ?? {};
    if (digest !== this.#digest()) return 'its rows are not those that were written';
    const { seq } =
      this.#database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'users'").get() ?? {};
    return seq === highest_uid ? undefined : 'it does not agree with itself about the highest uid';
  }

  /** Accepts the rows as they are; with `asNew` it is another store from now on. */
  accept(asNew = false): void {
    if (!this.#exist()) return;
    const store = asNew ? 'lower(hex(randomblob(8)))' : 'store';
    const highest =
      "SELECT max(seq, (SELECT ifnull(max(uid), 0) FROM users)) FROM sqlite_sequence WHERE name = 'users'";
    this.#database
      .prepare(`UPDATE contents SET digest = ?, store = ${store}, highest_uid = (${highest})`)
      .run(this.#digest());
    this.#database.exec(
      "UPDATE sqlite_sequence SET seq = (SELECT highest_uid FROM contents) WHERE name = 'users'",
    );
  }

  /** Uids up to this one are not assigned any more. */
  reserveUids(highestUid: number): void {
    if (highestUid <= this.summary()!.highestUid) return;
    this.#database.prepare('UPDATE contents SET highest_uid = max(highest_uid, ?)').run(highestUid);
    this.#database.exec(
      "UPDATE sqlite_sequence SET seq = (SELECT highest_uid FROM contents) WHERE name = 'users'",
    );
  }

  /** From here on the summary follows the rows. */
  follow(): void {
    for (const [table, { uncounted }] of Object.entries(TABLES)) this.#follow(table, uncounted);
    this.#database.exec(`CREATE TEMP TRIGGER users_highest AFTER INSERT ON main.users BEGIN
      UPDATE contents SET highest_uid = max(highest_uid, NEW.uid); END`);
  }

  #follow(table: string, uncounted: string | undefined): void {
    const columns = this.#columns(table);
    const hash = (row: 'OLD' | 'NEW') =>
      `row_hash('${table}', ${columns.map((column) => `${row}.${column}`).join(', ')})`;
    const counted = uncounted === undefined ? '1' : `(OLD.${uncounted} IS NEW.${uncounted})`;
    const triggers = [
      ['INSERT', "''", hash('NEW'), '1'],
      ['UPDATE', hash('OLD'), hash('NEW'), counted],
      ['DELETE', hash('OLD'), "''", '1'],
    ] as const;
    for (const [event, gone, come, count] of triggers) {
      this.#database.exec(`CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON main.${table} BEGIN
        UPDATE contents SET changes = changes + ${count}, digest = digest_moved(digest, ${gone}, ${come}); END`);
    }
  }

  #digest(): string {
    let digest = EMPTY_DIGEST;
    for (const table of Object.keys(TABLES)) {
      const columns = this.#columns(table);
      for (const row of this.#database.prepare(`SELECT * FROM ${table}`).iterate()) {
        digest = digestMoved(digest, '', rowHash(table, ...columns.map((column) => row[column]!)));
      }
    }
    return digest;
  }

  #columns(table: string): string[] {
    return this.#database
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map(({ name }) => String(name));
  }

  #exist(): boolean {
    return this.#database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'contents'").get() !== undefined;
  }

  #row() {
    if (this.#select === undefined && this.#exist())
      this.#select = this.#database.prepare('SELECT store, changes, highest_uid, digest FROM contents');
    return this.#select?.get();
  }
}

/** Each value with its type and length, so that no two rows have the same text. */
function rowHash(...values: readonly SQLOutputValue[]): string {
  const hash = createHash('sha256');
  for (const value of values) {
    const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value));
    hash.update(`${value === null ? 'null' : typeof value} ${bytes.length} `).update(bytes);
  }
  return hash.digest('hex');
}

const MODULUS = 1n << 256n;

function digestMoved(digest: SQLOutputValue, gone: SQLOutputValue, come: SQLOutputValue): string {
  const sum = (numberOf(digest) - numberOf(gone) + numberOf(come) + MODULUS) % MODULUS;
  return sum.toString(16).padStart(64, '0');
}

function numberOf(hash: SQLOutputValue): bigint {
  return hash === '' ? 0n : BigInt(`0x${String(hash)}`);
}
