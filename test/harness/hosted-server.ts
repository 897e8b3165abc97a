/**
 * An exchange of its own for a test file, without a process of its own: all those of a test process live in one other
 * process, which costs a fifth of a start each. For tests that do not read the server's output, send it signals or change
 * its code; those take `startServer`.
 */
import assert from 'node:assert/strict';
import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from './child-programs.ts';
import type { HostReply, HostRequest, StartedExchange } from './exchange-host.ts';
import { HelperProcess } from './helper-process.ts';
import { programModule } from './program.ts';
import {
  accountIn,
  flagsOf,
  type LoggedServer,
  memoryFlagsOf,
  readAccounts,
  type ServerOptions,
  startServer,
  type TestServer,
} from './server.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const HOST = programModule('test/harness/exchange-host.ts');

let host: Host | undefined;

process.once('beforeExit', () => void host?.end());

export async function startHosted(options: Omit<ServerOptions, 'env' | 'wall'> = {}): Promise<LoggedServer> {
  if (process.platform !== 'linux') return startServer(options);
  host ??= new HelperProcess(HOST);
  const here = host;
  const data = options.data ?? temporaryDirectory();
  const id = here.newId();
  const { url, replayedCommands } = await startedOn(here, id, flagsOf(data, options.args));
  const accounts = readAccounts(data);
  let log = '';
  return {
    url,
    data,
    accounts,
    account: (name) => accountIn(accounts, name),
    replayedCommands: () => replayedCommands,
    log: () => log,
    async stop() {
      log = (await here.ask({ id })).log!;
      if (options.data === undefined) rmSync(data, { recursive: true, force: true });
      return 0;
    },
    /** The files as they stand while everything is stopped are what kill -9 would leave; what comes after is undone. */
    async kill() {
      const left = `${data}.killed`;
      await here.paused(() => cpSync(data, left, { recursive: true }));
      await here.ask({ id });
      rmSync(data, { recursive: true });
      renameSync(left, data);
    },
  };
}

/**
 * A start that must be refused, with the exit code and the last words that the program has for it. For what refuses it:
 * that a process ends so is for `start` of `test/app/bourse-process.ts`, once for each message.
 */
export async function refusedHosted(
  data: string,
  args: readonly string[] = [],
): Promise<Pick<Ended, 'code' | 'stderr'>> {
  host ??= new HelperProcess(HOST);
  const id = host.newId();
  const { refused } = await host.ask({ id, start: flagsOf(data, args) });
  if (refused === undefined) await host.ask({ id });
  assert.ok(refused !== undefined, 'the exchange started');
  return refused;
}

type Host = HelperProcess<HostRequest, HostReply>;

async function startedOn(here: Host, id: number, start: readonly string[]): Promise<StartedExchange> {
  const { started, refused } = await here.ask({ id, start });
  if (started === undefined) throw new Error(`it did not start, code ${refused!.code}:\n${refused!.stderr}`);
  return started;
}

/**
 * The same with `--memory`, a quarter of its cost: for tests that neither look into files nor start it again. Its directory
 * holds only what tells where the operator is.
 */
export async function startHostedInMemory(args: readonly string[] = []): Promise<TestServer> {
  if (process.platform !== 'linux') return startServer({ args });
  host ??= new HelperProcess(HOST);
  const here = host;
  const data = temporaryDirectory();
  const id = here.newId();
  const { url, operator, accounts } = await startedOn(here, id, memoryFlagsOf(args));
  writeFileSync(join(data, 'operator.json'), JSON.stringify(operator));
  const stop = async () => {
    await here.ask({ id });
    rmSync(data, { recursive: true, force: true });
    return 0;
  };
  return {
    url,
    data,
    accounts,
    account: (name) => accountIn(accounts, name),
    stop,
    kill: async () => void (await stop()),
  };
}
