/** What every channel stands on. */
import type { Clock } from '../../sequencer/clock.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import type { DurableGate } from './durable-gate.ts';
import type { Fanout } from './fanout.ts';

export interface StreamContext {
  readonly sequencer: Sequencer;
  /** The exchange's: what pushes say. */
  readonly clock: Clock;
  /** The machine's: how often things are pushed. */
  readonly wall: Clock;
  readonly fanout: Fanout;
  readonly durable: DurableGate;
}
