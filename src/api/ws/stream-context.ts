/** Dependencies shared by all channels. */
import type { Clock } from '../../sequencer/clock.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import type { DurableGate } from './durable-gate.ts';
import type { Fanout } from './fanout.ts';

export interface StreamContext {
  readonly sequencer: Sequencer;
  /** The exchange's clock: times in pushes. */
  readonly clock: Clock;
  /** The machine's clock: intervals between pushes. */
  readonly wallClock: Clock;
  /** Topics are polled when time has moved, not by a timer. */
  readonly driven?: boolean;
  readonly fanout: Fanout;
  readonly durable: DurableGate;
}
