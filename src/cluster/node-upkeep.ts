/** What a node does by the clock: it offers ticks, and writes snapshots where that is its duty. */
import type { Upkeep } from '../sequencer/snapshot-scheduler.ts';
import type { ClusterNode } from './node.ts';
import { SharedTicker } from './shared-ticker.ts';

export class NodeUpkeep implements Upkeep {
  readonly ticker: SharedTicker;
  /** The database has users and keys of the same moment or later. */
  note = () => undefined;
  readonly #node: ClusterNode;

  constructor(node: ClusterNode, report: (error: Error) => void) {
    this.#node = node;
    this.ticker = new SharedTicker(node.sequencer, report);
    node.onTick = (time) => this.ticker.applied(time);
  }

  start(): void {
    this.ticker.start();
    this.#node.serve();
  }

  stop(): void {
    this.ticker.stop();
  }

  async end(): Promise<void> {
    this.stop();
  }

  snapshot(): Promise<void> {
    return this.#node.snapshot();
  }

  finalSnapshot(): Promise<void> {
    return this.#node.leave();
  }
}
