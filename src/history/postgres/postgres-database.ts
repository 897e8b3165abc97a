/**
 * The database side of a history in PostgreSQL (`../linked-history.ts` is the caller's). Rows are formatted as they come and
 * stored together when a transaction is due: after half a second, at 10,000 rows, or as soon as a read waits for them. Reads
 * have connections of their own and begin when everything projected before them is stored. While the server is away rows
 * wait in memory, reads are refused, and the connection is tried again until it is there.
 */

import { DamagedRow } from '../checksum.ts';
import type { FromDatabase, Request, ToDatabase } from '../database-messages.ts';
import type { GeneratedPast } from '../generated-candles.ts';
import { HistoryRefused } from '../history.ts';
import { COMMIT_DELAY_MS, COMMIT_ROWS_MAX, IDLE_COMMIT_DELAY_MS } from '../history-database.ts';
import { unpackBatch } from '../packed-batch.ts';
import type { ProjectedEvents, ProjectionBatch, ProjectionKind } from '../projection-batch.ts';
import type { Read } from '../read.ts';
import { READS } from '../reads.ts';
import { GENERATED_CANDLES, generatedRow } from '../tables/generated-candles.ts';
import { GENERATED_FUNDING_RATES, generatedFundingRow } from '../tables/market-records.ts';
import { NameResolver } from '../tables/name-resolver.ts';
import { Pages } from '../tables/pages.ts';
import { PROJECTION_KINDS, PROJECTIONS } from '../tables/tables.ts';
import type { PostgresAddress } from './address.ts';
import { FileRows } from './copies.ts';
import { Readers } from './readers.ts';
import { passes, reasonOf, refusal } from './refusal.ts';
import { RowGroups } from './row-groups.ts';
import { PostgresWriter } from './writer.ts';

/** Between two attempts to reach a server that is away. */
const RETRY_AFTER_MS = 250;
/** Time that a server may be away before the exchange takes only cancellations: a restart is over by then. */
const STARVED_AFTER_MS = 5000;
/** Time after which a server that does not answer counts as away. */
const SILENT_AFTER_MS = 3000;
/** Time that a read waits for a server that is away. */
const READ_PATIENCE_MS = 2000;
/** Time that a close waits for the server. */
const CLOSE_WITHIN_MS = 5000;
/** Formatting in one turn, in ms; one message may take longer. */
const SLICE_MS = 5;

const UNAVAILABLE = 'the history cannot be read now: its database does not answer; try again';

/** What a thread can be told. */
export interface PostgresStart {
  readonly address: PostgresAddress;
  /** The exchange whose history it is. */
  readonly instance: string;
  /** A history in SQLite that an empty database begins with. */
  readonly moveFrom?: string | undefined;
}

/** Rows that wait to be stored. */
interface Waiting {
  readonly groups: RowGroups;
  seq: number;
  gapSeq: number;
  rows: number;
  /** Of them those that were projected, which `lag` counts. */
  projected: number;
  /** Messages in it. */
  messages: number;
}

/** A request that needs the messages before it to be stored. */
interface Due {
  readonly request: Request;
  readonly after: number;
  readonly sinceMs: number;
}

export class PostgresDatabase {
  readonly #send: (message: FromDatabase) => void;
  readonly #options: PostgresStart;
  readonly #writer: PostgresWriter;
  readonly #readers: Readers;
  readonly #pages = new Pages(() => true);
  #names = new NameResolver([], []);
  /** Messages as they came. */
  #inbox: ToDatabase[] = [];
  #slice: NodeJS.Immediate | undefined;
  #waiting = nothing();
  #storing: Waiting | undefined;
  /** Messages formatted, and stored, since the start. */
  #formatted = 0;
  #stored = 0;
  #storedRows = 0;
  #dueMs = Number.POSITIVE_INFINITY;
  #requests: Due[] = [];
  #prunes: { readonly id: number; readonly steps: AsyncGenerator<number>; deleted: number }[] = [];
  readonly #reading = new Map<number, { readonly sinceMs: number; readonly read: Promise<void> }>();
  #wake = Promise.withResolvers<void>();
  /** Since when the server is away, and why. */
  #away: { readonly sinceMs: number; readonly reason: string } | undefined;
  #starved = false;
  /** When the present attempt began. */
  #askedMs = 0;
  #closing: number | undefined;
  #ended = false;

  /** The first message sent means that it is ready. */
  constructor(options: PostgresStart, send: (message: FromDatabase) => void) {
    this.#options = options;
    this.#send = send;
    const name = `bourse history ${process.pid}.${Math.random().toString(36).slice(2, 8)}`;
    this.#writer = new PostgresWriter(options.address, options.instance, name);
    this.#readers = new Readers(options.address, name);
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

  /** In slices, so that requests of clients are served between them. */
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
        this.#format(unpackBatch(message.batch));
        break;
      case 'generated':
        this.#formatGenerated(message.past);
        break;
      default:
        this.#request(message);
        return;
    }
    this.#formatted += 1;
    this.#waiting.messages += 1;
    const delayMs = this.#waiting.rows > 0 ? COMMIT_DELAY_MS : IDLE_COMMIT_DELAY_MS;
    this.#dueMs = Math.min(this.#dueMs, performance.now() + delayMs);
    this.#wake.resolve();
  }

  #request(request: Request): void {
    const due = { request, after: this.#formatted, sinceMs: performance.now() };
    if (due.after <= this.#stored) this.#answer(due);
    else this.#requests.push(due);
    this.#wake.resolve();
  }

  #format({ seq, gapSeq, rows, byKind }: ProjectionBatch): void {
    for (const kind of PROJECTION_KINDS) this.#formatKind(kind, byKind);
    const waiting = this.#waiting;
    waiting.seq = seq;
    waiting.gapSeq = Math.max(waiting.gapSeq, gapSeq);
    waiting.rows += rows;
    waiting.projected += rows;
  }

  #formatKind<Kind extends ProjectionKind>(
    kind: Kind,
    byKind: { readonly [K in Kind]: ProjectedEvents[K][] },
  ): void {
    const { table, row } = PROJECTIONS[kind];
    for (const recorded of byKind[kind]) this.#waiting.groups.add(table, row(recorded, this.#names));
  }

  #formatGenerated({ candles, funding }: GeneratedPast): void {
    const { groups } = this.#waiting;
    for (const chunk of candles) groups.add(GENERATED_CANDLES, generatedRow(chunk));
    for (const rate of funding?.rates ?? [])
      groups.add(GENERATED_FUNDING_RATES, generatedFundingRow(funding!, rate));
    this.#waiting.rows += candles.length + (funding?.rates.length ?? 0);
  }

  async #run(): Promise<void> {
    try {
      const warning = await this.#writer.open();
      if (warning !== '') this.#notice(warning);
      await this.#moveIn();
    } catch (error) {
      throw refusal(this.#options.address, error);
    }
    this.#reportStored();
    while (!this.#ended) {
      this.#wake = Promise.withResolvers();
      this.#answerRequests();
      if (this.#ended) return;
      if (this.#isDue()) await this.#attempt(() => this.#store());
      else if (this.#prunes.length > 0) await this.#attempt(() => this.#pruneStep());
      else await this.#idle();
    }
  }

  /** A file becomes the beginning of a database in which nothing was ever stored. */
  async #moveIn(): Promise<void> {
    const { moveFrom } = this.#options;
    if (moveFrom === undefined || !this.#writer.unused) return;
    const rows = new FileRows(moveFrom);
    try {
      if (rows.lastSeq === 0) return;
      this.#notice(`moving the history from ${moveFrom} to ${this.#options.address.place}`);
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
      this.#waiting = nothing();
      this.#dueMs = Number.POSITIVE_INFINITY;
    }
    const { groups, seq, gapSeq } = this.#storing;
    await this.#writer.store({ groups: groups.groups, seq, gapSeq });
    this.#noteStored();
  }

  #noteStored(): void {
    const { messages, projected } = this.#storing!;
    this.#storing = undefined;
    this.#stored += messages;
    this.#storedRows += projected;
    this.#reportStored();
  }

  async #pruneStep(): Promise<void> {
    const pruning = this.#prunes[0]!;
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
      this.#prunes.shift();
      throw error;
    }
    this.#prunes.shift();
  }

  /** One attempt; after one that failed it returns with a new connection. Throws what no repetition helps against. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    const watch = setInterval(() => this.#noteSilence(), RETRY_AFTER_MS);
    this.#askedMs = performance.now();
    try {
      await act();
      this.#noteBack();
    } catch (error) {
      if (this.#ended) return;
      if (!passes(error)) throw error;
      this.#noteAway(reasonOf(this.#options.address, error));
      await this.#reconnect();
    } finally {
      clearInterval(watch);
    }
  }

  async #reconnect(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      this.#refuseImpatient();
      if (this.#ended) return;
      try {
        const carriedOut = await this.#writer.reconnect();
        if (carriedOut && this.#storing !== undefined) {
          this.#noteStored();
          this.#noteBack();
        }
        return;
      } catch (error) {
        if (error instanceof HistoryRefused) throw error;
        this.#noteAway(reasonOf(this.#options.address, error));
      }
    }
  }

  /** A server that neither answers nor hangs up is away as well. */
  #noteSilence(): void {
    if (performance.now() - this.#askedMs < SILENT_AFTER_MS || this.#ended) return;
    this.#noteAway('it does not answer');
    this.#refuseImpatient();
  }

  #noteAway(reason: string): void {
    const nowMs = performance.now();
    if (this.#away === undefined) {
      this.#notice(
        `the history's database ${this.#options.address.place} is away: ${reason}. Records wait in memory`,
      );
      this.#away = { sinceMs: nowMs, reason };
    }
    if (!this.#starved && nowMs - this.#away.sinceMs >= STARVED_AFTER_MS) {
      this.#starved = true;
      this.#reportStored();
    }
  }

  #noteBack(): void {
    if (this.#away === undefined || this.#ended) return;
    const seconds = Math.round((performance.now() - this.#away.sinceMs) / 1000);
    this.#away = undefined;
    this.#starved = false;
    this.#reportStored();
    this.#notice(`the history's database is back after ${seconds} s`);
  }

  #reportStored(): void {
    const { seq } = this.#writer;
    this.#send({ type: 'stored', seq, rows: this.#storedRows, starved: this.#starved });
  }

  /** Those whose rows are stored. */
  #answerRequests(): void {
    const ready = this.#requests.filter(({ after }) => after <= this.#stored);
    if (ready.length === 0) return;
    this.#requests = this.#requests.filter(({ after }) => after > this.#stored);
    for (const due of ready) this.#answer(due);
  }

  /** While the server is away. */
  #refuseImpatient(): void {
    const nowMs = performance.now();
    for (const [id, { sinceMs }] of this.#reading) {
      if (nowMs - sinceMs < READ_PATIENCE_MS) continue;
      this.#reading.delete(id);
      this.#send({ type: 'unavailable', id, reason: UNAVAILABLE });
    }
    const impatient = this.#requests.filter(
      ({ request, sinceMs }) => request.type === 'close' || nowMs - sinceMs >= READ_PATIENCE_MS,
    );
    this.#requests = this.#requests.filter((due) => !impatient.includes(due));
    for (const { request } of impatient) {
      const { id } = request;
      const reason = this.#away?.reason ?? '';
      if (request.type === 'close') this.#close(id);
      else if (request.type === 'read') this.#send({ type: 'unavailable', id, reason: UNAVAILABLE });
      else this.#send({ type: 'starved', id, reason: `the history's database is away: ${reason}` });
    }
  }

  #answer(due: Due): void {
    const { request } = due;
    switch (request.type) {
      case 'read':
        this.#begin(request.id, due.sinceMs, this.#read(request, due.sinceMs));
        break;
      case 'flush':
        this.#send({ type: 'answer', id: request.id, value: undefined });
        break;
      case 'prune':
        this.#prunes.push({ id: request.id, steps: this.#writer.prune(request.now), deleted: 0 });
        break;
      case 'copy':
        this.#send({
          type: 'refused',
          id: request.id,
          message: 'a history in PostgreSQL is not copied as a file',
          damaged: false,
        });
        break;
      case 'close':
        this.#close(request.id);
    }
  }

  #begin(id: number, sinceMs: number, read: Promise<void>): void {
    this.#reading.set(id, { sinceMs, read });
    void read.finally(() => this.#reading.delete(id));
  }

  /** A failed read is an error of that read alone. One that meets a server that is away is tried again for a while. */
  async #read({ id, name, argument }: Extract<Request, { type: 'read' }>, sinceMs: number): Promise<void> {
    const read = READS[name] as (pages: Pages, argument: unknown) => Read<unknown>;
    // One that waited too long has its answer already.
    const send = (message: FromDatabase) => {
      if (this.#reading.has(id)) this.#send(message);
    };
    for (;;) {
      try {
        const value = await this.#readers.answer(read(this.#pages, argument));
        send({ type: 'answer', id, value });
        return;
      } catch (error) {
        if (this.#ended) return;
        if (!passes(error)) {
          const { message } = error as Error;
          send({ type: 'refused', id, message, damaged: error instanceof DamagedRow });
          return;
        }
        if (performance.now() - sinceMs >= READ_PATIENCE_MS) {
          send({ type: 'unavailable', id, reason: UNAVAILABLE });
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    }
  }

  /** What is not stored is in the journal: the next start projects it again. */
  #close(id: number): void {
    if (this.#closing !== undefined) return;
    this.#closing = id;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    const answered = Promise.all([...this.#reading.values()].map(({ read }) => read)).then(() =>
      this.#writer.connected ? this.#writer.close() : undefined,
    );
    void Promise.race([answered.catch(() => {}), late]).finally(() => {
      clearTimeout(timer);
      this.abandon();
      this.#send({ type: 'answer', id, value: undefined });
    });
  }
}

function nothing(): Waiting {
  return { groups: new RowGroups(), seq: 0, gapSeq: 0, rows: 0, projected: 0, messages: 0 };
}
