/** Logs when disk space begins to restrict the exchange, when the restriction changes and when it ends. */
import type { Logger } from 'pino';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import { freeBytes } from '../../storage/free-space.ts';

const CHECK_INTERVAL_MS = 250;

export class ModeMonitor {
  readonly #sequencer: Pick<Sequencer, 'shortage'>;
  readonly #directory: string;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #lastReason: string | undefined;

  constructor(sequencer: Pick<Sequencer, 'shortage'>, directory: string, logger: Logger) {
    this.#sequencer = sequencer;
    this.#directory = directory;
    this.#logger = logger;
    this.#timer = setInterval(() => this.check(), CHECK_INTERVAL_MS).unref();
    this.check();
  }

  check(): void {
    const shortage = this.#sequencer.shortage();
    // Memory shortages are logged by the memory guard.
    const reason = shortage !== undefined && shortage.of !== 'memory' ? shortage.reason : undefined;
    if (reason === this.#lastReason) return;
    this.#lastReason = reason;
    const facts = { mode: shortage?.mode ?? 'normal', freeBytes: freeBytes(this.#directory) };
    if (reason === undefined) this.#logger.warn(facts, 'the disk has space again: orders are taken');
    else this.#logger.error(facts, reason);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
