/**
 * A history without a thread: its database lies in memory, where a row costs no wait for a disk. Messages are handled in a
 * later turn, so that callers see the order that a thread would give them, and in slices, so that requests are served
 * between them.
 */
import type { DatabaseLink, LinkListener } from './database-link.ts';
import type { ToDatabase } from './database-messages.ts';
import type { HistoryContents } from './history.ts';
import { HistoryDatabase } from './history-database.ts';
import { IN_MEMORY } from './sqlite-schema.ts';

/** Work in one turn, in ms; one message may take longer. */
const SLICE_MS = 5;

type Description = Extract<ToDatabase, { type: 'describe' }>;

/** Listings go on to change here; a thread has a copy of them. Fields of instruments are replaced, never changed inside. */
function described({ instruments, coins, ...message }: Description): Description {
  return { ...message, instruments: instruments.map((each) => ({ ...each })), coins: [...coins] };
}

export class HistoryInPlace implements DatabaseLink {
  readonly #listener: LinkListener;
  readonly #contents: HistoryContents | undefined;
  #database: HistoryDatabase | undefined;
  #queue: ToDatabase[] = [];
  #scheduled: NodeJS.Immediate | undefined;

  /** With the contents of another, or empty. */
  constructor(listener: LinkListener, contents?: HistoryContents) {
    this.#listener = listener;
    this.#contents = contents;
    this.#schedule();
  }

  post(message: ToDatabase): void {
    this.#queue.push(message.type === 'describe' ? described(message) : message);
    this.#schedule();
  }

  async end(): Promise<void> {
    this.#end();
  }

  async abandon(): Promise<void> {
    this.#end();
  }

  #schedule(): void {
    this.#scheduled ??= setImmediate(() => this.#work());
  }

  #work(): void {
    this.#scheduled = undefined;
    const endMs = performance.now() + SLICE_MS;
    try {
      this.#database ??= this.#open();
      let handled = 0;
      // At least one: a turn that was late must not be one without work.
      while (handled < this.#queue.length && (handled === 0 || performance.now() < endMs))
        this.#database.receive(this.#queue[handled++]!);
      this.#queue = this.#queue.slice(handled);
    } catch (error) {
      this.#fail(error);
    }
    if (this.#queue.length > 0) this.#schedule();
  }

  #open(): HistoryDatabase {
    const port = {
      send: this.#listener.received,
      failed: (error: unknown) => this.#fail(error),
      closed: () => {},
    };
    return new HistoryDatabase({ path: IN_MEMORY, contents: this.#contents }, port);
  }

  #fail(error: unknown): void {
    this.#end();
    this.#listener.failed(error as Error);
  }

  #end(): void {
    clearImmediate(this.#scheduled);
    this.#queue = [];
    this.#database?.abandon();
  }
}
