import { AppendQueue } from './append-queue.ts';
import type { CommandJournal, JournalCapacity, Recovered } from './command-journal.ts';
import type { Disk } from './disk.ts';
import { JournalFailed } from './journal-errors.ts';
import { type JournalSettings, journalSettings } from './journal-settings.ts';
import { JournalWriter } from './journal-writer.ts';
import { RecordRing } from './record-ring.ts';
import { type ResumePoint, recover } from './recovery.ts';
import { saveSnapshotAndTrim } from './snapshot-retention.ts';

export interface SyncJournalOptions extends Partial<JournalSettings> {
  readonly now?: () => number;
}

/** Opens the journal on any disk, in the calling thread: for simulations, tests and measurements. */
export function openSyncJournal(disk: Disk, options: SyncJournalOptions = {}): Recovered<SyncJournal> {
  const settings = journalSettings(options);
  const { resume, snapshot, records, report } = recover(disk, settings);
  const journal = new SyncJournal(disk, settings, resume, options.now ?? (() => performance.now()));
  return { journal, snapshot, records, report };
}

/** The journal without a thread: records become durable when `flush` is called, and not before. */
export class SyncJournal implements CommandJournal {
  readonly #disk: Disk;
  readonly #instanceId: Uint8Array;
  readonly #writer: JournalWriter;
  readonly #ring: RecordRing;
  readonly #queue: AppendQueue;
  readonly #prepareStepBytes: number;
  readonly #availableBytes: () => number;
  #onDurable: (durableSeq: number) => void = () => {};
  #onFailure: (error: Error) => void = () => {};
  #failure: JournalFailed | undefined;

  constructor(disk: Disk, settings: JournalSettings, resume: ResumePoint, now: () => number) {
    this.#disk = disk;
    this.#instanceId = resume.instanceId;
    this.#prepareStepBytes = settings.prepareStepBytes;
    this.#writer = new JournalWriter(disk, settings, resume);
    this.#ring = new RecordRing(RecordRing.allocate(settings.queueBytes));
    this.#queue = new AppendQueue(this.#ring, settings.payloadBytesMax, resume.lastSeq, now);
    this.#availableBytes = () => this.#writer.availableBytes();
  }

  get appendedSeq(): number {
    return this.#queue.appendedSeq;
  }

  get durableSeq(): number {
    return this.#queue.durableSeq;
  }

  append(payload: Uint8Array): number {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#queue.append(payload, this.#availableBytes);
  }

  appendAll(payloads: readonly Uint8Array[]): number {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#queue.appendAll(payloads, this.#availableBytes);
  }

  /** Commits all that is queued, then prepares space for at least as much again. Throws JournalFailed. */
  flush(): void {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const committed = this.#commitQueued();
      for (let prepared = 0; prepared <= 2 * committed; prepared += this.#prepareStepBytes)
        this.#writer.prepare();
    } catch (error) {
      this.#fail(error as JournalFailed);
      throw error;
    }
  }

  onDurable(listener: (durableSeq: number) => void): void {
    this.#onDurable = listener;
  }

  onFailure(listener: (error: Error) => void): void {
    this.#onFailure = listener;
  }

  capacity(): JournalCapacity {
    return this.#writer.capacity();
  }

  queueAgeMs(): number {
    return this.#queue.ageMs();
  }

  async saveSnapshot(seq: number, state: Uint8Array, note?: Uint8Array): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (seq > this.durableSeq) this.flush();
    if (seq > this.durableSeq)
      throw new RangeError(`snapshot of sequence ${seq}, the log ends at ${this.durableSeq}`);
    saveSnapshotAndTrim(this.#disk, this.#instanceId, { seq, state, note });
  }

  async close(): Promise<void> {
    if (this.#failure !== undefined) return this.#writer.abandon();
    this.flush();
    this.#writer.close();
    this.#failure = new JournalFailed('the log is closed');
  }

  #commitQueued(): number {
    let committed = 0;
    for (let run = this.#ring.next(); run !== undefined; run = this.#ring.next()) {
      const used = this.#commitOne(run);
      this.#ring.release(used);
      committed += used;
    }
    return committed;
  }

  #commitOne(run: Uint8Array): number {
    try {
      return this.#writer.commit(run);
    } finally {
      // A commit can fail after its records have become durable: these are reported first.
      if (this.#queue.advanceTo(this.#writer.durableSeq)) this.#onDurable(this.durableSeq);
    }
  }

  #fail(error: JournalFailed): void {
    this.#failure = error;
    this.#onFailure(error);
  }
}
