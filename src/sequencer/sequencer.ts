/**
 * Runs the core. A command is stamped with the time and proposed to the log of commands; it is applied when it comes back
 * with its sequence number, which on one machine is at once. Its result and events are released only when it is durable. Reads
 * wait for the same watermark, so no client sees an effect that a crash could undo.
 */

import { decodeCommand, type Stamped, stampCommand } from '../core/codec/command-codec.ts';
import type { Exchange } from '../core/engine/exchange.ts';
import type { LiquidationMonitor } from '../core/liquidation/liquidation-monitor.ts';
import type { AmendOrders, Command, Unstamped } from '../core/model/command.ts';
import { type CommandResult, OK } from '../core/model/command-result.ts';
import type { Event } from '../core/model/event.ts';
import type { State } from '../core/state/state.ts';
import type { History } from '../history/history.ts';
import type { JournalCapacity } from '../journal/command-journal.ts';
import type { Clock } from './clock.ts';
import type { CommandLog } from './command-log.ts';
import { Generated24hStats } from './generated-24h-stats.ts';
import { CHECKPOINT_COMMANDS } from './limits.ts';
import { type Resources, type Shortage, shedReason, shortageOf } from './load-shedding.ts';
import { OutstandingAmends } from './outstanding-amends.ts';
import { describeListings, isListing } from './recovery.ts';
import { type RequestTiming, type Waiting, WaitingResults } from './waiting-results.ts';

/** The result is not known: the command may or may not survive in the journal. The client must query by its id. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
}

/** Commands of this kind are not accepted now; nothing happened. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

const NO_EVENTS: readonly Event[] = [];

export interface Published {
  readonly seq: number;
  readonly time: number;
  readonly events: readonly Event[];
}

/** A request of a user about orders, by the number of what was called. */
export interface OrderCall {
  readonly uid: number;
  readonly code: number;
}

/** A command without a sequence number yet. */
interface Proposal {
  readonly command: Command;
  /** Ids of the orders whose modification is outstanding until the command is durable. */
  readonly amended: readonly number[] | undefined;
  readonly resolve: (result: CommandResult) => void;
  readonly reject: (error: Error) => void;
  readonly timing: RequestTiming | undefined;
  /** The one that was proposed together with it. */
  readonly next: Proposal | undefined;
}

const ignore = () => {};

/** For a command that another node proposed: no request of this node waits for it. */
const NO_WAITER = { amended: undefined, resolve: ignore, reject: ignore, timing: undefined };

/** The count of outstanding modifications is made for one command at a time. */
type Paired = Unstamped<Exclude<Command, AmendOrders>>;

/** A command as it was submitted, and the request that waits for it. */
interface Submission {
  readonly unstamped: Paired;
  readonly resolve: Proposal['resolve'];
  readonly reject: Proposal['reject'];
  readonly timing: RequestTiming | undefined;
}

export class Sequencer {
  readonly clock: Clock;
  readonly history: History;
  /** Statistics of generated candles, for tickers of a young exchange. */
  readonly generated24h = new Generated24hStats();
  private readonly exchange: Exchange;
  private readonly log: CommandLog;
  private readonly proposals = new Map<number, Proposal>();
  private lastTicket = 0;
  /**
   * Orders that commands asked to place or modify since the start, rejected ones and those of other nodes and of the simulator's
   * agents included.
   */
  ordersEntered = 0;
  private lastSeq: number;
  private projectedSeq: number;
  private readonly waiting = new WaitingResults();
  private readonly outstandingAmends = new OutstandingAmends();
  /** Replaced when one comes or goes: an announcement may be under way. */
  private listeners: readonly ((published: Published) => void)[] = [];
  /** Measures what is submitted in this turn; a request sets it while its handler runs, up to the first wait. */
  timing: RequestTiming | undefined;
  /**
   * Returns why a command is not accepted; undefined admits it. The laboratory stops prices with it, a node of a cluster all
   * commands while its state may be wrong.
   */
  admissionFilter: ((command: Unstamped<Command>) => string | undefined) | undefined;
  /** Attributes what `act` submits before it returns to the call. Undefined on one machine, which announces calls to no node. */
  runAsOrderCall: (<Result>(call: OrderCall, act: () => Result) => Result) | undefined;
  /** Set by the memory guard: commands that need more memory are rejected. */
  memoryShort = false;
  private sinceCheckpoint = 0;
  /** A tick that goes on with work in portions is about to be submitted. */
  private workScheduled = false;
  private failedWith: Error | undefined;
  private ending = false;
  private reportFailure: (error: Error) => void = () => {};

  constructor(exchange: Exchange, log: CommandLog, history: History, clock: Clock, lastSeq: number) {
    this.exchange = exchange;
    this.log = log;
    this.history = history;
    this.clock = clock;
    this.lastSeq = lastSeq;
    this.projectedSeq = lastSeq;
    log.onSequenced((seq, ticket, payload) => this.apply(seq, ticket, payload));
    log.onRefused((ticket, error) => this.onRefused(ticket, error));
    const release = (waiting: Waiting) => this.release(waiting);
    log.onDurable((durableSeq) => this.waiting.releaseUpTo(durableSeq, release));
    log.onFailure((error) => this.fail(error));
  }

  /** The state now; responses made from it must wait for `durable`. */
  get state(): State {
    return this.exchange.state;
  }

  get liquidationMonitor(): LiquidationMonitor {
    return this.exchange.liquidationMonitor;
  }

  get appliedSeq(): number {
    return this.lastSeq;
  }

  get durableSeq(): number {
    return this.log.durableSeq;
  }

  /** Work in portions is not done yet; ticks go on with it by themselves. */
  get hasOpenWork(): boolean {
    return this.failedWith === undefined && !this.ending && this.exchange.hasOpenWork;
  }

  /** Why the sequencer stopped, if it did. */
  get failure(): Error | undefined {
    return this.failedWith;
  }

  capacity(): JournalCapacity {
    return this.log.capacity();
  }

  /** The present shortage; undefined when every command is accepted. */
  shortage(): Shortage | undefined {
    return shortageOf(this.resources());
  }

  /** Called with the events of each command once it is durable, in order. Returns what ends it. */
  onPublished(listener: (published: Published) => void): () => void {
    this.listeners = [...this.listeners, listener];
    return () => {
      this.listeners = this.listeners.filter((each) => each !== listener);
    };
  }

  /** Called once when the sequencer can no longer keep its promises and the process must end. */
  onFailed(listener: (error: Error) => void): void {
    this.reportFailure = listener;
  }

  /**
   * Sequences and applies a command; resolves with its result when it is durable. A request that submits after a wait passes
   * the timing that it began with.
   */
  submit(command: Unstamped<Command>, timing = this.timing): Promise<CommandResult> {
    const refusal = this.refusalOf(command);
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise((resolve, reject) => this.propose(command, resolve, reject, timing));
  }

  /** Two commands with adjacent sequence numbers. */
  submitTogether(first: Paired, second: Paired): readonly [Promise<CommandResult>, Promise<CommandResult>] {
    const refusal = this.refusalOf(first) ?? this.refusalOf(second);
    if (refusal !== undefined) return [Promise.reject(refusal), Promise.reject(refusal)];
    const [one, other] = [Promise.withResolvers<CommandResult>(), Promise.withResolvers<CommandResult>()];
    const { timing } = this;
    this.proposeBoth({ unstamped: first, ...one, timing }, { unstamped: second, ...other, timing });
    return [one.promise, other.promise];
  }

  /** Why a command is not accepted now. */
  private refusalOf(command: Unstamped<Command>): Unavailable | undefined {
    if (this.failedWith !== undefined) return this.stopped();
    if (this.ending) return new Unavailable('the exchange stops');
    const reason = this.admissionFilter?.(command) ?? shedReason(command, this.resources(), this.state);
    return reason === undefined ? undefined : new Unavailable(reason);
  }

  /** Resolves when everything applied so far is durable: a read made before may then be sent. */
  durable(timing = this.timing): Promise<unknown> | undefined {
    if (this.failedWith !== undefined) return Promise.reject(this.stopped());
    if (this.log.durableSeq >= this.lastSeq) return undefined;
    return new Promise((resolve, reject) => {
      const { lastSeq: seq } = this;
      this.waiting.add({
        seq,
        time: 0,
        events: NO_EVENTS,
        result: OK,
        amended: undefined,
        resolve,
        reject,
        timing,
      });
    });
  }

  /**
   * Calls `act` between two commands, when everything applied so far is durable and in the history, and nothing later is.
   * Checkpoints are counted from here, so that an exchange that continues from a copy of this state writes the same ones.
   * `failed` is called instead when the exchange stops before that.
   */
  atDurableBoundary(act: () => void, failed: (error: Error) => void): void {
    this.sinceCheckpoint = 0;
    if (this.log.durableSeq >= this.lastSeq) {
      act();
      return;
    }
    if (this.failedWith !== undefined) {
      failed(this.stopped());
      return;
    }
    this.waiting.add({
      seq: this.lastSeq,
      time: 0,
      events: NO_EVENTS,
      result: OK,
      amended: undefined,
      resolve: act,
      reject: failed,
      timing: undefined,
    });
  }

  /** Accepts no more commands; resolves when the last one is durable and in the history, which may then be closed. */
  async end(): Promise<void> {
    this.ending = true;
    if (this.failedWith === undefined) await this.durable();
  }

  private stopped(): Unavailable {
    return new Unavailable(`the exchange has stopped: ${this.failedWith!.message}`);
  }

  private resources(): Resources {
    const { log, history, memoryShort } = this;
    return { log, history, memoryShort };
  }

  private propose(
    unstamped: Unstamped<Command>,
    resolve: Proposal['resolve'],
    reject: Proposal['reject'],
    timing: RequestTiming | undefined,
  ): void {
    const amended =
      unstamped.type === 'amendOrders' ? OutstandingAmends.ordersOf(this.state, unstamped) : undefined;
    const ticket = ++this.lastTicket;
    try {
      const { command, bytes } = this.stamp(unstamped, amended);
      this.proposals.set(ticket, { command, amended, resolve, reject, timing, next: undefined });
      this.log.propose([bytes], ticket);
    } catch (error) {
      this.refuse(ticket, amended, reject, error as Error);
    }
    this.checkpointWhenDue();
  }

  private proposeBoth(first: Submission, second: Submission): void {
    const ticket = ++this.lastTicket;
    const both = [first, second];
    try {
      const stamped = both.map(({ unstamped }) => {
        const { command, bytes } = this.stamp(unstamped, undefined);
        // The codec reuses its buffer.
        return { command, bytes: bytes.slice() };
      });
      let next: Proposal | undefined;
      for (const n of [1, 0]) next = { command: stamped[n]!.command, amended: undefined, ...both[n]!, next };
      this.proposals.set(ticket, next!);
      this.log.propose(
        stamped.map(({ bytes }) => bytes),
        ticket,
      );
    } catch (error) {
      for (const { reject } of both) this.refuse(ticket, undefined, reject, error as Error);
    }
    this.checkpointWhenDue();
  }

  /** The log did not take the command, so it has no effect. */
  private refuse(
    ticket: number,
    amended: readonly number[] | undefined,
    reject: Proposal['reject'],
    error: Error,
  ): void {
    this.proposals.delete(ticket);
    if (amended !== undefined) this.outstandingAmends.release(amended);
    reject(new Unavailable(error.message));
  }

  /** The log dropped the proposal: it gets no sequence number. */
  private onRefused(ticket: number, error: Error): void {
    for (let proposal = this.proposals.get(ticket); proposal !== undefined; proposal = proposal.next) {
      const { amended, reject } = proposal;
      this.refuse(ticket, amended, reject, error);
    }
  }

  /** Applies a command that has its sequence number; any node may have proposed it. */
  private apply(seq: number, ticket: number, payload: Uint8Array | undefined): void {
    if (this.failedWith !== undefined) return;
    const proposal = this.proposals.get(ticket);
    if (proposal?.next === undefined) this.proposals.delete(ticket);
    else this.proposals.set(ticket, proposal.next);
    const { amended, resolve, reject, timing } = proposal ?? NO_WAITER;
    this.lastSeq = seq;
    if (payload === undefined) {
      this.skipLate(seq, amended, reject);
      return;
    }
    const command = proposal === undefined || this.log.isShared ? decodeCommand(payload) : proposal.command;
    try {
      const result = this.exchange.apply(command, seq);
      const events = this.exchange.takeEvents();
      this.waiting.add({ seq, time: command.time, events, result, amended, resolve, reject, timing });
      timing?.applied(seq);
    } catch (error) {
      // The state may be half changed: stop. The restart replays the journal and stops at the same command.
      reject(new OutcomeUnknown('the command broke an invariant'));
      this.fail(error as Error);
      return;
    }
    if (command.type !== 'checkpoint') this.sinceCheckpoint++;
    if (command.type === 'placeOrder') this.ordersEntered++;
    else if (command.type === 'amendOrders') this.ordersEntered += command.items.length;
    if (this.exchange.hasOpenWork) this.continueWork();
  }

  /** A command that arrived too late keeps its sequence number and has no effect. */
  private skipLate(seq: number, amended: readonly number[] | undefined, reject: Proposal['reject']): void {
    const resolve = () => reject(new Unavailable('not executed: the command got its place too late'));
    const { now: time } = this.state;
    const nothing = { events: NO_EVENTS, result: OK, reject: ignore, timing: undefined };
    this.waiting.add({ seq, time, amended, resolve, ...nothing });
  }

  /** Goes on with work in portions that a restored state has. A clock that somebody else moves brings no tick for it. */
  resumeWork(): void {
    if (this.hasOpenWork) this.continueWork();
  }

  /**
   * Ticks until work in portions is done (rules 14.1), one in each turn of the loop, so that other commands come in between.
   * They do not wait for each other to be durable: until the work is done, receivers of funding wait for their money and are
   * not liquidated (rules 14.3). After a tick that is refused, the next of the clock goes on with the work.
   */
  private continueWork(): void {
    if (this.workScheduled) return;
    this.workScheduled = true;
    setImmediate(() => {
      this.workScheduled = false;
      this.submit({ type: 'tick' }).catch(ignore);
    });
  }

  /** Time never runs backwards, whatever the clock says. */
  protected stamp(unstamped: Unstamped<Command>, amended: readonly number[] | undefined): Stamped {
    const time = Math.max(this.timeOf(unstamped), this.exchange.state.now);
    const undated =
      unstamped.type === 'amendOrders' ? this.outstandingAmends.add(unstamped, amended!) : unstamped;
    return stampCommand(undated, time);
  }

  /** A tick may name a second that has passed already: a scaled clock submits several seconds at once. */
  private timeOf(unstamped: Unstamped<Command>): number {
    const now = this.clock.now();
    return unstamped.type === 'tick' && unstamped.time !== undefined ? Math.min(unstamped.time, now) : now;
  }

  /** Called after a proposal: inside one, the second command of a pair has its sequence number when the first is applied. */
  private checkpointWhenDue(): void {
    if (this.log.isShared || this.failedWith !== undefined || this.sinceCheckpoint < CHECKPOINT_COMMANDS)
      return;
    this.sinceCheckpoint = 0;
    this.propose({ type: 'checkpoint', digest: this.exchange.state.digest.value }, ignore, ignore, undefined);
  }

  private release({ seq, time, events, result, amended, resolve, timing }: Waiting): void {
    if (amended !== undefined) this.outstandingAmends.release(amended);
    if (isListing(events)) describeListings(this.history, this.state);
    // Also commands without events: the history must be able to confirm everything up to a snapshot.
    if (seq > this.projectedSeq) this.history.project({ seq, time, events });
    this.projectedSeq = seq;
    timing?.durable();
    resolve(result);
    if (events.length !== 0) for (const listener of this.listeners) listener({ seq, time, events });
  }

  /** Stops for good and reports it: the state may be wrong or cannot be kept. */
  fail(error: Error): void {
    if (this.failedWith !== undefined) return;
    this.stopWith(error);
    this.reportFailure(error);
  }

  /** Rejects all waiting and later calls with this reason, and does not report a failure: the exchange is being replaced. */
  stopWith(error: Error): void {
    if (this.failedWith !== undefined) return;
    this.failedWith = error;
    this.waiting.rejectAll(
      new OutcomeUnknown(`the exchange stopped before the command was safe on disk: ${error.message}`),
    );
    for (const first of this.proposals.values())
      for (let proposal: Proposal | undefined = first; proposal !== undefined; proposal = proposal.next)
        proposal.reject(
          new OutcomeUnknown(`the exchange stopped before the command had its place: ${error.message}`),
        );
    this.proposals.clear();
  }
}
