/**
 * The thread that owns the history database. Batches collect in one transaction until a commit is due: many commands
 * share one sync of the disk, and reads in between see the open rows without waiting for it. On a full disk the rows
 * stay open until there is space (`retrying-writer.ts`). Any other failed write ends the thread; the next start
 * projects again from `last_seq`.
 */
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { checkLogBelongs } from './checkpoints.ts';
import { DamagedRow } from './checksum.ts';
import { unpackBatch } from './packed-batch.ts';
import { RetryingWriter } from './retrying-writer.ts';
import type { FromWorker, ToWorker, WorkerStart } from './sqlite-messages.ts';
import { READS } from './sqlite-reads.ts';
import { migrate } from './sqlite-schema.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { Pages } from './tables/pages.ts';

const COMMIT_ROWS_MAX = 10_000;
/**
 * Long enough that its syncs do not delay those of the journal on the same disk; the journal holds everything anyway.
 */
const COMMIT_DELAY_MS = 500;
/** Commands without rows, such as clock ticks, are not worth a sync each. */
const IDLE_COMMIT_DELAY_MS = 1000;
/** Interval of retries on a full disk. */
const RETRY_SPACE_AFTER_MS = 250;
/** Time that another program's lock on the file may delay a write before it fails. */
const BUSY_TIMEOUT_MS = 10_000;

/** Result codes of SQLite for a file that is not what it wrote: input or output failed, malformed, not a database. */
const UNREADABLE: ReadonlySet<number> = new Set([10, 11, 26]);
const PRIMARY_CODE = 0xff;

if (parentPort === null) throw new Error('sqlite-history-worker.ts runs as a worker of sqlite-history.ts');
const port = parentPort;

const { path } = workerData as WorkerStart;
const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
// Neither a page nor a temporary file reaches the disk before a commit: only a commit can meet a full disk.
database.exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_spill = OFF; PRAGMA temp_store = MEMORY',
);
checkLogBelongs(path, database);
migrate(database);
const writer = new SqliteWriter(database);
const retrying = new RetryingWriter(writer, dirname(path));
const pages = new Pages(database, () => writer.sealed);

let commitTimer: NodeJS.Timeout | undefined;
let commitDueMs = Number.POSITIVE_INFINITY;

port.on('message', (message: ToWorker) => {
  switch (message.type) {
    case 'describe':
      return writer.describe(message.instruments, message.coins);
    case 'batch':
      retrying.write(unpackBatch(message.batch));
      return commitSoon();
    case 'generated':
      retrying.addGenerated(message.past);
      return commitSoon();
    case 'read':
      return read(message);
    case 'flush':
      return post(
        commit() ? { type: 'answer', id: message.id, value: undefined } : { type: 'starved', id: message.id },
      );
    case 'prune':
      if (retrying.starved) return post({ type: 'starved', id: message.id });
      return pruneStep(message.id, writer.prune(message.now), 0);
    case 'close':
      if (!commit()) retrying.abandon();
      clearTimeout(commitTimer);
      database.close();
      post({ type: 'answer', id: message.id, value: undefined });
      return port.close();
  }
});
sealStep(writer.seal(), 0);
reportStored();

function post(message: FromWorker): void {
  port.postMessage(message);
}

function reportStored(): void {
  post({ type: 'stored', seq: writer.committedSeq, rows: retrying.storedRows, starved: retrying.starved });
}

/** False when the disk is full; it is retried soon. */
function commit(): boolean {
  clearTimeout(commitTimer);
  commitDueMs = Number.POSITIVE_INFINITY;
  const committed = retrying.commit();
  reportStored();
  if (!committed) commitAfter(RETRY_SPACE_AFTER_MS);
  return committed;
}

function commitAfter(delayMs: number): void {
  clearTimeout(commitTimer);
  commitDueMs = performance.now() + delayMs;
  commitTimer = setTimeout(commit, delayMs);
}

/** Timers of a busy thread may be late, so every batch also checks the clock. */
function commitSoon(): void {
  const nowMs = performance.now();
  const full = writer.openRows >= COMMIT_ROWS_MAX && !retrying.starved;
  if (full || nowMs >= commitDueMs) {
    commit();
    return;
  }
  const delayMs = writer.openRows > 0 ? COMMIT_DELAY_MS : IDLE_COMMIT_DELAY_MS;
  if (nowMs + delayMs < commitDueMs) commitAfter(delayMs);
}

/** Rows of an older program get their checksums between other work; a new file has none. */
function sealStep(steps: Generator<number>, sealed: number): void {
  if (!database.isOpen) return;
  const step = steps.next();
  const rows = sealed + (step.value ?? 0);
  if (step.done === true) commit();
  else {
    commitSoon();
    setImmediate(sealStep, steps, rows);
  }
  if (rows > 0) post({ type: 'sealed', rows, all: step.done === true });
}

/** A failed read is an error of that read alone: the writer is not at fault. */
function read({ id, name, argument }: Extract<ToWorker, { type: 'read' }>): void {
  try {
    const answer = READS[name] as (pages: Pages, argument: unknown) => unknown;
    post({ type: 'answer', id, value: answer(pages, argument) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    post({ type: 'refused', id, message, damaged: isDamage(error) });
  }
}

/** A page that SQLite cannot read, or a number beyond what any column holds, comes from a changed bit as well. */
function isDamage(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  if (error instanceof DamagedRow || code === 'ERR_OUT_OF_RANGE') return true;
  return errcode !== undefined && UNREADABLE.has(errcode & PRIMARY_CODE);
}

function pruneStep(id: number, steps: Generator<number>, deleted: number): void {
  if (!database.isOpen) return;
  const step = steps.next();
  if (step.done === true) {
    // Rows that were deleted without space are there again; the next pruning deletes them.
    post(commit() ? { type: 'answer', id, value: deleted } : { type: 'starved', id });
    return;
  }
  commitSoon();
  setImmediate(pruneStep, id, steps, deleted + step.value);
}
