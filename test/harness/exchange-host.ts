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
import { refusalOf } from '../../src/app/terminal/refusal.ts';
import type { Ended } from './child-programs.ts';
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
  /** Of one that did not start: what its process would have ended with. */
  readonly refused?: Pick<Ended, 'code' | 'stderr'>;
  /** The log of one that was stopped. */
  readonly log?: string;
}

export interface StartedExchange {
  readonly url: string;
  readonly replayedCommands: number;
  /** What a data directory would hold, for those that have none. */
  readonly operator: { readonly url: string | undefined; readonly token: string | undefined };
  readonly accounts: readonly DemoKeys[];
}

interface Hosted {
  readonly exchange: RunningExchange;
  readonly log: Log;
}

/** Also on standard error, for a test that fails. */
class Log {
  text = '';

  write(line: string): void {
    this.text += line;
    process.stderr.write(line);
  }
}

const running = new Map<number, Hosted>();

process.umask(0o077);
// Every logger of an exchange listens to them.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
process.on('message', (request: HostRequest) => void answer(request));

async function answer({ id, start, empty = false, wall }: HostRequest): Promise<void> {
  try {
    const done =
      start === undefined
        ? { log: await stopped(id) }
        : await withHeldWall(wall, () => started(id, start, empty));
    reply({ id, ...done });
  } catch (error) {
    reply({ id, error: (error as Error).stack ?? String(error) });
  }
}

function reply(message: HostReply): void {
  process.send!(message);
}

async function started(
  id: number,
  flags: readonly string[],
  empty: boolean,
): Promise<Pick<HostReply, 'started' | 'refused'>> {
  const command = withSettings(new Command().exitOverride());
  command.parse(flags, { from: 'user' });
  const log = new Log();
  try {
    const asked = await configOf(command);
    const resolved = empty ? { ...asked, config: { ...asked.config, demo: false } } : asked;
    const exchange = await startExchange(resolved, createLogger(resolved.config, log), (error) => {
      // As in a process of its own: the test sees connections that end, and the reason on standard error.
      throw error;
    });
    running.set(id, { exchange, log });
    const { url, operatorUrl, operatorToken, demoAccounts, replayedCommands } = exchange;
    const accounts = demoAccounts.map(({ account, uid }) => ({ ...account, uid }));
    const operator = { url: operatorUrl, token: operatorToken };
    return { started: { url, replayedCommands, operator, accounts } };
  } catch (error) {
    const { code, line } = refusalOf(error);
    return { refused: { code, stderr: `${log.text}${line}` } };
  }
}

async function stopped(id: number): Promise<string> {
  const { exchange, log } = running.get(id)!;
  running.delete(id);
  await exchange.stop();
  return log.text;
}
