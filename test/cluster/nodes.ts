/** Real nodes of one cluster, in this process or in processes of their own. */
import '../harness/bundled-threads.ts';
import '../harness/cheap-passphrases.ts';
import '../harness/no-compiling-ahead.ts';
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { newToken } from '../../src/admin/token.ts';
import { type Overrides, resolveConfig } from '../../src/app/config/resolve-config.ts';
import { type RunningExchange, startExchange } from '../../src/app/start/start-exchange.ts';
import { KEY_FILES, keysFingerprint } from '../../src/cluster/keys.ts';
import { installCluster } from '../../src/cluster/postgres/install.ts';
import { demoAccount } from '../../src/identity/demo-accounts.ts';
import { keyFileOnDisk } from '../../src/identity/key-file.ts';
import { createKeyring } from '../../src/identity/sealing.ts';
import { startServerProgram } from '../harness/child-programs.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
import type { PostgresServer } from '../postgres/server.ts';

export interface TestCluster {
  readonly url: string;
  readonly keys: string;
  readonly database: string;
}

/** A folder of new secrets. */
export function keysFor(): string {
  const keys = temporaryDirectory();
  for (const name of KEY_FILES)
    if (name.endsWith('.key')) createKeyring(keyFileOnDisk(join(keys, name)));
    else writeFileSync(join(keys, name), `${newToken()}\n`, { mode: 0o600 });
  return keys;
}

/** An empty one in a database of its own. */
export async function newCluster(server: PostgresServer): Promise<TestCluster> {
  const database = await server.createDatabase();
  const url = server.url(database);
  const keys = keysFor();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await installCluster(client, keysFingerprint(keys));
  await client.end();
  return { url, keys, database };
}

export interface TestNode extends RunningExchange {
  /** Errors after which the process would have ended. */
  readonly failures: readonly Error[];
}

/** In this process; a quiet market of one pair unless the settings say otherwise. */
export async function startNode(
  { url, keys }: TestCluster,
  name: string,
  settings: Overrides = {},
): Promise<TestNode> {
  const directory = temporaryDirectory();
  const resolved = await resolveConfig({
    flags: {
      ...{ cluster: url, node: name, keys, clusterDurability: 'single' },
      ...{ port: '0', operatorPort: '0', market: 'off', instruments: 'SPOT:BTCUSDT', rateLimits: 'off' },
      ...settings,
    },
    environment: {},
    directory,
    configFile: null,
  });
  const failures: Error[] = [];
  const level = process.env.NODE_LOG ?? 'silent';
  const running = await startExchange(resolved, pino({ level, name }), (error) => failures.push(error));
  return Object.assign(Object.create(running) as RunningExchange, { failures });
}

export const demoKeys = (name: string) => ({ ...demoAccount(name, '', {}), uid: 0 });

/** A demo account at a node. */
export function clientOf({ url }: { readonly url: string }, name: string): SignedClient {
  return new SignedClient(url, demoKeys(name));
}

export const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  orderType: 'limit',
  timeInForce: 'gtc',
  qty: '0.001',
};

/** A node in a process of its own, which can be killed. */
export interface NodeProcess {
  readonly url: string;
  readonly process: ChildProcess;
  log(): string;
  /** Resolves with the exit code, when it ends by itself. */
  readonly exited: Promise<number | null>;
  /** Resolves with the exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

export async function spawnNode(
  { url, keys }: Pick<TestCluster, 'url' | 'keys'>,
  name: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<NodeProcess> {
  const flags = [
    ...['--cluster', url, '--node', name, '--keys', keys, '--cluster-durability', 'single'],
    ...['--port', '0', '--operator-port', '0', '--market', 'off', '--instruments', 'SPOT:BTCUSDT'],
    ...['--rate-limits', 'off', '--backfill', '0', '--log-format', 'json', ...args],
  ];
  const program = startServerProgram(flags, { env: { ...process.env, ...env } });
  const child = program.process;
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code, signal) => {
      if (code !== 0 && signal !== 'SIGKILL')
        console.error(`node ${name} ended with ${code ?? signal}:\n${program.stderr}`);
      resolve(code);
    });
  });
  const told = () => /Listening on (http:\S+)/.exec(program.stdout)?.[1];
  const listening = await until(`node ${name} listens`, () => {
    if (child.exitCode !== null) throw new Error(`node ${name} ended: ${program.stderr}`);
    return told();
  });
  return {
    url: listening,
    process: child,
    exited,
    log: () => program.stderr,
    stop: () => {
      child.kill('SIGINT');
      return exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
