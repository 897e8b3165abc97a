/** Upkeep of a running exchange: the clock ticker, periodic snapshots, and the history in step with them. */

import { ReplayDivergence } from '../core/model/replay-divergence.ts';
import { openOrderCount } from '../core/reads/reads.ts';
import { saveState } from '../core/snapshot/snapshot.ts';
import { HistoryStarved } from '../history/history.ts';
import type { CommandJournal } from '../journal/command-journal.ts';
import { ClockTicker } from './clock-ticker.ts';
import { REPLICA_SHARE, SNAPSHOT_FOR_SPACE_MS, TICK_INTERVAL_MS } from './limits.ts';
import type { ReplicaTarget } from './replica.ts';
import { ReplicaUnavailable } from './replica-thread.ts';
import type { Sequencer } from './sequencer.ts';

export interface SnapshotSchedule {
  /** Commands that a start has to replay at most. */
  readonly commands: number;
  /** The same for each unit of the state's size, where that is more. */
  readonly commandsPerOrder?: number;
  readonly intervalMs: number;
  /** Size of a state that is worth a replica. */
  readonly replicaFrom: number;
}

/** Saves a snapshot beside the exchange (`replica.ts`). */
export interface Replica {
  save(target: ReplicaTarget): Promise<void>;
  stop(): Promise<void>;
}

/** What a running exchange does by the clock. */
export interface Upkeep {
  readonly ticker: ClockTicker;
  /** What each snapshot keeps with the state. */
  note: () => Uint8Array | undefined;
  start(): void;
  stop(): void;
  /** Stops, and resolves when nothing of it is under way. */
  end(): Promise<void>;
  snapshot(): Promise<void>;
  /** The last snapshot, when no client is served any more. */
  finalSnapshot(): Promise<void>;
}

/** `pausing` saves the exchange's own state, which stops it meanwhile: for when nobody is served, or there is no replica. */
type Way = 'replica' | 'pausing';

export class SnapshotScheduler implements Upkeep {
  readonly ticker: ClockTicker;
  /** What each snapshot keeps with the state. */
  note: () => Uint8Array | undefined = () => undefined;
  private readonly sequencer: Sequencer;
  private readonly journal: CommandJournal;
  private readonly report: (error: Error) => void;
  private readonly schedule: SnapshotSchedule;
  private readonly replica: Replica | undefined;
  /** Snapshots shorten the next start, so their interval is of the machine's time, not of the exchange's. */
  private readonly machineMs: () => number;
  private timer: NodeJS.Timeout | undefined;
  private snapshotSeq: number;
  private snapshotTime: number;
  private saving: Promise<void> | undefined;
  private stopped = false;

  constructor(
    sequencer: Sequencer,
    journal: CommandJournal,
    report: (error: Error) => void,
    schedule: SnapshotSchedule,
    replica?: Replica,
    machineMs: () => number = () => performance.now(),
  ) {
    this.ticker = new ClockTicker(sequencer, report);
    this.sequencer = sequencer;
    this.journal = journal;
    this.report = report;
    this.schedule = schedule;
    this.replica = replica;
    this.snapshotSeq = sequencer.appliedSeq;
    this.machineMs = machineMs;
    this.snapshotTime = machineMs();
  }

  /** Also after a stop. */
  start(): void {
    this.stopped = false;
    this.ticker.start();
    this.timer = setInterval(() => this.onTimer(), TICK_INTERVAL_MS);
  }

  stop(): void {
    this.stopped = true;
    this.ticker.stop();
    clearInterval(this.timer);
  }

  /** Stops, and resolves when nothing of it is under way. */
  async end(): Promise<void> {
    this.stop();
    await this.replica?.stop();
    await this.saving?.catch(() => undefined);
  }

  /**
   * Writes a snapshot of the present state. The history must hold everything in it before old segments may be
   * deleted.
   */
  snapshot(): Promise<void> {
    this.saving ??= this.save(this.way()).finally(() => {
      this.saving = undefined;
    });
    return this.saving;
  }

  /** Nobody is served any more: the exchange's own state is the quickest way. */
  async finalSnapshot(): Promise<void> {
    await this.replica?.stop();
    await this.saving?.catch(() => undefined);
    await this.save('pausing');
  }

  /** Open orders, and ten for each account. */
  private size(): number {
    const { state } = this.sequencer;
    return openOrderCount(state) + 10 * state.accountByUid.size;
  }

  private way(): Way {
    return this.replica === undefined || this.size() < this.schedule.replicaFrom ? 'pausing' : 'replica';
  }

  private async save(way: Way): Promise<void> {
    const { sequencer } = this;
    if (sequencer.history.starved) throw new HistoryStarved('no snapshot: the history waits for space');
    const seq = sequencer.appliedSeq;
    const digest = sequencer.state.digest.value;
    const note = this.note();
    const state = way === 'pausing' ? saveState(sequencer.state) : undefined;
    this.snapshotSeq = seq;
    this.snapshotTime = this.machineMs();
    await sequencer.durable();
    await sequencer.history.flush();
    if (state !== undefined) await this.journal.saveSnapshot(seq, state, note);
    else await this.saveBeside({ seq, digest, note });
  }

  private async saveBeside(target: ReplicaTarget): Promise<void> {
    try {
      await this.replica!.save(target);
    } catch (error) {
      if (error instanceof ReplayDivergence) this.sequencer.fail(error);
      if (!(error instanceof ReplicaUnavailable) || this.stopped) throw error;
      this.report(error);
      await this.save('pausing');
    }
  }

  private onTimer(): void {
    const { sequencer } = this;
    if (sequencer.failure !== undefined) return;
    const commands = sequencer.appliedSeq - this.snapshotSeq;
    const elapsedMs = this.machineMs() - this.snapshotTime;
    const { commands: fewest, commandsPerOrder = 0 } = this.schedule;
    const most =
      Math.max(fewest, commandsPerOrder * this.size()) * (this.way() === 'replica' ? REPLICA_SHARE : 1);
    const due =
      commands >= most ||
      elapsedMs >= this.schedule.intervalMs ||
      (elapsedMs >= SNAPSHOT_FOR_SPACE_MS && commands > 0 && this.journal.capacity() !== 'normal');
    // Records that the history does not hold yet need their segments, so a snapshot would free nothing.
    if (due && this.saving === undefined && !sequencer.history.starved) this.snapshot().catch(this.report);
  }
}
