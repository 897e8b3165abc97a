import { BATCH_HEADER_BYTES } from './batch-format.ts';
import { JournalFull } from './journal-errors.ts';
import { QueueAge } from './queue-age.ts';
import { recordBytes } from './record-format.ts';
import type { RecordRing } from './record-ring.ts';

/** The appending side of the journal: numbers the records, and accepts none that the queue or the disk cannot hold. */
export class AppendQueue {
  readonly #ring: RecordRing;
  readonly #payloadBytesMax: number;
  readonly #age: QueueAge;
  #appendedSeq: number;
  #durableSeq: number;

  constructor(ring: RecordRing, payloadBytesMax: number, lastSeq: number, now: () => number) {
    this.#ring = ring;
    this.#payloadBytesMax = payloadBytesMax;
    this.#age = new QueueAge(now);
    this.#appendedSeq = lastSeq;
    this.#durableSeq = lastSeq;
  }

  get appendedSeq(): number {
    return this.#appendedSeq;
  }

  get durableSeq(): number {
    return this.#durableSeq;
  }

  ageMs(): number {
    return this.#age.ms();
  }

  /**
   * `availableBytes` is read after the queue's length: the writer lowers the available space before it takes records
   * out of the queue, so a record may be counted twice here, but never not at all.
   */
  append(payload: Uint8Array, availableBytes: () => number): number {
    this.#requireSize(payload);
    const seq = this.#appendedSeq + 1;
    const worstCase = this.#ring.queuedBytes + recordBytes(payload.length) + this.#worstHeaderBytes(seq);
    if (worstCase > availableBytes()) throw new JournalFull('no disk space left for the command log');
    return this.#push(seq, payload);
  }

  /** All or none of them; returns the sequence number of the last. */
  appendAll(payloads: readonly Uint8Array[], availableBytes: () => number): number {
    let bytes = 0;
    let largest = 0;
    for (const payload of payloads) {
      this.#requireSize(payload);
      const record = recordBytes(payload.length);
      bytes += record;
      largest = Math.max(largest, record);
    }
    const headers = this.#worstHeaderBytes(this.#appendedSeq + payloads.length);
    const room = this.#ring.queuedBytes + bytes;
    if (room + headers > availableBytes()) throw new JournalFull('no disk space left for the command log');
    // A record may have to skip the rest of a lap.
    if (room + largest > this.#ring.capacity) throw new JournalFull('the queue of the command log is full');
    // The space is not looked at again: a record that is counted twice meanwhile would leave half of them.
    for (const payload of payloads) this.#push(this.#appendedSeq + 1, payload);
    return this.#appendedSeq;
  }

  #push(seq: number, payload: Uint8Array): number {
    if (!this.#ring.push(seq, payload)) throw new JournalFull('the queue of the command log is full');
    this.#appendedSeq = seq;
    this.#age.appended(seq);
    return seq;
  }

  #requireSize({ length }: Uint8Array): void {
    if (length > this.#payloadBytesMax)
      throw new RangeError(`command of ${length} bytes, at most ${this.#payloadBytesMax} are allowed`);
  }

  /** True when the watermark has moved. */
  advanceTo(durableSeq: number): boolean {
    if (durableSeq <= this.#durableSeq) return false;
    this.#durableSeq = durableSeq;
    this.#age.durable(durableSeq, this.#appendedSeq);
    return true;
  }

  /** Every record in a batch of its own. */
  #worstHeaderBytes(seq: number): number {
    return (seq - this.#durableSeq) * BATCH_HEADER_BYTES;
  }
}
