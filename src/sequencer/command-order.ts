/**
 * Gives commands their order and keeps them. The sequencer offers commands and applies them when they come back in
 * order, its own and those of other nodes alike, so it does not matter to it when that is: a journal of this machine
 * orders inside `offer`, a log that several machines share later.
 */
import type { CommandJournal, JournalCapacity } from '../journal/command-journal.ts';

/** `ticket` is that of the offer, 0 for a command of another node. `payload` is valid until the listener returns. */
export type OrderedListener = (seq: number, ticket: number, payload: Uint8Array) => void;

export interface CommandOrder {
  /**
   * The commands of one call stay neighbours, each comes back with the ticket. The bytes are copied. Throws JournalFailed or
   * JournalFull: then none of them was taken.
   */
  offer(payloads: readonly Uint8Array[], ticket: number): void;
  /** Called in order: the command must be applied now. */
  onOrdered(listener: OrderedListener): void;
  /** Called in order, whenever durableSeq has advanced. */
  onDurable(listener: (durableSeq: number) => void): void;
  /** Called once: nothing after durableSeq may be acknowledged any more. */
  onFailure(listener: (error: Error) => void): void;
  readonly durableSeq: number;
  capacity(): JournalCapacity;
  /** Age in ms of the oldest command that is not durable yet, 0 when there is none. */
  queueAgeMs(): number;
}

/** The order of one machine: that of its journal. */
export class JournalOrder implements CommandOrder {
  readonly #journal: CommandJournal;
  #ordered: OrderedListener = () => {};

  constructor(journal: CommandJournal) {
    this.#journal = journal;
  }

  offer(payloads: readonly Uint8Array[], ticket: number): void {
    if (payloads.length === 1) {
      const payload = payloads[0]!;
      this.#ordered(this.#journal.append(payload), ticket, payload);
      return;
    }
    const last = this.#journal.appendAll(payloads);
    for (const [n, payload] of payloads.entries())
      this.#ordered(last - payloads.length + 1 + n, ticket, payload);
  }

  onOrdered(listener: OrderedListener): void {
    this.#ordered = listener;
  }

  onDurable(listener: (durableSeq: number) => void): void {
    this.#journal.onDurable(listener);
  }

  onFailure(listener: (error: Error) => void): void {
    this.#journal.onFailure(listener);
  }

  get durableSeq(): number {
    return this.#journal.durableSeq;
  }

  capacity(): JournalCapacity {
    return this.#journal.capacity();
  }

  queueAgeMs(): number {
    return this.#journal.queueAgeMs();
  }
}
