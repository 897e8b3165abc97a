/**
 * One trial (cluster 10): two servers, three nodes, clients under load; faults one after the other, after each of which every node
 * answers again; in the end the judge has the log and everything that was written down.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_ACCOUNTS } from '../../../src/identity/demo-accounts.ts';
import type { DemoKeys } from '../../harness/server.ts';
import { SignedClient } from '../../harness/signed-client.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';
import { until } from '../../harness/until.ts';
import { seededRandom } from '../../simulation/disk.ts';
import { Clients } from './clients.ts';
import { HttpWire } from './http-wire.ts';
import { initCluster } from './init-cluster.ts';
import { type Judgement, judge, type NodeState } from './judge.ts';
import { ClusterNode, type NodeSetup } from './node.ts';
import { nodeState } from './node-state.ts';
import { NoteBook, readNotes } from './notes.ts';
import { Servers } from './servers.ts';
import { Session } from './session.ts';

export const NODE_NAMES = ['a', 'b', 'c'] as const;
const HTTP_SESSIONS = 5;
const PAUSE_MS = 15;
/** Before a fault and after it, so that there is something to lose. */
export const LOAD_MS = 700;
/** An order after a fault has ended is answered within this time (cluster 10). */
const HEALED_MS = 5_000;
const FINDINGS_SHOWN = 10;

export type Counts = Judgement['counts'];

export interface TrialOptions {
  readonly seed: number;
  readonly pauseMs?: number;
  /** Options of single nodes. */
  readonly nodes?: Readonly<Record<string, Partial<NodeSetup>>>;
}

export class Trial {
  readonly servers: Servers;
  readonly random: () => number;
  readonly nodes: ClusterNode[] = [];
  readonly #home = temporaryDirectory();
  readonly #keys = join(this.#home, 'keys');
  readonly #options: TrialOptions;
  #accounts: readonly DemoKeys[] = [];
  #clients: Clients | undefined;
  #probes = 0;
  readonly #books: string[] = [];

  private constructor(servers: Servers, options: TrialOptions) {
    this.servers = servers;
    this.random = seededRandom(options.seed);
    this.#options = options;
  }

  static async begin(options: TrialOptions): Promise<Trial> {
    const servers = await Servers.start();
    const trial = new Trial(servers, options);
    try {
      mkdirSync(trial.#keys, { mode: 0o700 });
      await initCluster(servers, trial.#keys);
      for (const name of NODE_NAMES) trial.nodes.push(await trial.startNode(name));
      await trial.#meetClients();
      return trial;
    } catch (error) {
      await trial.end();
      throw error;
    }
  }

  async startNode(name: string): Promise<ClusterNode> {
    const links = await this.servers.links();
    const address = this.servers.addressBy(links.map(({ port }) => port));
    return ClusterNode.start({
      name,
      address,
      keys: this.#keys,
      durability: 'standby',
      links,
      ...this.#options.nodes?.[name],
    });
  }

  node(n: number): ClusterNode {
    return this.nodes[n % this.nodes.length]!;
  }

  /** Under the same name or another; clients hear of it. */
  async replaceNode(n: number, name = this.nodes[n]!.name): Promise<void> {
    this.nodes[n] = await this.startNode(name);
    this.#clients?.know(this.nodes.map(({ url }) => url));
  }

  async load(ms = LOAD_MS): Promise<void> {
    await sleep(ms);
    this.#clients?.mustRun();
  }

  /** What clients were told so far, by session: for people who look for the reason of a failure. */
  told(): string {
    const calls = this.#clients === undefined ? [] : readNotes([this.#clients.notes]);
    return [...Map.groupBy(calls, ({ session, outcome }) => `${session} ${outcome}`)]
      .map(([what, same]) => `${what} ${same.length} ${same.at(-1)?.message ?? ''}`)
      .sort()
      .join('\n');
  }

  /** Every node takes an order again, or those that are named. Resolves with how long it took them. */
  async healed(nodes: readonly ClusterNode[] = this.nodes): Promise<number> {
    const begun = performance.now();
    await Promise.all(nodes.map((node) => this.#answers(node)));
    const tookMs = Math.round(performance.now() - begun);
    if (tookMs > HEALED_MS) throw new Error(`HEALED: an order was answered after ${tookMs} ms only`);
    return tookMs;
  }

  /** Clients do not go there any more. */
  async withdraw(node: ClusterNode): Promise<void> {
    await node.kill();
    this.nodes.splice(this.nodes.indexOf(node), 1);
    this.#clients?.know(this.nodes.map(({ url }) => url));
  }

  /** Clients stop, the log is read, everything is compared. Throws what the judge finds. */
  async judge(): Promise<Judgement> {
    const judgement = await this.judgement(this.nodes);
    const { findings } = judgement;
    if (findings.length === 0) return judgement;
    throw new Error(`${findings.length} findings:\n${findings.slice(0, FINDINGS_SHOWN).join('\n')}`);
  }

  /** Of these nodes. Whoever has asked the one to blame is left out: he may go on from what he was told there. */
  async judgement(nodes: readonly ClusterNode[], toBlame?: ClusterNode): Promise<Judgement> {
    await this.#clients!.stop();
    const notes = readNotes([this.#clients!.notes, ...this.#books]);
    const misled = new Set(notes.filter(({ node }) => node === toBlame?.url).map(({ session }) => session));
    const calls = notes.filter(({ session }) => !misled.has(session));
    const told = Math.max(0, ...calls.map(({ seq = 0 }) => seq));
    const states: NodeState[] = [];
    for (const node of nodes) states.push(await nodeState(this.servers, node, this.#keys, told));
    const packs = await this.servers.packs();
    if (packs[0]?.no !== 1)
      throw new Error(`the log begins with pack ${packs[0]?.no}: it cannot be replayed`);
    return judge({ packs, calls, nodes: states });
  }

  async end(): Promise<void> {
    this.#clients?.kill();
    for (const node of this.nodes) {
      if (!node.hasEnded) node.wake();
      await node.kill();
    }
    await this.servers.end();
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #meetClients(): Promise<void> {
    const { url } = this.nodes[0]!;
    this.#accounts = await Promise.all(DEMO_ACCOUNTS.map((account) => withUid(url, account)));
    this.#clients = await Clients.start({
      notes: join(this.#home, 'clients.jsonl'),
      nodes: this.nodes.map((node) => node.url),
      accounts: this.#accounts,
      httpSessions: HTTP_SESSIONS,
      pauseMs: this.#options.pauseMs ?? PAUSE_MS,
      seed: this.#options.seed,
    });
  }

  /** An order is acknowledged; until then one more is sent again and again. */
  async #answers(node: ClusterNode): Promise<void> {
    const keys = this.#accounts[0]!;
    const notes = new NoteBook(join(this.#home, `probe-${++this.#probes}.jsonl`));
    this.#books.push(notes.file);
    const wire = new HttpWire(keys);
    const name = `p${this.#probes}`;
    const session = new Session({ name, keys, notes, nodes: () => [node.url], wire, random: this.random }, 0);
    await until(`node ${node.name} takes an order`, async () => {
      if (node.hasEnded) throw new Error(`node ${node.name} has ended:\n${node.output}`);
      const outcome = await session.place();
      return outcome === 'done' || outcome === 'refused';
    });
    wire.leave();
  }
}

async function withUid(url: string, account: (typeof DEMO_ACCOUNTS)[number]): Promise<DemoKeys> {
  const { name, apiKey, secretKey, passphrase } = account;
  const client = new SignedClient(url, { name, uid: 0, apiKey, secretKey, passphrase });
  const { data, text } = await client.get('/api/v3/account/info');
  client.close();
  const uid = Number((data as { userId?: string } | undefined)?.userId);
  if (!Number.isSafeInteger(uid)) throw new Error(`no demo account ${name}: ${text}`);
  return { name, uid, apiKey, secretKey, passphrase };
}
