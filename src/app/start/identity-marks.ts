/**
 * Keeps the number of changes of `identity.sqlite` where it is not put back together with the store: in the journal after
 * each change, and with each snapshot, because the records before it go. A start or a verification that finds the store
 * behind that number has an older copy before it, in which deleted keys work again.
 */
import type { Command } from '../../core/model/command.ts';
import type { Identity } from '../../identity/identity.ts';
import { type Mark, markFromBytes, markToBytes } from '../../identity/identity-mark.ts';
import type { Snapshot } from '../../journal/command-journal.ts';
import { type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';

/** The last mark in a journal, followed from its snapshot to its end. */
export class LoggedMark {
  #mark: Mark | undefined;

  /** Undefined in the journal of an older program. */
  get mark(): Mark | undefined {
    return this.#mark;
  }

  passSnapshot(snapshot: Snapshot | undefined): void {
    if (snapshot?.note !== undefined) this.#mark = markFromBytes(snapshot.note) ?? this.#mark;
  }

  passCommand(command: Command): void {
    if (command.type === 'identityMark') this.#mark = { store: command.store, changes: command.changes };
  }
}

/** Writes the marks of a running exchange; each change is on disk before its mark. */
export class IdentityWitness {
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

  /** For the snapshots. */
  note(): Uint8Array {
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
