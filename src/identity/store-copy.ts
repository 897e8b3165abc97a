/**
 * The copy that a node has of a store which several nodes change. A change is tried here, recorded and taken back in one go, so
 * that nobody sees it; it counts when it comes back with its place in the order of all changes, as on every other node. So a
 * copy is always the sum of changes that are kept, and there is nothing to undo. Between them it cannot be written to.
 */
import { constants, type DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { contentsOf, databaseWith } from '../storage/memory-database.ts';
import { KEPT_TABLES } from './contents.ts';
import { inTransaction } from './identity-schema.ts';

/** What a change did, in bytes of SQLite, and what the store says of itself afterwards. */
export interface StoreChange {
  readonly body: Uint8Array;
  readonly summary: string;
}

/** What one piece of work returned or threw. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

export interface Attempt {
  readonly outcomes: readonly Outcome[];
  /** Undefined when nothing was changed. */
  readonly change: StoreChange | undefined;
}

/** The change does not fit, or led to other rows than where it was made: the copy is not what it should be. */
export class CopyDiverged extends Error {
  override readonly name = 'CopyDiverged';
}

interface Summary {
  readonly store: string;
  readonly changes: number;
  readonly highestUid: number;
  readonly digest: string;
  /** The last number that each table has given. */
  readonly numbers: Readonly<Record<string, number>>;
}

export class StoreCopy {
  readonly #database: DatabaseSync;

  /** From here on only `apply` and `replace` change the database. */
  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec('PRAGMA query_only = ON');
  }

  /** What `works` would do to the store as it is, one behind the other; one that throws does nothing. */
  attempt(works: readonly (() => unknown)[]): Attempt {
    const database = this.#database;
    const before = JSON.stringify(summaryOf(database));
    database.exec('PRAGMA query_only = OFF; BEGIN IMMEDIATE');
    const session = database.createSession();
    try {
      const outcomes = works.map((work) => outcomeOf(database, work));
      const body = session.changeset();
      const summary = JSON.stringify(summaryOf(database));
      const isChange = body.length > 0 || summary !== before;
      return { outcomes, change: isChange ? { body, summary } : undefined };
    } finally {
      session.close();
      if (database.isTransaction) database.exec('ROLLBACK');
      database.exec('PRAGMA query_only = ON');
    }
  }

  /** The next change in the order. Throws CopyDiverged, and has changed nothing then. */
  apply({ body, summary }: StoreChange): void {
    this.#write(() => {
      const fits =
        body.length === 0 ||
        this.#database.applyChangeset(body, {
          onConflict: () => constants.SQLITE_CHANGESET_ABORT,
        });
      if (!fits) throw new CopyDiverged('a change does not fit the rows');
      this.#conclude(JSON.parse(summary) as Summary);
    });
  }

  /** Goes on with the contents of another copy. Throws CopyDiverged, and has changed nothing then. */
  replace(contents: Uint8Array): void {
    const source = databaseWith(contents);
    try {
      this.#write(() => {
        for (const table of KEPT_TABLES) this.#copyTable(source, table);
        this.#conclude(summaryOf(source));
      });
    } finally {
      source.close();
    }
  }

  contents(): Uint8Array {
    return contentsOfCopy(this.#database);
  }

  /** Size of the database in pages of SQLite. */
  get pages(): number {
    return Number(this.#database.prepare('PRAGMA page_count').get()!.page_count);
  }

  #copyTable(source: DatabaseSync, table: string): void {
    this.#database.exec(`DELETE FROM ${table}`);
    for (const row of source.prepare(`SELECT * FROM ${table}`).iterate()) {
      const columns = Object.keys(row);
      const places = columns.map(() => '?').join(', ');
      this.#database
        .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`)
        .run(...(Object.values(row) as SQLInputValue[]));
    }
  }

  /** Rows that others delete with the one that they belong to are in the change themselves. */
  #write(work: () => void): void {
    this.#database.exec('PRAGMA query_only = OFF; PRAGMA foreign_keys = OFF');
    try {
      inTransaction(this.#database, work);
    } finally {
      this.#database.exec('PRAGMA foreign_keys = ON; PRAGMA query_only = ON');
    }
  }

  /** Triggers have followed the rows (`contents.ts`); the rest is as it was where the change was made. */
  #conclude({ store, changes, highestUid, digest, numbers }: Summary): void {
    const database = this.#database;
    if (summaryOf(database).digest !== digest) throw new CopyDiverged('a change led to other rows');
    database
      .prepare('UPDATE contents SET store = ?, changes = ?, highest_uid = ?')
      .run(store, changes, highestUid);
    database.exec('DELETE FROM sqlite_sequence');
    const keep = database.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)');
    for (const [table, number] of Object.entries(numbers)) keep.run(table, number);
  }
}

/** Older versions of Node copy a database by a statement that is not allowed where nothing may be written. */
export function contentsOfCopy(database: DatabaseSync): Uint8Array {
  const { query_only } = database.prepare('PRAGMA query_only').get()!;
  database.exec('PRAGMA query_only = OFF');
  try {
    return contentsOf(database);
  } finally {
    database.exec(`PRAGMA query_only = ${Number(query_only)}`);
  }
}

function outcomeOf(database: DatabaseSync, work: () => unknown): Outcome {
  try {
    return { value: inTransaction(database, work) };
  } catch (error) {
    return { error };
  }
}

function summaryOf(database: DatabaseSync): Summary {
  const { store, changes, highest_uid, digest } = database.prepare('SELECT * FROM contents').get()!;
  const numbers = database.prepare('SELECT name, seq FROM sqlite_sequence ORDER BY name').all();
  return {
    store: String(store),
    changes: Number(changes),
    highestUid: Number(highest_uid),
    digest: String(digest),
    numbers: Object.fromEntries(numbers.map(({ name, seq }) => [String(name), Number(seq)])),
  };
}
