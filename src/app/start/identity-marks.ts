/**
 * Detects an `identity.sqlite` that was replaced by an older copy, in which deleted keys work again. The number of its changes
 * is written to the journal after each change, and with each snapshot, because journal records before a snapshot are deleted.
 * A start or a verification compares the store with the last number.
 */
import type { Command } from '../../core/model/command.ts';
import type { Identity } from '../../identity/identity.ts';
import { type Mark, markFromBytes, markToBytes } from '../../identity/identity-mark.ts';
import type { Snapshot } from '../../journal/command-journal.ts';
import { type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';

/** The last mark of a journal, collected while its snapshot and commands are read. */
export class JournaledMark {
  #mark: Mark | undefined;

  /** Undefined in the journal of an older program. */
  get mark(): Mark | undefined {
    return this.#mark;
  }

  readSnapshot(snapshot: Snapshot | undefined): void {
    if (snapshot?.note !== undefined) this.#mark = markFromBytes(snapshot.note) ?? this.#mark;
  }

  readCommand(command: Command): void {
    if (command.type === 'identityMark') this.#mark = { store: command.store, changes: command.changes };
  }
}

/** Writes a mark to the journal after each change of the store, which is durable by then. */
export class IdentityMarkWriter {
  readonly #identity: Identity;
  readonly #sequencer: Sequencer;
  #logged: Mark | undefined;

  constructor(identity: Identity, sequencer: Sequencer, logged: Mark | undefined) {
    this.#identity = identity;
    this.#sequencer = sequencer;
    this.#logged = logged;
    identity.onChanged(() => this.#write());
    this.#write();
  }

  /** The mark, to be saved with a snapshot. */
  markBytes(): Uint8Array {
    return markToBytes(this.#identity.mark);
  }

  #write(): void {
    const { mark } = this.#identity;
    const before = this.#logged;
    if (before?.store === mark.store && before.changes === mark.changes) return;
    this.#logged = mark;
    this.#sequencer.submit({ type: 'identityMark', ...mark }).catch((error: Error) => {
      // On a full disk: the next change, snapshot or start writes it.
      if (error instanceof Unavailable) this.#logged = before;
    });
  }
}
