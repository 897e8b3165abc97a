/**
 * Runs the core. A command is stamped with the time, appended to the journal and applied at once, in that
 * order; its result and events are released only when the journal reports it as durable. Reads wait for the same
 * watermark, so no client sees an effect that a crash could undo.
 */

import { type Stamped, stampCommand } from '../core/codec/command-codec.ts';
import type { Exchange } from '../core/engine/exchange.ts';
import type { AmendOrders, Command, Undated, Unstamped } from '../core/model/command.ts';
import { type CommandResult, OK } from '../core/model/command-result.ts';
import type { Event } from '../core/model/event.ts';
import { openOrderId } from '../core/reads/reads.ts';
import type { State } from '../core/state/state.ts';
import type { History } from '../history/history.ts';
import type { CommandJournal } from '../journal/command-journal.ts';
import type { Clock } from './clock.ts';
import { Generated24hStats } from './generated-24h-stats.ts';
import { CHECKPOINT_COMMANDS } from './limits.ts';
import { type Resources, type Shortage, shedReason, shortageOf } from './load-shedding.ts';
import { describe, isListing } from './recovery.ts';

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

interface Waiting {
  readonly seq: number;
  readonly time: number;
  readonly events: readonly Event[];
  readonly result: CommandResult;
  /** Ids of the orders whose modification is outstanding until the command is durable. */
  readonly amended: readonly number[] | undefined;
  readonly resolve: (result: CommandResult) => void;
  readonly reject: (error: Error) => void;
}

export class Sequencer {
  readonly clock: Clock;
  readonly history: History;
  /** Statistics of generated candles, for tickers of a young exchange. */
  readonly generated24h = new Generated24hStats();
  private readonly exchange: Exchange;
  private readonly journal: CommandJournal;
  private lastSeq: number;
  private projectedSeq: number;
  /** Sequenced and not yet durable, oldest first from `head`. */
  private waiting: Waiting[] = [];
  private head = 0;
  private readonly outstandingAmends = new Map<number, number>();
  private readonly listeners: ((published: Published) => void)[] = [];
  /** Set by the memory guard: commands that need more memory are rejected. */
  memoryShort = false;
  private sinceCheckpoint = 0;
  private halted: Error | undefined;
  private onHalt: (error: Error) => void = () => {};

  constructor(exchange: Exchange, journal: CommandJournal, history: History, clock: Clock, lastSeq: number) {
    this.exchange = exchange;
    this.journal = journal;
    this.history = history;
    this.clock = clock;
    this.lastSeq = lastSeq;
    this.projectedSeq = lastSeq;
    journal.onDurable((seq) => this.publish(seq));
    journal.onFailure((error) => this.halt(error));
  }

  /** The state now; responses made from it must wait for `durable`. */
  get state(): State {
    return this.exchange.state;
  }

  get appliedSeq(): number {
    return this.lastSeq;
  }

  get durableSeq(): number {
    return this.journal.durableSeq;
  }

  /** Why the sequencer stopped, if it did. */
  get failure(): Error | undefined {
    return this.halted;
  }

  capacity(): ReturnType<CommandJournal['capacity']> {
    return this.journal.capacity();
  }

  /** The present shortage; undefined when every command is accepted. */
  shortage(): Shortage | undefined {
    return shortageOf(this.resources());
  }

  /** Called with the events of each command once it is durable, in order. */
  onPublished(listener: (published: Published) => void): void {
    this.listeners.push(listener);
  }

  /** Called once when the sequencer can no longer keep its promises and the process must end. */
  onHalted(listener: (error: Error) => void): void {
    this.onHalt = listener;
  }

  /** Sequences and applies a command; resolves with its result when it is durable. */
  submit(command: Unstamped<Command>): Promise<CommandResult> {
    if (this.halted !== undefined)
      return Promise.reject(new Unavailable(`the venue has stopped: ${this.halted.message}`));
    const reason = shedReason(command, this.resources(), this.state);
    if (reason !== undefined) return Promise.reject(new Unavailable(reason));
    return new Promise((resolve, reject) => this.sequence(command, resolve, reject));
  }

  /** Resolves when everything applied so far is durable: a read made before may then be sent. */
  durable(): Promise<unknown> | undefined {
    if (this.halted !== undefined)
      return Promise.reject(new Unavailable(`the venue has stopped: ${this.halted.message}`));
    if (this.journal.durableSeq >= this.lastSeq) return undefined;
    return new Promise((resolve, reject) => {
      const { lastSeq: seq } = this;
      this.waiting.push({
        seq,
        time: 0,
        events: NO_EVENTS,
        result: OK,
        amended: undefined,
        resolve,
        reject,
      });
    });
  }

  private resources(): Resources {
    const { journal, history, memoryShort } = this;
    return { journal, history, memoryShort };
  }

  private sequence(given: Unstamped<Command>, resolve: Waiting['resolve'], reject: Waiting['reject']): void {
    const { exchange } = this;
    const amended = given.type === 'amendOrders' ? this.amendedOrders(given) : undefined;
    let command: Command;
    try {
      const stamped = this.stamp(given, amended);
      command = stamped.command;
      this.lastSeq = this.journal.append(stamped.bytes);
    } catch (error) {
      // The command is not in the journal, so it has no effect.
      if (amended !== undefined) this.releaseAmends(amended);
      reject(new Unavailable((error as Error).message));
      return;
    }
    try {
      const result = exchange.apply(command);
      const events = exchange.takeEvents();
      this.waiting.push({ seq: this.lastSeq, time: command.time, events, result, amended, resolve, reject });
    } catch (error) {
      // The state may be half changed: stop. The restart replays the journal and stops at the same command.
      reject(new OutcomeUnknown('the command broke an invariant'));
      this.halt(error as Error);
      return;
    }
    if (command.type !== 'checkpoint' && ++this.sinceCheckpoint >= CHECKPOINT_COMMANDS) this.checkpoint();
  }

  /** Time never runs backwards, whatever the clock says. */
  protected stamp(given: Unstamped<Command>, amended: readonly number[] | undefined): Stamped {
    const time = Math.max(this.timeOf(given), this.exchange.state.now);
    const undated = given.type === 'amendOrders' ? this.countOutstanding(given, amended!) : given;
    return stampCommand(undated, time);
  }

  /** A tick may name a second that has passed already: a scaled clock submits several seconds at once. */
  private timeOf(given: Unstamped<Command>): number {
    const now = this.clock.now();
    return given.type === 'tick' && given.time !== undefined ? Math.min(given.time, now) : now;
  }

  private checkpoint(): void {
    this.sinceCheckpoint = 0;
    const { state } = this.exchange;
    const ignore = () => {};
    this.sequence({ type: 'checkpoint', digest: state.digest.value }, ignore, ignore);
  }

  private amendedOrders({ uid, items }: Unstamped<AmendOrders>): number[] {
    return items.map(({ orderId, clientOid }) => openOrderId(this.state, uid, orderId, clientOid));
  }

  /** Gives each item the number of modifications of its order that are not yet durable. */
  private countOutstanding(given: Unstamped<AmendOrders>, orderIds: readonly number[]): Undated<AmendOrders> {
    const { outstandingAmends } = this;
    const items = given.items.map((item, n) => {
      const orderId = orderIds[n]!;
      const outstanding = outstandingAmends.get(orderId) ?? 0;
      outstandingAmends.set(orderId, outstanding + 1);
      return { ...item, outstanding };
    });
    return { ...given, items };
  }

  private releaseAmends(orderIds: readonly number[]): void {
    for (const orderId of orderIds) {
      const left = (this.outstandingAmends.get(orderId) ?? 1) - 1;
      if (left === 0) this.outstandingAmends.delete(orderId);
      else this.outstandingAmends.set(orderId, left);
    }
  }

  private publish(durableSeq: number): void {
    const { waiting } = this;
    while (this.head < waiting.length && waiting[this.head]!.seq <= durableSeq) {
      const { seq, time, events, result, amended, resolve } = waiting[this.head++]!;
      if (amended !== undefined) this.releaseAmends(amended);
      if (isListing(events)) describe(this.history, this.state);
      // Also commands without events: the history must be able to confirm everything up to a snapshot.
      if (seq > this.projectedSeq) this.history.project({ seq, time, events });
      this.projectedSeq = seq;
      resolve(result);
      if (events.length !== 0) for (const listener of this.listeners) listener({ seq, time, events });
    }
    if (this.head === waiting.length) {
      this.waiting = [];
      this.head = 0;
    } else if (this.head > 4096) {
      this.waiting = waiting.slice(this.head);
      this.head = 0;
    }
  }

  /** Stops for good: the state cannot be trusted or kept. */
  halt(error: Error): void {
    if (this.halted !== undefined) return;
    this.halted = error;
    for (const { reject } of this.waiting.slice(this.head)) {
      reject(new OutcomeUnknown(`the venue stopped before the command was safe on disk: ${error.message}`));
    }
    this.waiting = [];
    this.head = 0;
    this.onHalt(error);
  }
}
