/** The laboratory of a running exchange: opens its branches, puts them behind the listeners, starts its forks. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AdminError } from '../../admin/admin-error.ts';
import type { OperatorRoute } from '../../admin/route.ts';
import { CATALOGUE } from '../../api/wire/error-catalogue.ts';
import type { ExplainCommand } from '../../api/ws/inspect/explained.ts';
import type { DemoAccount } from '../../identity/demo-accounts.ts';
import type { Recorder } from '../../inspector/recorder.ts';
import { Branches } from '../../lab/branches.ts';
import { capsuleRoutes } from '../../lab/capsule/routes.ts';
import { DiskStore, writeBranch } from '../../lab/disk-store.ts';
import { Explain } from '../../lab/explain/explain.ts';
import { explainRoutes } from '../../lab/explain/routes.ts';
import { Faults, type FaultsImage } from '../../lab/faults/faults.ts';
import { House } from '../../lab/faults/house.ts';
import { faultRoutes } from '../../lab/faults/routes.ts';
import { type OutageKind, World } from '../../lab/faults/world.ts';
import { type Fork, type ForkWish, type Host, PortTaken, type Switch, type Traffic } from '../../lab/host.ts';
import { Laboratory } from '../../lab/laboratory.ts';
import { BRANCH_SEGMENT_BYTES_MAX } from '../../lab/limits.ts';
import { MemoryStore } from '../../lab/memory-store.ts';
import { faultHits } from '../../lab/referee/fault-hits.ts';
import { refereeRoutes } from '../../lab/referee/routes.ts';
import { closedLab, LAB_OFF, labRoutes } from '../../lab/routes.ts';
import { scenarioRoutes } from '../../lab/scenarios/routes.ts';
import { Stage } from '../../lab/scenarios/stage.ts';
import type { BranchStart } from '../../lab/snapshot.ts';
import type { ClockChoice } from '../../sequencer/clock-choice.ts';
import { JournalLog } from '../../sequencer/command-log.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import type { MarketLevel } from '../../simulator/activity-level.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import type { Config } from '../config/settings.ts';
import { demoKeys } from './bootstrap.ts';
import { type Beginning, type Components, openComponents } from './components.ts';
import { conductRules } from './conduct-rules.ts';
import type { Fronts } from './fronts.ts';
import { historyAddress, LAB_NEEDS_FILE } from './history-place.ts';
import { startIsolated } from './isolated-fork.ts';
import { refuseTakenPort } from './listen.ts';
import { urlOf } from './loopback.ts';
import { goDown } from './outage.ts';
import type { Standing } from './servers.ts';
import type { RunningExchange, startExchange } from './start-exchange.ts';
import { openVenue, type Venue } from './venue.ts';

const MIB = 1024 * 1024;
const SPACE_IN_MEMORY_MIB = 1024;
const SPACE_ON_DISK_MIB = 10_240;

export interface OpenLab {
  /** On the operator's listener. */
  readonly routes: readonly OperatorRoute[];
  /** Undefined where there is no laboratory. */
  readonly faults: Faults | undefined;
  /** For the inspector; absent while it is off. */
  readonly explain?: ExplainCommand;
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
  readonly shared: Pick<Components, 'wall' | 'audit' | 'lock' | 'threads'>;
  /** Of the history, if it is a file. */
  readonly directory: string;
  /** That the exchange has started on. */
  readonly branch: number;
  /** That it begins with. */
  readonly faults: FaultsImage | undefined;
  readonly current: () => Venue;
  readonly start: typeof startExchange;
}

/** Snapshots are copies of files. */
function unableInDatabase({ resolved, directory }: LabSurroundings): AdminError | undefined {
  const address = historyAddress(resolved.config.history, directory);
  return address && new AdminError('unknown_path', LAB_NEEDS_FILE);
}

export function openLaboratory(surroundings: LabSurroundings): OpenLab {
  const { resolved, branch, logger } = surroundings;
  const { config } = resolved;
  const closed = config.lab === 'off' ? LAB_OFF : unableInDatabase(surroundings);
  if (closed !== undefined)
    return {
      routes: closedLab(closed),
      faults: undefined,
      attach: () => {},
      begin: () => Promise.reject(new Error(closed.message)),
      fork: () => undefined,
      close: async () => {},
    };
  if (!config.demo)
    logger.warn(
      'the laboratory is on (--lab on): whoever has the token of the operator can turn this exchange back to an earlier state',
    );
  const { current } = surroundings;
  const codes = new Set(Object.keys(CATALOGUE));
  const faults = new Faults({
    codes,
    seed: config.seed,
    identity: () => current().identity,
    now: () => current().sequencer.clock.now(),
    wallMs: () => surroundings.shared.wall.now(),
    sockets: () => current().streams.clientSockets(),
    state: () => current().sequencer.state,
    house: new House(() => current().sequencer),
    world: new World({
      sequencer: () => current().sequencer,
      market: () => current().market,
      slowDisk: (ms) => {
        const { log } = current().components;
        if (log instanceof JournalLog) log.delayMs = ms;
      },
      outage: (seconds, how) => lab.beginOutage(seconds, how, surroundings.failed)?.message,
    }),
  });
  const host = new LabHost(surroundings, faults);
  const disk = config.memory ? undefined : new DiskStore(config.data);
  const lab = new Laboratory<Venue>({
    host,
    store: disk ?? new MemoryStore(),
    branches: new Branches(disk?.lineage() ?? [], branch),
    limits: { snapshots: config.labSnapshots, bytes: spaceOf(config), forks: config.labForks },
    faults,
    enter: (all, { branch: next }, { gapMs, clock: choice }) =>
      disk?.enter(all, {
        branch: next,
        gapMs,
        ...(choice !== undefined && choice !== config.clock && { clock: { choice, setting: config.clock } }),
      }),
    notKept: (error) =>
      surroundings.logger.error({ err: error }, 'the end of the branch that was left is not kept'),
  });
  const explain = new Explain(() => host.venue.components);
  const surroundingsOfFaults = { codes, state: () => current().sequencer.state };
  const scenarios = {
    stage: host.stage,
    seed: config.seed,
    surroundings: surroundingsOfFaults,
    during: <Done>(work: () => Promise<Done>) => host.during(work),
    directory: process.cwd(),
  };
  return {
    routes: [
      ...labRoutes(lab),
      ...faultRoutes(faults),
      ...scenarioRoutes(scenarios),
      ...explainRoutes(explain),
      ...capsuleRoutes(lab, { faults: () => faults.image() }),
      ...refereeRoutes(
        lab,
        conductRules(() => host.venue.identity),
        (uid) => faultHits(faults.met(uid), host.recorder),
      ),
    ],
    faults,
    explain: async (seq, uid) => {
      const answer = await explain.answer({ command: String(seq) }, { own: [uid], others: false });
      if (answer instanceof AdminError) return answer.message;
      const { what, verdict, checks, rightWouldBe, docs } = answer;
      return { what, verdict, checks, rightWouldBe, docs };
    },
    attach: (standing, fronts, replace) => {
      const followed = (venue: Venue) => {
        replace(venue);
        venue.ticker.onTick((now) => faults.tick(now));
      };
      host.attach({ standing, fronts, replace: followed });
      current().ticker.onTick((now) => faults.tick(now));
      faults.restore(surroundings.faults);
    },
    begin: async (name) => {
      const start = await lab.begin(name);
      if (start instanceof AdminError) throw new Error(start.message);
      return start;
    },
    fork: (id) => {
      const facts = lab.forks().find((each) => each.id === id);
      return facts === undefined ? undefined : host.runningAt(facts.url);
    },
    close: async () => {
      faults.cutWaiting();
      await explain.close();
      await lab.close();
    },
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
  readonly #faults: Faults;
  readonly #running = new Map<string, RunningExchange>();
  #ground: Ground | undefined;
  /** Those that run. */
  #scenarios = 0;

  constructor(surroundings: LabSurroundings, faults: Faults) {
    this.#surroundings = surroundings;
    this.#faults = faults;
  }

  attach(ground: Ground): void {
    this.#ground = ground;
  }

  /** A scenario may replace the exchange that answers its own request. */
  async during<Done>(work: () => Promise<Done>): Promise<Done> {
    this.#scenarios += 1;
    try {
      return await work();
    } finally {
      this.#scenarios -= 1;
    }
  }

  /** Where scenarios happen. */
  get stage(): Stage {
    const ground = () => this.#ground!;
    const { resolved, current } = this.#surroundings;
    const { operatorHost } = resolved.config;
    return new Stage({
      url: () => ground().standing.url(),
      operatorUrl: () => urlOf(operatorHost, (ground().fronts.admin.server.address() as AddressInfo).port),
      token: () => ground().standing.token,
      keys: () => demoKeys(current().identity, this.#surroundings.demo),
      sequencer: () => current().sequencer,
      identity: () => current().identity,
      market: () => current().market,
    });
  }

  get venue(): Venue {
    return this.#surroundings.current();
  }

  wallMs(): number {
    return this.#surroundings.shared.wall.now();
  }

  traffic(): Traffic {
    const { open, done } = this.#ground!.fronts.api.traffic;
    const { metrics, halfClosed } = this.venue.streams;
    const { sent, subscriptions, accepted, connections } = metrics;
    return { open: open + halfClosed, done: done + sent + accepted - connections, subscriptions };
  }

  get recorder(): Recorder | undefined {
    return this.#ground?.standing.recorder;
  }

  pushDue(): void {
    this.venue.streams.poll();
  }

  runningAt(url: string): RunningExchange | undefined {
    return this.#running.get(url);
  }

  open({ time, clock, image, directory }: BranchStart, gapMs: number): Promise<Venue> {
    return this.#open({
      time,
      gapMs,
      ...(clock !== undefined && { clock }),
      ...(image !== undefined && { image }),
      ...(directory !== undefined && { directory }),
    });
  }

  async #open(from: Beginning): Promise<Venue> {
    const { resolved, logger, failed, shared } = this.#surroundings;
    const { standing } = this.#ground!;
    const { config } = resolved;
    const resources = new AsyncDisposableStack();
    try {
      const { generated24h } = this.venue.sequencer;
      const beginning = { ...shared, generated24h, ...from };
      const opened = await openComponents(config, logger, resources, failed, beginning);
      resources.defer(() => drained(opened.sequencer));
      return await openVenue(opened, standing, from.directory ?? config.data, resources);
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
    this.#faults.cutWaiting();
    try {
      // The request for the revert is itself being answered.
      if (!(await fronts.api.settled(0)) || !(await fronts.admin.settled(1 + this.#scenarios)))
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

  async outage(seconds: number, how: OutageKind, signal: AbortSignal): Promise<void> {
    const { fronts, replace } = this.#ground!;
    const { config } = this.#surroundings.resolved;
    const old = this.venue;
    fronts.admin.hold();
    old.rest();
    // Whoever asked for it is answered; an operator's long request ends with what it waits for.
    await fronts.admin.settled(this.#scenarios);
    this.#faults.cutWaiting();
    const remains = await goDown(old, fronts.api, how, config);
    await sleep(seconds * 1000, undefined, { signal }).catch(() => {});
    const next = await this.#open(remains);
    replace(next);
    fronts.serve(next);
    this.#faults.resume();
    await fronts.api.reopen();
    next.start();
    fronts.admin.release();
  }

  async fork(start: BranchStart, wish: ForkWish, ended: () => void): Promise<Fork> {
    const { resolved, demo } = this.#surroundings;
    const { host } = resolved.config;
    await refuseTakenPort({ host, port: wish.port }, 'port').catch((error: Error) => {
      throw new PortTaken(error.message);
    });
    const { time, image, faults } = start;
    const gapMs = this.wallMs() - time;
    if (!wish.isolate)
      return this.#startHere(
        forkConfig(resolved, wish, start),
        {
          time,
          gapMs,
          generated24h: this.venue.sequencer.generated24h,
          ...(image && { image }),
          ...(faults && { faults }),
        },
        ended,
      );
    const directory = start.directory ?? mkdtempSync(join(tmpdir(), 'bourse-fork-'));
    if (image !== undefined) writeBranch(directory, image);
    const over = () => {
      if (start.directory === undefined) rmSync(directory, { recursive: true, force: true });
    };
    const order = {
      resolved: forkConfig(resolved, wish, { ...start, directory }),
      demo,
      branch: { time, gapMs, ...(faults && { faults }) },
    };
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
  { port, clock: wished, market }: ForkWish,
  { directory, clock = config.clock }: BranchStart,
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
      clock: (wished as ClockChoice | undefined) ?? clock,
      ...(market !== undefined && { market: market as MarketLevel }),
      ...(directory !== undefined && {
        data: directory,
        memory: false,
        segmentBytes: Math.min(config.segmentBytes, BRANCH_SEGMENT_BYTES_MAX),
      }),
    },
  };
}

async function drained(sequencer: Sequencer): Promise<void> {
  if (sequencer.failure === undefined) await sequencer.durable();
}
