/**
 * Writes to the history through a full disk. Rows since the last commit are kept until they are durable; when the
 * disk refuses, the transaction is rolled back and written again, in memory, where reads see it as before, and the
 * commit is retried until there is space. The journal holds all of it too, so a process that ends loses nothing.
 */
import { freeBytes } from '../storage/free-space.ts';
import { isDatabaseShortage } from '../storage/shortage-errors.ts';
import { type GeneratedPast, generatedRows } from './generated-candles.ts';
import type { ProjectionBatch } from './projection-batch.ts';
import type { SqliteWriter } from './sqlite-writer.ts';

/** Estimate of a commit's space; doubled when it was not enough. */
const COMMIT_BYTES = 256 * 1024;
const ROW_BYTES = 1024;
const DOUBLED_MAX = 64;
/** A commit is tried after this time whatever the disk reports: a quota shows only in an attempt. */
const TRY_ANYWAY_MS = 5000;

export class RetryingWriter {
  readonly #writer: SqliteWriter;
  readonly #directory: string;
  #pending: (() => void)[] = [];
  #pendingRows = 0;
  /** Whether all pending rows are in the open transaction. */
  #inTransaction = true;
  #starved = false;
  #caution = 1;
  #triedMs = 0;
  #rows = 0;
  #storedRows = 0;

  constructor(writer: SqliteWriter, directory: string) {
    this.#writer = writer;
    this.#directory = directory;
  }

  /** The disk has refused the last commit. */
  get starved(): boolean {
    return this.#starved;
  }

  /** Rows that are durable, of those written since the start. */
  get storedRows(): number {
    return this.#storedRows;
  }

  write(batch: ProjectionBatch): void {
    const { names } = this.#writer;
    this.#rows += batch.rows;
    this.#queue(batch.rows, () => this.#writer.write(batch, names));
  }

  addGenerated(past: GeneratedPast): void {
    this.#queue(generatedRows(past), () => this.#writer.addGenerated(past));
  }

  /** False when the disk has no space: all rows are kept, and visible to reads. */
  commit(): boolean {
    if (this.#starved && !this.#mayTry()) return false;
    this.#triedMs = performance.now();
    if (!this.#inTransaction) this.#writeAgain();
    if (!this.#inTransaction || !this.#attempt(() => this.#writer.commit())) return false;
    this.#pending = [];
    this.#pendingRows = 0;
    this.#storedRows = this.#rows;
    this.#starved = false;
    this.#caution = 1;
    return true;
  }

  /** Drops rows that are not durable: the next start projects them again from the journal. */
  abandon(): void {
    this.#writer.rollBack();
  }

  #queue(rows: number, write: () => void): void {
    this.#pending.push(write);
    this.#pendingRows += rows;
    if (this.#inTransaction) this.#attempt(write);
  }

  #mayTry(): boolean {
    const free = freeBytes(this.#directory);
    const needed = this.#caution * (COMMIT_BYTES + this.#pendingRows * ROW_BYTES);
    return free === undefined || free >= needed || performance.now() - this.#triedMs >= TRY_ANYWAY_MS;
  }

  #attempt(act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      if (!isDatabaseShortage(error, this.#directory)) throw error;
      if (this.#starved) this.#caution = Math.min(2 * this.#caution, DOUBLED_MAX);
      this.#starved = true;
      this.#writeAgain();
      return false;
    }
  }

  /** No page reaches the disk before the commit, so this works when the disk is full. */
  #writeAgain(): void {
    this.#writer.rollBack();
    try {
      for (const write of this.#pending) write();
      this.#inTransaction = true;
    } catch (error) {
      if (!isDatabaseShortage(error, this.#directory)) throw error;
      this.#writer.rollBack();
      this.#inTransaction = false;
    }
  }
}
