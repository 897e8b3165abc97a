/**
 * The log of commands as the sequencer sees it: gives commands their sequence numbers and keeps them. The sequencer proposes
 * commands and applies them when they come back numbered, its own and those of other nodes alike, so it does not matter to
 * it when that is: the journal of this machine numbers inside `propose`, a log that several machines share later.
 */
import type { CommandJournal, JournalCapacity } from '../journal/command-journal.ts';

/**
 * `ticket` is that of the proposal, 0 for a command of another node. `payload` is valid until the listener returns; undefined
 * is a command that got its place too late and is not executed anywhere.
 */
export type SequencedListener = (seq: number, ticket: number, payload: Uint8Array | undefined) => void;

/** The commands of a proposal get no sequence number: they are not executed. */
export type RefusedListener = (ticket: number, error: Error) => void;

export interface CommandLog {
  /**
   * Do several nodes write to it? Then a command comes back later, under a time that the log gave it, and the log compares the
   * digests of the nodes.
   */
  readonly isShared: boolean;
  /**
   * The commands of one call stay neighbours, each comes back with the ticket. The bytes are copied. Throws JournalFailed or
   * JournalFull: then none of them was taken.
   */
  propose(payloads: readonly Uint8Array[], ticket: number): void;
  /** Called in order: the command must be applied now. */
  onSequenced(listener: SequencedListener): void;
  onRefused(listener: RefusedListener): void;
  /** Called in order, whenever durableSeq has advanced. */
  onDurable(listener: (durableSeq: number) => void): void;
  /** Called once: nothing after durableSeq may be acknowledged any more. */
  onFailure(listener: (error: Error) => void): void;
  readonly durableSeq: number;
  capacity(): JournalCapacity;
  /** Age in ms of the oldest command that is not durable yet, 0 when there is none. */
  queueAgeMs(): number;
}

/** The log of one machine: its journal. */
export class JournalLog implements CommandLog {
  readonly isShared = false;
  readonly #journal: CommandJournal;
  #sequenced: SequencedListener = () => {};
  #durableSeq: number;
  /** Delays the report that a command is durable: a slow disk, for the laboratory. */
  delayMs = 0;

  constructor(journal: CommandJournal) {
    this.#journal = journal;
    this.#durableSeq = journal.durableSeq;
  }

  propose(payloads: readonly Uint8Array[], ticket: number): void {
    if (payloads.length === 1) {
      const payload = payloads[0]!;
      this.#sequenced(this.#journal.append(payload), ticket, payload);
      return;
    }
    const last = this.#journal.appendAll(payloads);
    for (const [n, payload] of payloads.entries())
      this.#sequenced(last - payloads.length + 1 + n, ticket, payload);
  }

  onSequenced(listener: SequencedListener): void {
    this.#sequenced = listener;
  }

  /** It refuses in `propose`. */
  onRefused(): void {}

  onDurable(listener: (durableSeq: number) => void): void {
    const announce = (seq: number) => {
      if (seq <= this.#durableSeq) return;
      this.#durableSeq = seq;
      listener(seq);
    };
    this.#journal.onDurable((seq) => {
      if (this.delayMs === 0) announce(seq);
      else setTimeout(() => announce(seq), this.delayMs);
    });
  }

  onFailure(listener: (error: Error) => void): void {
    this.#journal.onFailure(listener);
  }

  get durableSeq(): number {
    return this.#durableSeq;
  }

  capacity(): JournalCapacity {
    return this.#journal.capacity();
  }

  queueAgeMs(): number {
    return this.#journal.queueAgeMs();
  }
}
