/**
 * The thread that owns the history database. Packs collect in one transaction until a commit is due: many commands
 * share one sync of the disk, and reads in between see the open rows without waiting for it. A failed write ends the
 * thread; nothing is guessed and the next start projects again from `last_seq`.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { DamagedRow } from './checksum.ts';
import type { FromWorker, ToWorker, WorkerStart } from './sqlite-messages.ts';
import { READS } from './sqlite-reads.ts';
import { migrate } from './sqlite-schema.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { Pages } from './tables/pages.ts';

const COMMIT_ROWS_MAX = 10_000;
/** Long enough that its syncs do not hold up those of the command log on the same disk; the log has it all anyway. */
const COMMIT_DELAY_MS = 500;
/** Commands without rows, such as clock ticks, are not worth a sync each. */
const IDLE_COMMIT_DELAY_MS = 1000;
/** How long another program's lock on the file may delay a write before that is a failure. */
const BUSY_TIMEOUT_MS = 10_000;

if (parentPort === null) throw new Error('sqlite-history-worker.ts runs as a worker of sqlite-history.ts');
const port = parentPort;

const { path } = workerData as WorkerStart;
const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
migrate(database);
const writer = new SqliteWriter(database);
const pages = new Pages(database, () => writer.sealed);

let commitTimer: NodeJS.Timeout | undefined;
let commitDueMs = Number.POSITIVE_INFINITY;

port.on('message', (message: ToWorker) => {
  switch (message.type) {
    case 'describe':
      return writer.describe(message.instruments, message.coins);
    case 'pack':
      writer.write(message.pack);
      return commitSoon();
    case 'generated':
      writer.addGenerated(message.candles);
      return commitSoon();
    case 'generatedFunding':
      writer.addGeneratedFunding(message.funding);
      return commitSoon();
    case 'read':
      return read(message);
    case 'flush':
      commit();
      return post({ type: 'answer', id: message.id, value: undefined });
    case 'prune':
      return pruneStep(message.id, writer.prune(message.now), 0);
    case 'close':
      commit();
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
  post({ type: 'stored', seq: writer.committedSeq, rows: writer.rows });
}

function commit(): void {
  clearTimeout(commitTimer);
  commitDueMs = Number.POSITIVE_INFINITY;
  writer.commit();
  reportStored();
}

/** A busy thread may get to its timers late, so every pack also looks at the clock. */
function commitSoon(): void {
  const nowMs = performance.now();
  if (writer.openRows >= COMMIT_ROWS_MAX || nowMs >= commitDueMs) {
    commit();
    return;
  }
  const delayMs = writer.openRows > 0 ? COMMIT_DELAY_MS : IDLE_COMMIT_DELAY_MS;
  if (nowMs + delayMs >= commitDueMs) return;
  clearTimeout(commitTimer);
  commitDueMs = nowMs + delayMs;
  commitTimer = setTimeout(commit, delayMs);
}

/** Rows of an older program get their checksums between other work; of a new file there are none. */
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

/** A read that fails is refused by itself: the writer is not at fault. */
function read({ id, name, argument }: Extract<ToWorker, { type: 'read' }>): void {
  try {
    const answer = READS[name] as (pages: Pages, argument: unknown) => unknown;
    post({ type: 'answer', id, value: answer(pages, argument) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    post({ type: 'refused', id, message, damaged: isDamage(error) });
  }
}

/** A number beyond what any column holds comes from a changed bit as well. */
function isDamage(error: unknown): boolean {
  return error instanceof DamagedRow || (error as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE';
}

function pruneStep(id: number, steps: Generator<number>, deleted: number): void {
  if (!database.isOpen) return;
  const step = steps.next();
  if (step.done === true) {
    commit();
    post({ type: 'answer', id, value: deleted });
    return;
  }
  commitSoon();
  setImmediate(pruneStep, id, steps, deleted + step.value);
}
