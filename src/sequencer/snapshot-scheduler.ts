/** Keeps a running venue in order: its second hand, snapshots now and then, history in step. */
import { saveState } from '../core/snapshot/snapshot.ts';
import { HistoryStarved } from '../history/history.ts';
import type { CommandLog } from '../journal/command-journal.ts';
import { SNAPSHOT_FOR_SPACE_MS, TICK_INTERVAL_MS } from './limits.ts';
import { SecondHand } from './clock-ticker.ts';
import type { Venue } from './sequencer.ts';

/** A snapshot is due after so many commands, or so much time. */
export interface SnapshotSchedule {
  readonly commands: number;
  readonly intervalMs: number;
}

export class Keeper {
  readonly seconds: SecondHand;
  private readonly venue: Venue;
  private readonly log: CommandLog;
  private readonly report: (error: Error) => void;
  private readonly schedule: SnapshotSchedule;
  /** Snapshots shorten the next start, which is a matter of the machine's time, not of the exchange's. */
  private readonly machineMs: () => number;
  private timer: NodeJS.Timeout | undefined;
  private snapshotSeq: number;
  private snapshotTime: number;
  private saving: Promise<void> | undefined;

  constructor(
    venue: Venue,
    log: CommandLog,
    report: (error: Error) => void,
    schedule: SnapshotSchedule,
    machineMs: () => number = () => performance.now(),
  ) {
    this.seconds = new SecondHand(venue, report);
    this.venue = venue;
    this.log = log;
    this.report = report;
    this.schedule = schedule;
    this.snapshotSeq = venue.appliedSeq;
    this.machineMs = machineMs;
    this.snapshotTime = machineMs();
  }

  start(): void {
    this.seconds.start();
    this.timer = setInterval(() => this.beat(), TICK_INTERVAL_MS);
  }

  stop(): void {
    this.seconds.stop();
    clearInterval(this.timer);
  }

  /** Writes a snapshot of the present state. The history must hold everything in it before old segments may go. */
  snapshot(): Promise<void> {
    this.saving ??= this.save().finally(() => {
      this.saving = undefined;
    });
    return this.saving;
  }

  private async save(): Promise<void> {
    const { venue } = this;
    if (venue.history.starved) throw new HistoryStarved('no snapshot: the history waits for space');
    const seq = venue.appliedSeq;
    const state = saveState(venue.state);
    this.snapshotSeq = seq;
    this.snapshotTime = this.machineMs();
    await venue.settled();
    await venue.history.flush();
    await this.log.saveSnapshot(seq, state);
  }

  private beat(): void {
    const { venue } = this;
    if (venue.failure !== undefined) return;
    const commands = venue.appliedSeq - this.snapshotSeq;
    const elapsedMs = this.machineMs() - this.snapshotTime;
    const due =
      commands >= this.schedule.commands ||
      elapsedMs >= this.schedule.intervalMs ||
      (elapsedMs >= SNAPSHOT_FOR_SPACE_MS && commands > 0 && this.log.capacity() !== 'normal');
    // What the history does not hold yet needs its segments, so a snapshot would free nothing.
    if (due && this.saving === undefined && !venue.history.starved) this.snapshot().catch(this.report);
  }
}
