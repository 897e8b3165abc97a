/**
 * An exchange of its own for a test file, without a process of its own: all those of a test process live in one other
 * process, which costs a fifth of a start each. For tests that do not read the server's output, send it signals or change
 * its code; those take `startServer`.
 */
import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostReply, HostRequest, Refusal } from './exchange-host.ts';
import { HelperProcess } from './helper-process.ts';
import { programModule } from './program.ts';
import {
  accountIn,
  flagsOf,
  memoryFlagsOf,
  readAccounts,
  type ServerOptions,
  startServer,
  type TestServer,
} from './server.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const HOST = programModule('test/harness/exchange-host.ts');

let host: HelperProcess<HostRequest, HostReply> | undefined;

process.once('beforeExit', () => void host?.end());

export async function startHosted(options: Omit<ServerOptions, 'env' | 'wall'> = {}): Promise<TestServer> {
  if (process.platform !== 'linux') return startServer(options);
  host ??= new HelperProcess(HOST);
  const here = host;
  const data = options.data ?? temporaryDirectory();
  const id = here.newId();
  const { url } = (await here.ask({ id, start: flagsOf(data, options.args) })).started!;
  const accounts = readAccounts(data);
  return {
    url,
    data,
    accounts,
    account: (name) => accountIn(accounts, name),
    async stop() {
      await here.ask({ id });
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

/** Flags of the program that it refuses to start with: what a process of its own would tell and end with. */
export async function refusedHosted(flags: readonly string[]): Promise<Refusal> {
  host ??= new HelperProcess(HOST);
  const id = host.newId();
  const reply = (await host.reply({ id, start: flags })) as HostReply;
  if (reply.refusal !== undefined) return reply.refusal;
  if (reply.started !== undefined) await host.ask({ id });
  throw new Error(reply.error ?? 'it was started');
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
  const { url, operator, accounts } = (await here.ask({ id, start: memoryFlagsOf(args) })).started!;
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
