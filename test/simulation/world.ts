/**
 * One seed: a machine with a disk and clocks that fail, on which the real venue lives several lives. The core, the
 * log, snapshots, recovery, the venue and its keeper are the production code; only what they stand on is simulated.
 */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Command } from '../../src/core/command.ts';
import type { Exchange } from '../../src/core/exchange.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import type { History } from '../../src/history/history.ts';
import type { CommandLog, Recovered } from '../../src/log/command-log.ts';
import { type Disk, isOutOfSpace } from '../../src/log/disk.ts';
import { type InlineLog, type InlineLogOptions, openInlineLog } from '../../src/log/inline-log.ts';
import { LogFailed, LogRefused } from '../../src/log/log-errors.ts';
import { Keeper } from '../../src/venue/keeper.ts';
import { TICK_INTERVAL_MS } from '../../src/venue/limits.ts';
import { replay } from '../../src/venue/recovery.ts';
import { OutcomeUnknown, Unavailable, Venue } from '../../src/venue/venue.ts';
import { OPENING_TIME, order } from '../property/venue.ts';
import { accountView, Checker } from './checker.ts';
import { damageSomewhere, tornTail } from './damage.ts';
import { type CrashKind, SimulatedDisk, seededRandom } from './disk.ts';
import { MachineTime } from './machine-time.ts';
import { ProcessDisk } from './process-disk.ts';
import { HistoryStore, SimulatedHistory } from './simulated-history.ts';
import type { Statistics } from './statistics.ts';
import { setUp, UIDS, Workload } from './workload.ts';

const LIVES = 5;
const STEPS_MAX = 45;
const STARTS_MAX = 12;
const DAY_MS = 24 * 60 * 60 * 1000;
const KIB = 1024;

/** Small segments, so that a short life crosses many of their boundaries. */
export const LOG: InlineLogOptions = {
  segmentBytes: 16 * KIB,
  queueBytes: 16 * KIB,
  payloadBytesMax: 4 * KIB,
  batchBytesMax: 8 * KIB,
  prepareStepBytes: 8 * KIB,
  newInstanceId: () => new Uint8Array(16).fill(0xb0),
};
const SNAPSHOTS = { commands: 70, intervalMs: 10 * 60_000 };
const CRASH_KINDS: readonly CrashKind[] = ['lose_all', 'keep_all', 'keep_some', 'keep_prefix'];

/** How a life ends. */
type End = 'power loss' | 'kill' | 'disk error' | 'full disk' | 'stop';
const ENDS: readonly End[] = [
  'power loss',
  'power loss',
  'power loss',
  'kill',
  'disk error',
  'full disk',
  'stop',
];

export type FlushableLog = CommandLog & Pick<InlineLog, 'flush'>;

/** Where a planted bug can be put in, without a change of the source. */
export interface Seams {
  readonly disk?: (disk: Disk) => Disk;
  readonly log?: (log: FlushableLog) => FlushableLog;
  readonly history?: (history: SimulatedHistory) => History;
  readonly exchange?: (exchange: Exchange) => Exchange;
  readonly answerReadsAtOnce?: boolean;
  /** What opens a damaged directory; the undamaged one is at hand for a bug that overlooks the damage. */
  readonly openDamaged?: (damaged: SimulatedDisk, intact: SimulatedDisk) => Recovered<InlineLog>;
}

/** Reports everything that goes in and comes out to the checker. */
class WatchedVenue extends Venue {
  private checker: Checker | undefined;
  private projectedSeq_: () => number = () => 0;

  watch(checker: Checker, projectedSeq: () => number): void {
    this.checker = checker;
    this.projectedSeq_ = projectedSeq;
    this.onPublished((published) => checker.published(published));
  }

  override submit(command: Command): Promise<Outcome> {
    const checker = this.checker!;
    const before = this.appliedSeq;
    const answer = super.submit(command);
    const seq = this.appliedSeq > before ? before + 1 : undefined;
    if (seq !== undefined) checker.sequenced(seq, command);
    answer.then(
      (outcome) => {
        if (seq === undefined) checker.failed(new Error('an answer without a command'));
        else checker.answered(seq, outcome, this.projectedSeq_());
      },
      (error: unknown) => {
        const expected = seq === undefined ? Unavailable : OutcomeUnknown;
        if (!(error instanceof expected)) checker.failed(error);
      },
    );
    return answer;
  }
}

/** One process at work. */
interface Process {
  readonly disk: ProcessDisk;
  readonly log: FlushableLog;
  readonly venue: WatchedVenue;
  readonly keeper: Keeper;
  readonly history: SimulatedHistory;
}

export class World {
  readonly checker = new Checker();
  readonly #random: () => number;
  readonly #statistics: Statistics;
  readonly #seams: Seams;
  readonly #time: MachineTime;
  readonly #workload: Workload;
  readonly #store = new HistoryStore();
  #disk: SimulatedDisk;
  #end: End = 'stop';

  constructor(seed: number, statistics: Statistics, seams: Seams = {}) {
    this.#random = seededRandom(seed * 7919 + 17);
    this.#statistics = statistics;
    this.#seams = seams;
    this.#disk = new SimulatedDisk(seed);
    this.#time = new MachineTime(OPENING_TIME + 1);
    this.#workload = new Workload(this.#random);
  }

  async run(): Promise<void> {
    for (let life = 0; life < LIVES; life++) await this.#live();
    await this.#heal();
    this.#statistics.count('commands', this.checker.sent.length);
    this.#statistics.count('acknowledged', this.checker.acknowledged);
    this.#statistics.count('duplicates sent', this.#workload.duplicates);
  }

  async #live(): Promise<void> {
    this.#end = this.#pick(ENDS);
    this.#planFaults();
    const process = await this.#start();
    if (process === undefined) return;
    try {
      await this.#prepareMarket(process);
      await this.#trade(process);
      await this.#finish(process);
    } catch (error) {
      if (!this.#isDiskTrouble(error)) throw error;
      await this.#die(process);
    } finally {
      process.keeper.stop();
    }
    this.checker.raise();
  }

  #planFaults(): void {
    const { faults } = this.#disk;
    faults.shortWriteChance = this.#random() < 0.3 ? 0.1 : 0;
    if (this.#end === 'power loss') faults.powerFailsAfter = 1 + this.#int(220);
    if (this.#end === 'disk error') {
      if (this.#random() < 0.7) faults.failSyncAfter = 1 + this.#int(70);
      else faults.failWriteAfter = 1 + this.#int(120);
    }
  }

  // --- starting ---

  /** Undefined when the machine went down before the venue was up. */
  async #start(): Promise<Process | undefined> {
    for (let attempt = 0; attempt < STARTS_MAX; attempt++) {
      try {
        return await this.#recover();
      } catch (error) {
        if (!this.#isDiskTrouble(error)) throw error;
        this.#statistics.count('faults during recovery');
        if (this.#powerIsOut()) {
          this.#losePower();
          if (this.#random() < 0.5) this.#disk.faults.powerFailsAfter = 1 + this.#int(40);
        }
        // Whoever runs the machine makes space; a disk error was for once.
        if (attempt > 2) this.#disk.faults.powerFailsAfter = Number.POSITIVE_INFINITY;
        delete this.#disk.faults.capacityBytes;
      }
    }
    throw new Error('the venue does not start');
  }

  async #recover(): Promise<Process> {
    const disk = new ProcessDisk(this.#seams.disk?.(this.#disk) ?? this.#disk);
    const found = openInlineLog(disk, { ...LOG, now: () => this.#time.timerMs });
    const { report, snapshot } = found;
    this.checker.found(report.lastSeq);
    if (report.tornBytes > 0) this.#statistics.count('torn tails cut');
    if (snapshot !== undefined) this.#statistics.count('starts from a snapshot');
    const history = new SimulatedHistory(this.#store);
    const watched = this.checker.watch(found.records, snapshot?.seq ?? 0, report.lastSeq);
    const port = this.#seams.history?.(history) ?? history;
    const { exchange } = await replay(snapshot, watched, port);
    this.checker.recovered(report.lastSeq, exchange.state, this.#store.safe);
    this.#statistics.count('recoveries');
    return this.#open(disk, found.log, exchange, history, port, report.lastSeq);
  }

  #open(
    disk: ProcessDisk,
    inlineLog: InlineLog,
    recovered: Exchange,
    history: SimulatedHistory,
    port: History,
    lastSeq: number,
  ): Process {
    const log = this.#seams.log?.(inlineLog) ?? inlineLog;
    const exchange = this.#seams.exchange?.(recovered) ?? recovered;
    const venue = new WatchedVenue(exchange, log, port, this.#time.clock(), lastSeq);
    venue.watch(this.checker, () => history.projectedSeq);
    venue.onHalted((error) => {
      if (!(error instanceof LogFailed)) this.checker.failed(error);
    });
    const keeper = new Keeper(
      venue,
      log,
      (error) => this.#report(error),
      SNAPSHOTS,
      () => this.#time.timerMs,
    );
    keeper.start();
    return { disk, log, venue, keeper, history };
  }

  /** What the keeper tells the operator: faults of the disk are expected, nothing else is. */
  #report(error: Error): void {
    if (error instanceof Unavailable || error instanceof OutcomeUnknown) return;
    if (!this.#isDiskTrouble(error)) this.checker.failed(error);
  }

  async #prepareMarket(process: Process): Promise<void> {
    if (process.venue.state.accountByUid.size === UIDS.length) return;
    for (const command of setUp()) this.#submit(process, command);
    await this.#flush(process);
  }

  // --- working ---

  async #trade(process: Process): Promise<void> {
    const steps = 5 + this.#int(STEPS_MAX);
    const slow = this.#random() < 0.25;
    if (slow) this.#statistics.count('lives with slow flushes');
    for (let step = 0; step < steps; step++) {
      this.#moveClocks(slow);
      for (let burst = this.#int(slow ? 12 : 6); burst >= 0; burst--)
        this.#submit(process, this.#workload.next());
      if (this.#random() < 0.3) this.#read(process);
      if (this.#random() < 0.05) this.#checkpoint(process);
      process.history.work(this.#random);
      if (this.#random() < (slow ? 0.15 : 0.7)) await this.#flush(process);
      await settle();
      if (this.#powerIsOut()) throw new Error('power is out');
      if (this.#random() < 0.04) await this.#audit(process);
      this.checker.raise();
    }
    if (this.#end === 'full disk') await this.#fillDisk(process);
  }

  #submit(process: Process, command: Command): void {
    process.venue.submit(command).then(
      (outcome) => this.#workload.answered(command, outcome),
      (error: Error) => {
        if (error.message.includes('busy')) this.#statistics.count('refused as busy');
      },
    );
  }

  #read({ venue }: Process): void {
    const uid = this.#pick(UIDS);
    const seq = venue.appliedSeq;
    const text = accountView(venue.state, uid);
    const answer = () => {
      this.checker.read(seq, uid, text);
      this.#statistics.count('reads');
    };
    const wait = this.#seams.answerReadsAtOnce === true ? undefined : venue.settled();
    if (wait === undefined) answer();
    else wait.then(answer, () => {});
  }

  #checkpoint(process: Process): void {
    const digest = process.venue.state.digest.value;
    this.#submit(process, { type: 'checkpoint', time: 0, digest });
  }

  async #flush({ log }: Process): Promise<void> {
    log.flush();
    await settle();
  }

  async #audit(process: Process): Promise<void> {
    const { venue } = process;
    await this.#flush(process);
    assert.equal(venue.durableSeq, venue.appliedSeq, 'a flush left commands behind');
    this.checker.audit(venue.appliedSeq, venue.state, this.#store.safe);
    this.#statistics.count('audits');
  }

  #moveClocks(slow: boolean): void {
    const ms = this.#int(slow ? 1200 : 150);
    this.#time.advance(ms);
    const roll = this.#random();
    if (roll < 0.03) this.#jumpClock('clock jumps forward', this.#int(roll < 0.005 ? 3 * DAY_MS : 90_000));
    else if (roll < 0.05) this.#jumpClock('clock jumps back', -this.#int(DAY_MS));
    // The keeper's timer: one beat at most, as after a pause.
    if (this.#random() < 0.2) mock.timers.tick(TICK_INTERVAL_MS);
  }

  #jumpClock(what: string, ms: number): void {
    this.#statistics.count(what);
    this.#time.jump(ms);
  }

  // --- a full disk ---

  async #fillDisk(process: Process): Promise<void> {
    const { venue } = process;
    this.#disk.faults.capacityBytes = this.#disk.usedBytes + this.#int(6 * KIB);
    await this.#fillUntil(process, 'cancel_only');
    if (venue.capacity() !== 'cancel_only') return;
    this.#statistics.count('cancel-only');
    await this.#expect(process, order({ uid: 1, sizeLots: 7, priceTicks: 100 }), false);
    await this.#expect(process, this.#workload.cancel(), true);
    if (this.#random() < 0.7) {
      await this.#fillUntil(process, 'read_only');
      this.#statistics.count('read-only');
      await this.#expect(process, this.#workload.cancel(), venue.capacity() !== 'read_only');
    }
    if (this.#random() < 0.4) return;
    delete this.#disk.faults.capacityBytes;
    for (let wait = 0; wait < 20; wait++) await this.#flush(process);
    assert.equal(venue.capacity(), 'normal', 'LIVENESS: space returned, the venue did not notice');
    await this.#expect(process, this.#workload.cancel(), true);
    this.#statistics.count('resumed after full disk');
  }

  async #fillUntil(process: Process, wanted: 'cancel_only' | 'read_only'): Promise<void> {
    for (let step = 0; step < 600 && process.venue.capacity() !== wanted; step++) {
      this.#time.advance(5);
      const small = wanted === 'read_only' || this.#random() < 0.3;
      this.#submit(process, small ? this.#workload.cancel() : this.#workload.next());
      if (this.#random() < 0.7) await this.#flush(process);
    }
    await this.#flush(process);
  }

  /** Is the command taken? Its answer must come, and be the only possible one. */
  async #expect(process: Process, command: Command, taken: boolean): Promise<void> {
    let answer: Outcome | Error | undefined;
    process.venue.submit(command).then(
      (outcome) => {
        answer = outcome;
      },
      (error: Error) => {
        answer = error;
      },
    );
    await this.#flush(process);
    if (taken)
      assert.ok(answer !== undefined && !(answer instanceof Error), 'a command that must be taken was not');
    else assert.ok(answer instanceof Unavailable, `taken in mode ${process.venue.capacity()}`);
  }

  // --- ending ---

  async #finish(process: Process): Promise<void> {
    switch (this.#end) {
      case 'power loss':
        return this.#die(process);
      case 'stop':
        return this.#stop(process);
      case 'disk error':
        return this.#meetDiskError(process);
      case 'kill':
      case 'full disk':
        return this.#kill(process);
    }
  }

  /** The machine goes down, or the log has failed and the process ends. */
  async #die(process: Process): Promise<void> {
    await settle();
    if (this.#end === 'disk error' && process.venue.failure !== undefined) await this.#afterFailure(process);
    else if (this.#powerIsOut() || this.#end === 'power loss') this.#losePower();
    else this.#store.crash(this.#random);
    process.disk.kill();
    process.keeper.stop();
  }

  #losePower(): void {
    const kind = this.#pick(CRASH_KINDS);
    this.#statistics.count('crashes');
    this.#statistics.count(`power loss (${kind})`);
    this.#disk = this.#disk.crash(kind, this.#int(2 ** 32));
    this.#store.crash(this.#random);
    this.#passTime();
  }

  /** Provokes the planned error, if it has not come by itself. */
  async #meetDiskError(process: Process): Promise<void> {
    for (let step = 0; step < 300 && process.venue.failure === undefined; step++) {
      this.#submit(process, this.#workload.next());
      await this.#flush(process);
    }
    await this.#die(process);
  }

  /** First failure is final: nothing is acknowledged after it, and everybody learns that the venue has stopped. */
  async #afterFailure(process: Process): Promise<void> {
    const { venue, log } = process;
    this.#statistics.count('disk errors');
    const { acknowledged } = this.checker;
    assert.throws(() => log.append(new Uint8Array(8)), LogFailed);
    await assert.rejects(venue.submit({ type: 'tick', time: 0 }), Unavailable);
    await assert.rejects(async () => venue.settled(), 'a read of a stopped venue must not wait for ever');
    assert.throws(() => log.flush(), LogFailed);
    await settle();
    assert.equal(this.checker.acknowledged, acknowledged, 'acknowledged after the disk failed');
    delete this.#disk.faults.failSyncAfter;
    delete this.#disk.faults.failWriteAfter;
    if (this.#random() < 0.5) return this.#losePower();
    this.#store.crash(this.#random);
    this.#statistics.count('crashes');
  }

  /** The process dies, the machine stays: what was written is in the page cache, synced or not. */
  async #kill(process: Process): Promise<void> {
    await settle();
    process.disk.kill();
    process.keeper.stop();
    this.#store.crash(this.#random);
    this.#statistics.count('crashes');
    this.#statistics.count('kills');
    if (this.#random() < 0.5) this.#garbleTail();
    await this.#tryDamage();
    this.#passTime();
  }

  #garbleTail(): void {
    const torn = tornTail(this.#disk, this.#random);
    if (torn === undefined) return;
    this.#disk.overwrite(torn.name, torn.position, torn.bytes);
    this.#statistics.count('garbled tails');
  }

  async #stop(process: Process): Promise<void> {
    const { keeper, venue, log, history, disk } = process;
    await this.#flush(process);
    if (venue.capacity() !== 'read_only' && this.#random() < 0.7) {
      const saved = keeper.snapshot();
      history.catchUp();
      await saved;
      this.#statistics.count('snapshots at a stop');
    }
    keeper.stop();
    await log.close();
    await history.close();
    this.checker.audit(venue.appliedSeq, venue.state, this.#store.safe);
    disk.kill();
    this.#statistics.count('stops');
    await this.#tryDamage();
    this.#passTime();
  }

  #passTime(): void {
    this.#time.advance(this.#int(20_000));
    if (this.#random() < 0.2) this.#jumpClock('clock jumps back', -this.#int(DAY_MS));
  }

  // --- damage at rest ---

  /** Trials on copies of the directory: everything is recovered as if nothing had been, or the start is refused. */
  async #tryDamage(): Promise<void> {
    const intact = this.#disk.copy();
    const lastSeq = openInlineLog(intact.copy(), LOG).report.lastSeq;
    this.checker.found(lastSeq);
    this.checker.recoveredTo(lastSeq);
    for (let trial = 0; trial < 3; trial++) {
      const damaged = intact.copy();
      const kind = damageSomewhere(damaged, this.#random);
      const before = imageOf(damaged);
      try {
        await this.#recoverDamaged(damaged, intact, lastSeq);
        this.#statistics.count(`${kind}: recovered`);
      } catch (error) {
        if (!(error instanceof LogRefused)) throw error;
        assert.equal(imageOf(damaged), before, 'a refusal changed the directory');
        this.#statistics.count(`${kind}: refused`);
      }
    }
  }

  async #recoverDamaged(damaged: SimulatedDisk, intact: SimulatedDisk, lastSeq: number): Promise<void> {
    const found = this.#seams.openDamaged?.(damaged, intact.copy()) ?? openInlineLog(damaged, LOG);
    assert.equal(found.report.lastSeq, lastSeq, 'LOST: damage was taken for the end of the log');
    const watched = this.checker.watch(found.records, found.snapshot?.seq ?? 0, lastSeq);
    const { exchange } = await replay(found.snapshot, watched, new SimulatedHistory(this.#store.copy()));
    this.checker.compareState(exchange.state);
  }

  // --- liveness ---

  /** The faults are over: the venue must start, take commands and stop in good order. */
  async #heal(): Promise<void> {
    this.#end = 'stop';
    this.#disk.faults.shortWriteChance = 0;
    for (const fault of ['capacityBytes', 'failSyncAfter', 'failWriteAfter', 'powerFailsAfter'] as const) {
      delete this.#disk.faults[fault];
    }
    const process = (await this.#start())!;
    await this.#prepareMarket(process);
    const answers: Outcome[] = [];
    for (const command of this.#proofOfLife()) {
      process.venue.submit(command).then(
        (outcome) => answers.push(outcome),
        (error) => this.checker.failed(error),
      );
      await this.#flush(process);
    }
    this.checker.raise();
    assert.deepEqual(
      answers.map(({ refusal }) => refusal),
      [0, 0, 0, 0, 0, 0],
      'LIVENESS: commands are taken again',
    );
    await this.#stop(process);
    const again = (await this.#start())!;
    again.keeper.stop();
    this.checker.raise();
  }

  #proofOfLife(): Command[] {
    const clientOid = 'proof-of-life';
    const named = { category: -1, instrument: -1, orderId: 0, clientOid } as const;
    return [
      { type: 'setHalt', time: 0, halted: false },
      { type: 'setInstrumentStatus', time: 0, instrument: 0, status: 'online' },
      { type: 'cancelAll', time: 0, uid: 3, category: 0, instrument: -1 },
      { type: 'deposit', time: 0, uid: 3, coin: 2, amount: 10n ** 10n, reference: '' },
      order({ uid: 3, priceTicks: 60, sizeLots: 100, clientOid, timeInForce: 0, stpMode: 1 }),
      { type: 'cancelOrder', time: 0, uid: 3, ...named },
    ];
  }

  // --- small things ---

  #powerIsOut(): boolean {
    return this.#disk.faults.powerFailsAfter === 0;
  }

  #isDiskTrouble(error: unknown): boolean {
    if (this.#powerIsOut()) return true;
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      if (isOutOfSpace(cause) || (cause as NodeJS.ErrnoException).code === 'EIO') return true;
    }
    return false;
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#int(items.length)]!;
  }

  #int(below: number): number {
    return Math.floor(this.#random() * below);
  }
}

/** Lets everything that is ready to run do so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function imageOf(disk: SimulatedDisk): string {
  return disk
    .list()
    .map((name) => `${name} ${Buffer.from(disk.bytes(name)).toString('latin1')}`)
    .join('\n');
}
