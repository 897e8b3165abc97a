/**
 * An exchange of its own for a test file, without a process of its own: all those of a test process live in one other
 * process, which costs a fifth of a start each. For tests that do not read the server's standard output, send it signals or change
 * its code; those take `startServer`.
 */
import assert from 'node:assert/strict';
import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from './child-programs.ts';
import type { HostReply, HostRequest, StartedExchange } from './exchange-host.ts';
import type { HeldWall } from './held-wall.ts';
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

export async function startHosted(options: Omit<ServerOptions, 'env'> = {}): Promise<LoggedServer> {
  if (process.platform !== 'linux') return startServer(options);
  host ??= new HelperProcess(HOST);
  const here = host;
  const data = options.data ?? temporaryDirectory();
  const id = here.newId();
  const before = here.output.length;
  const wanted = { id, start: flagsOf(data, options.args), ...held(options.wall) };
  const { url, replayedCommands } = await startedOn(here, wanted);
  const accounts = readAccounts(data);
  let log: string | undefined;
  return {
    url,
    data,
    accounts,
    account: (name) => accountIn(accounts, name),
    replayedCommands: () => replayedCommands,
    log: () => log ?? here.output.slice(before),
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

async function startedOn(here: Host, wanted: HostRequest): Promise<StartedExchange> {
  const { started, refused } = await here.ask(wanted);
  if (started === undefined) throw new Error(`it did not start, code ${refused!.code}:\n${refused!.stderr}`);
  return started;
}

/**
 * The same with `--memory`, a quarter of its cost: for tests that neither look into files nor start it again. Its directory
 * holds only what tells where the operator is.
 */
export async function startHostedInMemory(
  args: readonly string[] = [],
  wall?: HeldWall,
): Promise<TestServer> {
  if (process.platform !== 'linux') return startServer({ args, ...(wall !== undefined && { wall }) });
  return hostedInMemory({ start: memoryFlagsOf(args), ...held(wall) });
}

/** The same with nobody in it, as `--no-demo` has it: what it holds is what a test brings. */
export async function startHostedEmpty(args: readonly string[]): Promise<TestServer> {
  if (process.platform !== 'linux') return startServer({ args: ['--no-demo', ...args] });
  // Off as they are without a demo.
  return hostedInMemory({ start: memoryFlagsOf(['--inspect', 'off', '--lab', 'off', ...args]), empty: true });
}

async function hostedInMemory(wanted: Omit<HostRequest, 'id'>): Promise<TestServer> {
  host ??= new HelperProcess(HOST);
  const here = host;
  const data = temporaryDirectory();
  const id = here.newId();
  const before = here.output.length;
  const { url, operator, accounts } = await startedOn(here, { id, ...wanted });
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
    log: () => here.output.slice(before),
    stop,
    kill: async () => void (await stop()),
  };
}

const held = (wall: HeldWall | undefined) => (wall === undefined ? {} : { wall: wall.file });
