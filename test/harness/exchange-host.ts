/**
 * A process that runs exchanges for tests one beside the other (`hosted-server.ts`): the program is loaded once, and each
 * exchange has its own data directory, ports and threads. It is started and stopped as `src/app/start/serve.ts` does.
 */
import './cheap-passphrases.ts';
import './kept-threads.ts';
import './no-compiling-ahead.ts';
import './patient-disk.ts';
import { Command } from 'commander';
import { configOf, withSettings } from '../../src/app/cli/command-line.ts';
import { createLogger } from '../../src/app/observability/logging.ts';
import { type RunningExchange, startExchange } from '../../src/app/start/start-exchange.ts';
import { withHeldWall } from './held-walls.ts';
import type { DemoKeys } from './server.ts';

export interface HostRequest {
  readonly id: number;
  /** Starts an exchange with the flags of the program, or stops the one that was started under this id. */
  readonly start?: readonly string[];
  /** It is no demo, although it may be in memory, which users are refused. */
  readonly empty?: boolean;
  /** Where the wall clock of this exchange stands, when a test holds it. */
  readonly wall?: string;
}

export interface HostReply {
  readonly id: number;
  readonly error?: string;
  /** Of one that was started. */
  readonly started?: StartedExchange;
}

export interface StartedExchange {
  readonly url: string;
  /** What a data directory would hold, for those that have none. */
  readonly operator: { readonly url: string | undefined; readonly token: string | undefined };
  readonly accounts: readonly DemoKeys[];
}

const running = new Map<number, RunningExchange>();

process.umask(0o077);
// Every logger of an exchange listens to them.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
process.on('message', (request: HostRequest) => void answer(request));

async function answer({ id, start, empty = false, wall }: HostRequest): Promise<void> {
  try {
    if (start !== undefined)
      return reply({ id, started: await withHeldWall(wall, () => started(id, start, empty)) });
    await stopped(id);
    reply({ id });
  } catch (error) {
    reply({ id, error: (error as Error).stack ?? String(error) });
  }
}

function reply(message: HostReply): void {
  process.send!(message);
}

async function started(id: number, flags: readonly string[], empty: boolean): Promise<StartedExchange> {
  const command = withSettings(new Command().exitOverride());
  command.parse(flags, { from: 'user' });
  const asked = await configOf(command);
  const resolved = empty ? { ...asked, config: { ...asked.config, demo: false } } : asked;
  const failed = (error: Error) => {
    // As in a process of its own: the test sees connections that end, and the reason on standard error.
    throw error;
  };
  const logger = createLogger(resolved.config);
  const exchange = await startExchange(resolved, logger, failed);
  running.set(id, exchange);
  const { url, operatorUrl, operatorToken, demoAccounts } = exchange;
  return {
    url,
    operator: { url: operatorUrl, token: operatorToken },
    accounts: demoAccounts.map(({ account, uid }) => ({ ...account, uid })),
  };
}

async function stopped(id: number): Promise<void> {
  const exchange = running.get(id)!;
  running.delete(id);
  await exchange.stop();
}
