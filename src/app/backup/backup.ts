/**
 * Copies all data of an exchange, running or not, as of one moment. The order makes the parts fit: journal and
 * snapshots are held; the history is copied, at or beyond the snapshots; then the moment is fixed, at or beyond the
 * history; then the users, who may be newer than the moment and never older; then the journal up to the moment.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AUDIT_FILE, AUDIT_HEAD_FILE } from '../../admin/audit-file.ts';
import { ADMIN_ENDPOINT_FILE } from '../../admin/token.ts';
import { GENERATED_FILE_VERSION } from '../../history/sqlite-schema.ts';
import { IDENTITY_MARK_FILE } from '../../identity/identity-mark.ts';
import { keyFileOnDisk } from '../../identity/key-file.ts';
import { readKeyring } from '../../identity/sealing.ts';
import { IDENTITY_FILE, KEYRING_FILE } from '../../identity/sqlite-identity.ts';
import { DirectoryLock } from '../../journal/directory-lock.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import { liveDirectory } from '../../lab/head.ts';
import { makeDirectory, replaceFile, syncDirectory } from '../../storage/durable-file.ts';
import { VERSION } from '../../version.ts';
import {
  GENERATED_FILE,
  HISTORY_FILE,
  HISTORY_PLACE_FILE,
  LOG_DIRECTORY,
  LOST_GENERATED,
} from '../data/data-files.ts';
import { copyHistory, historyAddress } from '../data/history-place.ts';
import { ConfigError, DataDamaged } from '../exit-codes.ts';
import { auditUpTo } from './audit-copy.ts';
import { type CopiedFile, copyFileDurably, type Progress, syncFile, writeDurably } from './copying.ts';
import { copyDatabase, copyLockedDatabase, historySeq, historyVersion, sealingKeys } from './databases.ts';
import { HeldJournal } from './held-journal.ts';
import { provenEnd } from './journal-proof.ts';
import {
  type BackedUpFile,
  CONTENTS,
  formatManifest,
  HALF_BACKUP_FILE,
  isBackup,
  isWhole,
  MANIFEST_FILE,
  type Manifest,
  type Moment,
  manifestOf,
  refuseUnfinished,
} from './manifest.ts';

export interface BackupOptions {
  readonly data: string;
  readonly directory: string;
  /** Fixes the moment in a running exchange; without it the journal on disk decides. */
  readonly moment?: () => Promise<Moment>;
  /**
   * Copies the directory as it is: faults that a start repairs are accepted, and nothing is replayed for a state
   * hash.
   */
  readonly asFound?: boolean;
  /** The setting of the history's place; empty for the one that the directory remembers. */
  readonly history?: string;
  /** Share done, from 0 to 1. */
  readonly progress?: (share: number) => void;
}

/** Files of the running process, and files that are copied in another way. */
const NOT_COPIED = new Set([
  HISTORY_FILE,
  GENERATED_FILE,
  // The copy has a file instead: an exchange that is restored must not write to the database of the first.
  HISTORY_PLACE_FILE,
  IDENTITY_FILE,
  KEYRING_FILE,
  // It may be ahead of the copied store; a start writes it anew.
  IDENTITY_MARK_FILE,
  AUDIT_FILE,
  AUDIT_HEAD_FILE,
  ADMIN_ENDPOINT_FILE,
]);
const PASSING = /\.tmp$|\.next$|-wal$|-shm$|-journal$|reserve|\.incomplete$/;
/** When the sealing key changes between two files, both are copied again. */
const KEY_TRIES_MAX = 5;

export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const { data, directory } = options;
  if (!existsSync(join(data, LOG_DIRECTORY)))
    throw new ConfigError(`--data ${data} holds no exchange: there is no ${join(data, LOG_DIRECTORY)}`);
  refuseUnfinished(data);
  prepare(data, directory);
  const lock = DirectoryLock.take(join(directory, CONTENTS, LOG_DIRECTORY));
  try {
    return await new Backup(options).run();
  } finally {
    lock.release();
    removeLock(join(directory, CONTENTS, LOG_DIRECTORY));
  }
}

/** From here on the directory is marked as incomplete. */
function prepare(data: string, directory: string): void {
  if (
    `${resolve(directory)}/`.startsWith(`${resolve(data, LOG_DIRECTORY)}/`) ||
    resolve(directory) === resolve(data)
  )
    throw new ConfigError(`${directory} is the exchange's own directory: name another one for the backup`);
  if (isWhole(directory))
    throw new ConfigError(`${directory} holds a backup already: name a new directory, one for each backup`);
  // The marker of an earlier try may have been interrupted itself: then only its temporary file is there.
  const others = existsSync(directory)
    ? readdirSync(directory).filter((name) => !name.startsWith(HALF_BACKUP_FILE))
    : [];
  if (!isBackup(directory) && others.length > 0)
    throw new ConfigError(`${directory} is not empty: name a new directory for the backup`);
  makeDirectory(directory);
  replaceFile(
    join(directory, HALF_BACKUP_FILE),
    `A backup of ${data} that was not finished. Nothing reads it.\n`,
  );
  const contents = join(directory, CONTENTS);
  // The lock shows whether another process is at work here.
  if (existsSync(join(contents, LOG_DIRECTORY))) DirectoryLock.take(join(contents, LOG_DIRECTORY)).release();
  rmSync(contents, { recursive: true, force: true });
  mkdirSync(join(contents, LOG_DIRECTORY), { recursive: true, mode: 0o700 });
}

function removeLock(directory: string): void {
  for (const name of ['lock.db', 'lock.pid']) rmSync(join(directory, name), { force: true });
}

class Backup {
  readonly #options: BackupOptions;
  /** Where journal and databases lie: in the data directory, or on a branch of it. */
  readonly #live: string;
  readonly #target: string;
  readonly #files: BackedUpFile[] = [];
  readonly #progress: Progress;

  constructor(options: BackupOptions) {
    const { directory, progress } = options;
    const data = liveDirectory(options.data);
    this.#options = options;
    this.#live = data;
    this.#target = join(directory, CONTENTS);
    let done = 0;
    let total = 1;
    const names = [HISTORY_FILE, GENERATED_FILE, IDENTITY_FILE];
    const sizes = names.map((name) => join(data, name)).filter((path) => existsSync(path));
    total += sizes.reduce((sum, path) => sum + statSync(path).size, 0);
    total += logBytes(join(data, LOG_DIRECTORY));
    this.#progress = (bytes) => {
      done += bytes;
      progress?.(Math.min(1, done / total));
    };
  }

  async run(): Promise<Manifest> {
    const { data, directory } = this.#options;
    using journal = new HeldJournal(join(this.#live, LOG_DIRECTORY));
    await this.#copyHistory(journal);
    const reached = historySeq(join(this.#target, HISTORY_FILE));
    if (reached < journal.snapshotSeq && this.#options.asFound !== true)
      throw new DataDamaged(
        `${HISTORY_FILE} ends at command ${reached}, before the snapshot of command ${journal.snapshotSeq}: ` +
          'an exchange would not start from that copy. Put the missing history back first',
      );
    const moment = await this.#moment(journal);
    if (reached > moment.seq)
      throw new DataDamaged(`${HISTORY_FILE} holds command ${reached}, the log ends at ${moment.seq}`);
    await this.#copyIdentity();
    await this.#copyLog(journal, moment.seq);
    this.#copyAudit(moment.seq);
    await this.#copyRest();
    const proven = await this.#prove(moment);
    for (const folder of [
      join(this.#target, LOG_DIRECTORY),
      this.#target,
      directory,
      dirname(resolve(directory)),
    ])
      syncDirectory(folder);
    const manifest = manifestOf({
      program: VERSION,
      madeAt: new Date().toISOString(),
      source: resolve(data),
      moment: proven,
      files: this.#files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    });
    replaceFile(join(directory, MANIFEST_FILE), formatManifest(manifest));
    rmSync(join(directory, HALF_BACKUP_FILE), { force: true });
    return manifest;
  }

  async #moment(journal: HeldJournal): Promise<Moment> {
    const moment = await this.#options.moment?.();
    // The last command of the moment is on disk now: its segment is held from here on.
    journal.catchUp();
    return moment ?? { seq: journal.lastSeq(), time: 0, stateHash: null };
  }

  async #copyHistory(journal: HeldJournal): Promise<void> {
    const address = historyAddress(this.#options.history ?? '', this.#live);
    if (address === undefined) {
      await this.#copyDatabase(HISTORY_FILE, () => journal.keepUp());
      await this.#copyGenerated(journal);
      return;
    }
    const target = join(this.#target, HISTORY_FILE);
    await copyHistory(address, join(this.#live, LOG_DIRECTORY), target, () => journal.keepUp());
    for (const name of [HISTORY_FILE, GENERATED_FILE])
      this.#note(name, await syncFile(join(this.#target, name)));
  }

  /** Histories of older programs have the generated past in their tables. */
  async #copyGenerated(journal: HeldJournal): Promise<void> {
    const source = join(this.#live, GENERATED_FILE);
    if (!existsSync(source)) {
      const { asFound = false } = this.#options;
      if (asFound || historyVersion(join(this.#target, HISTORY_FILE)) < GENERATED_FILE_VERSION) return;
      throw new DataDamaged(`${source} does not exist. ${LOST_GENERATED}`);
    }
    const target = join(this.#target, GENERATED_FILE);
    const progress: Progress = (bytes) => {
      journal.keepUp();
      this.#progress(bytes);
    };
    this.#note(GENERATED_FILE, await copyLockedDatabase(source, target, progress));
  }

  /** The secrets in the copied database must be sealed under keys of the copied file, whatever changed in between. */
  async #copyIdentity(): Promise<void> {
    const data = this.#live;
    for (let tries = 1; ; tries++) {
      await this.#copyDatabase(IDENTITY_FILE);
      const ring = join(this.#target, KEYRING_FILE);
      if (!existsSync(join(data, KEYRING_FILE))) return;
      this.#note(KEYRING_FILE, await copyFileDurably(join(data, KEYRING_FILE), ring, this.#progress));
      const { keys } = readKeyring(keyFileOnDisk(ring));
      const missing = [...sealingKeys(join(this.#target, IDENTITY_FILE))].filter((id) => !keys.has(id));
      if (missing.length === 0) return;
      if (tries === KEY_TRIES_MAX)
        throw new DataDamaged(
          `${KEYRING_FILE} lacks ${missing.join(', ')}, which API secrets are sealed under`,
        );
      for (const name of [IDENTITY_FILE, KEYRING_FILE]) this.#forget(name);
    }
  }

  async #copyLog(journal: HeldJournal, lastSeq: number): Promise<void> {
    const target = join(this.#target, LOG_DIRECTORY);
    await journal.copyTo(target, lastSeq, this.#progress, (name, file) =>
      this.#note(`${LOG_DIRECTORY}/${name}`, file),
    );
  }

  #copyAudit(lastSeq: number): void {
    const copy = auditUpTo(this.#options.data, lastSeq);
    if (copy === undefined) return;
    this.#note(AUDIT_FILE, writeDurably(join(this.#target, AUDIT_FILE), Buffer.from(copy.log)));
    this.#note(AUDIT_HEAD_FILE, writeDurably(join(this.#target, AUDIT_HEAD_FILE), Buffer.from(copy.head)));
  }

  /** Keys, the token and other small files, which are always replaced as a whole. */
  async #copyRest(): Promise<void> {
    const { data } = this.#options;
    const copied = new Set<string>(NOT_COPIED);
    // What belongs to the users of a branch lies with it.
    for (const directory of new Set([this.#live, data]))
      for (const entry of readdirSync(directory, { withFileTypes: true })) {
        if (!entry.isFile() || copied.has(entry.name) || PASSING.test(entry.name)) continue;
        copied.add(entry.name);
        const target = join(this.#target, entry.name);
        this.#note(entry.name, await copyFileDurably(join(directory, entry.name), target, this.#progress));
      }
  }

  /** The copy of the log is read back: its segments lead from each of its snapshots to the moment. */
  async #prove(moment: Moment): Promise<Moment> {
    const { asFound = false } = this.#options;
    const withHash = moment.stateHash === null && !asFound;
    const end = provenEnd(join(this.#target, LOG_DIRECTORY), { withHash, asFound });
    if (end.seq !== moment.seq)
      throw new DataDamaged(`the copied log ends at command ${end.seq} instead of ${moment.seq}`);
    return withHash ? end : moment;
  }

  async #copyDatabase(name: string, meanwhile: () => void = () => {}): Promise<void> {
    const target = join(this.#target, name);
    const progress: Progress = (bytes) => {
      meanwhile();
      this.#progress(bytes);
    };
    this.#note(name, await copyDatabase(join(this.#live, name), target, progress));
  }

  #note(path: string, { bytes, sha256 }: CopiedFile): void {
    this.#files.push({ path, bytes, sha256 });
  }

  #forget(path: string): void {
    rmSync(join(this.#target, path), { force: true });
    this.#files.splice(
      this.#files.findIndex((file) => file.path === path),
      1,
    );
  }
}

function logBytes(directory: string): number {
  const names = new NodeDisk(directory).list().filter((name) => /^(segment|snapshot)-/.test(name));
  return names.reduce(
    (sum, name) => sum + (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
