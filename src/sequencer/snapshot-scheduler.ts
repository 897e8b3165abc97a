/** Upkeep of a running exchange: the clock ticker, periodic snapshots, and the history in step with them. */
import { saveState } from '../core/snapshot/snapshot.ts';
import { HistoryStarved } from '../history/history.ts';
import type { CommandJournal } from '../journal/command-journal.ts';
import { ClockTicker } from './clock-ticker.ts';
import { SNAPSHOT_FOR_SPACE_MS, TICK_INTERVAL_MS } from './limits.ts';
import type { Sequencer } from './sequencer.ts';

/** A snapshot is due after this many commands, or this much time. */
export interface SnapshotSchedule {
  readonly commands: number;
  readonly intervalMs: number;
}

export class SnapshotScheduler {
  readonly ticker: ClockTicker;
  private readonly sequencer: Sequencer;
  private readonly journal: CommandJournal;
  private readonly report: (error: Error) => void;
  private readonly schedule: SnapshotSchedule;
  /** Snapshots shorten the next start, so their interval is of the machine's time, not of the exchange's. */
  private readonly machineMs: () => number;
  private timer: NodeJS.Timeout | undefined;
  private snapshotSeq: number;
  private snapshotTime: number;
  private saving: Promise<void> | undefined;

  constructor(
    sequencer: Sequencer,
    journal: CommandJournal,
    report: (error: Error) => void,
    schedule: SnapshotSchedule,
    machineMs: () => number = () => performance.now(),
  ) {
    this.ticker = new ClockTicker(sequencer, report);
    this.sequencer = sequencer;
    this.journal = journal;
    this.report = report;
    this.schedule = schedule;
    this.snapshotSeq = sequencer.appliedSeq;
    this.machineMs = machineMs;
    this.snapshotTime = machineMs();
  }

  start(): void {
    this.ticker.start();
    this.timer = setInterval(() => this.onTimer(), TICK_INTERVAL_MS);
  }

  stop(): void {
    this.ticker.stop();
    clearInterval(this.timer);
  }

  /**
   * Writes a snapshot of the present state. The history must hold everything in it before old segments may be
   * deleted.
   */
  snapshot(): Promise<void> {
    this.saving ??= this.save().finally(() => {
      this.saving = undefined;
    });
    return this.saving;
  }

  private async save(): Promise<void> {
    const { sequencer } = this;
    if (sequencer.history.starved) throw new HistoryStarved('no snapshot: the history waits for space');
    const seq = sequencer.appliedSeq;
    const state = saveState(sequencer.state);
    this.snapshotSeq = seq;
    this.snapshotTime = this.machineMs();
    await sequencer.durable();
    await sequencer.history.flush();
    await this.journal.saveSnapshot(seq, state);
  }

  private onTimer(): void {
    const { sequencer } = this;
    if (sequencer.failure !== undefined) return;
    const commands = sequencer.appliedSeq - this.snapshotSeq;
    const elapsedMs = this.machineMs() - this.snapshotTime;
    const due =
      commands >= this.schedule.commands ||
      elapsedMs >= this.schedule.intervalMs ||
      (elapsedMs >= SNAPSHOT_FOR_SPACE_MS && commands > 0 && this.journal.capacity() !== 'normal');
    // Records that the history does not hold yet need their segments, so a snapshot would free nothing.
    if (due && this.saving === undefined && !sequencer.history.starved) this.snapshot().catch(this.report);
  }
}
