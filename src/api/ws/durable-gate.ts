/**
 * Pushes that show the state, in order. The state may be ahead of the disk: a push waits here until everything it
 * shows is durable, so that no client sees an effect that a crash could undo.
 */
import type { Sequencer } from '../../sequencer/sequencer.ts';

interface Waiting {
  readonly send: () => void;
  ready: boolean;
}

export class DurableGate {
  private readonly sequencer: Sequencer;
  private readonly waiting: Waiting[] = [];

  constructor(sequencer: Sequencer) {
    this.sequencer = sequencer;
  }

  /** Call it in the same turn in which the state was read. */
  whenDurable(send: () => void): void {
    const durable = this.sequencer.durable();
    const entry: Waiting = { send, ready: durable === undefined };
    this.waiting.push(entry);
    if (durable === undefined) {
      this.drain();
      return;
    }
    const go = () => {
      entry.ready = true;
      this.drain();
    };
    // A stopped sequencer never becomes durable: the process ends, and the sockets with it.
    durable.then(go, () => {});
  }

  private drain(): void {
    while (this.waiting[0]?.ready) this.waiting.shift()!.send();
  }
}
