/**
 * Moves the write-ahead log into the database file, and notices at the start when the two do not belong together. SQLite
 * applies any log to any file: an older copy of the file beside a newer log reads as a mixture of both, with rows missing
 * that nothing tells of.
 *
 * `checkpoint` in the table `meta` is the number of the present log: the first commit into an empty one adds one to it, in the
 * log alone, and the move brings it into the file. So the file has the number before, or the same once the move has begun;
 * in both cases the log holds all that the file lacks.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isDatabaseShortage } from '../storage/shortage-errors.ts';
import { type MetaKey, readMeta } from './sqlite-schema.ts';

const DUE_BYTES = 4 * 1024 * 1024;

export class Checkpoints {
  readonly #database: DatabaseSync;
  /** Undefined for a database in memory, which has no write-ahead log. */
  readonly #path: string | undefined;
  readonly #writeMeta: (key: MetaKey, value: number) => void;

  constructor(database: DatabaseSync, writeMeta: (key: MetaKey, value: number) => void) {
    this.#database = database;
    this.#path = database.location() ?? undefined;
    this.#writeMeta = writeMeta;
    database.exec('PRAGMA wal_autocheckpoint = 0');
  }

  /** Part of the transaction that is about to be committed. True when `move` is due after it. */
  prepare(): boolean {
    if (this.#path === undefined) return false;
    const bytes = walBytes(this.#path);
    if (bytes === 0) this.#writeMeta('checkpoint', readMeta(this.#database, 'checkpoint') + 1);
    return bytes >= DUE_BYTES;
  }

  /**
   * A move that finds no space, or a reader in its way, is made after a later commit. It does not wait for a reader: a
   * backup or somebody's query would hold up every commit by the timeout for locks. True when the file has everything.
   */
  move(): boolean {
    const { timeout } = this.#database.prepare('PRAGMA busy_timeout').get()!;
    this.#database.exec('PRAGMA busy_timeout = 0');
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return walBytes(this.#path!) === 0;
    } catch (error) {
      if (!isDatabaseShortage(error, dirname(this.#path!))) throw error;
      return false;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${Number(timeout)}`);
    }
  }
}

/** Throws when the write-ahead log beside the file continues another copy of it. */
export function checkLogBelongs(path: string, database: DatabaseSync): void {
  if (walBytes(path) === 0) return;
  const together = checkpointOf(database);
  const alone = fileAlone(path);
  if (alone === undefined || alone === together || alone === together - 1) return;
  throw new Error(
    `the database file is malformed: it is of checkpoint ${alone}, its write-ahead log (-wal) of ${together}, ` +
      'so one of them is a copy from another time',
  );
}

/**
 * Without its log. Undefined when the file cannot be read so: a move that was cut off leaves it as no database, and the log
 * has all of it still.
 */
function fileAlone(path: string): number | undefined {
  const database = new DatabaseSync(new URL(`${pathToFileURL(path).href}?immutable=1`), { readOnly: true });
  try {
    return checkpointOf(database);
  } catch {
    return undefined;
  } finally {
    database.close();
  }
}

/** 0 in a file of an older program, or while nothing of it was moved yet. */
function checkpointOf(database: DatabaseSync): number {
  const [table] = database.prepare("SELECT name FROM sqlite_schema WHERE name = 'meta'").all();
  if (table === undefined) return 0;
  const row = database.prepare("SELECT value FROM meta WHERE key = 'checkpoint'").get();
  return Number(row?.value ?? 0);
}

function walBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
