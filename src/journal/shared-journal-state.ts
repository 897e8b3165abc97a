import type { JournalCapacity } from './command-journal.ts';

/** State of the writing thread. `failed` and `closed` are final. */
export type WriterState = 'starting' | 'running' | 'closed' | 'failed';

const WORK = 0;
const SLEEPING = 1;
const CLOSE = 2;
const SIGNAL = 3;
const STATE = 4;
const CAPACITY = 5;
const AVAILABLE = 6;
const ERROR_LENGTH = 7;
const WORDS = 16;
const DURABLE_AT = WORDS * Int32Array.BYTES_PER_ELEMENT;
const ERROR_AT = DURABLE_AT + BigInt64Array.BYTES_PER_ELEMENT;
const ERROR_BYTES_MAX = 1024;

const STATES: readonly WriterState[] = ['starting', 'running', 'closed', 'failed'];
const CAPACITIES: readonly JournalCapacity[] = ['normal', 'cancel_only', 'read_only'];
const INT32_MAX = 2 ** 31 - 1;

/** State shared by the two threads of the journal, besides the records. */
export class SharedJournalState {
  readonly #words: Int32Array;
  readonly #durable: BigInt64Array;
  readonly #error: Uint8Array;

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(ERROR_AT + ERROR_BYTES_MAX);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory, 0, WORDS);
    this.#durable = new BigInt64Array(memory, DURABLE_AT, 1);
    this.#error = new Uint8Array(memory, ERROR_AT, ERROR_BYTES_MAX);
  }

  get state(): WriterState {
    return STATES[Atomics.load(this.#words, STATE)]!;
  }

  get durableSeq(): number {
    return Number(Atomics.load(this.#durable, 0));
  }

  get capacity(): JournalCapacity {
    return CAPACITIES[Atomics.load(this.#words, CAPACITY)]!;
  }

  get availableBytes(): number {
    return Atomics.load(this.#words, AVAILABLE);
  }

  get closeRequested(): boolean {
    return Atomics.load(this.#words, CLOSE) === 1;
  }

  get errorText(): string {
    const length = Atomics.load(this.#words, ERROR_LENGTH);
    return Buffer.from(this.#error.slice(0, length)).toString();
  }

  // --- appending thread ---

  /** A sleeping writer is woken; a busy one checks again by itself, which saves a system call per command. */
  announceWork(): void {
    Atomics.add(this.#words, WORK, 1);
    if (Atomics.load(this.#words, SLEEPING) === 1) Atomics.notify(this.#words, WORK);
  }

  requestClose(): void {
    Atomics.store(this.#words, CLOSE, 1);
    this.announceWork();
  }

  get signal(): number {
    return Atomics.load(this.#words, SIGNAL);
  }

  /** Resolves when the writer has signalled after `seen`, always in a later turn of the event loop. */
  async signalAfter(seen: number): Promise<void> {
    const wait = Atomics.waitAsync(this.#words, SIGNAL, seen);
    if (wait.async) await wait.value;
    // Continuing at once could starve the event loop while the writer is quick.
    else await new Promise((resolve) => setImmediate(resolve));
  }

  // --- writing thread ---

  get work(): number {
    return Atomics.load(this.#words, WORK);
  }

  sleepUntilWorkAfter(seen: number, timeoutMs: number): 'work' | 'timeout' {
    Atomics.store(this.#words, SLEEPING, 1);
    const woken = Atomics.wait(this.#words, WORK, seen, timeoutMs);
    Atomics.store(this.#words, SLEEPING, 0);
    return woken === 'timed-out' ? 'timeout' : 'work';
  }

  publishCapacity(capacity: JournalCapacity, availableBytes: number): void {
    Atomics.store(this.#words, CAPACITY, CAPACITIES.indexOf(capacity));
    Atomics.store(this.#words, AVAILABLE, Math.min(availableBytes, INT32_MAX));
  }

  publishDurable(durableSeq: number): void {
    Atomics.store(this.#durable, 0, BigInt(durableSeq));
    this.#raiseSignal();
  }

  publishState(state: WriterState, errorText = ''): void {
    const text = new TextEncoder().encode(errorText).subarray(0, ERROR_BYTES_MAX);
    this.#error.set(text);
    Atomics.store(this.#words, ERROR_LENGTH, text.length);
    Atomics.store(this.#words, STATE, STATES.indexOf(state));
    this.#raiseSignal();
  }

  #raiseSignal(): void {
    Atomics.add(this.#words, SIGNAL, 1);
    Atomics.notify(this.#words, SIGNAL);
  }
}
