/** What every channel stands on. */
import type { Clock } from '../../sequencer/clock.ts';
import type { Venue } from '../../sequencer/sequencer.ts';
import type { Fanout } from './fanout.ts';
import type { SettledQueue } from './durable-gate.ts';

export interface Floor {
  readonly venue: Venue;
  /** The exchange's: what pushes say. */
  readonly clock: Clock;
  /** The machine's: how often things are pushed. */
  readonly wall: Clock;
  readonly fanout: Fanout;
  readonly settled: SettledQueue;
}
