/** A whole cluster on this machine: two PostgreSQL servers, the second a synchronous standby, and nodes over them. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseAddress, placeOf } from '../../../cluster/postgres/address.ts';
import { CannotStart } from '../../exit-codes.ts';
import { initCluster } from '../init.ts';
import { findBinaries } from './binaries.ts';
import { Child } from './child.ts';
import { freePort } from './free-port.ts';
import { type FlowReport, OrderFlow } from './order-flow.ts';
import { ROLE, TrialServer } from './trial-server.ts';

const DATABASE = 'bourse';
const SERVERS = ['db1', 'db2'] as const;
const NODE_NAMES = ['a', 'b', 'c'] as const;
const READY_WITHIN_MS = 120_000;
const READY_POLL_MS = 100;
/** Before and after the fault, so that both can be seen. */
const ORDERS_AROUND = 20;
const AGAIN_WITHIN_MS = 60_000;

export interface TrialNode {
  readonly name: string;
  readonly url: string;
  readonly operatorUrl: string;
}

export interface FailOver {
  /** From the kill of the primary to the end of the promotion, and to the next answered order. */
  readonly promotedMs: number;
  readonly answeredMs: number;
  readonly orders: FlowReport;
}

export interface TrialOptions {
  /** How the program is called, without a command. */
  readonly program: readonly string[];
  readonly report: (text: string) => void;
  /** More options of each node. */
  readonly nodeArgs?: readonly string[];
}

export class Trial {
  readonly nodes: TrialNode[] = [];
  readonly directory: string;
  readonly #options: TrialOptions;
  readonly #children: Child[] = [];
  #primary: TrialServer | undefined;
  #standby: TrialServer | undefined;
  #flows = 0;

  private constructor(options: TrialOptions) {
    this.#options = options;
    this.directory = mkdtempSync(join(tmpdir(), 'bourse-trial-'));
    // The servers may run as another user; what is secret has folders of its own.
    chmodSync(this.directory, 0o711);
  }

  /** Whatever was begun is ended when it fails. */
  static async start(options: TrialOptions, signal?: AbortSignal): Promise<Trial> {
    const trial = new Trial(options);
    try {
      await trial.#startServers();
      signal?.throwIfAborted();
      await trial.#startNodes(signal);
      return trial;
    } catch (error) {
      await trial.end();
      throw error;
    }
  }

  get keys(): string {
    return join(this.directory, 'keys');
  }

  get address(): DatabaseAddress {
    const hosts = [this.#primary!, this.#standby!]
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ port }) => ({ host: '127.0.0.1', port }));
    return { hosts, user: ROLE, password: undefined, database: DATABASE };
  }

  get primary(): string {
    return this.#primary!.name;
  }

  /** Kills the primary under orders, promotes the standby, and makes the killed server its standby. */
  async failOver(): Promise<FailOver> {
    const [killed, promoted] = [this.#primary!, this.#standby!];
    const { report } = this.#options;
    this.#flows += 1;
    const running = () => this.#running().map(({ url }) => url);
    const flow = new OrderFlow(running, `trial${process.pid}-${this.#flows}`);
    if (!(await flow.more(ORDERS_AROUND, AGAIN_WITHIN_MS)))
      throw new CannotStart('the nodes answer no orders: nothing was killed');
    report(`orders flow to ${running().length} nodes; ${killed.name} is killed`);
    await killed.kill();
    const killedMs = performance.now();
    await promoted.run('SELECT pg_promote(true, 60)');
    // It is alone, and would wait for a standby for ever.
    await promoted.waitFor('');
    const promotedMs = Math.round(performance.now() - killedMs);
    report(`${promoted.name} is promoted after ${promotedMs} ms, and holds the one copy now`);
    const isBack = await flow.more(1, AGAIN_WITHIN_MS);
    const answeredMs = Math.round(performance.now() - killedMs);
    if (isBack) {
      report(`orders are answered again ${answeredMs} ms after the kill`);
      await flow.more(ORDERS_AROUND, AGAIN_WITHIN_MS);
    }
    const orders = await flow.end();
    if (!isBack)
      throw new CannotStart(`no order was answered within ${AGAIN_WITHIN_MS / 1000} s of the kill`);
    [this.#primary, this.#standby] = [promoted, killed];
    await killed.copyFrom(promoted);
    await killed.start();
    await promoted.waitFor(killed.name);
    await promoted.followed(killed.name);
    report(`${killed.name} is back as the standby: every command is on two servers again`);
    return { promotedMs, answeredMs, orders };
  }

  /** Nodes first, so that they end in order; then the servers; then the files. */
  async end(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.end()));
    await Promise.all([this.#primary, this.#standby].map(async (server) => server?.end()));
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Whoever tries a cluster may have killed some. */
  #running(): readonly TrialNode[] {
    return this.nodes.filter((_, n) => !this.#children[n]!.hasEnded);
  }

  async #startServers(): Promise<void> {
    const { report } = this.#options;
    const bin = findBinaries(this.directory);
    report('two PostgreSQL servers are being made');
    const primary = await TrialServer.make(SERVERS[0], bin, this.directory);
    this.#primary = primary;
    await primary.start();
    await primary.run(`CREATE DATABASE ${DATABASE}`);
    const standby = await TrialServer.standbyOf(primary, SERVERS[1], this.directory);
    this.#standby = standby;
    await standby.start();
    await primary.waitFor(standby.name);
    await primary.followed(standby.name);
    await initCluster(this.address, this.keys, 'standby');
    report(`the cluster is made: ${placeOf(this.address)}`);
  }

  async #startNodes(signal: AbortSignal | undefined): Promise<void> {
    for (const name of NODE_NAMES) {
      const [port, operatorPort] = [await freePort(), await freePort()];
      const args = ['--cluster', placeOf(this.address), '--node', name, '--keys', this.keys];
      const ports = ['--port', String(port), '--operator-port', String(operatorPort)];
      const more = this.#options.nodeArgs ?? [];
      const command = [...this.#options.program, 'start', ...args, ...ports, ...more];
      const child = new Child(command, { cwd: this.directory, lastSignal: 'TERM' });
      this.#children.push(child);
      const node = {
        name,
        url: `http://127.0.0.1:${port}`,
        operatorUrl: `http://127.0.0.1:${operatorPort}`,
      };
      await ready(node, child, signal);
      this.nodes.push(node);
      this.#options.report(`node ${name} is ready on ${node.url}`);
    }
  }
}

async function ready({ name, url }: TrialNode, child: Child, signal: AbortSignal | undefined): Promise<void> {
  const endMs = performance.now() + READY_WITHIN_MS;
  for (;;) {
    signal?.throwIfAborted();
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (child.hasEnded) throw new CannotStart(`node ${name} does not start:\n${child.said.trim()}`);
    if (performance.now() > endMs) throw new CannotStart(`node ${name} is not ready:\n${child.said.trim()}`);
    await sleep(READY_POLL_MS);
  }
}
