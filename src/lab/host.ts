/** What the laboratory asks of the program around it. */
import type { History, HistoryCopies } from '../history/history.ts';
import type { Identity } from '../identity/identity.ts';
import type { JournalPast } from '../journal/command-journal.ts';
import type { ClockChoice } from '../sequencer/clock-choice.ts';
import type { ClockTicker } from '../sequencer/clock-ticker.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import type { OutageKind } from './faults/exchange-faults.ts';
import type { BranchStart } from './snapshot.ts';

/** A running exchange, as the laboratory sees it. */
export interface LabVenue {
  readonly sequencer: Sequencer;
  readonly identity: Identity;
  readonly history: History & HistoryCopies;
  readonly ticker: ClockTicker;
  /** Another clock from the present time on. */
  setClock(choice: ClockChoice): void;
  identityMarkBytes(): Uint8Array;
  /** What its journal still has, up to a command that is durable. */
  journalPast(lastSeq: number): JournalPast;
  /** The market begins anew, as it will wherever the present state is gone on with. */
  reopenMarket(): Promise<void>;
  close(): Promise<void>;
}

export interface Switch {
  /** Why sockets are closed. */
  readonly reason: string;
  readonly keepSockets: boolean;
  /** Makes the new branch the one that a start goes on with. When it throws, the old one goes on. */
  readonly commit: () => void;
}

export interface ForkRequest {
  readonly port: number;
  readonly clock?: string;
  readonly market?: string;
  readonly isolate: boolean;
}

/** A second exchange, on a branch of its own. */
export interface Fork {
  readonly url: string;
  readonly operatorUrl: string;
  readonly token: string;
  readonly pid: number;
  readonly seq: number;
  readonly time: number;
  readonly stateHash: string;
  readonly close: () => Promise<void>;
}

/** What clients of the public port are doing. */
export interface Traffic {
  /** Requests that are being answered, and sockets that are being closed. */
  readonly open: number;
  /** Requests that were answered, frames that were sent and sockets that were closed. */
  readonly done: number;
  /** Topics that somebody follows. */
  readonly subscriptions: number;
}

export interface Host<Venue extends LabVenue> {
  readonly venue: Venue;
  readonly wallMs: () => number;
  readonly traffic: () => Traffic;
  /** Pushes what has changed, where time does not run by itself. */
  readonly pushDue: () => void;
  /** Opens the exchange of a branch beside the one that runs. */
  open(start: BranchStart, gapMs: number): Promise<Venue>;
  /** Puts it in the place of the one that runs, which is at rest from then on and returned. */
  replace(next: Venue, how: Switch): Promise<Venue>;
  /** Stops the exchange, keeps its ports closed for so long, and starts it again from its records. */
  outage(seconds: number, how: OutageKind, signal: AbortSignal): Promise<void>;
  /** `ended` is called when the fork ends by itself. Throws PortTaken. */
  fork(start: BranchStart, request: ForkRequest, ended: () => void): Promise<Fork>;
}

/** Another process listens on the port; the message names it. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}
