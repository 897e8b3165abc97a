/** A PostgreSQL server of a trial: in a directory of its own, on a free port, without a password, gone with the trial. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CannotStart } from '../../exit-codes.ts';
import { ACCOUNT } from './binaries.ts';
import { Child } from './child.ts';
import { freePort } from './free-port.ts';

export const ROLE = 'bourse';
const READY_WITHIN_MS = 60_000;
const POLL_MS = 20;
/** As promised to a cluster, and quick to notice that the other one is back. */
const SETTINGS = `
listen_addresses = '127.0.0.1'
shared_buffers = 32MB
max_connections = 100
log_min_messages = fatal
wal_retrieve_retry_interval = 500ms
wal_sender_timeout = 5s
wal_receiver_timeout = 5s
max_slot_wal_keep_size = 1GB
`;

export class TrialServer {
  readonly name: string;
  readonly port: number;
  readonly #bin: string;
  readonly #directory: string;
  #child: Child | undefined;

  private constructor(name: string, bin: string, directory: string, port: number) {
    this.name = name;
    this.#bin = bin;
    this.#directory = directory;
    this.port = port;
  }

  /** A new one, not started yet. */
  static async make(name: string, bin: string, home: string): Promise<TrialServer> {
    const server = new TrialServer(name, bin, join(home, name), await freePort());
    mkdirSync(server.#directory, { mode: 0o700 });
    own(server.#directory);
    const choices = ['-U', ROLE, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'];
    const { status, stderr } = spawnSync(join(bin, 'initdb'), ['-D', server.#directory, ...choices], {
      ...ACCOUNT,
      cwd: home,
      encoding: 'utf8',
    });
    if (status !== 0)
      throw new CannotStart(
        `initdb failed: ${stderr.trim()}. Its user must be able to enter the directory of temporary files (TMPDIR)`,
      );
    appendFileSync(join(server.#directory, 'postgresql.conf'), SETTINGS);
    return server;
  }

  /** A second one, which follows a server that runs; not started yet. */
  static async standbyOf(primary: TrialServer, name: string, home: string): Promise<TrialServer> {
    const standby = new TrialServer(name, primary.#bin, join(home, name), await freePort());
    await standby.copyFrom(primary);
    return standby;
  }

  /** Takes the files of a server that runs, in the place of its own, and follows it from its next start on. */
  async copyFrom(primary: TrialServer): Promise<void> {
    rmSync(this.#directory, { recursive: true, force: true });
    const label = await primary.#heldForCopy(() => {
      // Files come and go meanwhile; what is missing in the copy is in the log that the label names.
      spawnSync('cp', ['-a', primary.#directory, this.#directory], { stdio: 'ignore' });
    });
    rmSync(join(this.#directory, 'postmaster.pid'), { force: true });
    this.#write('backup_label', label);
    this.#write('standby.signal', '');
    const place = `host=127.0.0.1 port=${primary.port} user=${ROLE} application_name=${this.name}`;
    // What the other one waited for as a primary is not for a standby.
    this.#write('postgresql.auto.conf', `primary_conninfo = '${place}'\n`);
  }

  async #heldForCopy(copy: () => void): Promise<string> {
    const client = await this.#connect('postgres');
    try {
      await client.query("SELECT pg_backup_start('trial', true)");
      copy();
      const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
      return (rows[0] as { labelfile: string }).labelfile;
    } finally {
      await client.end();
    }
  }

  #write(name: string, text: string): void {
    const path = join(this.#directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    own(path);
  }

  async start(): Promise<void> {
    const settings = ['-c', `port=${this.port}`, '-c', `unix_socket_directories=${this.#directory}`];
    const command = [join(this.#bin, 'postgres'), '-D', this.#directory, ...settings];
    this.#child = new Child(command, { ...ACCOUNT, cwd: this.#directory, lastSignal: 'QUIT' });
    const endMs = performance.now() + READY_WITHIN_MS;
    while (!(await this.#answers())) {
      if (this.#child.hasEnded || performance.now() > endMs)
        throw new CannotStart(
          `the PostgreSQL server ${this.name} does not start: ${this.#child.said.trim()}`,
        );
      await sleep(POLL_MS);
    }
  }

  /** As a power loss: nothing is written any more. */
  async kill(): Promise<void> {
    // The file of one that has ended stays, and its number may be another process's by now.
    if (this.#child === undefined || this.#child.hasEnded) return;
    const pid = this.#pid();
    // It makes no new processes meanwhile.
    process.kill(pid, 'SIGSTOP');
    const children = execFileSync('ps', ['-A', '-o', 'pid=,ppid='])
      .toString()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .filter(([, parent]) => parent === pid);
    for (const [each] of [...children, [pid]]) process.kill(each!, 'SIGKILL');
    await this.#child?.ended();
  }

  /** Ends it at once; its directory goes with the trial. */
  async end(): Promise<void> {
    await this.#child?.end();
  }

  async run(sql: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = await this.#connect(database);
    try {
      return (await client.query(sql)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  /** Which standby must have a commit before it is answered; an empty name for none. */
  async waitFor(standby: string): Promise<void> {
    const names = standby === '' ? '' : `FIRST 1 (${standby})`;
    await this.run(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await this.run('SELECT pg_reload_conf()');
  }

  /** Until the standby has every commit of this one. */
  async followed(standby: string): Promise<void> {
    const endMs = performance.now() + READY_WITHIN_MS;
    const sql = `SELECT 1 FROM pg_stat_replication WHERE application_name = '${standby}' AND state = 'streaming' AND sync_state = 'sync'`;
    while ((await this.run(sql)).length === 0) {
      if (performance.now() > endMs) throw new CannotStart(`the standby ${standby} does not follow`);
      await sleep(POLL_MS);
    }
  }

  async #connect(database: string): Promise<pg.Client> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: ROLE, database });
    // The query under way tells of it.
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async #answers(): Promise<boolean> {
    try {
      await this.run('SELECT 1');
      return true;
    } catch {
      return false;
    }
  }

  #pid(): number {
    return Number(readFileSync(join(this.#directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  }
}

function own(path: string): void {
  if (ACCOUNT.uid !== undefined) chownSync(path, ACCOUNT.uid, ACCOUNT.gid ?? ACCOUNT.uid);
}
