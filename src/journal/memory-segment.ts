/** Consecutive records in one piece of memory: a payload costs its bytes and the four of its end. */
import type { LoggedRecord } from './command-journal.ts';

/** A journal that is hardly used costs little; a busy one has few segments all the same. */
const SEGMENT_BYTES = 64 * 1024;
const RECORDS_MAX = 1024;

/** Consecutive records in one piece: each payload, and where it ends. */
export interface RecordPiece {
  readonly firstSeq: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
}

export class MemorySegment {
  readonly firstSeq: number;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #ends = new Uint32Array(RECORDS_MAX);
  #count = 0;

  constructor(firstSeq: number, leastBytes = 0) {
    this.firstSeq = firstSeq;
    this.#bytes = new Uint8Array(Math.max(SEGMENT_BYTES, leastBytes));
  }

  /** Memory that it takes. */
  get bytes(): number {
    return this.#bytes.length + this.#ends.byteLength;
  }

  /** Copies the payload; false when there is no room for it. */
  add(payload: Uint8Array): boolean {
    const begin = this.#endOf(this.#count - 1);
    const end = begin + payload.length;
    if (this.#count === RECORDS_MAX || end > this.#bytes.length) return false;
    this.#bytes.set(payload, begin);
    this.#ends[this.#count++] = end;
    return true;
  }

  *records(): Generator<LoggedRecord> {
    for (let n = 0; n < this.#count; n++) {
      const payload = this.#bytes.subarray(this.#endOf(n - 1), this.#endOf(n));
      yield { seq: this.firstSeq + n, payload };
    }
  }

  /** A copy of its records from one on. */
  copyFrom(seq: number): RecordPiece {
    const skipped = Math.max(0, seq - this.firstSeq);
    const begin = this.#endOf(skipped - 1);
    const ends = this.#ends.slice(skipped, this.#count);
    for (let n = 0; n < ends.length; n++) ends[n]! -= begin;
    const bytes = this.#bytes.slice(begin, this.#endOf(this.#count - 1));
    return { firstSeq: this.firstSeq + skipped, bytes, ends };
  }

  /** Bytes of memory. */
  get size(): number {
    return this.#bytes.length + this.#ends.byteLength;
  }

  get nextSeq(): number {
    return this.firstSeq + this.#count;
  }

  #endOf(n: number): number {
    return n < 0 ? 0 : this.#ends[n]!;
  }
}
