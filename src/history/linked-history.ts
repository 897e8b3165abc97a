/**
 * A history whose database is at the other end of a link. This side only sorts events into batches and posts them;
 * formatting, writing and reading happen there: SQLite in a thread for a file and in a later turn in memory
 * (`sqlite-history.ts`), PostgreSQL wherever its server is (`postgres/postgres-history.ts`).
 */
import type { Instrument } from '../core/model/instrument.ts';
import type { DatabaseLink, LinkListener } from './database-link.ts';
import type {
  FromDatabase,
  ReadAnswer,
  ReadArgument,
  ReadName,
  Request,
  ToDatabase,
} from './database-messages.ts';
import type { GeneratedPast } from './generated-candles.ts';
import type {
  AbandonableHistory,
  History,
  HistoryContents,
  HistoryCopies,
  ProjectedCommand,
} from './history.ts';
import { HistoryRefused, HistoryStarved, HistoryUnavailable } from './history.ts';
import { HistoryReads } from './history-reads.ts';
import { BatchPacker } from './packed-batch.ts';
import { addEvent } from './projection-batch.ts';
import { RecordDamaged } from './record-damaged.ts';

/** A batch leaves at this size or age, or before a read: messages between threads cost more than their rows. */
const BATCH_ROWS_MAX = 1000;
const BATCH_DELAY_MS = 20;

export interface LinkedHistoryOptions {
  /** A write failed or the thread ended: the history accepts nothing more and every call is rejected. */
  readonly onFailure: (error: Error) => void;
  /** Progress of adding checksums to rows of an older program: their number, and whether all have one. */
  readonly onSealed?: ((rows: number, all: boolean) => void) | undefined;
  /** What the operator should know: a server that went away or came back. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** What rows wait for that cannot be stored; the disk unless given. */
  readonly waitsFor?: History['waitsFor'];
}

export type OpenHistory = History & HistoryCopies & AbandonableHistory & Pick<HistoryReads, 'read'>;

/** `place` is where it is, for messages. */
export async function openLinkedHistory(
  place: string,
  options: LinkedHistoryOptions,
  connect: (listener: LinkListener) => DatabaseLink,
): Promise<OpenHistory> {
  const history = new LinkedHistory(place, options, connect);
  await history.opened;
  return history;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

class LinkedHistory extends HistoryReads implements History, HistoryCopies, AbandonableHistory {
  readonly opened: Promise<void>;
  readonly waitsFor: History['waitsFor'];
  readonly #link: DatabaseLink;
  /** Where it is, for messages. */
  readonly #place: string;
  readonly #waiting = new Map<number, Waiting>();
  #nextRequest = 1;
  #confirmedSeq = 0;
  #projectedSeq = 0;
  #projectedRows = 0;
  #storedRows = 0;
  #damagedReads = 0;
  #starved = false;
  readonly #batch = new BatchPacker();
  /**
   * A description that the database does not have yet; it is posted with the next message that needs it, so that a
   * hundred listings cost one.
   */
  #described: ToDatabase | undefined;
  #batchTimer: NodeJS.Timeout | undefined;
  #failure: Error | undefined;
  #closing = false;
  /** The database has said so. */
  #closed = false;

  readonly #onSealed: LinkedHistoryOptions['onSealed'];
  readonly #onNotice: LinkedHistoryOptions['onNotice'];

  constructor(
    place: string,
    { onFailure, onSealed, onNotice, waitsFor = 'disk' }: LinkedHistoryOptions,
    connect: (listener: LinkListener) => DatabaseLink,
  ) {
    super();
    this.#onSealed = onSealed;
    this.#onNotice = onNotice;
    this.waitsFor = waitsFor;
    this.#place = place;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.opened = promise;
    let open = false;
    const failed = (cause: Error) => {
      if (this.#failure !== undefined) return;
      const error = new Error(`history failed: ${cause.message}`, { cause });
      this.#fail(error);
      if (open) onFailure(error);
      else reject(error);
    };
    this.#link = connect({
      received: (message) => {
        if (message.type === 'failed') {
          failed(message.refused ? new HistoryRefused(message.message) : new Error(message.message));
          return;
        }
        this.#receive(message);
        if (open || message.type !== 'stored') return;
        open = true;
        this.#projectedSeq = this.#confirmedSeq;
        resolve();
      },
      failed,
      ended: (reason) => {
        if (!this.#closed) failed(reason);
      },
    });
  }

  get confirmedSeq(): number {
    return this.#confirmedSeq;
  }

  get starved(): boolean {
    return this.#starved;
  }

  describe(instruments: readonly Instrument[], coins: readonly string[]): void {
    this.#mustWork();
    if (this.#batch.rows > 0) this.#postBatch();
    this.#described = { type: 'describe', instruments, coins };
  }

  project({ seq, events, gap }: ProjectedCommand): void {
    this.#mustWork();
    if (seq <= this.#confirmedSeq) return;
    if (seq <= this.#projectedSeq)
      throw new Error(`command ${seq} was projected after ${this.#projectedSeq}`);
    this.#projectedSeq = seq;
    this.#batch.seq = seq;
    if (gap === true) this.#batch.gapSeq = seq;
    for (const event of events) addEvent(this.#batch, event);
    if (this.#batch.rows >= BATCH_ROWS_MAX) this.#postBatch();
    else this.#batchTimer ??= setTimeout(() => this.#postBatch(), BATCH_DELAY_MS);
  }

  addGenerated(past: GeneratedPast): void {
    this.#mustWork();
    this.#post({ type: 'generated', past });
  }

  lag(): number {
    return this.#projectedRows + this.#batch.rows - this.#storedRows;
  }

  damagedReads(): number {
    return this.#damagedReads;
  }

  async flush(): Promise<void> {
    await this.#request((id) => ({ type: 'flush', id }));
  }

  async prune(now: number): Promise<number> {
    return (await this.#request((id) => ({ type: 'prune', id, now }))) as number;
  }

  async copyTo(path: string): Promise<void> {
    await this.#request((id) => ({ type: 'copy', id, path }));
  }

  async contents(): Promise<HistoryContents> {
    return (await this.#request((id) => ({ type: 'copy', id }))) as HistoryContents;
  }

  async abandon(): Promise<void> {
    if (this.#failure !== undefined || this.#closing) return;
    this.#closing = true;
    this.#fail(new Error('history was abandoned'));
    await this.#link.abandon();
  }

  async close(): Promise<void> {
    if (this.#failure !== undefined || this.#closing) return;
    const closed = this.#request((id) => ({ type: 'close', id }));
    this.#closing = true;
    await closed;
    this.#closed = true;
    await this.#link.end();
    this.#fail(new Error('history is closed'));
  }

  async read<Name extends ReadName>(name: Name, argument: ReadArgument<Name>): Promise<ReadAnswer<Name>> {
    return (await this.#request((id) => ({ type: 'read', id, name, argument }))) as ReadAnswer<Name>;
  }

  /** Everything projected is posted first, so that the read sees it. */
  #request(make: (id: number) => Request): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#mustWork();
      this.#postBatch();
      const id = this.#nextRequest++;
      this.#waiting.set(id, { resolve, reject });
      this.#post(make(id));
    });
  }

  #postBatch(): void {
    clearTimeout(this.#batchTimer);
    this.#batchTimer = undefined;
    if (this.#batch.seq === 0) return;
    this.#projectedRows += this.#batch.rows;
    const batch = this.#batch.take();
    this.#post({ type: 'batch', batch }, [batch.packed.buffer]);
  }

  #post(message: ToDatabase, handedOver: readonly ArrayBuffer[] = []): void {
    if (this.#described !== undefined) this.#link.post(this.#described, []);
    this.#described = undefined;
    this.#link.post(message, handedOver);
  }

  #receive(message: Exclude<FromDatabase, { type: 'failed' }>): void {
    if (message.type === 'stored') {
      this.#confirmedSeq = message.seq;
      this.#storedRows = message.rows;
      this.#starved = message.starved;
      return;
    }
    if (message.type === 'notice') {
      this.#onNotice?.(message.text);
      return;
    }
    if (message.type === 'sealed') {
      this.#onSealed?.(message.rows, message.all);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.type === 'answer') waiting?.resolve(message.value);
    else if (message.type === 'starved')
      waiting?.reject(new HistoryStarved(message.reason ?? `no space left for ${this.#place}`));
    else if (message.type === 'unavailable') waiting?.reject(new HistoryUnavailable(message.reason));
    else {
      const reason = `history cannot answer: ${message.message}`;
      if (message.damaged) this.#damagedReads += 1;
      waiting?.reject(message.damaged ? new RecordDamaged(reason) : new Error(reason));
    }
  }

  #mustWork(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closing) throw new Error('history is closed');
  }

  #fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    clearTimeout(this.#batchTimer);
  }
}
