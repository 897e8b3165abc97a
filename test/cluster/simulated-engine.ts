/**
 * Two database servers as far as a log can tell them apart: one lock for all appends, a commit that is visible when the standby has
 * it, a primary that may restart (then what it had is visible, whether the standby has it or not) or be lost (then what only
 * it had is gone), a standby that may stop.
 */
import {
  type EngineNotice,
  type OfferedPack,
  type PackEngine,
  PackFenced,
  type PlacedPack,
  type StoredPack,
} from '../../src/cluster/engine.ts';
import { chainOf, FIRST_CHAIN } from '../../src/cluster/pack.ts';
import type { VirtualTime } from './virtual-time.ts';

export type Chance = (most: number) => number;

export interface KeptPack extends StoredPack {
  readonly duty: OfferedPack['duty'];
}

interface Append {
  readonly pack: OfferedPack;
  readonly respond: (placed: PlacedPack) => void;
  readonly fail: (error: Error) => void;
  /** Called when the rows of the answer leave, before the commit. */
  readonly rows: ((placed: PlacedPack) => void) | undefined;
  /** When the client has read the answer: with large answers the lock is held until then. */
  readonly whenRead: () => Promise<void> | undefined;
}

/** One server that takes writes. */
export class SimulatedServer {
  readonly packs: KeptPack[];
  /** How many of them others can see, and how many the standby has. */
  visible: number;
  replicated: number;
  isGone = false;
  #queue: Append[] = [];
  #isBusy = false;
  readonly #time: VirtualTime;
  readonly #chance: Chance;
  readonly #world: SimulatedCluster;

  constructor(world: SimulatedCluster, packs: readonly KeptPack[]) {
    this.#world = world;
    this.#time = world.time;
    this.#chance = world.chance;
    this.packs = [...packs];
    this.visible = this.replicated = packs.length;
  }

  append(append: Append): void {
    this.#queue.push(append);
    void this.#work();
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (this.isGone) break;
      await this.#carryOut(next);
    }
    this.#isBusy = false;
  }

  async #carryOut({ pack, respond, fail, rows, whenRead }: Append): Promise<void> {
    const found = this.packs.find(
      ({ no, run, runPack }) => no > pack.known && run === pack.run && runPack === pack.runPack,
    );
    if (found === undefined && pack.duty !== undefined && this.#world.epoch !== pack.duty.epoch) {
      fail(new PackFenced('another node has the duty'));
      return;
    }
    const place = found ?? this.#insert(pack);
    rows?.(place);
    await whenRead();
    const life = this.#world.life;
    // The lock is held until the standby has it.
    while (this.replicated < place.no && !this.isGone && this.#world.life === life) {
      await this.#time.sleep(1 + this.#chance(4));
      if (this.#world.standbyRuns && !this.isGone && this.#world.life === life)
        this.replicated = Math.max(this.replicated, place.no);
    }
    if (this.isGone || this.#world.life !== life) return;
    this.visible = Math.max(this.visible, place.no);
    respond(place);
    this.#world.tell({ visible: place.no });
  }

  #insert(pack: OfferedPack): KeptPack {
    const last = this.packs.at(-1);
    const kept: KeptPack = {
      ...pack,
      duty: pack.duty,
      no: (last?.no ?? 0) + 1,
      firstSeq: last === undefined ? 1 : last.firstSeq + last.commands,
      at: Math.max(last?.at ?? 0, Math.floor(this.#time.now)),
      chain: chainOf(last?.chain ?? FIRST_CHAIN, pack.body),
    };
    this.packs.push(kept);
    return kept;
  }
}

export class SimulatedCluster {
  readonly time: VirtualTime;
  readonly chance: Chance;
  primary: SimulatedServer;
  standbyRuns = true;
  /** Grows with each restart of the primary: what was under way then has no answer. */
  life = 0;
  /** Of the one duty there is. */
  epoch = 1;
  readonly connections = new Set<SimulatedConnection>();

  constructor(time: VirtualTime, chance: Chance) {
    this.time = time;
    this.chance = chance;
    this.primary = new SimulatedServer(this, []);
  }

  tell(notice: EngineNotice): void {
    for (const connection of this.connections) connection.hear(notice);
  }

  /** Killed and started again: it shows what it had on its own disk. */
  restart(): void {
    this.life++;
    this.#cutAll();
    this.primary.visible = this.primary.packs.length;
    const { packs } = this.primary;
    const again = new SimulatedServer(this, packs);
    again.replicated = this.primary.replicated;
    this.primary.isGone = true;
    this.primary = again;
  }

  /** Lost; the standby takes its place with what it has, and gets a standby of its own. */
  promote(): void {
    this.life++;
    this.#cutAll();
    this.primary.isGone = true;
    this.standbyRuns = true;
    this.primary = new SimulatedServer(this, this.primary.packs.slice(0, this.primary.replicated));
  }

  #cutAll(): void {
    for (const connection of this.connections) connection.cut();
  }
}

export interface ConnectionFaults {
  /** Everything to and from the node is held while it is. */
  readonly isStopped: () => Promise<void> | undefined;
  readonly answersAtRows?: boolean;
  readonly largeAnswers?: boolean;
}

/** What a node sees of the servers. */
export class SimulatedConnection implements PackEngine {
  readonly #world: SimulatedCluster;
  readonly #faults: ConnectionFaults;
  #server: SimulatedServer | undefined;
  #failAll = new Set<(error: Error) => void>();
  #onNotice: (notice: EngineNotice) => void = () => {};
  isCutOff = false;

  constructor(world: SimulatedCluster, faults: ConnectionFaults) {
    this.#world = world;
    this.#faults = faults;
    world.connections.add(this);
    this.#server = world.primary;
  }

  onNotice(listener: (notice: EngineNotice) => void): void {
    this.#onNotice = listener;
  }

  hear(notice: EngineNotice): void {
    if (this.#server === undefined || this.isCutOff || this.#world.chance(10) === 0) return;
    this.#later(() => this.#onNotice(notice));
  }

  cut(): void {
    this.#server = undefined;
    const failing = [...this.#failAll];
    this.#failAll.clear();
    for (const fail of failing) this.#later(() => fail(new Error('the connection was cut')));
  }

  append(pack: OfferedPack): Promise<PlacedPack> {
    return this.#ask((server, respond, fail) => {
      const { isStopped, answersAtRows, largeAnswers } = this.#faults;
      server.append({
        pack,
        respond,
        fail,
        rows: answersAtRows ? respond : undefined,
        whenRead: () => (largeAnswers ? isStopped() : undefined),
      });
    });
  }

  read(after: number, most: number): Promise<readonly StoredPack[]> {
    return this.#ask((server, respond) => {
      respond(
        server.packs
          .slice(0, server.visible)
          .filter(({ no }) => no > after)
          .slice(0, most),
      );
    });
  }

  confirm(no: number): void {
    if (this.#server !== undefined && !this.isCutOff)
      this.#world.time.after(1, () => this.#world.tell({ confirmed: no }));
  }

  async reconnect(): Promise<void> {
    await this.#world.time.sleep(1 + this.#world.chance(20));
    if (this.isCutOff) throw new Error('no server is reached');
    this.#server = this.#world.primary;
  }

  async close(): Promise<void> {
    this.#world.connections.delete(this);
    this.cut();
  }

  /** There and back, each with its own delay. */
  #ask<Answer>(
    work: (server: SimulatedServer, respond: (answer: Answer) => void, fail: (error: Error) => void) => void,
  ): Promise<Answer> {
    const server = this.#server;
    if (server === undefined || this.isCutOff) return Promise.reject(new Error('no server is connected'));
    return new Promise((resolve, reject) => {
      this.#failAll.add(reject);
      const settle = (act: () => void) => {
        if (!this.#failAll.has(reject)) return;
        this.#later(() => {
          if (this.#failAll.delete(reject)) act();
        });
      };
      // It is on its way, whatever happens to the node meanwhile.
      this.#world.time.after(1 + this.#world.chance(8), () => {
        if (server.isGone) return;
        work(
          server,
          (answer) => settle(() => resolve(answer)),
          (error) => settle(() => reject(error)),
        );
      });
    });
  }

  /** To the node. */
  #later(act: () => void): void {
    const { time, chance } = this.#world;
    time.after(1 + chance(8), () => {
      void Promise.resolve(this.#faults.isStopped()).then(act);
    });
  }
}
