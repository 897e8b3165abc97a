/**
 * The database side of a history in PostgreSQL (`../linked-history.ts` is the caller's). Rows are formatted as they come and
 * stored together when a transaction is due: after half a second, at 10,000 rows, or as soon as a read waits for them. Reads
 * have connections of their own and begin when everything projected before them is stored. While the server is away rows
 * wait in memory, reads are refused, and the connection is tried again until it is there.
 */
import type { FromDatabase, Request, ToDatabase } from '../database-messages.ts';
import type { GeneratedPast } from '../generated-candles.ts';
import { HistoryRefused } from '../history.ts';
import { COMMIT_DELAY_MS, COMMIT_ROWS_MAX, IDLE_COMMIT_DELAY_MS } from '../limits.ts';
import { unpackBatch } from '../packed-batch.ts';
import { NameResolver } from '../tables/name-resolver.ts';
import { Absence } from './absence.ts';
import type { PostgresAddress } from './address.ts';
import { FileRows } from './copies.ts';
import { PendingReads, READ_WAIT_MAX_MS, unavailable } from './pending-reads.ts';
import { Readers } from './readers.ts';
import { passes, reasonOf, refusal } from './refusal.ts';
import { WaitingRows } from './waiting-rows.ts';
import { PostgresWriter } from './writer.ts';

/** Between two attempts to reach a server that is away. */
const RETRY_AFTER_MS = 250;
/** Time after which a server that does not answer counts as away. */
const SILENT_AFTER_MS = 10_000;
/** Time that a close waits for the server. */
const CLOSE_WITHIN_MS = 5000;
/** Formatting in one turn, in ms; one message may take longer. */
const SLICE_MS = 5;

/** What the thread starts with. */
export interface PostgresStart {
  readonly address: PostgresAddress;
  /** The exchange whose history it is. */
  readonly instance: string;
  /** A history in SQLite that an empty database begins with. */
  readonly moveFrom?: string | undefined;
  /**
   * Where several programs share a history one of them writes: it takes the place of the last one. Others read, and add what
   * was generated.
   */
  readonly part?: 'writer' | 'reader' | undefined;
}

/** A request that needs the messages before it to be stored. */
interface Due {
  readonly request: Request;
  readonly after: number;
  readonly sinceMs: number;
}

interface Pruning {
  readonly id: number;
  readonly steps: AsyncGenerator<number>;
  deleted: number;
}

export class PostgresDatabase {
  readonly #send: (message: FromDatabase) => void;
  readonly #start: PostgresStart;
  readonly #writer: PostgresWriter;
  readonly #readers: Readers;
  readonly #reads: PendingReads;
  readonly #absence: Absence;
  #names = new NameResolver([], []);
  /** Messages as they came. */
  #inbox: ToDatabase[] = [];
  #slice: NodeJS.Immediate | undefined;
  #waiting = new WaitingRows();
  /** Rows of the transaction under way, or of one that failed and is repeated. */
  #storing: WaitingRows | undefined;
  /** Messages formatted, and stored, since the start. */
  #formatted = 0;
  #stored = 0;
  #storedRows = 0;
  #dueMs = Number.POSITIVE_INFINITY;
  #requests: Due[] = [];
  readonly #prunings: Pruning[] = [];
  #wake = Promise.withResolvers<void>();
  #adding: Promise<void> = Promise.resolve();
  #closing = false;
  #ended = false;

  /** The first message sent means that it is ready. */
  constructor(start: PostgresStart, send: (message: FromDatabase) => void) {
    this.#start = start;
    this.#send = send;
    const { address, instance } = start;
    const name = `bourse history ${process.pid}.${Math.random().toString(36).slice(2, 8)}`;
    this.#writer = new PostgresWriter(address, instance, name, start.part === 'writer');
    this.#readers = new Readers(address, name);
    this.#reads = new PendingReads(this.#readers, send);
    this.#absence = new Absence(address.place, {
      notice: (text) => this.#notice(text),
      changed: () => this.#reportStored(),
    });
    this.#run().catch((error: Error) => this.#fail(error));
  }

  receive(message: ToDatabase): void {
    this.#inbox.push(message);
    this.#slice ??= setImmediate(() => this.#takeMessages());
  }

  /** Ends it without another word to the server. */
  abandon(): void {
    this.#ended = true;
    clearImmediate(this.#slice);
    this.#inbox = [];
    this.#requests = [];
    this.#reads.end();
    this.#readers.close();
    this.#writer.destroy();
    this.#wake.resolve();
  }

  #notice(text: string): void {
    this.#send({ type: 'notice', text });
  }

  #fail(error: Error): void {
    if (this.#ended) return;
    this.abandon();
    this.#send({ type: 'failed', message: error.message, refused: error instanceof HistoryRefused });
  }

  /** In slices, so that answers of the server are taken between them. */
  #takeMessages(): void {
    this.#slice = undefined;
    const endMs = performance.now() + SLICE_MS;
    try {
      let taken = 0;
      while (taken < this.#inbox.length && performance.now() < endMs) this.#take(this.#inbox[taken++]!);
      this.#inbox = this.#inbox.slice(taken);
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    if (this.#inbox.length > 0) this.#slice = setImmediate(() => this.#takeMessages());
  }

  #take(message: ToDatabase): void {
    switch (message.type) {
      case 'describe':
        this.#names = new NameResolver(message.instruments, message.coins);
        return;
      case 'batch':
        this.#waiting.addBatch(unpackBatch(message.batch), this.#names);
        break;
      case 'generated':
        if (this.#start.part === 'reader') {
          this.#addBeside(message.past);
          return;
        }
        this.#waiting.addGenerated(message.past);
        break;
      default:
        this.#request(message);
        return;
    }
    this.#formatted += 1;
    const delayMs = this.#waiting.rows > 0 ? COMMIT_DELAY_MS : IDLE_COMMIT_DELAY_MS;
    this.#dueMs = Math.min(this.#dueMs, performance.now() + delayMs);
    this.#wake.resolve();
  }

  /** Generated rows of a reader; a past that is lost with the server is generated again at the next start. */
  #addBeside(past: GeneratedPast): void {
    const rows = new WaitingRows();
    rows.addGenerated(past);
    this.#adding = this.#adding
      .then(async () => {
        await this.#writer.connect();
        await this.#writer.add(rows.groups);
      })
      .catch((error: Error) => this.#notice(`a generated past was not stored: ${error.message}`));
  }

  #request(request: Request): void {
    const due = { request, after: this.#formatted, sinceMs: performance.now() };
    if (due.after <= this.#stored) this.#answer(due);
    else this.#requests.push(due);
    this.#wake.resolve();
  }

  async #run(): Promise<void> {
    if (this.#start.part === 'reader') {
      this.#reportStored();
      return;
    }
    try {
      const warning = await this.#writer.open();
      if (warning !== '') this.#notice(warning);
      await this.#moveIn();
    } catch (error) {
      throw refusal(this.#start.address, error);
    }
    this.#reportStored();
    while (!this.#ended) {
      this.#wake = Promise.withResolvers();
      this.#answerRequests();
      if (this.#ended) return;
      if (this.#isDue()) await this.#attempt(() => this.#store());
      else if (this.#prunings.length > 0) await this.#attempt(() => this.#pruneStep());
      else await this.#idle();
    }
  }

  /** A file becomes the beginning of a database in which nothing was ever stored. */
  async #moveIn(): Promise<void> {
    const { moveFrom, address } = this.#start;
    if (moveFrom === undefined || !this.#writer.unused) return;
    const rows = new FileRows(moveFrom);
    try {
      if (rows.lastSeq === 0) return;
      this.#notice(`moving the history from ${moveFrom} to ${address.place}`);
      await this.#writer.importRows(rows);
      this.#notice(`the history is moved up to command ${rows.lastSeq}; ${moveFrom} is not used any more`);
    } finally {
      rows.close();
    }
  }

  #isDue(): boolean {
    if (this.#storing !== undefined) return true;
    if (this.#waiting.messages === 0) return false;
    const wanted = this.#requests.some(({ after }) => after > this.#stored);
    return wanted || this.#waiting.rows >= COMMIT_ROWS_MAX || performance.now() >= this.#dueMs;
  }

  async #idle(): Promise<void> {
    const delayMs = this.#dueMs - performance.now();
    const timer = Number.isFinite(delayMs)
      ? setTimeout(() => this.#wake.resolve(), Math.max(0, delayMs))
      : undefined;
    await this.#wake.promise;
    clearTimeout(timer);
  }

  async #store(): Promise<void> {
    if (this.#storing === undefined) {
      this.#storing = this.#waiting;
      this.#waiting = new WaitingRows();
      this.#dueMs = Number.POSITIVE_INFINITY;
    }
    await this.#writer.store(this.#storing);
    this.#noteStored(this.#storing);
  }

  #noteStored({ messages, projected }: WaitingRows): void {
    this.#storing = undefined;
    this.#stored += messages;
    this.#storedRows += projected;
    this.#reportStored();
  }

  #reportStored(): void {
    const { seq } = this.#writer;
    this.#send({ type: 'stored', seq, rows: this.#storedRows, starved: this.#absence.starved });
  }

  async #pruneStep(): Promise<void> {
    const pruning = this.#prunings[0]!;
    const { id, steps } = pruning;
    try {
      const step = await steps.next();
      if (step.done !== true) {
        pruning.deleted += step.value;
        return;
      }
      this.#send({ type: 'answer', id, value: pruning.deleted });
    } catch (error) {
      // The next pruning deletes the rest.
      this.#send({ type: 'starved', id, reason: 'pruning was cut off: the database is away' });
      this.#prunings.shift();
      throw error;
    }
    this.#prunings.shift();
  }

  /** One attempt; after one that failed it returns with a new connection. Throws what no repetition helps against. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    const silentMs = performance.now() + SILENT_AFTER_MS;
    const watch = setInterval(() => {
      // A server that neither answers nor hangs up is away as well.
      if (performance.now() >= silentMs) this.#noteAway('it does not answer');
    }, RETRY_AFTER_MS);
    try {
      await act();
      this.#absence.end();
    } catch (error) {
      if (this.#ended) return;
      if (!passes(error)) throw error;
      this.#noteAway(reasonOf(this.#start.address, error));
      await this.#reconnect();
    } finally {
      clearInterval(watch);
    }
  }

  async #reconnect(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      if (this.#ended) return;
      try {
        const carriedOut = await this.#writer.reconnect();
        if (!carriedOut || this.#storing === undefined) return;
        this.#noteStored(this.#storing);
        this.#absence.end();
        return;
      } catch (error) {
        if (error instanceof HistoryRefused) throw error;
        this.#noteAway(reasonOf(this.#start.address, error));
      }
    }
  }

  #noteAway(reason: string): void {
    if (this.#ended) return;
    this.#absence.note(reason);
    this.#refuseOverdue();
  }

  #refuseOverdue(): void {
    const nowMs = performance.now();
    this.#reads.refuseOverdue(nowMs);
    const { impatient = [], patient = [] } = Object.groupBy(this.#requests, ({ request, sinceMs }) =>
      request.type === 'close' || nowMs - sinceMs >= READ_WAIT_MAX_MS ? 'impatient' : 'patient',
    );
    this.#requests = patient;
    for (const { request } of impatient) {
      const { id, type } = request;
      if (type === 'close') this.#close(id);
      else if (type === 'read') this.#send(unavailable(id));
      else
        this.#send({
          type: 'starved',
          id,
          reason: `the history's database is away: ${this.#absence.reason}`,
        });
    }
  }

  /** Answers requests whose rows are stored. */
  #answerRequests(): void {
    const { ready = [], early = [] } = Object.groupBy(this.#requests, ({ after }) =>
      after <= this.#stored ? 'ready' : 'early',
    );
    this.#requests = early;
    for (const due of ready) this.#answer(due);
  }

  #answer({ request, sinceMs }: Due): void {
    const { id } = request;
    switch (request.type) {
      case 'read':
        this.#reads.begin(request, sinceMs);
        break;
      case 'flush':
        void this.#adding.then(() => this.#send({ type: 'answer', id, value: undefined }));
        break;
      case 'prune':
        this.#prunings.push({ id, steps: this.#writer.prune(request.now), deleted: 0 });
        break;
      case 'copy': {
        const message = 'a history in PostgreSQL is not copied as a file';
        this.#send({ type: 'refused', id, message, damaged: false });
        break;
      }
      case 'close':
        this.#close(id);
    }
  }

  /** What is not stored is in the journal: the next start projects it again. */
  #close(id: number): void {
    if (this.#closing) return;
    this.#closing = true;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    const closed = this.#reads
      .settled()
      .then(() => (this.#writer.connected ? this.#writer.close() : undefined));
    void Promise.race([closed.catch(() => {}), late]).finally(() => {
      clearTimeout(timer);
      this.abandon();
      this.#send({ type: 'answer', id, value: undefined });
    });
  }
}
