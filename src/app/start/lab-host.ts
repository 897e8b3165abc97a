/** The laboratory of a running exchange: opens its branches, puts them behind the listeners, starts its forks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { AdminError } from '../../admin/admin-error.ts';
import type { OperatorRoute } from '../../admin/route.ts';
import type { DemoAccount } from '../../identity/demo-accounts.ts';
import { Branches } from '../../lab/branches.ts';
import { capsuleRoutes } from '../../lab/capsule/routes.ts';
import { DiskStore, writeBranch } from '../../lab/disk-store.ts';
import { type Fork, type ForkWish, type Host, PortTaken, type Switch } from '../../lab/host.ts';
import { Laboratory } from '../../lab/laboratory.ts';
import { MemoryStore } from '../../lab/memory-store.ts';
import { refereeRoutes } from '../../lab/referee/routes.ts';
import { closedLab, LAB_OFF, labRoutes } from '../../lab/routes.ts';
import type { BranchStart } from '../../lab/snapshot.ts';
import type { ClockChoice } from '../../sequencer/clock-choice.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import type { MarketLevel } from '../../simulator/activity-level.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import type { Config } from '../config/settings.ts';
import { type Components, openComponents } from './components.ts';
import { conductRules } from './conduct-rules.ts';
import type { Fronts } from './fronts.ts';
import { startIsolated } from './isolated-fork.ts';
import { refuseTakenPort } from './listen.ts';
import type { Standing } from './servers.ts';
import type { RunningExchange, startExchange } from './start-exchange.ts';
import { openVenue, type Venue } from './venue.ts';

const MIB = 1024 * 1024;
const SPACE_IN_MEMORY_MIB = 1024;
const SPACE_ON_DISK_MIB = 10_240;

export interface OpenLab {
  /** On the operator's listener. */
  readonly routes: readonly OperatorRoute[];
  /** Tells it what stays, before the first request. */
  attach(standing: Standing, fronts: Fronts, replace: (venue: Venue) => void): void;
  /** What an exchange in memory goes on with from a snapshot. */
  begin(name: string): Promise<BranchStart>;
  /** A fork that runs in this process. */
  fork(id: string): RunningExchange | undefined;
  /** Ends all forks. */
  close(): Promise<void>;
}

export interface LabSurroundings {
  readonly resolved: ResolvedConfig;
  readonly logger: Logger;
  readonly demo: readonly DemoAccount[];
  readonly failed: (error: Error) => void;
  /** What every branch shares. */
  readonly shared: Pick<Components, 'wall' | 'audit' | 'lock'>;
  /** That the exchange has started on. */
  readonly branch: number;
  readonly current: () => Venue;
  readonly start: typeof startExchange;
}

export function openLaboratory(surroundings: LabSurroundings): OpenLab {
  const { resolved, branch, logger } = surroundings;
  const { config } = resolved;
  if (config.lab === 'off')
    return {
      routes: closedLab(LAB_OFF),
      attach: () => {},
      begin: () => Promise.reject(new Error(LAB_OFF.message)),
      fork: () => undefined,
      close: async () => {},
    };
  if (!config.demo)
    logger.warn(
      'the laboratory is on (--lab on): whoever has the token of the operator can turn this exchange back to an earlier state',
    );
  const host = new LabHost(surroundings);
  const disk = config.memory ? undefined : new DiskStore(config.data);
  const lab = new Laboratory<Venue>({
    host,
    store: disk ?? new MemoryStore(),
    branches: new Branches(disk?.lineage() ?? [], branch),
    limits: { snapshots: config.labSnapshots, bytes: spaceOf(config), forks: config.labForks },
    enter: (all, { branch: next }, gapMs) => disk?.enter(all, { branch: next, gapMs }),
  });
  return {
    routes: [
      ...labRoutes(lab),
      ...capsuleRoutes(lab),
      ...refereeRoutes(
        lab,
        conductRules(() => host.venue.identity),
      ),
    ],
    attach: (standing, fronts, replace) => host.attach({ standing, fronts, replace }),
    begin: async (name) => {
      const start = await lab.begin(name);
      if (start instanceof AdminError) throw new Error(start.message);
      return start;
    },
    fork: (id) => {
      const facts = lab.forks().find((each) => each.id === id);
      return facts === undefined ? undefined : host.runningAt(facts.url);
    },
    close: () => lab.close(),
  };
}

function spaceOf({ labSpace, memory }: Config): number {
  const unlessGiven = memory ? SPACE_IN_MEMORY_MIB : SPACE_ON_DISK_MIB;
  return (labSpace === 0 ? unlessGiven : labSpace) * MIB;
}

/** What stays when a venue is replaced. */
interface Ground {
  readonly standing: Standing;
  readonly fronts: Fronts;
  readonly replace: (venue: Venue) => void;
}

class LabHost implements Host<Venue> {
  readonly #surroundings: LabSurroundings;
  readonly #running = new Map<string, RunningExchange>();
  #ground: Ground | undefined;

  constructor(surroundings: LabSurroundings) {
    this.#surroundings = surroundings;
  }

  attach(ground: Ground): void {
    this.#ground = ground;
  }

  get venue(): Venue {
    return this.#surroundings.current();
  }

  wallMs(): number {
    return this.#surroundings.shared.wall.now();
  }

  runningAt(url: string): RunningExchange | undefined {
    return this.#running.get(url);
  }

  async open({ time, image, directory }: BranchStart, gapMs: number): Promise<Venue> {
    const { resolved, logger, failed, shared } = this.#surroundings;
    const { standing } = this.#ground!;
    const { config } = resolved;
    const resources = new AsyncDisposableStack();
    try {
      const beginning = {
        ...shared,
        time,
        gapMs,
        generated24h: this.venue.sequencer.generated24h,
        ...(image !== undefined && { image }),
        ...(directory !== undefined && { directory }),
      };
      const opened = await openComponents(config, logger, resources, failed, beginning);
      resources.defer(() => drained(opened.sequencer));
      return await openVenue(opened, standing, directory ?? config.data, resources);
    } catch (error) {
      await resources.disposeAsync();
      throw error;
    }
  }

  /** Until `commit` everything can be undone; after it nothing can fail. */
  async replace(next: Venue, { reason, keepSockets, commit }: Switch): Promise<Venue> {
    const { fronts, replace } = this.#ground!;
    const old = this.venue;
    const both = [fronts.api, fronts.admin];
    for (const front of both) front.hold();
    old.rest();
    old.streams.hold();
    try {
      // The request for the revert is itself being answered.
      if (!(await fronts.api.settled(0)) || !(await fronts.admin.settled(1)))
        throw new Error('requests are being answered that do not end');
      await old.sequencer.durable();
      commit();
    } catch (error) {
      old.streams.resume();
      old.start();
      for (const front of both) front.release();
      throw error;
    }
    next.sequencer.memoryShort = old.sequencer.memoryShort;
    replace(next);
    fronts.serve(next);
    if (keepSockets) next.streams.adopt(old.streams.handOver());
    else old.streams.leave(reason);
    next.start();
    for (const front of both) front.release();
    return old;
  }

  async fork(start: BranchStart, wish: ForkWish, ended: () => void): Promise<Fork> {
    const { resolved, demo } = this.#surroundings;
    const { host } = resolved.config;
    await refuseTakenPort({ host, port: wish.port }, 'port').catch((error: Error) => {
      throw new PortTaken(error.message);
    });
    const { time, image } = start;
    const gapMs = this.wallMs() - time;
    if (!wish.isolate)
      return this.#startHere(
        forkConfig(resolved, wish, start.directory),
        { time, gapMs, generated24h: this.venue.sequencer.generated24h, ...(image && { image }) },
        ended,
      );
    const directory = start.directory ?? mkdtempSync(join(tmpdir(), 'bourse-fork-'));
    if (image !== undefined) writeBranch(directory, image);
    const over = () => {
      if (start.directory === undefined) rmSync(directory, { recursive: true, force: true });
    };
    const order = { resolved: forkConfig(resolved, wish, directory), demo, branch: { time, gapMs } };
    try {
      const fork = await startIsolated(order, () => {
        over();
        ended();
      });
      return { ...fork, close: () => fork.close().finally(over) };
    } catch (error) {
      over();
      throw error;
    }
  }

  async #startHere(
    resolved: ResolvedConfig,
    branch: Parameters<typeof startExchange>[4],
    ended: () => void,
  ): Promise<Fork> {
    const { logger, demo, start } = this.#surroundings;
    const running = await start(
      resolved,
      logger,
      (error) => {
        logger.error({ err: error }, 'a fork has failed and is closed');
        void running.stop().finally(ended);
      },
      demo,
      branch,
    );
    const { url, operatorUrl, operatorToken, sequencer } = running;
    this.#running.set(url, running);
    return {
      url,
      operatorUrl: operatorUrl!,
      token: operatorToken!,
      pid: process.pid,
      seq: sequencer.appliedSeq,
      time: sequencer.clock.now(),
      stateHash: stateHash(sequencer.state),
      close: () => {
        this.#running.delete(url);
        return running.stop();
      },
    };
  }
}

/** The settings of the parent, with a place and ports of its own. */
function forkConfig(
  { config, origins }: ResolvedConfig,
  { port, clock, market }: ForkWish,
  directory: string | undefined,
): ResolvedConfig {
  return {
    origins,
    config: {
      ...config,
      port,
      operatorPort: 0,
      operatorTokenFile: '',
      readyFile: '',
      quiet: true,
      ...(clock !== undefined && { clock: clock as ClockChoice }),
      ...(market !== undefined && { market: market as MarketLevel }),
      ...(directory !== undefined && { data: directory, memory: false }),
    },
  };
}

async function drained(sequencer: Sequencer): Promise<void> {
  if (sequencer.failure === undefined) await sequencer.durable();
}
