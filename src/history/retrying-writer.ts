/**
 * Writes to a database through a full disk. Rows since the last commit are kept until they are durable; when the
 * disk refuses, the transaction is rolled back and written again, in memory, where reads see it as before, and the
 * commit is retried until there is space. The journal holds what the history writes too, and the market generates a past
 * again that was not stored, so a process that ends loses nothing.
 */
import { freeBytes } from '../storage/free-space.ts';
import { isDatabaseShortage } from '../storage/shortage-errors.ts';

/** Estimate of a commit's space; doubled when it was not enough. */
const COMMIT_BYTES = 256 * 1024;
const ROW_BYTES = 1024;
const DOUBLED_MAX = 64;
/** A commit is tried after this time whatever the disk reports: a quota shows only in an attempt. */
const TRY_ANYWAY_MS = 5000;

const SQLITE_BUSY = 5;
const PRIMARY_CODE = 0xff;

/** A database with one open transaction at most. */
export interface Transactions {
  commit(): void;
  /** Back to the last commit. */
  rollBack(): void;
}

export interface RetryingOptions {
  /** Waits until other programs have read the file; without it their lock is an error like any other. */
  readonly waitsForReaders?: boolean;
}

export class RetryingWriter {
  readonly #writer: Transactions;
  readonly #directory: string;
  readonly #waitsForReaders: boolean;
  #pending: (() => void)[] = [];
  #pendingRows = 0;
  /** Whether all pending rows are in the open transaction. */
  #inTransaction = true;
  /** What the last commit has lacked. */
  #lacks: 'space' | 'lock' | undefined;
  #caution = 1;
  #triedMs = 0;
  #rows = 0;
  #storedRows = 0;

  constructor(writer: Transactions, directory: string, { waitsForReaders = false }: RetryingOptions = {}) {
    this.#writer = writer;
    this.#directory = directory;
    this.#waitsForReaders = waitsForReaders;
  }

  /** The disk has refused the last commit. */
  get starved(): boolean {
    return this.#lacks === 'space';
  }

  /** Another program has read the file during the last commit. */
  get blocked(): boolean {
    return this.#lacks === 'lock';
  }

  /** Rows that are durable, of those written since the start. */
  get storedRows(): number {
    return this.#storedRows;
  }

  /** `write` adds rows to the transaction; it may be called again. */
  write(rows: number, write: () => void): void {
    this.#rows += rows;
    this.#pending.push(write);
    this.#pendingRows += rows;
    if (this.#inTransaction && !this.#attempt(write) && this.blocked) {
      this.#writer.rollBack();
      this.#inTransaction = false;
    }
  }

  /** False when the disk has no space, or a reader is in the way: all rows are kept, and visible to reads. */
  commit(): boolean {
    if (this.starved && !this.#mayTry()) return false;
    this.#triedMs = performance.now();
    if (!this.#inTransaction) this.#writeAgain();
    if (!this.#inTransaction || !this.#attempt(() => this.#writer.commit())) return false;
    this.#pending = [];
    this.#pendingRows = 0;
    this.#storedRows = this.#rows;
    this.#lacks = undefined;
    this.#caution = 1;
    return true;
  }

  /** Drops rows that are not durable: the next start projects them again from the journal. */
  abandon(): void {
    this.#writer.rollBack();
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
      const lacking = this.#lackOf(error);
      if (lacking === 'space') {
        if (this.starved) this.#caution = Math.min(2 * this.#caution, DOUBLED_MAX);
        this.#writeAgain();
      }
      this.#lacks = lacking;
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
      this.#lacks = this.#lackOf(error);
      this.#writer.rollBack();
      this.#inTransaction = false;
    }
  }

  /** Throws every other error. A commit that meets a lock leaves its transaction open. */
  #lackOf(error: unknown): 'space' | 'lock' {
    if (isDatabaseShortage(error, this.#directory)) return 'space';
    const { errcode = 0 } = error as { readonly errcode?: number };
    if (this.#waitsForReaders && (errcode & PRIMARY_CODE) === SQLITE_BUSY) return 'lock';
    throw error;
  }
}
