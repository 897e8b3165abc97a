/**
 * The journal of an exchange that keeps nothing beyond its process: no disk, no thread, no lock. A record is durable at the
 * end of the turn in which it was appended, so that callers see the order of things that a disk would give them, and one
 * announcement serves all records of a turn. It keeps what a file journal keeps, the newest two snapshots and the records
 * since the older one, in segments that are dropped as a whole; and more where it may, for explanations and capsules
 * of the past.
 */
import { randomBytes } from 'node:crypto';
import type {
  AbandonableJournal,
  JournalCapacity,
  JournalPast,
  LoggedRecord,
  Recovered,
  Snapshot,
} from './command-journal.ts';
import { JournalFailed } from './journal-errors.ts';
import { journalSettings } from './journal-settings.ts';
import { MemorySegment, type RecordPiece } from './memory-segment.ts';
import { QueueAge } from './queue-age.ts';
import { SNAPSHOT_NOTE_BYTES } from './snapshot-file.ts';

export interface MemoryJournalOptions {
  readonly payloadBytesMax?: number;
  /** Older snapshots and their records stay beyond the newest two as long as all of them take no more. */
  readonly pastBytesMax?: number;
  readonly now?: () => number;
}

const SNAPSHOTS_MIN = 2;

/** What another one has kept, as a start finds it; of one that was abandoned, what was durable. */
export function recoverMemoryJournal(
  left: MemoryJournal,
  options: MemoryJournalOptions = {},
): Recovered<MemoryJournal> {
  const { snapshot, records } = left.kept();
  const opened = openMemoryJournal(options, snapshot);
  const kept = [...records].filter(({ seq }) => seq <= left.durableSeq);
  opened.journal.goOnWith(kept);
  const lastSeq = opened.journal.durableSeq;
  return { ...opened, records: kept, report: { ...opened.report, lastSeq, recordsToReplay: kept.length } };
}

/** A new journal, as if found in an empty directory, or one that goes on from a snapshot of another. */
export function openMemoryJournal(
  options: MemoryJournalOptions = {},
  snapshot?: Snapshot,
): Recovered<MemoryJournal> {
  const lastSeq = snapshot?.seq ?? 0;
  const report = {
    instanceId: randomBytes(16).toString('hex'),
    epoch: 1,
    cleanEnd: true,
    lastSeq,
    snapshotSeq: lastSeq,
    recordsToReplay: 0,
    tornBytes: 0,
    quarantined: undefined,
    damagedSnapshots: [],
  };
  return { journal: new MemoryJournal(options, snapshot), snapshot, records: [], report };
}

export class MemoryJournal implements AbandonableJournal {
  readonly #payloadBytesMax: number;
  readonly #pastBytesMax: number;
  readonly #age: QueueAge;
  /** Oldest first; the last one is being filled. */
  #segments: MemorySegment[];
  /** Oldest first. */
  #snapshots: Snapshot[];
  #appendedSeq: number;
  #durableSeq: number;
  #onDurable: (durableSeq: number) => void = () => {};
  #announcement: NodeJS.Immediate | undefined;
  #closed = false;

  constructor(
    { payloadBytesMax, pastBytesMax = 0, now = () => performance.now() }: MemoryJournalOptions,
    snapshot: Snapshot | undefined,
  ) {
    const lastSeq = snapshot?.seq ?? 0;
    this.#segments = [new MemorySegment(lastSeq + 1)];
    this.#snapshots = snapshot === undefined ? [] : [snapshot];
    this.#appendedSeq = lastSeq;
    this.#durableSeq = lastSeq;
    this.#payloadBytesMax = payloadBytesMax ?? journalSettings().payloadBytesMax;
    this.#pastBytesMax = pastBytesMax;
    this.#age = new QueueAge(now);
  }

  get appendedSeq(): number {
    return this.#appendedSeq;
  }

  get durableSeq(): number {
    return this.#durableSeq;
  }

  append(payload: Uint8Array): number {
    return this.appendAll([payload]);
  }

  appendAll(payloads: readonly Uint8Array[]): number {
    this.#mustBeOpen();
    for (const payload of payloads) this.#requireSize(payload);
    for (const payload of payloads) this.#add(payload);
    this.#announcement ??= setImmediate(() => this.#announce());
    return this.#appendedSeq;
  }

  onDurable(listener: (durableSeq: number) => void): void {
    this.#onDurable = listener;
  }

  /** Memory does not fail: a process that has none left ends. */
  onFailure(): void {}

  capacity(): JournalCapacity {
    return 'normal';
  }

  queueAgeMs(): number {
    return this.#age.ms();
  }

  async saveSnapshot(seq: number, state: Uint8Array, note?: Uint8Array): Promise<void> {
    this.#mustBeOpen();
    if (seq > this.#appendedSeq)
      throw new RangeError(`snapshot of sequence ${seq}, the log ends at ${this.#appendedSeq}`);
    if (seq > this.#durableSeq) this.#announce();
    const kept = new Uint8Array(SNAPSHOT_NOTE_BYTES);
    if (note !== undefined) kept.set(note);
    const before = this.#snapshots.filter((snapshot) => snapshot.seq < seq);
    this.#snapshots = [...before, { seq, state: state.slice(), note: kept }];
    this.#forget();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#announce();
    this.#closed = true;
  }

  /** What a replay begins with: the newest snapshot, and the records after it. */
  kept(): { readonly snapshot: Snapshot | undefined; readonly records: Iterable<LoggedRecord> } {
    const snapshot = this.#snapshots.at(-1);
    return { snapshot, records: recordsIn(this.#segments, snapshot?.seq ?? 0, this.#appendedSeq) };
  }

  async abandon(): Promise<void> {
    clearImmediate(this.#announcement);
    this.#closed = true;
  }

  /** Records that are there already; none of them is announced. */
  goOnWith(records: readonly LoggedRecord[]): void {
    for (const { payload } of records) this.#add(payload);
    this.#durableSeq = this.#appendedSeq;
    this.#age.durable(this.#durableSeq, this.#appendedSeq);
  }

  /** Everything that is still there; later records and trims do not change it. */
  past(): JournalPast {
    const segments = [...this.#segments];
    const { firstSeq, durableSeq } = this;
    const recordsAfter = (seq: number) => recordsIn(segments, seq, durableSeq);
    return { snapshots: [...this.#snapshots], firstSeq, recordsAfter };
  }

  /** Oldest first; they are never changed. */
  get snapshots(): readonly Snapshot[] {
    return this.#snapshots;
  }

  /** Copies for another thread of the records from one on, of a few segments at most. */
  copyFrom(seq: number, segmentsMax: number): readonly RecordPiece[] {
    const first = this.#segments.findIndex(({ nextSeq }) => nextSeq > seq);
    if (first < 0) return [];
    return this.#segments.slice(first, first + segmentsMax).map((segment) => segment.copyFrom(seq));
  }

  /** The oldest record that is still there; one more than the newest when there is none. */
  get firstSeq(): number {
    return this.#segments[0]!.firstSeq;
  }

  #add(payload: Uint8Array): void {
    const seq = this.#appendedSeq + 1;
    if (!this.#segments.at(-1)!.add(payload)) {
      this.#segments.push(new MemorySegment(seq, payload.length));
      this.#segments.at(-1)!.add(payload);
    }
    this.#appendedSeq = seq;
    this.#age.appended(seq);
  }

  #announce(): void {
    clearImmediate(this.#announcement);
    this.#announcement = undefined;
    if (this.#durableSeq === this.#appendedSeq) return;
    this.#durableSeq = this.#appendedSeq;
    this.#age.durable(this.#durableSeq, this.#appendedSeq);
    this.#onDurable(this.#durableSeq);
  }

  /** Drops what is older than the newest two snapshots, as far as there is no room for it. */
  #forget(): void {
    const bytes = () =>
      this.#snapshots.reduce((sum, { state }) => sum + state.length, 0) +
      this.#segments.reduce((sum, segment) => sum + segment.size, 0);
    while (this.#snapshots.length > SNAPSHOTS_MIN && bytes() > this.#pastBytesMax) {
      this.#snapshots = this.#snapshots.slice(1);
      this.#dropBefore(this.#snapshots[0]!.seq);
    }
    // What lies before the oldest one leads nowhere, except to the first command of all.
    const [oldest] = this.#snapshots;
    if (this.#snapshots.length >= SNAPSHOTS_MIN && bytes() > this.#pastBytesMax)
      this.#dropBefore(oldest!.seq);
  }

  #dropBefore(snapshotSeq: number): void {
    const needed = this.#segments.findIndex((_, n) => {
      const next = this.#segments[n + 1];
      return next === undefined || next.firstSeq > snapshotSeq + 1;
    });
    this.#segments = this.#segments.slice(needed);
  }

  #requireSize({ length }: Uint8Array): void {
    if (length > this.#payloadBytesMax)
      throw new RangeError(`command of ${length} bytes, at most ${this.#payloadBytesMax} are allowed`);
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new JournalFailed('the log is closed');
  }
}

function* recordsIn(
  segments: readonly MemorySegment[],
  afterSeq: number,
  lastSeq: number,
): Generator<LoggedRecord> {
  for (const segment of segments)
    for (const record of segment.records()) if (record.seq > afterSeq && record.seq <= lastSeq) yield record;
}
