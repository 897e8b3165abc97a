/**
 * One seed: a machine with a disk and clocks that fail, on which the real venue lives several lives. The core, the
 * log, snapshots, recovery, the venue and its keeper are the production code; only what they stand on is simulated.
 */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Command, Unstamped } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { JournalFailed } from '../../src/journal/journal-errors.ts';
import { TICK_INTERVAL_MS } from '../../src/sequencer/limits.ts';
import { Unavailable } from '../../src/sequencer/sequencer.ts';
import { order } from '../property/venue.ts';
import { accountView } from './checker.ts';
import { DamagedMachine } from './damaged-machine.ts';
import { ENDS, type Process, settle } from './machine.ts';
import type { Seams } from './seams.ts';
import type { Statistics } from './statistics.ts';
import { setUp, UIDS, Workload } from './workload.ts';

const LIVES = 5;
const STEPS_MAX = 45;
const DAY_MS = 24 * 60 * 60 * 1000;
const KIB = 1024;

export class World extends DamagedMachine {
  private readonly workload: Workload;

  constructor(seed: number, statistics: Statistics, seams: Seams = {}) {
    super(seed, statistics, seams);
    this.workload = new Workload(this.random);
  }

  async run(): Promise<void> {
    for (let life = 0; life < LIVES; life++) await this.live();
    await this.heal();
    this.statistics.count('commands', this.checker.sent.length);
    this.statistics.count('acknowledged', this.checker.acknowledged);
    this.statistics.count('duplicates sent', this.workload.duplicates);
  }

  private async live(): Promise<void> {
    this.end = this.pick(ENDS);
    this.planFaults();
    const process = await this.start();
    if (process === undefined) return;
    try {
      await this.prepareMarket(process);
      await this.trade(process);
      await this.finish(process);
    } catch (error) {
      if (!this.isDiskTrouble(error)) throw error;
      await this.die(process);
    } finally {
      process.keeper.stop();
    }
    this.checker.raise();
  }

  private async prepareMarket(process: Process): Promise<void> {
    if (process.venue.state.accountByUid.size === UIDS.length) return;
    for (const command of setUp()) this.submit(process, command);
    await this.flush(process);
  }

  private async trade(process: Process): Promise<void> {
    const steps = 5 + this.int(STEPS_MAX);
    const slow = this.random() < 0.25;
    if (slow) this.statistics.count('lives with slow flushes');
    for (let step = 0; step < steps; step++) {
      this.moveClocks(slow);
      for (let burst = this.int(slow ? 12 : 6); burst >= 0; burst--)
        this.submit(process, this.workload.next());
      if (this.random() < 0.3) this.read(process);
      if (this.random() < 0.05) this.checkpoint(process);
      process.history.work(this.random);
      if (this.random() < (slow ? 0.15 : 0.7)) await this.flush(process);
      await settle();
      if (this.powerIsOut()) throw new Error('power is out');
      if (this.random() < 0.04) await this.audit(process);
      this.checker.raise();
    }
    if (this.end === 'full disk') await this.fillDisk(process);
  }

  private submit(process: Process, command: Unstamped<Command>): void {
    process.venue.submit(command).then(
      (outcome) => this.workload.answered(command, outcome),
      (error: Error) => {
        if (error.message.includes('busy')) this.statistics.count('refused as busy');
      },
    );
  }

  private read({ venue }: Process): void {
    const uid = this.pick(UIDS);
    const seq = venue.appliedSeq;
    const text = accountView(venue.state, uid);
    const answer = () => {
      this.checker.read(seq, uid, text);
      this.statistics.count('reads');
    };
    const wait = this.seams.answerReadsAtOnce === true ? undefined : venue.durable();
    if (wait === undefined) answer();
    else wait.then(answer, () => {});
  }

  private checkpoint(process: Process): void {
    const digest = process.venue.state.digest.value;
    this.submit(process, { type: 'checkpoint', digest });
  }

  private async audit(process: Process): Promise<void> {
    const { venue } = process;
    await this.flush(process);
    assert.equal(venue.durableSeq, venue.appliedSeq, 'a flush left commands behind');
    this.checker.audit(venue.appliedSeq, venue.state, this.store.safe);
    this.statistics.count('audits');
  }

  private moveClocks(slow: boolean): void {
    const ms = this.int(slow ? 1200 : 150);
    this.time.advance(ms);
    const roll = this.random();
    if (roll < 0.03) this.jumpClock('clock jumps forward', this.int(roll < 0.005 ? 3 * DAY_MS : 90_000));
    else if (roll < 0.05) this.jumpClock('clock jumps back', -this.int(DAY_MS));
    // The keeper's timer: one beat at most, as after a pause.
    if (this.random() < 0.2) mock.timers.tick(TICK_INTERVAL_MS);
  }

  private async fillDisk(process: Process): Promise<void> {
    const { venue } = process;
    this.disk.faults.capacityBytes = this.disk.usedBytes + this.int(6 * KIB);
    await this.fillUntil(process, 'cancel_only');
    if (venue.capacity() !== 'cancel_only') return;
    this.statistics.count('cancel-only');
    await this.expect(process, order({ uid: 1, sizeLots: 7, priceTicks: 100 }), false);
    await this.expect(process, this.workload.cancel(), true);
    if (this.random() < 0.7) {
      await this.fillUntil(process, 'read_only');
      this.statistics.count('read-only');
      await this.expect(process, this.workload.cancel(), venue.capacity() !== 'read_only');
    }
    if (this.random() < 0.4) return;
    delete this.disk.faults.capacityBytes;
    for (let wait = 0; wait < 20; wait++) await this.flush(process);
    assert.equal(venue.capacity(), 'normal', 'LIVENESS: space returned, the venue did not notice');
    await this.expect(process, this.workload.cancel(), true);
    this.statistics.count('resumed after full disk');
  }

  private async fillUntil(process: Process, wanted: 'cancel_only' | 'read_only'): Promise<void> {
    for (let step = 0; step < 600 && process.venue.capacity() !== wanted; step++) {
      this.time.advance(5);
      const small = wanted === 'read_only' || this.random() < 0.3;
      this.submit(process, small ? this.workload.cancel() : this.workload.next());
      if (this.random() < 0.7) await this.flush(process);
    }
    await this.flush(process);
  }

  /** Is the command taken? Its answer must come, and be the only possible one. */
  private async expect(process: Process, command: Unstamped<Command>, taken: boolean): Promise<void> {
    let answer: CommandResult | Error | undefined;
    process.venue.submit(command).then(
      (outcome) => {
        answer = outcome;
      },
      (error: Error) => {
        answer = error;
      },
    );
    await this.flush(process);
    if (taken)
      assert.ok(answer !== undefined && !(answer instanceof Error), 'a command that must be taken was not');
    else assert.ok(answer instanceof Unavailable, `taken in mode ${process.venue.capacity()}`);
  }

  private async finish(process: Process): Promise<void> {
    switch (this.end) {
      case 'power loss':
        return this.die(process);
      case 'stop':
        return this.stop(process);
      case 'disk error':
        return this.meetDiskError(process);
      case 'kill':
      case 'full disk':
        return this.kill(process);
    }
  }

  /** The machine goes down, or the log has failed and the process ends. */
  private async die(process: Process): Promise<void> {
    await settle();
    if (this.end === 'disk error' && process.venue.failure !== undefined) await this.afterFailure(process);
    else if (this.powerIsOut() || this.end === 'power loss') this.losePower();
    else this.store.crash(this.random);
    process.disk.kill();
    process.keeper.stop();
  }

  /** Provokes the planned error, if it has not come by itself. */
  private async meetDiskError(process: Process): Promise<void> {
    for (let step = 0; step < 300 && process.venue.failure === undefined; step++) {
      this.submit(process, this.workload.next());
      await this.flush(process);
    }
    await this.die(process);
  }

  /** First failure is final: nothing is acknowledged after it, and everybody learns that the venue has stopped. */
  private async afterFailure(process: Process): Promise<void> {
    const { venue, journal } = process;
    this.statistics.count('disk errors');
    const { acknowledged } = this.checker;
    assert.throws(() => journal.append(new Uint8Array(8)), JournalFailed);
    await assert.rejects(venue.submit({ type: 'tick', time: 0 }), Unavailable);
    await assert.rejects(async () => venue.durable(), 'a read of a stopped venue must not wait for ever');
    assert.throws(() => journal.flush(), JournalFailed);
    await settle();
    assert.equal(this.checker.acknowledged, acknowledged, 'acknowledged after the disk failed');
    delete this.disk.faults.failSyncAfter;
    delete this.disk.faults.failWriteAfter;
    if (this.random() < 0.5) return this.losePower();
    this.store.crash(this.random);
    this.statistics.count('crashes');
  }

  /** The process dies, the machine stays: what was written is in the page cache, synced or not. */
  private async kill(process: Process): Promise<void> {
    await settle();
    process.disk.kill();
    process.keeper.stop();
    this.store.crash(this.random);
    this.statistics.count('crashes');
    this.statistics.count('kills');
    if (this.random() < 0.5) this.garbleTail();
    await this.tryDamage();
    this.passTime();
  }

  private async stop(process: Process): Promise<void> {
    const { keeper, venue, journal, history, disk } = process;
    await this.flush(process);
    if (venue.capacity() !== 'read_only' && this.random() < 0.7) {
      const saved = keeper.snapshot();
      history.catchUp();
      await saved;
      this.statistics.count('snapshots at a stop');
    }
    // As a venue is closed: a snapshot under way is awaited before the journal is closed.
    const ended = keeper.end();
    history.catchUp();
    await ended;
    await journal.close();
    await history.close();
    this.checker.audit(venue.appliedSeq, venue.state, this.store.safe);
    disk.kill();
    this.statistics.count('stops');
    await this.tryDamage();
    this.passTime();
  }

  /** The faults are over: the venue must start, take commands and stop in good order. */
  private async heal(): Promise<void> {
    this.end = 'stop';
    this.disk.faults.shortWriteChance = 0;
    for (const fault of ['capacityBytes', 'failSyncAfter', 'failWriteAfter', 'powerFailsAfter'] as const) {
      delete this.disk.faults[fault];
    }
    const process = (await this.start())!;
    await this.prepareMarket(process);
    const answers: CommandResult[] = [];
    for (const command of this.proofOfLife()) {
      process.venue.submit(command).then(
        (outcome) => answers.push(outcome),
        (error) => this.checker.failed(error),
      );
      await this.flush(process);
    }
    this.checker.raise();
    assert.deepEqual(
      answers.map(({ rejectReason }) => rejectReason),
      [0, 0, 0, 0, 0, 0],
      'LIVENESS: commands are taken again',
    );
    await this.stop(process);
    const again = (await this.start())!;
    again.keeper.stop();
    this.checker.raise();
  }

  private proofOfLife(): Unstamped<Command>[] {
    const clientOid = 'proof-of-life';
    const named = { category: -1, instrument: -1, orderId: 0, clientOid } as const;
    return [
      { type: 'setHalt', halted: false },
      { type: 'setInstrumentStatus', instrument: 0, status: 'online' },
      { type: 'cancelAll', uid: 3, category: 0, instrument: -1 },
      { type: 'deposit', uid: 3, coin: 2, amount: 10n ** 10n, reference: '' },
      order({ uid: 3, priceTicks: 60, sizeLots: 100, clientOid, timeInForce: 0, stpMode: 1 }),
      { type: 'cancelOrder', uid: 3, ...named },
    ];
  }
}
