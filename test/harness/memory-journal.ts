import type { History } from '../../src/history/history.ts';
import type { CommandJournal } from '../../src/journal/command-journal.ts';

/** A journal that keeps what `onAppend` keeps; what is appended is durable when `flush` is called. */
export class MemoryJournal implements CommandJournal {
  appendedSeq = 0;
  durableSeq = 0;
  bytes = 0;
  #onDurable: (seq: number) => void = () => {};
  readonly #onAppend: (payload: Uint8Array) => void;

  constructor(onAppend: (payload: Uint8Array) => void = () => {}) {
    this.#onAppend = onAppend;
  }

  append(payload: Uint8Array): number {
    this.bytes += payload.length;
    this.#onAppend(payload);
    return ++this.appendedSeq;
  }

  appendAll(payloads: readonly Uint8Array[]): number {
    for (const payload of payloads) this.append(payload);
    return this.appendedSeq;
  }

  flush(): void {
    this.durableSeq = this.appendedSeq;
    this.#onDurable(this.durableSeq);
  }

  onDurable(listener: (seq: number) => void): void {
    this.#onDurable = listener;
  }

  onFailure(): void {}

  capacity() {
    return 'normal' as const;
  }

  queueAgeMs(): number {
    return 0;
  }

  async saveSnapshot(): Promise<void> {}
  async close(): Promise<void> {}
}

/** Takes events and holds nothing, for venues whose past nobody asks for. */
export function noHistory(confirmedSeq = 0): History {
  return {
    confirmedSeq,
    starved: false,
    describe() {},
    project() {},
    lag: () => 0,
    flush: async () => {},
  } as unknown as History;
}
