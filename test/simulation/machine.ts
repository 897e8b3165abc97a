/** One machine, which fails: its disk, its clocks, and the start of the venue on it after whatever has happened. */
import type { Exchange } from '../../src/core/engine/exchange.ts';
import type { History } from '../../src/history/history.ts';
import { JournalFailed } from '../../src/journal/journal-errors.ts';
import { openSyncJournal, type SyncJournal } from '../../src/journal/sync-journal.ts';
import { JournalLog } from '../../src/sequencer/command-log.ts';
import { replay } from '../../src/sequencer/recovery.ts';
import { saveByReplica } from '../../src/sequencer/replica.ts';
import { OutcomeUnknown, Unavailable } from '../../src/sequencer/sequencer.ts';
import { type Replica, SnapshotScheduler } from '../../src/sequencer/snapshot-scheduler.ts';
import { isOutOfSpace } from '../../src/storage/shortage-errors.ts';
import { OPENING_TIME } from '../property/venue.ts';
import { Checker } from './checker.ts';
import { tornTail } from './damage.ts';
import { type CrashKind, SimulatedDisk, seededRandom } from './disk.ts';
import { MachineTime } from './machine-time.ts';
import { ProcessDisk } from './process-disk.ts';
import { type FlushableLog, LOG, type Seams } from './seams.ts';
import { HistoryStore, SimulatedHistory } from './simulated-history.ts';
import type { Statistics } from './statistics.ts';
import { WatchedVenue } from './watched-venue.ts';

const STARTS_MAX = 12;
const DAY_MS = 24 * 60 * 60 * 1000;
const SNAPSHOTS = { commands: 70, intervalMs: 10 * 60_000, replicaFrom: 0 };
const CRASH_KINDS: readonly CrashKind[] = ['lose_all', 'keep_all', 'keep_some', 'keep_prefix'];

/** How a life ends. */
export type End = 'power loss' | 'kill' | 'disk error' | 'full disk' | 'stop';
export const ENDS: readonly End[] = [
  'power loss',
  'power loss',
  'power loss',
  'kill',
  'disk error',
  'full disk',
  'stop',
];

/** One process at work. */
export interface Process {
  readonly disk: ProcessDisk;
  readonly journal: FlushableLog;
  readonly venue: WatchedVenue;
  readonly keeper: SnapshotScheduler;
  readonly history: SimulatedHistory;
}

export class Machine {
  readonly checker = new Checker();
  protected readonly random: () => number;
  protected readonly statistics: Statistics;
  protected readonly seams: Seams;
  protected readonly time: MachineTime;
  private readonly hasReplica: boolean;
  protected readonly store = new HistoryStore();
  protected disk: SimulatedDisk;
  protected end: End = 'stop';

  constructor(seed: number, statistics: Statistics, seams: Seams) {
    this.hasReplica = seed % 2 === 1;
    this.random = seededRandom(seed * 7919 + 17);
    this.statistics = statistics;
    this.seams = seams;
    this.disk = new SimulatedDisk(seed);
    this.time = new MachineTime(OPENING_TIME + 1);
  }

  /** Undefined when the machine went down before the venue was up. */
  protected async start(): Promise<Process | undefined> {
    for (let attempt = 0; attempt < STARTS_MAX; attempt++) {
      try {
        return await this.recover();
      } catch (error) {
        if (!this.isDiskTrouble(error)) throw error;
        this.statistics.count('faults during recovery');
        if (this.powerIsOut()) {
          this.losePower();
          if (this.random() < 0.5) this.disk.faults.powerFailsAfter = 1 + this.int(40);
        }
        // Whoever runs the machine makes space; a disk error was for once.
        if (attempt > 2) this.disk.faults.powerFailsAfter = Number.POSITIVE_INFINITY;
        delete this.disk.faults.capacityBytes;
      }
    }
    throw new Error('the venue does not start');
  }

  protected async recover(): Promise<Process> {
    const disk = new ProcessDisk(this.seams.disk?.(this.disk) ?? this.disk);
    const found = openSyncJournal(disk, { ...LOG, now: () => this.time.timerMs });
    const { report, snapshot } = found;
    this.checker.found(report.lastSeq);
    if (report.tornBytes > 0) this.statistics.count('torn tails cut');
    if (snapshot !== undefined) this.statistics.count('starts from a snapshot');
    const history = new SimulatedHistory(this.store);
    const watched = this.checker.watch(found.records, snapshot?.seq ?? 0, report.lastSeq);
    const port = this.seams.history?.(history) ?? history;
    const { exchange } = await replay(snapshot, watched, port);
    this.checker.recovered(report.lastSeq, exchange.state, this.store.safe);
    this.statistics.count('recoveries');
    return this.open(disk, found.journal, exchange, history, port, report.lastSeq);
  }

  protected open(
    disk: ProcessDisk,
    inlineLog: SyncJournal,
    recovered: Exchange,
    history: SimulatedHistory,
    port: History,
    lastSeq: number,
  ): Process {
    const journal = this.seams.journal?.(inlineLog) ?? inlineLog;
    const exchange = this.seams.exchange?.(recovered) ?? recovered;
    const venue = new WatchedVenue(exchange, new JournalLog(journal), port, this.time.clock(), lastSeq);
    venue.watch(this.checker, () => history.projectedSeq);
    venue.onFailed((error) => {
      if (!(error instanceof JournalFailed)) this.checker.failed(error);
    });
    const keeper = new SnapshotScheduler(
      venue,
      journal,
      (error) => this.report(error),
      SNAPSHOTS,
      this.replicaOn(disk),
      () => this.time.timerMs,
    );
    keeper.start();
    return { disk, journal, venue, keeper, history };
  }

  /** Every other machine has one, unless the journal that saves snapshots is the part under test. */
  private replicaOn(disk: ProcessDisk): Replica | undefined {
    if (!this.hasReplica || this.seams.journal !== undefined) return undefined;
    return {
      save: async (target) => {
        saveByReplica(disk, target);
        this.statistics.count('snapshots by a replica');
      },
      stop: async () => {},
    };
  }

  /** What the keeper tells the operator: faults of the disk are expected, nothing else is. */
  protected report(error: Error): void {
    if (error instanceof Unavailable || error instanceof OutcomeUnknown) return;
    if (!this.isDiskTrouble(error)) this.checker.failed(error);
  }

  protected planFaults(): void {
    const { faults } = this.disk;
    faults.shortWriteChance = this.random() < 0.3 ? 0.1 : 0;
    if (this.end === 'power loss') faults.powerFailsAfter = 1 + this.int(220);
    if (this.end === 'disk error') {
      if (this.random() < 0.7) faults.failSyncAfter = 1 + this.int(70);
      else faults.failWriteAfter = 1 + this.int(120);
    }
  }

  protected losePower(): void {
    const kind = this.pick(CRASH_KINDS);
    this.statistics.count('crashes');
    this.statistics.count(`power loss (${kind})`);
    this.disk = this.disk.crash(kind, this.int(2 ** 32));
    this.store.crash(this.random);
    this.passTime();
  }

  protected jumpClock(what: string, ms: number): void {
    this.statistics.count(what);
    this.time.jump(ms);
  }

  protected passTime(): void {
    this.time.advance(this.int(20_000));
    if (this.random() < 0.2) this.jumpClock('clock jumps back', -this.int(DAY_MS));
  }

  protected garbleTail(): void {
    const torn = tornTail(this.disk, this.random);
    if (torn === undefined) return;
    this.disk.overwrite(torn.name, torn.position, torn.bytes);
    this.statistics.count('garbled tails');
  }

  protected async flush({ journal }: Process): Promise<void> {
    journal.flush();
    await settle();
  }

  protected powerIsOut(): boolean {
    return this.disk.faults.powerFailsAfter === 0;
  }

  protected isDiskTrouble(error: unknown): boolean {
    if (this.powerIsOut()) return true;
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      if (isOutOfSpace(cause) || (cause as NodeJS.ErrnoException).code === 'EIO') return true;
    }
    return false;
  }

  protected pick<Item>(items: readonly Item[]): Item {
    return items[this.int(items.length)]!;
  }

  protected int(below: number): number {
    return Math.floor(this.random() * below);
  }
}

/** Lets everything that is ready to run do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
