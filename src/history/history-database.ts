/**
 * The database side of the history. Batches collect in one transaction until a commit is due: many commands share one
 * sync of the disk, and reads in between see the open rows without waiting for it. On a full disk the rows stay open until
 * there is space (`retrying-writer.ts`). Any other failed write is the end of it; the next start projects again from
 * `last_seq`.
 *
 * It knows nothing of threads: messages come and go through a port, in the order they were sent.
 */
import { chmodSync, constants, copyFileSync, existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { contentsOf, databaseWith, MemoryDatabases } from '../storage/memory-database.ts';
import { isDatabaseShortage } from '../storage/shortage-errors.ts';
import { checkLogBelongs } from './checkpoints.ts';
import { DamagedRow } from './checksum.ts';
import type { FromDatabase, ToDatabase } from './database-messages.ts';
import { GeneratedBooks } from './generated-books.ts';
import { type GeneratedPast, generatedRows } from './generated-candles.ts';
import { GeneratedFile, generatedPath } from './generated-file.ts';
import type { HistoryContents } from './history.ts';
import { COMMIT_DELAY_MS, COMMIT_ROWS_MAX, IDLE_COMMIT_DELAY_MS } from './limits.ts';
import { unpackBatch } from './packed-batch.ts';
import type { ProjectionBatch } from './projection-batch.ts';
import type { Read } from './read.ts';
import { READS } from './reads.ts';
import { RetryingWriter } from './retrying-writer.ts';
import { GENERATED_FILE_VERSION, IN_MEMORY, migrate, schemaVersion } from './sqlite-schema.ts';
import { SqliteSelects } from './sqlite-selects.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { Pages } from './tables/pages.ts';

/** Interval of retries on a full disk. */
const RETRY_SPACE_AFTER_MS = 250;
/** Time that another program's lock on the file may delay a write before it fails. */
const BUSY_TIMEOUT_MS = 10_000;

/** After the generated past has moved to a file of its own: a history is made smaller when this share of it is free. */
const FREE_SHARE = 1 / 4;
/** It is written anew in memory; a larger one uses the space again. */
const SHRUNK_BYTES_MAX = 128 * 1024 * 1024;

/** Result codes of SQLite for a file that is not what it wrote: input or output failed, malformed, not a database. */
const UNREADABLE: ReadonlySet<number> = new Set([10, 11, 26]);
const PRIMARY_CODE = 0xff;

const IN_MEMORY_ONES = new MemoryDatabases((database) => {
  migrate(database);
  const writer = new SqliteWriter(database);
  for (const _ of writer.seal());
  writer.commit();
});

/** The way back to the history. */
export interface HistoryPort {
  send(message: FromDatabase): void;
  /** A write failed: nothing more is stored, and nothing more is answered. */
  failed(error: unknown): void;
  /** The database is closed and its last message sent. */
  closed(): void;
}

export interface HistoryStart {
  /** A file, created when it does not exist, or `IN_MEMORY`. */
  readonly path: string;
  /** Of another history, for one in memory. */
  readonly contents?: HistoryContents | undefined;
  /** The operator has accepted that records are missing. */
  readonly acceptGap?: boolean | undefined;
}

export class HistoryDatabase {
  readonly #port: HistoryPort;
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #writer: SqliteWriter;
  readonly #retrying: RetryingWriter;
  readonly #pages: Pages;
  readonly #selects: SqliteSelects;
  /** The generated past is beside the database: branches share it. */
  readonly #generated: GeneratedBooks | GeneratedFile;
  /** Of the generated past on disk. */
  readonly #retryingPast: RetryingWriter | undefined;
  #commitTimer: NodeJS.Timeout | undefined;
  #commitDueMs = Number.POSITIVE_INFINITY;

  /** The first message `stored` means that it is ready. */
  constructor({ path, contents, acceptGap = false }: HistoryStart, port: HistoryPort) {
    this.#port = port;
    this.#path = path;
    const database = opened(path, contents?.bytes);
    this.#database = database;
    let generated: GeneratedBooks | GeneratedFile | undefined;
    try {
      // Also without the umask of the program: inside the process of somebody's test.
      if (path !== IN_MEMORY) chmodSync(path, 0o600);
      // Neither a page nor a temporary file reaches the disk before a commit: only a commit can meet a full disk.
      database.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_spill = OFF; PRAGMA temp_store = MEMORY',
      );
      if (path !== IN_MEMORY) checkLogBelongs(path, database);
      generated =
        path === IN_MEMORY
          ? (contents?.generated?.copy() ?? new GeneratedBooks())
          : this.#openGenerated(acceptGap);
      this.#generated = generated;
      migrateAndShrink(database, generated);
      const writer = new SqliteWriter(database);
      this.#writer = writer;
      this.#retrying = new RetryingWriter(writer, dirname(path));
      if (generated instanceof GeneratedFile)
        this.#retryingPast = new RetryingWriter(generated, dirname(path), { waitsForReaders: true });
      this.#pages = new Pages(() => writer.sealed, generated);
      this.#selects = new SqliteSelects(database);
    } catch (error) {
      if (generated instanceof GeneratedFile) generated.close();
      database.close();
      throw error;
    }
    this.#sealStep(this.#writer.seal(), 0);
    this.#reportStored();
  }

  /** A history of this schema was made with one beside it: what is not there is lost. */
  #openGenerated(acceptGap: boolean): GeneratedFile {
    const path = generatedPath(this.#path);
    if (!existsSync(path) && schemaVersion(this.#database) >= GENERATED_FILE_VERSION) {
      if (!acceptGap) throw new Error(`${basename(path)} does not exist`);
      this.#port.send({ type: 'notice', text: `${path} is missing: the generated past is lost` });
    }
    return new GeneratedFile(path);
  }

  /** Throws when a write failed. */
  receive(message: ToDatabase): void {
    switch (message.type) {
      case 'describe':
        this.#writer.describe(message.instruments, message.coins);
        break;
      case 'batch':
        this.#write(unpackBatch(message.batch));
        break;
      case 'generated':
        this.#addGenerated(message.past);
        break;
      case 'read':
        this.#read(message);
        break;
      case 'flush':
        this.#port.send(
          this.#commit() ? { type: 'answer', id: message.id, value: undefined } : this.#unstored(message.id),
        );
        break;
      case 'prune':
        if (this.#starved) this.#port.send(this.#unstored(message.id));
        else this.#pruneStep(message.id, this.#writer.prune(message.now), 0);
        break;
      case 'copy':
        this.#copy(message);
        break;
      case 'close':
        if (!this.#commit()) {
          this.#retrying.abandon();
          this.#retryingPast?.abandon();
        }
        this.abandon();
        this.#port.send({ type: 'answer', id: message.id, value: undefined });
        this.#port.closed();
    }
  }

  /** Closes it without another commit. */
  abandon(): void {
    clearTimeout(this.#commitTimer);
    if (this.#generated instanceof GeneratedFile) this.#generated.close();
    if (this.#database.isOpen) this.#database.close();
  }

  #write(batch: ProjectionBatch): void {
    const { names } = this.#writer;
    this.#retrying.write(batch.rows, () => this.#writer.write(batch, names));
    this.#commitSoon();
  }

  #addGenerated(past: GeneratedPast): void {
    const generated = this.#generated;
    if (this.#retryingPast === undefined) {
      generated.add(past);
      return;
    }
    this.#retryingPast.write(generatedRows(past), () => generated.add(past));
    this.#commitSoon();
  }

  get #starved(): boolean {
    return this.#retrying.starved || this.#retryingPast?.starved === true;
  }

  #reportStored(): void {
    const { storedRows: rows } = this.#retrying;
    this.#port.send({ type: 'stored', seq: this.#writer.committedSeq, rows, starved: this.#starved });
  }

  /** The answer to a request that needs everything stored. */
  #unstored(id: number): FromDatabase {
    if (this.#starved || this.#retryingPast?.blocked !== true) return { type: 'starved', id };
    const reason = `another program reads ${generatedPath(this.#path)}: try again when it has ended`;
    return { type: 'starved', id, reason };
  }

  /** False when the disk is full, or a reader is in the way; it is retried soon. */
  #commit(): boolean {
    clearTimeout(this.#commitTimer);
    this.#commitDueMs = Number.POSITIVE_INFINITY;
    const past = this.#retryingPast?.commit() ?? true;
    const committed = this.#retrying.commit() && past;
    this.#reportStored();
    if (!committed) this.#commitAfter(RETRY_SPACE_AFTER_MS);
    return committed;
  }

  #commitAfter(delayMs: number): void {
    clearTimeout(this.#commitTimer);
    this.#commitDueMs = performance.now() + delayMs;
    this.#commitTimer = setTimeout(() => this.#attempt(() => this.#commit()), delayMs);
  }

  /** Timers of a busy thread may be late, so every batch also checks the clock. */
  #commitSoon(): void {
    const nowMs = performance.now();
    const openRows =
      this.#writer.openRows + (this.#generated instanceof GeneratedFile ? this.#generated.openRows : 0);
    const full = openRows >= COMMIT_ROWS_MAX && !this.#starved;
    if (full || nowMs >= this.#commitDueMs) {
      this.#commit();
      return;
    }
    const delayMs = openRows > 0 ? COMMIT_DELAY_MS : IDLE_COMMIT_DELAY_MS;
    if (nowMs + delayMs < this.#commitDueMs) this.#commitAfter(delayMs);
  }

  /** Work of a later turn: nobody above it would catch its error. */
  #attempt(act: () => void): void {
    if (!this.#database.isOpen) return;
    try {
      act();
    } catch (error) {
      this.#port.failed(error);
    }
  }

  /** Rows of an older program get their checksums between other work; a new file has none. */
  #sealStep(steps: Generator<number>, sealed: number): void {
    const step = steps.next();
    const rows = sealed + (step.value ?? 0);
    if (step.done === true) this.#commit();
    else {
      this.#commitSoon();
      setImmediate(() => this.#attempt(() => this.#sealStep(steps, rows)));
    }
    if (rows > 0) this.#port.send({ type: 'sealed', rows, all: step.done === true });
  }

  /** A failed read is an error of that read alone: the writer is not at fault. */
  #read({ id, name, argument }: Extract<ToDatabase, { type: 'read' }>): void {
    try {
      const read = READS[name] as (pages: Pages, argument: unknown) => Read<unknown>;
      const value = this.#selects.answer(read(this.#pages, argument));
      this.#port.send({ type: 'answer', id, value });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#port.send({ type: 'refused', id, message, damaged: isDamage(error) });
    }
  }

  /** Everything received so far is in it; the caller waits, and nothing is written meanwhile. */
  #copy({ id, path }: Extract<ToDatabase, { type: 'copy' }>): void {
    if (!this.#commit()) {
      this.#port.send(this.#unstored(id));
      return;
    }
    try {
      const value = path === undefined ? this.#contents() : this.#copyFile(path);
      this.#port.send({ type: 'answer', id, value });
    } catch (error) {
      this.#port.send({ type: 'refused', id, message: (error as Error).message, damaged: false });
    }
  }

  #contents(): HistoryContents {
    if (this.#generated instanceof GeneratedFile) throw new Error('a history on disk is copied to files');
    return { bytes: contentsOf(this.#database), generated: this.#generated.copy() };
  }

  /** Everything is committed: no transaction is open while the generated past is linked. */
  #copyFile(path: string): void {
    if (!(this.#generated instanceof GeneratedFile))
      throw new Error('a history in memory is copied as bytes');
    // While another program reads, the file may lack what was committed since.
    if (this.#writer.moveLog()) copyFileSync(this.#path, path, constants.COPYFILE_FICLONE);
    else this.#database.prepare('VACUUM INTO ?').run(path);
    this.#generated.linkTo(generatedPath(path));
  }

  #pruneStep(id: number, steps: Generator<number>, deleted: number): void {
    const step = steps.next();
    if (step.done === true) {
      // Rows that were deleted without space are there again; the next pruning deletes them.
      this.#port.send(this.#commit() ? { type: 'answer', id, value: deleted } : this.#unstored(id));
      return;
    }
    this.#commitSoon();
    setImmediate(() => this.#attempt(() => this.#pruneStep(id, steps, deleted + step.value)));
  }
}

function opened(path: string, contents: Uint8Array | undefined): DatabaseSync {
  if (path !== IN_MEMORY) return new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  return contents === undefined ? IN_MEMORY_ONES.open() : databaseWith(contents);
}

/** Tables of an older program give up their generated past, and the space that it had. */
function migrateAndShrink(database: DatabaseSync, generated: GeneratedBooks | GeneratedFile): void {
  let moved = false;
  migrate(database, undefined, (from) => {
    generated.takeFrom(from);
    moved = true;
  });
  if (!moved) return;
  const pragma = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()![name]);
  const pages = pragma('page_count');
  if (pragma('freelist_count') < pages * FREE_SHARE || pages * pragma('page_size') > SHRUNK_BYTES_MAX) return;
  try {
    // Free pages would be copied too.
    database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (!isDatabaseShortage(error, dirname(database.location() ?? '.'))) throw error;
  }
}

/** A page that SQLite cannot read, or a number beyond what any column holds, comes from a changed bit as well. */
function isDamage(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  if (error instanceof DamagedRow || code === 'ERR_OUT_OF_RANGE') return true;
  return errcode !== undefined && UNREADABLE.has(errcode & PRIMARY_CODE);
}
