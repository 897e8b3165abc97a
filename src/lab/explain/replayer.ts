/**
 * The exchange as it was before a command: the nearest snapshot, and the commands since. Snapshots of its own are made on the
 * way, so that the next replay into the same time is short. Everything happens on a copy.
 */
import { Exchange } from '../../core/engine/exchange.ts';
import type { Command } from '../../core/model/command.ts';
import type { CommandResult } from '../../core/model/command-result.ts';
import { loadState, saveState } from '../../core/snapshot/snapshot.ts';
import type { Tracer } from '../../core/state/tracer.ts';
import type { Snapshot } from '../../journal/command-journal.ts';
import { effectiveCommands, type LoggedCommand } from '../../sequencer/effective-commands.ts';
import type { Past } from './past.ts';

/** Commands between two of the snapshots that replays make. */
const EVERY_COMMANDS = 10_000;
const KEPT_BYTES_MAX = 256 * 1024 * 1024;

/** A state to begin with. */
interface Start {
  /** The last command in it; 0 for a new exchange. */
  readonly seq: number;
  readonly state: Uint8Array | undefined;
  /** The last id given by then. */
  readonly lastId: number;
}

/** Called after each command of a replay; true ends it. */
export type ReplayVisitor = (exchange: Exchange, applied: LoggedCommand, result: CommandResult) => boolean;

interface Manner {
  /** Leave out the events of orders and money. */
  readonly suppressEvents?: boolean;
  readonly tracer?: Tracer;
}

export interface ReplayedExchange {
  readonly exchange: Exchange;
  /** The last command that it has applied. */
  readonly seq: number;
}

export class Replayer {
  readonly #past: Past;
  /** Own ones, ascending. */
  #kept: Start[] = [];
  /** The last ids of snapshots that were looked at. */
  readonly #ids = new Map<number, number>();
  /** Commands replayed so far. */
  replayed = 0;

  constructor(past: Past) {
    this.#past = past;
  }

  get oldest(): number {
    return this.#past.oldest;
  }

  /** The exchange after command `seq`, and nothing behind it. */
  after(seq: number, visit?: ReplayVisitor): ReplayedExchange {
    return this.run(this.#startBefore(seq), seq, visit);
  }

  /** Looks at the commands from the start before `seq` on up to `lastSeq`; returns the command before that start. */
  since(seq: number, lastSeq: number, visit: ReplayVisitor): number {
    const start = this.#startBefore(seq);
    this.run(start, lastSeq, visit, { suppressEvents: true });
    return start.seq - 1;
  }

  /** The command itself; undefined when a later record skips it. */
  command(seq: number, lastSeq: number): Command | undefined {
    for (const logged of effectiveCommands(this.#past.records(seq - 1, Math.min(seq + 1, lastSeq))))
      if (logged.seq === seq) return logged.command;
    return undefined;
  }

  /** All commands that are there, oldest first. */
  commands(lastSeq: number): Iterable<LoggedCommand> {
    return effectiveCommands(this.#past.records(this.oldest - 1, lastSeq));
  }

  /** The command that gave an id; undefined when it lies before the oldest one or has not been given. */
  givenBy(id: number, lastSeq: number): number | undefined {
    const start = this.#starts(lastSeq).findLast(({ lastId }) => lastId < id);
    if (start === undefined) return undefined;
    const { exchange, seq } = this.run(start, lastSeq, ({ state }) => state.lastId >= id, {
      suppressEvents: true,
    });
    return exchange.state.lastId >= id ? seq : undefined;
  }

  /** Goes back through the past in pieces, newest first, until a look into one finds something. */
  backwards<Found>(
    lastSeq: number,
    lookInto: (start: Start, endSeq: number) => Found | undefined,
  ): Found | undefined {
    let end = lastSeq;
    for (const start of this.#starts(lastSeq).toReversed()) {
      const found = start.seq < end ? lookInto(start, end) : undefined;
      if (found !== undefined) return found;
      end = start.seq;
    }
    return undefined;
  }

  /** Applies the commands behind a start, up to one. */
  run(start: Start, lastSeq: number, visit?: ReplayVisitor, manner: Manner = {}): ReplayedExchange {
    const { suppressEvents = visit === undefined, tracer } = manner;
    const exchange = start.state === undefined ? new Exchange() : new Exchange(loadState(start.state));
    let seq = start.seq;
    exchange.suppressEvents = suppressEvents;
    for (const logged of effectiveCommands(this.#past.records(seq, lastSeq))) {
      const result =
        tracer === undefined
          ? exchange.apply(logged.command, logged.seq)
          : exchange.applyTraced(logged.command, logged.seq, tracer);
      seq = logged.seq;
      this.replayed++;
      const ends = visit?.(exchange, logged, result) === true;
      exchange.takeEvents();
      if (ends) break;
      if (seq % EVERY_COMMANDS === 0) this.#keep(exchange, seq);
    }
    exchange.suppressEvents = false;
    return { exchange, seq };
  }

  #startBefore(seq: number): Start {
    const own = this.#kept.findLast((start) => start.seq <= seq);
    const snapshot = this.#past.snapshot(seq);
    if (own !== undefined && own.seq >= (snapshot?.seq ?? 0)) return own;
    return this.#startOf(snapshot);
  }

  /** All of them, ascending. */
  #starts(lastSeq: number): Start[] {
    const starts = [...this.#kept];
    for (let seq = lastSeq; ; ) {
      const snapshot = this.#past.snapshot(seq);
      if (snapshot !== undefined && !starts.some((start) => start.seq === snapshot.seq))
        starts.push(this.#startOf(snapshot));
      if (snapshot === undefined) {
        if (this.oldest === 1) starts.push(NEW);
        break;
      }
      if (snapshot.seq === 0) break;
      seq = snapshot.seq - 1;
    }
    return starts.filter(({ seq }) => seq <= lastSeq).sort((a, b) => a.seq - b.seq);
  }

  #startOf(snapshot: Snapshot | undefined): Start {
    if (snapshot === undefined) return NEW;
    const { seq, state } = snapshot;
    const lastId = this.#ids.get(seq) ?? loadState(state).lastId;
    this.#ids.set(seq, lastId);
    return { seq, state, lastId };
  }

  #keep({ state }: Exchange, seq: number): void {
    if (this.#kept.some((start) => start.seq === seq)) return;
    const kept = { seq, state: saveState(state).slice(), lastId: state.lastId };
    this.#kept = [...this.#kept, kept].sort((a, b) => a.seq - b.seq);
    let bytes = this.#kept.reduce((sum, start) => sum + (start.state?.length ?? 0), 0);
    while (bytes > KEPT_BYTES_MAX) bytes -= this.#kept.shift()?.state?.length ?? bytes;
  }
}

const NEW: Start = { seq: 0, state: undefined, lastId: 0 };
