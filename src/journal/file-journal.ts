import { once } from 'node:events';
import { dirname, join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { NoSpace } from '../storage/free-space.ts';
import { isOutOfSpace } from '../storage/shortage-errors.ts';
import { Threads } from '../storage/threads.ts';
import { AppendQueue } from './append-queue.ts';
import type { AbandonableJournal, JournalCapacity, Recovered, Snapshot } from './command-journal.ts';
import { DirectoryLock } from './directory-lock.ts';
import { reserveName } from './file-names.ts';
import { JournalFailed, SpaceMissing } from './journal-errors.ts';
import { type JournalSettings, journalSettings } from './journal-settings.ts';
import type { JournalWork } from './journal-worker.ts';
import { NodeDisk } from './node-disk.ts';
import { RecordRing } from './record-ring.ts';
import { type ResumePoint, recover } from './recovery.ts';
import { SharedJournalState, type WriterState } from './shared-journal-state.ts';
import type { SnapshotWork } from './snapshot-worker.ts';

export interface FileJournalOptions extends Partial<JournalSettings> {
  readonly directory: string;
  /** Of the directory, where the caller holds it already; it stays the caller's. */
  readonly lock?: DirectoryLock | undefined;
  /** Where its thread comes from and goes back to; it has one of its own unless given. */
  readonly threads?: Threads | undefined;
}

/** Locks and recovers the directory, starts the writing thread. Throws JournalRefused when it cannot be opened safely. */
export async function openFileJournal(options: FileJournalOptions): Promise<Recovered<AbandonableJournal>> {
  const { started, ...recovered } = recoverFileJournal(options);
  await started;
  return recovered;
}

/** Recovered, and with a thread that is making its first segment. */
interface StartingJournal extends Recovered<AbandonableJournal> {
  /** Before it nothing is appended. Rejects when the thread cannot begin; the journal is closed then. */
  readonly started: Promise<void>;
}

/** The same for a caller who has other things to do meanwhile. */
export function recoverFileJournal(options: FileJournalOptions): StartingJournal {
  const { directory, lock: held, threads = Threads.notKept(), ...chosen } = options;
  const settings = journalSettings(chosen);
  const lock = held === undefined ? acquireLock(directory) : undefined;
  try {
    const { resume, snapshot, records, report } = recover(new NodeDisk(directory), settings);
    const journal = new FileJournal(directory, settings, resume, threads, lock);
    const started = journal.started().catch((error) => {
      lock?.release();
      throw asNoSpace(error, directory);
    });
    return { journal, snapshot, records, report, started };
  } catch (error) {
    lock?.release();
    throw asNoSpace(error, directory);
  }
}

function asNoSpace(error: unknown, directory: string): unknown {
  if (!(error instanceof SpaceMissing)) return error;
  return new NoSpace(join(directory, error.file), directory, error.neededBytes);
}

/** Throws DirectoryLocked, NoSpace. */
export function acquireLock(directory: string): DirectoryLock {
  try {
    return DirectoryLock.take(directory);
  } catch (error) {
    if (!isOutOfSpace(error)) throw error;
    throw new NoSpace(directory, dirname(directory), LOCK_BYTES);
  }
}

const WRITER = 'journal/journal-worker';
const SNAPSHOT_WRITER = 'journal/snapshot-worker';
/** Space that a directory with its lock needs at most. */
const LOCK_BYTES = 64 * 1024;
/** An error of the writing thread carries only its message. */
const FULL = /^(ENOSPC|EDQUOT)\b/;

/** The journal of the running exchange: the caller's thread appends, a thread of its own writes and syncs. */
class FileJournal implements AbandonableJournal {
  readonly #directory: string;
  readonly #instanceId: Uint8Array;
  readonly #lock: DirectoryLock | undefined;
  readonly #state: SharedJournalState;
  readonly #queue: AppendQueue;
  readonly #threads: Threads;
  readonly #worker: Worker;
  readonly #workerEnd: Promise<unknown>;
  readonly #availableBytes: () => number;
  readonly #segmentBytes: number;
  #onDurable: (durableSeq: number) => void = () => {};
  #onFailure: ((error: Error) => void) | undefined;
  #failure: JournalFailed | undefined;
  #closing: Promise<void> | undefined;
  #announced = false;
  #lastSnapshot: Promise<void> = Promise.resolve();
  /** The thread of a snapshot that is being written. */
  #snapshotWriter: Worker | undefined;
  #durableWaiters: { seq: number; resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(
    directory: string,
    settings: JournalSettings,
    resume: ResumePoint,
    threads: Threads,
    lock: DirectoryLock | undefined,
  ) {
    this.#directory = directory;
    this.#instanceId = resume.instanceId;
    this.#lock = lock;
    this.#segmentBytes = settings.segmentBytes;
    const { newInstanceId: _, ...plainSettings } = settings;
    const ringMemory = RecordRing.allocate(settings.queueBytes);
    const stateMemory = SharedJournalState.allocate();
    this.#state = new SharedJournalState(stateMemory);
    this.#queue = new AppendQueue(new RecordRing(ringMemory), settings.payloadBytesMax, resume.lastSeq, () =>
      performance.now(),
    );
    this.#availableBytes = () => this.#state.availableBytes;
    const work: JournalWork = { directory, settings: plainSettings, resume, ringMemory, stateMemory };
    this.#threads = threads;
    this.#worker = threads.take(WRITER);
    this.#workerEnd = once(this.#worker, 'exit').catch(() => undefined);
    this.#worker.on('error', (error) => this.#fail(`the log's thread broke: ${error.message}`));
    this.#worker.on('exit', () => this.#noteExit());
    this.#worker.postMessage(work);
  }

  get appendedSeq(): number {
    return this.#queue.appendedSeq;
  }

  get durableSeq(): number {
    return this.#queue.durableSeq;
  }

  append(payload: Uint8Array): number {
    this.#mustBeOpen();
    const seq = this.#queue.append(payload, this.#availableBytes);
    this.#announceOnce();
    return seq;
  }

  appendAll(payloads: readonly Uint8Array[]): number {
    this.#mustBeOpen();
    const seq = this.#queue.appendAll(payloads, this.#availableBytes);
    this.#announceOnce();
    return seq;
  }

  #mustBeOpen(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closing !== undefined) throw new JournalFailed('the log is closed');
  }

  /** At the end of the turn: records of one turn share one sync, and the writer is woken once for them. */
  #announceOnce(): void {
    if (this.#announced) return;
    this.#announced = true;
    setImmediate(() => {
      this.#announced = false;
      this.#state.announceWork();
    });
  }

  onDurable(listener: (durableSeq: number) => void): void {
    this.#onDurable = listener;
  }

  onFailure(listener: (error: Error) => void): void {
    this.#onFailure = listener;
    const failure = this.#failure;
    if (failure !== undefined) queueMicrotask(() => listener(failure));
  }

  capacity(): JournalCapacity {
    return this.#state.capacity;
  }

  queueAgeMs(): number {
    return this.#queue.ageMs();
  }

  async saveSnapshot(seq: number, state: Uint8Array, note?: Uint8Array): Promise<void> {
    // Once it is closed the directory may be somebody else's.
    this.#mustBeOpen();
    const save = async (): Promise<void> => {
      await this.#untilDurable(seq);
      await this.#writeSnapshot({ seq, state, note });
    };
    const saved = this.#lastSnapshot.then(save);
    this.#lastSnapshot = saved.catch(() => undefined);
    await saved;
  }

  close(): Promise<void> {
    this.#closing ??= this.#drainAndClose();
    return this.#closing;
  }

  async abandon(): Promise<void> {
    if (this.#closing !== undefined) return;
    this.#closing = Promise.resolve();
    this.#refuse(new JournalFailed('the log was abandoned'));
    const writer = this.#snapshotWriter;
    this.#snapshotWriter = undefined;
    await Promise.all([this.#worker.terminate(), writer?.terminate()]);
    this.#lock?.release();
  }

  /** Resolves when the writer has its first segment; from then on durable marks and failures are followed. */
  async started(): Promise<void> {
    await this.#untilNo('starting');
    // It may have been closed meanwhile.
    if (this.#state.state === 'closed') return;
    if (this.#state.state !== 'running') {
      const { errorText } = this.#state;
      if (FULL.test(errorText)) throw new SpaceMissing(reserveName(1), this.#segmentBytes);
      throw this.#failure ?? new JournalFailed(errorText);
    }
    void this.#follow();
  }

  /** Resolves when the writer is in another state, or has ended. */
  async #untilNo(state: WriterState): Promise<void> {
    const isIn = () => this.#state.state === state && this.#failure === undefined;
    for (let seen = this.#state.signal; isIn(); seen = this.#state.signal)
      await Promise.race([this.#state.signalAfter(seen), this.#workerEnd]);
  }

  async #follow(): Promise<void> {
    for (;;) {
      const seen = this.#state.signal;
      const state = this.#state.state;
      if (this.#failure !== undefined) return;
      if (this.#queue.advanceTo(this.#state.durableSeq)) this.#notifyDurable();
      if (state === 'failed') return this.#fail(this.#state.errorText);
      if (state === 'closed') return;
      await this.#state.signalAfter(seen);
    }
  }

  #notifyDurable(): void {
    const durableSeq = this.durableSeq;
    this.#onDurable(durableSeq);
    if (this.#durableWaiters.length === 0) return;
    for (const waiter of this.#durableWaiters) if (waiter.seq <= durableSeq) waiter.resolve();
    this.#durableWaiters = this.#durableWaiters.filter((waiter) => waiter.seq > durableSeq);
  }

  #untilDurable(seq: number): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (seq > this.appendedSeq)
      throw new RangeError(`snapshot of sequence ${seq}, the log ends at ${this.appendedSeq}`);
    if (seq <= this.durableSeq) return Promise.resolve();
    return new Promise((resolve, reject) => this.#durableWaiters.push({ seq, resolve, reject }));
  }

  async #writeSnapshot({ seq, state, note }: Snapshot): Promise<void> {
    const work: SnapshotWork = {
      directory: this.#directory,
      instanceId: this.#instanceId,
      seq,
      state,
      note,
    };
    const worker = this.#threads.take(SNAPSHOT_WRITER);
    this.#snapshotWriter = worker;
    worker.postMessage(work);
    const ended = once(worker, 'exit').then(() => {
      throw new JournalFailed("the snapshot's thread ended unexpectedly");
    });
    await Promise.race([once(worker, 'message'), ended]);
    // After it was abandoned the thread ends: nobody may take it.
    if (this.#snapshotWriter !== worker) return;
    this.#snapshotWriter = undefined;
    await this.#threads.give(SNAPSHOT_WRITER, worker);
  }

  #fail(reason: string): void {
    if (this.#failure !== undefined) return;
    const failure = new JournalFailed(reason);
    this.#refuse(failure);
    this.#onFailure?.(failure);
  }

  /** Nothing becomes durable from now on: those that wait for it are rejected. */
  #refuse(failure: JournalFailed): void {
    this.#failure ??= failure;
    for (const waiter of this.#durableWaiters.splice(0)) waiter.reject(this.#failure);
  }

  /** A thread that ends without a state has failed; a reported state is handled in `#follow`. */
  #noteExit(): void {
    const { state } = this.#state;
    if (state === 'starting' || state === 'running') this.#fail("the log's thread ended unexpectedly");
  }

  async #drainAndClose(): Promise<void> {
    await this.#lastSnapshot;
    this.#state.requestClose();
    await this.#untilNo('starting');
    await this.#untilNo('running');
    if (this.#state.state === 'closed') await this.#threads.give(WRITER, this.#worker);
    else await this.#workerEnd;
    if (this.#state.state === 'closed' && this.#queue.advanceTo(this.#state.durableSeq))
      this.#notifyDurable();
    this.#lock?.release();
    if (this.#failure === undefined && this.#state.state === 'failed') this.#fail(this.#state.errorText);
  }
}
