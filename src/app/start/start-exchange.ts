/**
 * Starts and stops an exchange. No request is served before every step has succeeded. The stop closes the servers, writes
 * a snapshot so that the next start is quick, and closes the rest in reverse order. A kill without it loses nothing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { completeSubAccounts } from '../../accounts/open-sub-account.ts';
import { type Catalogue, loadCatalogue } from '../../catalogue/catalogue.ts';
import { chooseInstruments, namesOf, UnknownInstruments } from '../../catalogue/choose-instruments.ts';
import { NEWEST_EDITION } from '../../core/model/edition.ts';
import { HistoryStarved } from '../../history/history.ts';
import { DEMO_ACCOUNTS, type DemoAccount, type OpenedDemoAccount } from '../../identity/demo-accounts.ts';
import { exposureLimits } from '../../reserves/exposure-limits.ts';
import { HouseExposure } from '../../reserves/house-exposure.ts';
import { ReserveAudits } from '../../reserves/reserve-audit.ts';
import type { ClockTicker } from '../../sequencer/clock-ticker.ts';
import { REPLAY_LONG, REPLICA_FROM } from '../../sequencer/limits.ts';
import { ReplicaThread } from '../../sequencer/replica-thread.ts';
import { type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';
import { type SnapshotSchedule, SnapshotScheduler } from '../../sequencer/snapshot-scheduler.ts';
import type { MarketSimulator } from '../../simulator/market-simulator.ts';
import { NoSpace } from '../../storage/free-space.ts';
import { isOutOfSpace, isShortage } from '../../storage/shortage-errors.ts';
import { didYouMean } from '../cli/terminal/did-you-mean.ts';
import { refuseWithMemory } from '../config/memory-mode.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import type { Config } from '../config/settings.ts';
import { CannotStart, ConfigError } from '../exit-codes.ts';
import { ExposureMonitor } from '../observability/exposure-monitor.ts';
import { hasMemoryForReplica } from '../observability/memory-guard.ts';
import { ModeMonitor } from '../observability/mode-monitor.ts';
import { openAddressKey } from './address-key.ts';
import { hasDemoKeys, listCatalogue, openDemo } from './bootstrap.ts';
import { asHistoryDamage, type Components, openComponents } from './components.ts';
import { LOG_DIRECTORY } from './data-files.ts';
import { completeBrokers, enterNewestEdition } from './enter-edition.ts';
import { IdentityMarkWriter } from './identity-marks.ts';
import { closeServer, listen, refuseTakenPort } from './listen.ts';
import { refuseDemoBeyondLoopback, refuseOperatorBeyondLoopback } from './loopback.ts';
import { openSimulator } from './open-simulator.ts';
import { openAdminServer, openApi } from './servers.ts';

const PRUNE_INTERVAL_MS = 24 * 60 * 60_000;

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
  readonly demoAccounts: readonly OpenedDemoAccount[];
  readonly replayedCommands: number;
  /** Announces a stop to all clients of the streams and returns their number. Readiness is false from now on. */
  announceStop(seconds: number): number;
  /** May be called more than once. */
  stop(): Promise<void>;
}

/** `onFailure` is called for failures outside of requests, after which the process must end. */
export async function startExchange(
  resolved: ResolvedConfig,
  logger: Logger,
  onFailure: (error: Error) => void,
  demo: readonly DemoAccount[] = DEMO_ACCOUNTS,
): Promise<RunningExchange> {
  const { config } = resolved;
  refuseWithMemory(resolved);
  await refuseUnsafeConfig(config);
  const catalogue = listedPart(loadCatalogue(config.catalogue), config.instruments);
  const resources = new AsyncDisposableStack();
  let startFailed = false;
  try {
    // Errors of closing the components must not hide the reason of a failed start.
    const components = await openComponents(config, logger, resources, (error) => {
      if (!startFailed) onFailure(error);
    });
    resources.defer(() => drain(components.sequencer));
    const start = { config, logger, components, resources, demo };
    const demoAccounts = await bringUpToDate(start, catalogue);
    return await startServing(start, resolved, demoAccounts);
  } catch (error) {
    startFailed = true;
    await resources
      .disposeAsync()
      .catch((closing) => logger.warn({ err: closing }, 'closing after a failed start'));
    throw startRefusal(asHistoryDamage(error), config.data);
  }
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

/** What every step of a start needs. */
interface Start {
  readonly config: Config;
  readonly logger: Logger;
  readonly components: Components;
  /** Accounts that the exchange opens when it is a demo. */
  readonly demo: readonly DemoAccount[];
  /** Closed in reverse order by the stop. */
  readonly resources: AsyncDisposableStack;
}

/** Before anything is opened. */
async function refuseUnsafeConfig(config: Config): Promise<void> {
  if (config.demo) refuseDemoBeyondLoopback(config.host);
  if (config.operator) refuseOperatorBeyondLoopback(config.operatorHost, config.operatorTokenFile);
  await refuseTakenPorts(config);
  if (!existsSync(config.catalogue)) throw new ConfigError(`--catalogue ${config.catalogue} does not exist`);
}

/** Edition, listings and accounts, as far as the journal does not have them. Returns the accounts of the demo. */
async function bringUpToDate(
  { config, logger, components, demo }: Start,
  catalogue: Catalogue,
): Promise<readonly OpenedDemoAccount[]> {
  const { sequencer, identity } = components;
  if (hasDemoKeys(identity, demo)) refuseDemoBeyondLoopback(config.host);
  const edition = await enterNewestEdition(sequencer);
  await completeBrokers(sequencer, identity);
  if (edition < NEWEST_EDITION && sequencer.state.accountByUid.size > 0)
    logger.info(
      { edition: NEWEST_EDITION, before: edition },
      'the newest edition of the rule book is in force',
    );
  await listCatalogue(sequencer, catalogue);
  const demoAccounts = config.demo
    ? await openDemo(sequencer, identity, config.memory ? undefined : config.data, demo)
    : [];
  const completed = await completeSubAccounts(components);
  if (completed !== 0) logger.info({ completed }, 'sub-accounts that were half open are complete');
  return demoAccounts;
}

/** Background work, simulator and servers, in this order. */
async function startServing(
  start: Start,
  resolved: ResolvedConfig,
  demoAccounts: readonly OpenedDemoAccount[],
): Promise<RunningExchange> {
  const { config, logger, components, resources, demo } = start;
  const { sequencer, identity, replayed } = components;
  const identityMarks = new IdentityMarkWriter(identity, sequencer, components.identityMark);
  const report = backgroundReport(logger);
  const snapshotScheduler = startBackgroundWork(components, config, report, resources);
  snapshotScheduler.note = () => identityMarks.note();
  if (!config.memory) {
    const modes = new ModeMonitor(sequencer, config.data, logger);
    resources.defer(() => modes.stop());
  }
  const { ticker } = snapshotScheduler;
  const simulator = await openSimulator(sequencer, ticker, config, logger, resources);
  const market = simulator?.market;
  await sequencer.generated24h.load(sequencer.history, sequencer.state);
  const addressKey = openAddressKey(identity);
  const reserves = new ReserveAudits(sequencer, addressKey, () => components.wall.now());
  const dependencies = { ...components, demo, addressKey, reserves, exposure: watchExposure(start) };
  const { api, streams, stopping, readiness, load, recorder } = await openApi(
    dependencies,
    config,
    logger,
    resources,
  );
  const url = await listen(api, config, 'port');
  const snapshot = () => snapshotScheduler.snapshot();
  const adminDependencies = { ...dependencies, ticker, market, recorder, snapshot, readiness, load, url };
  const admin = config.operator
    ? await openAdminServer(adminDependencies, resolved, logger, resources)
    : undefined;
  const stop = async () => {
    stopping.begun = true;
    simulator?.stop();
    const servers = admin === undefined ? [api] : [admin.server, api];
    await Promise.all(servers.map(closeServer));
    snapshotScheduler.stop();
    await sequencer.durable();
    if (!config.memory) await finalSnapshot(snapshotScheduler, logger);
    await resources.disposeAsync();
  };
  let stopped: Promise<void> | undefined;
  // Only now, because clients have waited for the start.
  if (replayed > REPLAY_LONG) setImmediate(() => void snapshot().catch(report));
  return {
    url,
    operatorUrl: admin?.url,
    operatorToken: admin?.token,
    consoleCode: admin?.signIn,
    sequencer,
    market,
    ticker,
    demoAccounts,
    replayedCommands: replayed,
    announceStop: (seconds) => {
      stopping.begun = true;
      return streams.announceStop(seconds);
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** What the house has at stake, held against the configured limits. */
function watchExposure({ config, logger, components: { sequencer }, resources }: Start): HouseExposure {
  const limits = exposureLimits(config.exposureLimits);
  for (const { coin } of limits)
    if (coin !== undefined && !sequencer.state.coinByName.has(coin))
      logger.warn(`--exposure-limits names ${coin}, which is not listed`);
  const exposure = new HouseExposure(sequencer, limits);
  const monitor = new ExposureMonitor(exposure, logger);
  resources.defer(() => monitor.stop());
  return exposure;
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

/** Rejections for a shortage are not logged with every tick: the mode monitor logs the shortage once. */
function backgroundReport(logger: Logger): (error: Error) => void {
  return (error) => {
    if (error instanceof Unavailable) logger.debug({ err: error }, 'background work waits');
    else if (isShortage(error) || error instanceof HistoryStarved)
      logger.warn(
        { err: error },
        'background work failed for want of space or descriptors; it is tried again',
      );
    else logger.error({ err: error }, 'background work failed');
  };
}

/** Without space there is no snapshot, which costs the next start a longer replay and nothing else. */
async function finalSnapshot(snapshotScheduler: SnapshotScheduler, logger: Logger): Promise<void> {
  try {
    await snapshotScheduler.finalSnapshot();
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

/** Commands under way, such as those of the simulator, need journal and history until they are durable. */
async function drain(sequencer: Sequencer): Promise<void> {
  if (sequencer.failure === undefined) await sequencer.durable();
}

function snapshotsOnDisk(config: Config): { schedule: SnapshotSchedule; replica: ReplicaThread } {
  const schedule = {
    commands: config.snapshotCommands,
    intervalMs: config.snapshotMinutes * 60_000,
    replicaFrom: REPLICA_FROM,
  };
  const log = join(config.data, LOG_DIRECTORY);
  return { schedule, replica: new ReplicaThread(log, hasMemoryForReplica(config.memoryLimit)) };
}

/**
 * In memory a snapshot only lets old records go. It is made in this thread, where a state of a thousand orders takes a few
 * milliseconds; a larger one is made less often, so that it costs the same share of the time.
 */
const MEMORY_SCHEDULE: SnapshotSchedule = {
  commands: 20_000,
  commandsPerOrder: 2,
  intervalMs: Number.POSITIVE_INFINITY,
  replicaFrom: Number.POSITIVE_INFINITY,
};

function startBackgroundWork(
  components: Components,
  config: Config,
  report: (error: Error) => void,
  resources: AsyncDisposableStack,
): SnapshotScheduler {
  const { sequencer, journal, history } = components;
  const { schedule, replica } = config.memory ? { schedule: MEMORY_SCHEDULE } : snapshotsOnDisk(config);
  const snapshotScheduler = new SnapshotScheduler(sequencer, journal, report, schedule, replica);
  snapshotScheduler.start();
  let pruned = sequencer.clock.now();
  snapshotScheduler.ticker.onTick((now) => {
    if (now - pruned < PRUNE_INTERVAL_MS) return;
    pruned = now;
    history.prune(now).catch(report);
  });
  resources.defer(() => snapshotScheduler.stop());
  return snapshotScheduler;
}
