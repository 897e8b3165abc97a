/**
 * The database side of the history. Batches collect in one transaction until a commit is due: many commands share one
 * sync of the disk, and reads in between see the open rows without waiting for it. On a full disk the rows stay open until
 * there is space (`retrying-writer.ts`). Any other failed write is the end of it; the next start projects again from
 * `last_seq`.
 *
 * It knows nothing of threads: messages come and go through a port, in the order they were sent.
 */
import { chmodSync, constants, copyFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { contentsOf, databaseWith, MemoryDatabases } from '../storage/memory-database.ts';
import { checkLogBelongs } from './checkpoints.ts';
import { DamagedRow } from './checksum.ts';
import type { FromDatabase, ToDatabase } from './database-messages.ts';
import { GeneratedBooks } from './generated-books.ts';
import type { HistoryContents } from './history.ts';
import { COMMIT_DELAY_MS, COMMIT_ROWS_MAX, IDLE_COMMIT_DELAY_MS } from './limits.ts';
import { unpackBatch } from './packed-batch.ts';
import type { Read } from './read.ts';
import { READS } from './reads.ts';
import { RetryingWriter } from './retrying-writer.ts';
import { IN_MEMORY, migrate } from './sqlite-schema.ts';
import { SqliteSelects } from './sqlite-selects.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { Pages } from './tables/pages.ts';

/** Interval of retries on a full disk. */
const RETRY_SPACE_AFTER_MS = 250;
/** Time that another program's lock on the file may delay a write before it fails. */
const BUSY_TIMEOUT_MS = 10_000;

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

export class HistoryDatabase {
  readonly #port: HistoryPort;
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #writer: SqliteWriter;
  readonly #retrying: RetryingWriter;
  readonly #pages: Pages;
  readonly #selects: SqliteSelects;
  /** In memory the generated past is beside the database: branches share it. */
  readonly #generated: GeneratedBooks | undefined;
  #commitTimer: NodeJS.Timeout | undefined;
  #commitDueMs = Number.POSITIVE_INFINITY;

  /**
   * `path` is a file, created when it does not exist, or `IN_MEMORY`, where it may begin with the contents of another. The
   * first message sent means that it is ready.
   */
  constructor(path: string, port: HistoryPort, contents?: HistoryContents) {
    this.#port = port;
    this.#path = path;
    const database = opened(path, contents?.bytes);
    this.#database = database;
    this.#generated = path === IN_MEMORY ? (contents?.generated?.copy() ?? new GeneratedBooks()) : undefined;
    try {
      // Also without the umask of the program: inside the process of somebody's test.
      if (path !== IN_MEMORY) chmodSync(path, 0o600);
      // Neither a page nor a temporary file reaches the disk before a commit: only a commit can meet a full disk.
      database.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_spill = OFF; PRAGMA temp_store = MEMORY',
      );
      if (path !== IN_MEMORY) checkLogBelongs(path, database);
      migrate(database);
      // A copy of a file has it in its tables.
      if (contents !== undefined) this.#generated?.takeFrom(database);
      const writer = new SqliteWriter(database);
      this.#writer = writer;
      this.#retrying = new RetryingWriter(writer, dirname(path));
      this.#pages = new Pages(() => writer.sealed, this.#generated);
      this.#selects = new SqliteSelects(database);
    } catch (error) {
      database.close();
      throw error;
    }
    this.#sealStep(this.#writer.seal(), 0);
    this.#reportStored();
  }

  /** Throws when a write failed. */
  receive(message: ToDatabase): void {
    switch (message.type) {
      case 'describe':
        this.#writer.describe(message.instruments, message.coins);
        break;
      case 'batch':
        this.#retrying.write(unpackBatch(message.batch));
        this.#commitSoon();
        break;
      case 'generated':
        if (this.#generated !== undefined) this.#generated.add(message.past);
        else {
          this.#retrying.addGenerated(message.past);
          this.#commitSoon();
        }
        break;
      case 'read':
        this.#read(message);
        break;
      case 'flush':
        this.#port.send(
          this.#commit()
            ? { type: 'answer', id: message.id, value: undefined }
            : { type: 'starved', id: message.id },
        );
        break;
      case 'prune':
        if (this.#retrying.starved) this.#port.send({ type: 'starved', id: message.id });
        else this.#pruneStep(message.id, this.#writer.prune(message.now), 0);
        break;
      case 'copy':
        this.#copy(message);
        break;
      case 'close':
        if (!this.#commit()) this.#retrying.abandon();
        this.abandon();
        this.#port.send({ type: 'answer', id: message.id, value: undefined });
        this.#port.closed();
    }
  }

  /** Closes it without another commit. */
  abandon(): void {
    clearTimeout(this.#commitTimer);
    if (this.#database.isOpen) this.#database.close();
  }

  #reportStored(): void {
    const { storedRows: rows, starved } = this.#retrying;
    this.#port.send({ type: 'stored', seq: this.#writer.committedSeq, rows, starved });
  }

  /** False when the disk is full; it is retried soon. */
  #commit(): boolean {
    clearTimeout(this.#commitTimer);
    this.#commitDueMs = Number.POSITIVE_INFINITY;
    const committed = this.#retrying.commit();
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
    const full = this.#writer.openRows >= COMMIT_ROWS_MAX && !this.#retrying.starved;
    if (full || nowMs >= this.#commitDueMs) {
      this.#commit();
      return;
    }
    const delayMs = this.#writer.openRows > 0 ? COMMIT_DELAY_MS : IDLE_COMMIT_DELAY_MS;
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
      this.#port.send({ type: 'starved', id });
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
    const bytes = contentsOf(this.#database);
    return this.#generated === undefined ? { bytes } : { bytes, generated: this.#generated.copy() };
  }

  #copyFile(path: string): void {
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    copyFileSync(this.#path, path, constants.COPYFILE_FICLONE);
  }

  #pruneStep(id: number, steps: Generator<number>, deleted: number): void {
    const step = steps.next();
    if (step.done === true) {
      // Rows that were deleted without space are there again; the next pruning deletes them.
      this.#port.send(this.#commit() ? { type: 'answer', id, value: deleted } : { type: 'starved', id });
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

/** A page that SQLite cannot read, or a number beyond what any column holds, comes from a changed bit as well. */
function isDamage(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  if (error instanceof DamagedRow || code === 'ERR_OUT_OF_RANGE') return true;
  return errcode !== undefined && UNREADABLE.has(errcode & PRIMARY_CODE);
}
