/**
 * Copies before migrations. A program with newer tables migrates a data directory at its first start on it, and the
 * older program cannot read it any more. Before that, everything is copied as a backup inside the directory, so that
 * the operator can go back.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { NEWEST_EDITION } from '../../core/model/edition.ts';
import { formatOf, STATE_FORMAT } from '../../core/snapshot/snapshot.ts';
import { readMeta, SCHEMA_VERSION } from '../../history/sqlite-schema.ts';
import { IDENTITY_SCHEMA_VERSION } from '../../identity/identity-schema.ts';
import { IDENTITY_FILE } from '../../identity/sqlite-identity.ts';
import { DirectoryLock } from '../../journal/directory-lock.ts';
import { snapshotSeqs } from '../../journal/file-names.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import { snapshotStateStart } from '../../journal/snapshot-file.ts';
import { BOURSE } from '../../program-name.ts';
import { HISTORY_FILE, HISTORY_PLACE_FILE, LOG_DIRECTORY } from '../data/data-files.ts';
import { loggedCommands } from '../data/logged-commands.ts';
import { makeBackup } from './backup.ts';
import { HeldJournal } from './held-journal.ts';
import { isWhole, MANIFEST_FILE, readManifest } from './manifest.ts';

/** Copies that stay: of this migration and of the one before. */
const KEPT_MAX = 2;
const KEPT = /^before-/;
const FORMAT_BYTES = 2;
/** Orders in columns were a format without an edition: from this edition on formats are one ahead. */
const FIRST_EDITION_AHEAD = 8;

/** A file that a start of this program would migrate. */
export interface FormatChange {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

interface Format {
  readonly file: string;
  readonly name: string;
  readonly newest: number;
  /** 0 when there is none. */
  readonly found: (data: string) => number;
}

const FORMATS: readonly Format[] = [
  {
    file: 'the snapshot',
    name: 'state',
    newest: STATE_FORMAT,
    found: newestStateFormat,
  },
  {
    file: HISTORY_FILE,
    name: 'history',
    newest: SCHEMA_VERSION,
    found: (data) => versionOf(join(data, HISTORY_FILE), (database) => readMeta(database, 'schema_version')),
  },
  {
    file: IDENTITY_FILE,
    name: 'identity',
    newest: IDENTITY_SCHEMA_VERSION,
    found: (data) =>
      versionOf(join(data, IDENTITY_FILE), (database) =>
        Number(database.prepare('PRAGMA user_version').get()!.user_version),
      ),
  },
];

/**
 * Resolves with the copy's directory when one was made; `report` gets the change, the place of the copy and how to go
 * back.
 */
export async function copyBeforeMigration(
  data: string,
  report: (text: string) => void,
  history = '',
): Promise<string | undefined> {
  if (!existsSync(join(data, LOG_DIRECTORY))) return undefined;
  const lock = DirectoryLock.take(join(data, LOG_DIRECTORY));
  try {
    const due = formatsToChange(data);
    if (due.length === 0) return undefined;
    const directory = placeFor(data, `before-${due.map(({ name, to }) => `${name}-${to}`).join('-')}`);
    if (!isWhole(directory)) {
      // Left unfinished by an earlier start.
      rmSync(directory, { recursive: true, force: true });
      await makeBackup({ data, directory, asFound: true, history });
    }
    prune(data);
    const changes = due.map(({ file, from, to }) => `${file} changes from format ${from} to ${to}`);
    report(
      `${changes.join(', ')}. Everything as it was is kept in ${directory}. To go back to the older program: ` +
        `${BOURSE} restore ${directory} --data NEW, then start the older program with --data NEW; ` +
        'what happens from now on is not in it',
    );
    return directory;
  } finally {
    lock.release();
  }
}

function formatsToChange(data: string): (FormatChange & { readonly name: string })[] {
  return FORMATS.flatMap(({ file, name, newest, found }) => {
    const from = found(data);
    return from > 0 && from < newest ? [{ file, name, from, to: newest }] : [];
  });
}

/** An older program reads the journal, but no snapshot of a newer format. */
function newestStateFormat(data: string): number {
  const disk = new NodeDisk(join(data, LOG_DIRECTORY));
  const seq = snapshotSeqs(disk.list()).at(-1);
  // A journal alone is no exchange that could be gone back to.
  const hasHistory = [HISTORY_FILE, HISTORY_PLACE_FILE].some((file) => existsSync(join(data, file)));
  if (seq === undefined) return hasHistory ? journalFormat(data) : 0;
  const start = snapshotStateStart(disk, seq, FORMAT_BYTES);
  return start.length < FORMAT_BYTES ? 0 : formatOf(start);
}

/**
 * Of a journal without a snapshot: each edition of the rule book came with a format and begins with `setEdition` (rules
 * 13.12); one of the newest edition counts as of the newest format, 0 stands for an empty journal.
 */
function journalFormat(data: string): number {
  let edition = 0;
  for (const { command } of loggedCommands(data)) {
    edition = command.type === 'setEdition' ? command.edition : Math.max(edition, 1);
    if (edition === NEWEST_EDITION) return STATE_FORMAT;
  }
  return edition < FIRST_EDITION_AHEAD ? edition : edition + 1;
}

/** 0 for a missing, empty or unreadable file: the code that opens it reports the fault. */
function versionOf(path: string, read: (database: DatabaseSync) => number): number {
  if (!existsSync(path)) return 0;
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      return read(database);
    } finally {
      database.close();
    }
  } catch {
    return 0;
  }
}

/** A start that was interrupted after the copy finds it again; a copy of another moment is not touched. */
function placeFor(data: string, name: string): string {
  using log = new HeldJournal(join(data, LOG_DIRECTORY));
  const lastSeq = log.lastSeq();
  for (let number = 1; ; number++) {
    const directory = join(data, number === 1 ? name : `${name}.${number}`);
    if (!isWhole(directory) || readManifest(directory).moment.seq === lastSeq) return directory;
  }
}

function prune(data: string): void {
  const kept = readdirSync(data).filter((name) => KEPT.test(name));
  const whole = kept.filter((name) => isWhole(join(data, name)));
  const newestFirst = whole.toSorted((a, b) => (madeAt(data, a) < madeAt(data, b) ? 1 : -1));
  const staying = new Set(newestFirst.slice(0, KEPT_MAX));
  for (const name of kept.filter((each) => !staying.has(each))) {
    // Without its manifest it counts as incomplete, should this be interrupted.
    rmSync(join(data, name, MANIFEST_FILE), { force: true });
    rmSync(join(data, name), { recursive: true, force: true });
  }
}

function madeAt(data: string, name: string): string {
  return readManifest(join(data, name)).madeAt;
}
