/**
 * Opens `identity.sqlite` and proves that it is the last store of this exchange: complete, unchanged, neither
 * another's nor an older copy. A lost store must never look like a new one.
 */
import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseWith, MemoryDatabases } from '../storage/memory-database.ts';
import { Contents } from './contents.ts';
import { IdentityDamaged } from './identity-damaged.ts';
import { IDENTITY_MARK_FILE, type Mark, readMark } from './identity-mark.ts';
import { migrate } from './identity-schema.ts';

export const IDENTITY_FILE = 'identity.sqlite';

const RESTORE = 'Restore the newest copy from a backup';
const ACCEPT =
  'start once with --accept-identity-gap to go on with what is there: accounts keep their money, those without a user ' +
  'have no key until the operator gives them one, and keys that were deleted since the copy work again';

/** Errors of SQLite that say nothing about the contents: locked, forbidden, read-only, full, cannot be opened. */
const OF_THE_MACHINE: ReadonlySet<number | undefined> = new Set([3, 5, 6, 8, 13, 14, 23]);

/** Node's error for a number that was never written. */
const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE';

export interface Store {
  readonly database: DatabaseSync;
  readonly contents: Contents;
}

/** Throws IdentityDamaged, and has changed nothing then. */
export function openStore(directory: string, acceptGap: boolean): Store {
  const path = join(directory, IDENTITY_FILE);
  const mark = readMark(join(directory, IDENTITY_MARK_FILE));
  if (!acceptGap) refuseLost(path, mark);
  const database = new DatabaseSync(path);
  try {
    chmodSync(path, 0o600);
    return { database, contents: prove(database, mark, acceptGap) };
  } catch (error) {
    database.close();
    throw asDamage(path, error);
  }
}

const IN_MEMORY_ONES = new MemoryDatabases((database) => {
  const contents = new Contents(database);
  migrate(database, () => contents.accept());
});

/** A new store, with an id of its own, or one that goes on with the contents of another. */
export function openMemoryStore(contents?: Uint8Array): Store {
  if (contents !== undefined) {
    // They have not left this process since they were proven.
    const database = databaseWith(contents);
    const known = new Contents(database);
    known.follow();
    return { database, contents: known };
  }
  const database = IN_MEMORY_ONES.open();
  const made = prove(database, undefined, false);
  made.accept(true);
  return { database, contents: made };
}

function refuseLost(path: string, mark: Mark | undefined): void {
  if (mark === undefined || mark.changes === 0) return;
  const state = !existsSync(path) ? 'is missing' : statSync(path).size === 0 ? 'is empty' : undefined;
  if (state === undefined) return;
  throw new IdentityDamaged(`${path} ${state}; it holds the users and API keys. ${RESTORE}, or ${ACCEPT}.`);
}

function prove(database: DatabaseSync, mark: Mark | undefined, acceptGap: boolean): Contents {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  const contents = new Contents(database);
  const fault = contents.fault() ?? faultBehind(mark, contents.summary());
  if (fault !== undefined && !acceptGap) throw new Objection(fault);
  migrate(database, () => contents.accept());
  if (fault !== undefined) contents.accept(true);
  contents.follow();
  return contents;
}

/** What the store lacks, as text; it may be ahead of the mark, which a crash leaves behind. */
export function faultBehind(mark: Mark | undefined, summary: Mark | undefined): string | undefined {
  if (mark === undefined || mark.changes === 0) return undefined;
  if (summary === undefined) return 'it is older than this exchange: an earlier version has written it';
  if (summary.store !== mark.store) return 'it is not the one of this exchange';
  return summary.changes < mark.changes
    ? `it is older than this exchange: it ends with change ${summary.changes}, ${mark.changes} were made`
    : undefined;
}

export function staleStore(directory: string, fault: string): IdentityDamaged {
  return refusal(join(directory, IDENTITY_FILE), fault);
}

function refusal(path: string, fault: string): IdentityDamaged {
  return new IdentityDamaged(`${path}: ${fault}. ${RESTORE}, or ${ACCEPT}.`);
}

/** A fault of the store, as text. */
class Objection extends Error {}

function asDamage(path: string, error: unknown): unknown {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message: string };
  if (error instanceof Objection) return refusal(path, message);
  const ofContents =
    code === 'ERR_SQLITE_ERROR' ? !OF_THE_MACHINE.has((errcode ?? 0) & 0xff) : code === OUT_OF_RANGE;
  if (ofContents) {
    return new IdentityDamaged(
      `${path} is damaged: ${message}. ${RESTORE}; if there is none, move it away and ${ACCEPT}.`,
    );
  }
  return error;
}
