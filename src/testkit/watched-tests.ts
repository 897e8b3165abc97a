/**
 * Tests whose exchanges are wanted when they fail. Whether a test has failed is known only when it has ended, and by then it has
 * closed its exchanges: so those of a watched test stay open until then.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** An exchange of a watched test. */
export interface Watchable {
  /** Its session, as a capsule. */
  session(): Promise<Uint8Array>;
  end(): Promise<void>;
  /** Must it end when the test says so, because the test may start another one in its place? */
  readonly holdsPlace: boolean;
}

export class Watch {
  readonly #running = new Set<Watchable>();
  /** Sessions of exchanges that have ended. */
  readonly #sessions: Uint8Array[] = [];

  add(exchange: Watchable): void {
    this.#running.add(exchange);
  }

  /** The test is done with it. */
  async close(exchange: Watchable): Promise<void> {
    if (!exchange.holdsPlace || !this.#running.delete(exchange)) return;
    // A session that cannot be had must not fail the test.
    const session = await exchange.session().catch(() => undefined);
    if (session !== undefined) this.#sessions.push(session);
    await exchange.end();
  }

  /** Sessions of all exchanges of the test, in the order in which they ended. */
  async sessions(): Promise<readonly Uint8Array[]> {
    const running = await Promise.all([...this.#running].map((exchange) => exchange.session()));
    return [...this.#sessions, ...running];
  }

  async end(): Promise<void> {
    await Promise.all([...this.#running].map((exchange) => exchange.end()));
    this.#running.clear();
  }
}

const ofFunction = new AsyncLocalStorage<Watch>();
let ofRunner: Watch | undefined;

/** The watch of the running test, if it has one. */
export function currentWatch(): Watch | undefined {
  return ofFunction.getStore() ?? ofRunner;
}

/** Every exchange that the function starts is watched. */
export function watching<Result>(watch: Watch, work: () => Promise<Result>): Promise<Result> {
  return ofFunction.run(watch, work);
}

/** Every exchange from now on, of a runner that runs one test after the other. */
export function watchAll(watch: Watch | undefined): void {
  ofRunner = watch;
}
