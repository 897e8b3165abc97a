/** Reads that have begun, until each has its answer: the rows, a refusal, or that the database is away. */
import { DamagedRow } from '../checksum.ts';
import type { FromDatabase, Request } from '../database-messages.ts';
import type { Read } from '../read.ts';
import { READS } from '../reads.ts';
import { Pages } from '../tables/pages.ts';
import type { Readers } from './readers.ts';
import { passes } from './refusal.ts';

/** Time that a read waits for a server that is away. */
export const READ_WAIT_MAX_MS = 2000;
const RETRY_AFTER_MS = 250;
const UNAVAILABLE = 'the history cannot be read now: its database does not answer; try again';

export type ReadRequest = Extract<Request, { type: 'read' }>;

export function unavailable(id: number): FromDatabase {
  return { type: 'unavailable', id, reason: UNAVAILABLE };
}

export class PendingReads {
  readonly #readers: Readers;
  readonly #send: (message: FromDatabase) => void;
  readonly #pages = new Pages(() => true);
  readonly #begun = new Map<number, { readonly sinceMs: number; readonly read: Promise<void> }>();
  #ended = false;

  constructor(readers: Readers, send: (message: FromDatabase) => void) {
    this.#readers = readers;
    this.#send = send;
  }

  begin(request: ReadRequest, sinceMs: number): void {
    const { id } = request;
    const read = this.#answer(request, sinceMs).then((message) => {
      // One that waited too long has its answer already.
      if (this.#begun.delete(id) && !this.#ended) this.#send(message);
    });
    this.#begun.set(id, { sinceMs, read });
  }

  /** Refuses reads that have waited too long while the server is away. */
  refuseOverdue(nowMs: number): void {
    for (const [id, { sinceMs }] of this.#begun) {
      if (nowMs - sinceMs < READ_WAIT_MAX_MS) continue;
      this.#begun.delete(id);
      this.#send(unavailable(id));
    }
  }

  /** Resolves when every read that has begun is answered. */
  async settled(): Promise<void> {
    await Promise.all([...this.#begun.values()].map(({ read }) => read));
  }

  /** Nothing is answered any more. */
  end(): void {
    this.#ended = true;
  }

  /** A failed read is an error of that read alone. One that meets a server that is away is tried again for a while. */
  async #answer({ id, name, argument }: ReadRequest, sinceMs: number): Promise<FromDatabase> {
    const read = READS[name] as (pages: Pages, argument: unknown) => Read<unknown>;
    for (;;) {
      try {
        return { type: 'answer', id, value: await this.#readers.answer(read(this.#pages, argument)) };
      } catch (error) {
        if (!passes(error)) {
          const { message } = error as Error;
          return { type: 'refused', id, message, damaged: error instanceof DamagedRow };
        }
        if (this.#ended || performance.now() - sinceMs >= READ_WAIT_MAX_MS) return unavailable(id);
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    }
  }
}
