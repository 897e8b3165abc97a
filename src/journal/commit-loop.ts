/** What the writing thread of a journal does until the journal is closed. */
import type { JournalSettings } from './journal-settings.ts';
import type { JournalWriter } from './journal-writer.ts';
import type { RecordRing } from './record-ring.ts';
import type { SharedJournalState } from './shared-journal-state.ts';

/** An idle journal syncs its last watermark after this time. */
const MARK_AFTER_MS = 20;
/** Interval of checks of a full disk. */
const RETRY_SPACE_AFTER_MS = 250;

/** Writes all that is queued, syncs, publishes, and again. Synchronous throughout: no event loop runs until the journal is closed. */
export class CommitLoop {
  readonly #state: SharedJournalState;
  readonly #ring: RecordRing;
  readonly #writer: JournalWriter;
  readonly #prepareStepBytes: number;
  /** Bytes of zeros that the commits have earned: space is prepared twice as fast as it is used. */
  #prepareCredit = 0;
  #preparedAtMs = 0;

  constructor(
    state: SharedJournalState,
    ring: RecordRing,
    writer: JournalWriter,
    { prepareStepBytes }: Pick<JournalSettings, 'prepareStepBytes'>,
  ) {
    this.#state = state;
    this.#ring = ring;
    this.#writer = writer;
    this.#prepareStepBytes = prepareStepBytes;
  }

  run(): void {
    this.#publishCapacity();
    this.#state.publishState('running');
    for (;;) {
      // Both are read before the ring: what is appended and requested after this look is the business of the next one.
      const seenWork = this.#state.work;
      const isLast = this.#state.closeRequested;
      const run = this.#ring.next();
      if (run !== undefined) this.#commit(run);
      else if (isLast) break;
      else this.#rest(seenWork);
    }
    this.#writer.close();
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
