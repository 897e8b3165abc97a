/** The whole exchange in this process: what `npm start` runs, without the cost of a process. */
import '../../harness/bundled-threads.ts';
import '../../harness/cheap-passphrases.ts';
import '../../harness/no-compiling-ahead.ts';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { resolveConfig } from '../../../src/app/config/resolve-config.ts';
import { type RunningExchange, startExchange } from '../../../src/app/start/start-exchange.ts';

// As the program does it: without it each thread of each start is compiled anew.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

/** A clock that stands still, so that every answer can be compared; small files, so that a copy is quick. */
export const OPTIONS = {
  port: '0',
  operatorPort: '0',
  market: 'off',
  clock: 'manual',
  clockStart: '2026-06-25T07:00:00Z',
  segmentBytes: '524288',
  rateLimits: 'off',
  quiet: 'true',
} as const;

export class ExchangeHere implements AsyncDisposable {
  readonly running: RunningExchange;
  /** What made it stop by itself. */
  failure: Error | undefined;

  private constructor(running: RunningExchange) {
    this.running = running;
  }

  /** Rejects as the program would refuse to start. */
  static async start(data: string): Promise<ExchangeHere> {
    const resolved = await resolveConfig({
      flags: { ...OPTIONS, data },
      environment: {},
      directory: data,
      configFile: undefined,
    });
    let failure: Error | undefined;
    const running = await startExchange(resolved, pino({ level: 'silent' }), (error) => {
      failure = error;
    });
    const here = new ExchangeHere(running);
    Object.defineProperty(here, 'failure', { get: () => failure });
    return here;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A history that has failed cannot be closed properly; the directory is thrown away.
    await this.running.stop().catch(() => {});
  }
}
