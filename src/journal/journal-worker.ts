/** The writing thread of a journal, and of the next one when that is closed. */
import { parentPort } from 'node:worker_threads';
import { type JournalSettings, journalSettings } from './journal-settings.ts';
import { JournalWriter } from './journal-writer.ts';
import { NodeDisk } from './node-disk.ts';
import { RecordRing } from './record-ring.ts';
import type { ResumePoint } from './recovery.ts';
import { SharedJournalState } from './shared-journal-state.ts';

export interface JournalWork {
  readonly directory: string;
  readonly settings: Omit<JournalSettings, 'newInstanceId'>;
  readonly resume: ResumePoint;
  readonly ringMemory: SharedArrayBuffer;
  readonly stateMemory: SharedArrayBuffer;
}

/** An idle journal syncs its last watermark after this time. */
const MARK_AFTER_MS = 20;
/** Interval of checks of a full disk. */
const RETRY_SPACE_AFTER_MS = 250;

/** Writes all that is queued, syncs, publishes, and again. Synchronous throughout: no event loop runs until the journal is closed. */
class JournalWorker {
  readonly #state: SharedJournalState;
  readonly #ring: RecordRing;
  readonly #writer: JournalWriter;
  readonly #disk: NodeDisk;
  readonly #prepareStepBytes: number;
  /** Bytes of zeros that the commits have earned: space is prepared twice as fast as it is used. */
  #prepareCredit = 0;
  #preparedAtMs = 0;

  constructor(work: JournalWork, state: SharedJournalState) {
    const settings = journalSettings(work.settings);
    this.#state = state;
    this.#ring = new RecordRing(work.ringMemory);
    this.#disk = new NodeDisk(work.directory, 'hold');
    this.#writer = new JournalWriter(this.#disk, settings, work.resume);
    this.#prepareStepBytes = settings.prepareStepBytes;
  }

  run(): void {
    this.#publishCapacity();
    this.#state.publishState('running');
    for (;;) {
      const seenWork = this.#state.work;
      const run = this.#ring.next();
      if (run !== undefined) this.#commit(run);
      else if (this.#state.closeRequested) break;
      else this.#rest(seenWork);
    }
    this.#writer.close();
    this.#disk.close();
    this.#state.publishState('closed');
  }

  #commit(run: Uint8Array): void {
    let used = 0;
    try {
      used = this.#writer.commit(run);
    } finally {
      // Available space before queue, queue before the watermark: see AppendQueue. Also after an error, because a
      // commit can fail when its records are already durable.
      this.#publishCapacity();
      this.#ring.release(used);
      this.#state.publishDurable(this.#writer.durableSeq);
    }
    if (this.#writer.reserveIsComplete) return;
    this.#prepareCredit += 2 * used;
    if (this.#prepareCredit >= this.#prepareStepBytes) this.#prepare();
  }

  #rest(seenWork: number): void {
    if (this.#shouldPrepare()) {
      this.#prepare();
      return;
    }
    if (this.#state.sleepUntilWorkAfter(seenWork, this.#restMs()) === 'timeout') this.#writer.syncMark();
  }

  #shouldPrepare(): boolean {
    if (this.#writer.reserveIsComplete) return false;
    return !this.#writer.reserveIsStarved || performance.now() - this.#preparedAtMs >= RETRY_SPACE_AFTER_MS;
  }

  #restMs(): number {
    if (!this.#writer.markIsSynced) return MARK_AFTER_MS;
    return this.#writer.reserveIsStarved ? RETRY_SPACE_AFTER_MS : Number.POSITIVE_INFINITY;
  }

  #prepare(): void {
    this.#prepareCredit = Math.max(0, this.#prepareCredit - this.#prepareStepBytes);
    this.#preparedAtMs = performance.now();
    this.#writer.prepare();
    this.#publishCapacity();
  }

  #publishCapacity(): void {
    this.#state.publishCapacity(this.#writer.capacity(), this.#writer.availableBytes());
  }
}

/** A failure is the end of the thread: its files may be open. */
parentPort!.on('message', (work: JournalWork) => {
  const state = new SharedJournalState(work.stateMemory);
  try {
    new JournalWorker(work, state).run();
  } catch (error) {
    state.publishState('failed', (error as Error).message);
    parentPort!.close();
  }
});
