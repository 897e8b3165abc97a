/**
 * The history that the nodes of a cluster share. One of them writes. Each keeps the events that are not stored yet, so that
 * the next writer loses none and doubles none; queries wait until everything is stored that the node had applied.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instrument } from '../core/model/instrument.ts';
import type { ReadAnswer, ReadArgument, ReadName } from '../history/database-messages.ts';
import type { GeneratedPast } from '../history/generated-candles.ts';
import {
  type AbandonableHistory,
  type History,
  type HistoryContents,
  type HistoryCopies,
  HistoryStarved,
  HistoryUnavailable,
  type ProjectedCommand,
} from '../history/history.ts';
import { HistoryReads } from '../history/history-reads.ts';
import type { OpenHistory } from '../history/linked-history.ts';

/** Commands that a node keeps; with more it can only read. A start from a snapshot makes up for it. */
const KEPT_MAX = 500_000;
const READ_WAIT_MS = 1_000;
const START_WAIT_MS = 60_000;
const FLUSH_WAIT_MS = 10_000;
const POLL_MS = 15;
/** What was generated is there from the beginning, whatever the commands did since. A start reads it while nobody writes. */
const GENERATED: ReadonlySet<ReadName> = new Set(['generatedBooks', 'generatedCandles', 'generatedPart']);

export interface HistoryParts {
  /** Reads, and adds what was generated. */
  readonly reader: OpenHistory;
  /** Takes the place of the last writer. */
  readonly openWriter: (onFailure: (error: Error) => void) => Promise<OpenHistory>;
  /** The last command that is stored, as the database says. */
  readonly storedSeq: () => Promise<number>;
  /** Asks the node that writes to store what it has. */
  readonly wantStored: () => void;
}

export class ClusterHistory extends HistoryReads implements History, HistoryCopies, AbandonableHistory {
  readonly waitsFor = 'database';
  /** Nobody waits at the other end yet, and a start must not fail because the node that writes is behind. */
  isStarting = true;
  readonly #parts: HistoryParts;
  #writer: OpenHistory | undefined;
  #kept: ProjectedCommand[] = [];
  #confirmedSeq: number;
  #projectedSeq: number;
  /** Events up to this command are not kept here. */
  #floor: number;
  #described: Parameters<History['describe']> | undefined;
  #isClosed = false;

  constructor(parts: HistoryParts, confirmedSeq: number) {
    super();
    this.#parts = parts;
    this.#confirmedSeq = confirmedSeq;
    this.#projectedSeq = confirmedSeq;
    this.#floor = confirmedSeq;
  }

  get confirmedSeq(): number {
    return Math.max(this.#confirmedSeq, this.#writer?.confirmedSeq ?? 0);
  }

  get starved(): boolean {
    return this.#writer?.starved ?? false;
  }

  get isWriter(): boolean {
    return this.#writer !== undefined;
  }

  /** Begins to write. Rejects when the database cannot be written to, or this node lacks events that come next. */
  async write(onFailure: (error: Error) => void): Promise<void> {
    const writer = await this.#parts.openWriter((error) => {
      this.#writer = undefined;
      if (!this.#isClosed) onFailure(error);
    });
    if (this.#isClosed) {
      await writer.abandon();
      return;
    }
    if (writer.confirmedSeq < this.#floor) {
      await writer.close();
      throw new Error(
        `the history ends at command ${writer.confirmedSeq} and this node has kept only what comes after ${this.#floor}: start it again`,
      );
    }
    this.#noteStored(writer.confirmedSeq);
    if (this.#described !== undefined) writer.describe(...this.#described);
    for (const command of this.#kept) writer.project(command);
    this.#writer = writer;
  }

  /** Another node writes from now on. */
  async stopWriting(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.abandon();
  }

  /** Stores at once what there is, for a query on another node. */
  storeNow(): void {
    this.#writer?.flush().catch(() => {});
  }

  /** Learns how much is stored; called each second, so that stored events are not kept longer. */
  async refresh(): Promise<void> {
    this.#noteStored(this.#writer?.confirmedSeq ?? (await this.#parts.storedSeq()));
  }

  describe(instruments: readonly Instrument[], coins: readonly string[]): void {
    this.#described = [instruments, coins];
    this.#writer?.describe(instruments, coins);
  }

  project(command: ProjectedCommand): void {
    if (command.seq <= this.#confirmedSeq) return;
    this.#projectedSeq = command.seq;
    this.#kept.push(command);
    this.#writer?.project(command);
    if (this.#kept.length <= KEPT_MAX) return;
    const dropped = this.#kept.splice(0, KEPT_MAX / 2);
    this.#floor = dropped.at(-1)!.seq;
  }

  addGenerated(past: GeneratedPast): void {
    this.#parts.reader.addGenerated(past);
  }

  lag(): number {
    return this.#writer?.lag() ?? this.#kept.length;
  }

  damagedReads(): number {
    return this.#parts.reader.damagedReads();
  }

  async flush(): Promise<void> {
    await this.#parts.reader.flush();
    if (await this.#stored(this.#projectedSeq, FLUSH_WAIT_MS)) return;
    throw new HistoryStarved('the history does not follow: no node stores it');
  }

  async prune(now: number): Promise<number> {
    return (await this.#writer?.prune(now)) ?? 0;
  }

  copyTo(): Promise<void> {
    return Promise.reject(new Error('a history in PostgreSQL is not copied as a file'));
  }

  contents(): Promise<HistoryContents> {
    return Promise.reject(new Error('a history in PostgreSQL is not copied as a file'));
  }

  async abandon(): Promise<void> {
    this.#isClosed = true;
    await this.stopWriting();
    await this.#parts.reader.abandon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close();
    await this.#parts.reader.close();
  }

  async read<Name extends ReadName>(name: Name, argument: ReadArgument<Name>): Promise<ReadAnswer<Name>> {
    const withinMs = this.isStarting ? START_WAIT_MS : READ_WAIT_MS;
    if (!GENERATED.has(name) && !(await this.#stored(this.#projectedSeq, withinMs)))
      throw new HistoryUnavailable('the history does not have the last commands yet; try again');
    return this.#parts.reader.read(name, argument);
  }

  async #stored(seq: number, withinMs: number): Promise<boolean> {
    const endMs = performance.now() + withinMs;
    let isAsked = false;
    while (this.confirmedSeq < seq) {
      if (this.#isClosed || performance.now() > endMs) return false;
      if (!isAsked) {
        if (this.#writer === undefined) this.#parts.wantStored();
        else this.storeNow();
      }
      isAsked = true;
      await sleep(POLL_MS);
      await this.refresh().catch(() => {});
    }
    return true;
  }

  #noteStored(seq: number): void {
    if (seq <= this.#confirmedSeq) return;
    this.#confirmedSeq = seq;
    let stored = 0;
    while (stored < this.#kept.length && this.#kept[stored]!.seq <= seq) stored++;
    if (stored > 0) this.#kept.splice(0, stored);
    this.#floor = Math.max(this.#floor, seq);
  }
}
