/**
 * Pushes that show the state, in the order they were made. The state may be ahead of the disk: what was read from it
 * waits here until everything it shows is durable, so that nobody is told what a crash could undo.
 */
import type { Venue } from '../../sequencer/sequencer.ts';

interface Waiting {
  readonly send: () => void;
  ready: boolean;
}

export class SettledQueue {
  private readonly venue: Venue;
  private readonly waiting: Waiting[] = [];

  constructor(venue: Venue) {
    this.venue = venue;
  }

  /** Call in the same turn in which the state was read. */
  whenSettled(send: () => void): void {
    const settled = this.venue.settled();
    const entry: Waiting = { send, ready: settled === undefined };
    this.waiting.push(entry);
    if (settled === undefined) {
      this.drain();
      return;
    }
    const go = () => {
      entry.ready = true;
      this.drain();
    };
    // A venue that has stopped never says more: the process ends, and the sockets with it.
    settled.then(go, () => {});
  }

  private drain(): void {
    while (this.waiting[0]?.ready) this.waiting.shift()!.send();
  }
}
