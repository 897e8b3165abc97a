/** A node of the cluster as a process of its own, with its own ways to the servers. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type ChildProgram, startProgram } from '../../harness/child-programs.ts';
import { programModule } from '../../harness/program.ts';
import { until } from '../../harness/until.ts';
import type { Link } from './link.ts';

const MAIN = programModule('src/main.ts');
const LISTENING = /Listening on (http:\S+)/;

export interface NodeSetup {
  readonly name: string;
  readonly address: string;
  readonly keys: string;
  readonly durability: 'standby' | 'single';
  readonly links: readonly Link[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export class ClusterNode {
  readonly name: string;
  readonly links: readonly Link[];
  readonly #program: ChildProgram;
  #url = '';

  private constructor(setup: NodeSetup) {
    this.name = setup.name;
    this.links = setup.links;
    const { address, keys, durability, name, args = [] } = setup;
    const cluster = [
      '--cluster',
      address,
      '--node',
      name,
      '--keys',
      keys,
      '--cluster-durability',
      durability,
    ];
    const quiet = ['--port', '0', '--operator-port', '0', '--market', 'off', '--rate-limits', 'off'];
    // Two snapshots would delete packs that the judge wants to read.
    const keeping = ['--snapshot-minutes', '1440'];
    this.#program = startProgram([MAIN, ...cluster, ...quiet, ...keeping, ...args], {
      env: { ...process.env, ...setup.env },
    });
  }

  /** Resolves when it serves. */
  static async start(setup: NodeSetup): Promise<ClusterNode> {
    const node = new ClusterNode(setup);
    const url = await until(`node ${setup.name}`, () => {
      if (node.hasEnded) throw new Error(`node ${setup.name} did not start:\n${node.output}`);
      return LISTENING.exec(node.#program.stdout)?.[1];
    });
    node.#url = url;
    await until(`node ${setup.name} is ready`, () => {
      if (node.hasEnded) throw new Error(`node ${setup.name} ended:\n${node.output}`);
      return node.isReady();
    });
    return node;
  }

  get url(): string {
    return this.#url;
  }

  get process(): ChildProcess {
    return this.#program.process;
  }

  get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  get output(): string {
    return this.#program.output.slice(-6_000);
  }

  async isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.#url}/readyz`, { signal: AbortSignal.timeout(2_000) })).status === 200;
    } catch {
      return false;
    }
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** As an operator does it; resolves with the exit code. */
  async stop(): Promise<number | null> {
    await this.#end('SIGINT');
    return this.process.exitCode;
  }

  sleep(): void {
    this.process.kill('SIGSTOP');
  }

  wake(): void {
    this.process.kill('SIGCONT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.hasEnded) {
      const ended = once(this.process, 'exit');
      this.process.kill(signal);
      await ended;
    }
    for (const link of this.links) link.close();
  }
}
