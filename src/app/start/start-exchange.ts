/**
 * Starts and stops an exchange. No request is served before every step has succeeded. The stop closes the servers, writes
 * a snapshot so that the next start is quick, and closes the rest in reverse order. A kill without it loses nothing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { ConsoleSessions } from '../../admin/console-sessions.ts';
import { defaultOperator } from '../../admin/default-operator.ts';
import { removeAdminEndpoint, writeAdminEndpoint } from '../../admin/token.ts';
import { type Catalogue, loadCatalogue } from '../../catalogue/catalogue.ts';
import { chooseInstruments, namesOf, UnknownInstruments } from '../../catalogue/choose-instruments.ts';
import { NEWEST_EDITION } from '../../core/model/edition.ts';
import { HistoryStarved } from '../../history/history.ts';
import { DEMO_ACCOUNTS, type DemoAccount, type OpenedDemoAccount } from '../../identity/demo-accounts.ts';
import type { Identity } from '../../identity/identity.ts';
import { Recorder } from '../../inspector/recorder.ts';
import { writeBranch } from '../../lab/disk-store.ts';
import type { FaultsImage } from '../../lab/faults/faults.ts';
import { branchDirectory, clockOf, readHead } from '../../lab/head.ts';
import type { ClockTicker } from '../../sequencer/clock-ticker.ts';
import { REPLAY_LONG } from '../../sequencer/limits.ts';
import { type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';
import type { Upkeep } from '../../sequencer/snapshot-scheduler.ts';
import { recordingOf } from '../../simulator/feed/open-feed.ts';
import type { MarketSimulator } from '../../simulator/market-simulator.ts';
import { recordingStart } from '../../simulator/recording/read-recording.ts';
import { NoSpace } from '../../storage/free-space.ts';
import { isOutOfSpace, isShortage } from '../../storage/shortage-errors.ts';
import { refuseWithCluster } from '../config/cluster-mode.ts';
import { hasDirectory, refuseWithMemory } from '../config/memory-mode.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import type { Config } from '../config/settings.ts';
import { LOG_DIRECTORY } from '../data/data-files.ts';
import { historyAddress, refuseLab } from '../data/history-place.ts';
import { CannotStart, ConfigError } from '../exit-codes.ts';
import { readEventLoop } from '../observability/event-loop-monitor.ts';
import { Metrics } from '../observability/metrics.ts';
import { didYouMean } from '../terminal/did-you-mean.ts';
import { hasDemoKeys, listCatalogue, openDemo } from './bootstrap.ts';
import {
  asHistoryDamage,
  type Beginning,
  type Components,
  type MemoryImage,
  openComponents,
} from './components.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { completeCutOffWork } from './cut-off-work.ts';
import { refuseDemoBeyondReach } from './demo-reach.ts';
import { completeBrokers, enterNewestEdition } from './enter-edition.ts';
import { type Fronts, openFronts } from './fronts.ts';
import { listen, refuseTakenPort } from './listen.ts';
import { refuseOperatorBeyondLoopback } from './loopback.ts';
import type { openNodeComponents } from './node-components.ts';
import { openLaboratory } from './open-laboratory.ts';
import { keepServers, openOperatorToken, type ProcessContext } from './servers.ts';
import { backgroundReport, openVenue, type Venue } from './venue.ts';

export interface RunningExchange {
  readonly url: string;
  /** Undefined when the exchange runs without an operator's listener. */
  readonly operatorUrl: string | undefined;
  readonly operatorToken: string | undefined;
  /** A code that opens the console once, within a minute. */
  readonly consoleCode: (() => string) | undefined;
  readonly sequencer: Sequencer;
  /** Undefined when the simulator is off. */
  readonly market: MarketSimulator | undefined;
  readonly ticker: ClockTicker;
  /** A fork that runs in this process. */
  readonly fork: (id: string) => RunningExchange | undefined;
  /** The start of another exchange in memory, from a snapshot of this one; also after this one has stopped. */
  readonly branchFrom: (snapshot: string) => Promise<Branch>;
  readonly demoAccounts: readonly OpenedDemoAccount[];
  readonly replayedCommands: number;
  /** Announces a stop to all clients of the streams and returns their number. Readiness is false from now on. */
  announceStop(seconds: number): number;
  /** May be called more than once. */
  stop(): Promise<void>;
}

/** A branch of another exchange that this one goes on with: nothing is listed or opened anew. */
export type Branch = Pick<Beginning, 'image' | 'time' | 'gapMs' | 'generated24h' | 'threads'> & {
  readonly faults?: FaultsImage;
};

/** `onFailure` is called for failures outside of requests, after which the process must end. */
export async function startExchange(
  resolved: ResolvedConfig,
  logger: Logger,
  onFailure: (error: Error) => void,
  demo: readonly DemoAccount[] = DEMO_ACCOUNTS,
  branch?: Branch,
): Promise<RunningExchange> {
  refuseWithMemory(resolved);
  refuseWithCluster(resolved);
  await refuseUnsafeConfig(resolved.config);
  const config = await withRecordedStart(resolved.config);
  const catalogue = listedPart(loadCatalogue(config.catalogue), config.instruments);
  // Lock, audit log and listeners stay when the laboratory replaces the venue; what the venue has opened is closed with it.
  const processResources = new AsyncDisposableStack();
  const venueResources = new AsyncDisposableStack();
  let startFailed = false;
  try {
    const isOnDisk = hasDirectory(config);
    const head = isOnDisk ? readHead(config.data) : undefined;
    const directory = branchDirectory(config.data, head?.branch ?? 0);
    if (isOnDisk && historyAddress(config.history, directory) !== undefined)
      refuseLab(config.lab, resolved.origins.lab);
    if (branch?.image !== undefined && isOnDisk) writeBeginning(config.data, branch.image);
    const clock = head === undefined ? config.clock : clockOf(head, config.clock);
    if (clock !== config.clock) logger.warn(CHOSEN_CLOCK(clock, config.clock));
    const beginning = { processResources, directory, gapMs: head?.gapMs ?? 0, clock, ...branch };
    // Errors of closing the components must not hide the reason of a failed start.
    const failed = (error: Error) => {
      if (!startFailed) onFailure(error);
    };
    const components =
      config.cluster === ''
        ? await openComponents(config, logger, venueResources, failed, beginning)
        : await openNode(config, logger, venueResources, failed);
    // Commands under way, such as those of the simulator, need journal and history until they are durable.
    venueResources.defer(() => components.sequencer.end());
    const start = { config, logger, components, demo };
    const demoAccounts =
      branch === undefined ? await bringUpToDate(start, catalogue) : knownAccounts(components.identity, demo);
    const faults = branch?.faults;
    const serving = {
      resolved,
      logger,
      demo,
      processResources,
      venueResources,
      failed,
      directory,
      demoAccounts,
      faults,
    };
    return await startServing(serving, components, head?.branch ?? 0);
  } catch (error) {
    startFailed = true;
    for (const each of [venueResources, processResources])
      await each
        .disposeAsync()
        .catch((closing) => logger.warn({ err: closing }, 'closing after a failed start'));
    throw startRefusal(asHistoryDamage(error), config.data);
  }
}

/** The client of PostgreSQL is loaded by nodes alone. */
async function openNode(...given: Parameters<typeof openNodeComponents>): Promise<Components> {
  const { openNodeComponents: open } = await import('./node-components.ts');
  return open(...given);
}

/** A new exchange on another clock than the machine's starts at the time of its recording, unless --clock-start is given. */
async function withRecordedStart(config: Config): Promise<Config> {
  const file = recordingOf(config.feed);
  if (file === undefined || config.clockStart !== 0 || config.clock === 'wall' || config.market === 'off')
    return config;
  const { as, skipBad } = config;
  return {
    ...config,
    clockStart: Math.floor(await recordingStart(file, { skipBad, ...(as !== '' && { as }) })),
  };
}

/** The clock of `lab clock mode` stays until the setting changes. */
const CHOSEN_CLOCK = (clock: string, setting: string) =>
  `the clock is ${clock}, chosen while the exchange ran; bourse lab clock mode ${setting} goes back to the setting`;

/** A directory goes on from a branch only when nothing goes on there. */
function writeBeginning(data: string, image: MemoryImage): void {
  if (existsSync(join(data, LOG_DIRECTORY)))
    throw new CannotStart(`${data} has an exchange of its own: give a directory that has none`);
  writeBranch(data, image);
}

/** Instruments that a data directory has stay listed, whatever is named. */
function listedPart(catalogue: Catalogue, names: readonly string[]): Catalogue {
  try {
    return chooseInstruments(catalogue, names);
  } catch (error) {
    if (!(error instanceof UnknownInstruments)) throw error;
    const known = catalogue.instruments.flatMap(namesOf);
    const hints = error.unknown.map((name) => {
      const meant = didYouMean(name, known);
      return meant === undefined ? name : `${name} (did you mean ${meant}?)`;
    });
    throw new ConfigError(`--instruments: the catalogue has no ${hints.join(', ')}`);
  }
}

/** What the steps before the servers need. */
interface Start {
  readonly config: Config;
  readonly logger: Logger;
  readonly components: Components;
  /** Accounts that the exchange opens when it is a demo. */
  readonly demo: readonly DemoAccount[];
}

/** Before anything is opened. */
async function refuseUnsafeConfig(config: Config): Promise<void> {
  if (config.demo) refuseDemoBeyondReach(config);
  if (config.operator) refuseOperatorBeyondLoopback(config.operatorHost, config.operatorTokenFile);
  await refuseTakenPorts(config);
  if (!existsSync(config.catalogue)) throw new ConfigError(`--catalogue ${config.catalogue} does not exist`);
}

/** In a cluster one node at a time does it, under a duty, so that commands of an earlier holder are refused. */
function bringUpToDate(start: Start, catalogue: Catalogue): Promise<readonly OpenedDemoAccount[]> {
  const { components } = start;
  const { node } = components;
  if (node === undefined) return complete(start, catalogue);
  return node.underUpkeepDuty((duty) => {
    const sequencer = node.sequencer.under(duty);
    return complete({ ...start, components: { ...components, sequencer } }, catalogue);
  });
}

/** Edition, listings and accounts, as far as the journal does not have them. Returns the accounts of the demo. */
async function complete(
  { config, logger, components, demo }: Start,
  catalogue: Catalogue,
): Promise<readonly OpenedDemoAccount[]> {
  const { sequencer, identity, node } = components;
  if (hasDemoKeys(identity, demo)) refuseDemoBeyondReach(config);
  // Nodes of an older program may be in the cluster: then it is the operator who says when.
  const isNew = node === undefined || sequencer.state.instruments.length === 0;
  const edition = isNew ? await enterNewestEdition(sequencer) : sequencer.state.edition;
  await completeBrokers(sequencer, identity);
  if (!isNew && edition < NEWEST_EDITION)
    logger.info(
      `the cluster is in edition ${edition} of the rule book: "bourse cluster upgrade" enters edition ${NEWEST_EDITION}`,
    );
  else if (edition < NEWEST_EDITION && sequencer.state.accountByUid.size > 0)
    logger.info(
      { edition: NEWEST_EDITION, before: edition },
      'the newest edition of the rule book is in force',
    );
  await listCatalogue(sequencer, catalogue);
  const demoAccounts = config.demo
    ? await openDemo(sequencer, identity, hasDirectory(config) ? config.data : undefined, demo)
    : [];
  await completeCutOffWork(components, logger);
  return demoAccounts;
}

/** Demo accounts that exist already. */
function knownAccounts(identity: Identity, demo: readonly DemoAccount[]): readonly OpenedDemoAccount[] {
  return demo.flatMap((account) => {
    const key = identity.findKey(account.apiKey)?.key;
    return key === undefined ? [] : [{ account, uid: key.uid }];
  });
}

interface Serving {
  readonly resolved: ResolvedConfig;
  readonly logger: Logger;
  readonly demo: readonly DemoAccount[];
  readonly processResources: AsyncDisposableStack;
  /** Of the venue that is opened first. */
  readonly venueResources: AsyncDisposableStack;
  readonly failed: (error: Error) => void;
  readonly directory: string;
  readonly demoAccounts: readonly OpenedDemoAccount[];
  /** In force from the start. */
  readonly faults: FaultsImage | undefined;
}

/** Background work, simulator, servers and listeners, in this order. */
async function startServing(
  serving: Serving,
  components: Components,
  branch: number,
): Promise<RunningExchange> {
  const { resolved, logger, demo, processResources, venueResources, directory, demoAccounts } = serving;
  const { config } = resolved;
  const live: { venue?: Venue } = {};
  const current = () => live.venue!;
  const start = startExchange;
  const { wallClock, audit, lock, threads, replayed } = components;
  const shared = { wallClock, audit, lock, threads };
  const laboratory = openLaboratory({ ...serving, shared, branch, current, start });
  const fronts = openFronts(config, new ConnectionLimit(logger));
  let url = '';
  const loop = readEventLoop();
  processResources.defer(() => loop.stop());
  const servers = keepServers(config, demo);
  for (const kept of [servers.api, servers.admin]) processResources.defer(() => kept.close());
  const context: ProcessContext = {
    resolved,
    logger,
    demo,
    loop,
    connections: fronts.connections,
    recorder: config.inspect === 'on' ? new Recorder() : undefined,
    metrics: new Metrics(() => current().metricsSnapshot()),
    stopping: { begun: false },
    sessions: new ConsoleSessions(() => Date.now()),
    token: config.operator ? openOperatorToken(config) : '',
    labRoutes: laboratory.routes,
    faults: laboratory.faults,
    explain: laboratory.explain,
    url: () => url,
    servers,
  };
  const venue = await openVenue(components, context, directory, venueResources);
  live.venue = venue;
  laboratory.attach(context, fronts, (next) => {
    live.venue = next;
  });
  fronts.serve(venue);
  url = await listen(fronts.api, config, 'port', logger);
  processResources.defer(() => fronts.api.close());
  const operatorUrl = config.operator
    ? await openOperator(config, context, fronts, processResources)
    : undefined;
  if (components.node !== undefined) components.node.urls = { url, operatorUrl };
  venue.start();
  const stop = async () => {
    context.stopping.begun = true;
    await laboratory.close();
    const last = current();
    last.pause();
    await fronts.close(last);
    // One that has halted can make nothing durable any more.
    if (last.sequencer.failure === undefined) {
      await last.sequencer.durable();
      if (!config.memory) await finalSnapshot(last.scheduler, logger);
    }
    await last.close();
    await processResources.disposeAsync();
  };
  let stopped: Promise<void> | undefined;
  // Only now, because clients have waited for the start.
  if (replayed > REPLAY_LONG && components.node === undefined)
    setImmediate(() => void current().scheduler.snapshot().catch(backgroundReport(logger)));
  return {
    url,
    operatorUrl,
    operatorToken: config.operator ? context.token : undefined,
    consoleCode: config.operator ? () => context.sessions.issueCode(defaultOperator()) : undefined,
    get sequencer() {
      return current().sequencer;
    },
    get market() {
      return current().simulator;
    },
    get ticker() {
      return current().ticker;
    },
    fork: (id) => laboratory.fork(id),
    branchFrom: async (snapshot) => {
      const { time, image } = await laboratory.begin(snapshot);
      return { time, gapMs: wallClock.now() - time, ...(image !== undefined && { image }) };
    },
    demoAccounts,
    replayedCommands: replayed,
    announceStop: (seconds) => {
      context.stopping.begun = true;
      return current().streams.announceStop(seconds);
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Where there is a data directory, the endpoint file for the command line exists while the listener is open. */
async function openOperator(
  config: Config,
  { token, logger }: ProcessContext,
  { admin }: Fronts,
  processResources: AsyncDisposableStack,
): Promise<string> {
  const { data, operatorHost: host, operatorPort: port } = config;
  const url = await listen(admin, { host, port }, 'operator-port', logger);
  processResources.defer(() => admin.close());
  if (!hasDirectory(config)) return url;
  writeAdminEndpoint(data, { url, token, pid: process.pid });
  processResources.defer(() => removeAdminEndpoint(data));
  return url;
}

/** Most space that opening a database or a small file needs. */
const START_BYTES = 2 ** 20;

/** Turns a full disk, in whichever file it occurred, into an error with advice. */
function startRefusal(error: unknown, data: string): unknown {
  if (error instanceof Unavailable) return new CannotStart(`the exchange cannot be set up: ${error.message}`);
  if (error instanceof NoSpace || error instanceof CannotStart) return error;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isOutOfSpace(cause) || cause instanceof HistoryStarved)
      return new NoSpace((cause as NodeJS.ErrnoException).path ?? data, data, START_BYTES);
  }
  return error;
}

/** Without space there is no snapshot, which costs the next start a longer replay and nothing else. */
async function finalSnapshot(upkeep: Upkeep, logger: Logger): Promise<void> {
  try {
    await upkeep.finalSnapshot();
  } catch (error) {
    if (!isShortage(error) && !(error instanceof HistoryStarved)) throw error;
    logger.warn({ err: error as Error }, 'no snapshot at the stop: the next start replays more');
  }
}

async function refuseTakenPorts(config: Config): Promise<void> {
  const { host, port, operator, operatorHost, operatorPort } = config;
  await refuseTakenPort({ host, port }, 'port');
  if (!operator) return;
  const both = port !== 0 && port === operatorPort && host === operatorHost;
  if (both) throw new ConfigError(`--operator-port ${port} is the same as --port: give them different ones`);
  await refuseTakenPort({ host: operatorHost, port: operatorPort }, 'operator-port');
}
