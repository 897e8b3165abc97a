import { dataViewOf } from './bytes.ts';
import { encodeRecord, recordBytes } from './record-format.ts';

/** Control words. Positions count bytes since the start, modulo 2^32. */
const HEAD = 0;
const TAIL = 1;
const LAP_END = 2;
const CONTROL_BYTES = 64;

/**
 * Encoded records on their way from one thread that appends to one that writes. A record never wraps around the end
 * of the ring, so that a run of records is one piece of memory; the rest at the end of a lap is skipped.
 */
export class RecordRing {
  readonly #control: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  static allocate(capacityBytes: number): SharedArrayBuffer {
    return new SharedArrayBuffer(CONTROL_BYTES + capacityBytes);
  }

  /** The capacity is a power of two, so that positions may overflow. */
  constructor(memory: SharedArrayBuffer) {
    this.#control = new Int32Array(memory, 0, CONTROL_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.#bytes = new Uint8Array(memory, CONTROL_BYTES);
    this.#view = dataViewOf(this.#bytes);
  }

  get capacity(): number {
    return this.#bytes.length;
  }

  /** Bytes between the two threads, skipped ones included. */
  get queuedBytes(): number {
    return (Atomics.load(this.#control, HEAD) - Atomics.load(this.#control, TAIL)) >>> 0;
  }

  /** Producer: false when there is no space. */
  push(seq: number, payload: Uint8Array): boolean {
    const size = recordBytes(payload.length);
    const head = this.#control[HEAD]!;
    let at = this.#index(head);
    const skipped = at + size > this.#bytes.length ? this.#bytes.length - at : 0;
    if (this.queuedBytes + skipped + size > this.#bytes.length) return false;
    // Only one end of a lap can lie between the threads, so one word holds it. It is set before the head moves there.
    if (skipped > 0) {
      Atomics.store(this.#control, LAP_END, at);
      at = 0;
    } else if (at + size === this.#bytes.length) {
      Atomics.store(this.#control, LAP_END, this.#bytes.length);
    }
    encodeRecord(this.#bytes, this.#view, at, seq, payload);
    Atomics.store(this.#control, HEAD, (head + skipped + size) | 0);
    return true;
  }

  /** Consumer: the next run of records, undefined when the ring is empty. Valid until released. */
  next(): Uint8Array | undefined {
    const head = Atomics.load(this.#control, HEAD);
    const tail = this.#control[TAIL]!;
    if (head === tail) return undefined;
    const start = this.#index(tail);
    const sameLap = this.#index(head) > start;
    if (sameLap) return this.#bytes.subarray(start, this.#index(head));
    const lapEnd = Atomics.load(this.#control, LAP_END);
    if (start < lapEnd) return this.#bytes.subarray(start, lapEnd);
    Atomics.store(this.#control, TAIL, (tail + this.#bytes.length - start) | 0);
    return this.next();
  }

  /** Consumer: the first bytes of the run may be overwritten. */
  release(bytes: number): void {
    Atomics.store(this.#control, TAIL, (this.#control[TAIL]! + bytes) | 0);
  }

  #index(position: number): number {
    return position & (this.#bytes.length - 1);
  }
}
