/** The limit of connections to the API, with a warning in the log when it is reached. */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { CONNECTIONS_MAX } from '../../api/http/http-limits.ts';
import { connectionsWithin, descriptorLimit, openDescriptors } from './descriptors.ts';

const WARNING_INTERVAL_MS = 60_000;

export class ConnectionLimit {
  readonly max: number;
  dropped = 0;
  readonly #logger: Logger;
  #warnedMs = Number.NEGATIVE_INFINITY;

  /** Throws CannotStart when the process may open too few files. */
  constructor(logger: Logger) {
    this.#logger = logger;
    const limit = descriptorLimit();
    const within = connectionsWithin(limit, openDescriptors()) ?? CONNECTIONS_MAX;
    this.max = Math.min(CONNECTIONS_MAX, within);
    if (this.max === CONNECTIONS_MAX) return;
    logger.info(
      { descriptors: limit, connections: this.max },
      `the process may open ${limit} files and sockets: it takes ${this.max} connections instead of ${CONNECTIONS_MAX}`,
    );
  }

  attach(server: Server): void {
    server.on('drop', () => {
      this.dropped += 1;
      const nowMs = performance.now();
      if (nowMs - this.#warnedMs < WARNING_INTERVAL_MS) return;
      this.#warnedMs = nowMs;
      this.#logger.warn({ dropped: this.dropped }, `more than ${this.max} connections: new ones are closed`);
    });
  }
}
