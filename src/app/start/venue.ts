/**
 * The exchange behind the listeners: state, stores, clock, market and both servers. It can be replaced as a whole while the
 * listeners stay (`lab/laboratory.ts`); nothing in it refers to another one.
 */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Streams } from '../../api/ws/streams.ts';
import { NodeUpkeep } from '../../cluster/node-upkeep.ts';
import { HistoryStarved } from '../../history/history.ts';
import { exposureLimits } from '../../reserves/exposure-limits.ts';
import { HouseExposure } from '../../reserves/house-exposure.ts';
import { ReserveAudits } from '../../reserves/reserve-audit.ts';
import { type ClockChoice, clockFrom } from '../../sequencer/clock-choice.ts';
import type { ClockTicker } from '../../sequencer/clock-ticker.ts';
import { REPLICA_FROM } from '../../sequencer/limits.ts';
import { ReplicaThread } from '../../sequencer/replica-thread.ts';
import { type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';
import { type SnapshotSchedule, SnapshotScheduler, type Upkeep } from '../../sequencer/snapshot-scheduler.ts';
import type { MarketSimulator } from '../../simulator/market-simulator.ts';
import { isShortage } from '../../storage/shortage-errors.ts';
import { hasDirectory } from '../config/memory-mode.ts';
import type { Config } from '../config/settings.ts';
import { LOG_DIRECTORY } from '../data/data-files.ts';
import { ExposureMonitor } from '../observability/exposure-monitor.ts';
import { hasMemoryForReplica } from '../observability/memory-guard.ts';
import type { MetricsSnapshot } from '../observability/metrics.ts';
import { ModeMonitor } from '../observability/mode-monitor.ts';
import { openAddressKey } from './address-key.ts';
import type { Components } from './components.ts';
import { IdentityMarkWriter } from './identity-marks.ts';
import { runSimulatorOnDuty } from './node-simulator.ts';
import { type OpenSimulator, openSimulator } from './open-simulator.ts';
import { buildAdmin, buildApi, type ProcessContext } from './servers.ts';

const PRUNE_INTERVAL_MS = 24 * 60 * 60_000;

export interface Venue {
  readonly components: Components;
  readonly sequencer: Sequencer;
  readonly identity: Components['identity'];
  readonly history: Components['history'];
  readonly ticker: ClockTicker;
  readonly scheduler: Upkeep;
  readonly api: FastifyInstance;
  readonly admin: FastifyInstance | undefined;
  readonly streams: Streams;
  /** Undefined when the simulator is off. */
  readonly simulator: MarketSimulator | undefined;
  readonly metricsSnapshot: () => MetricsSnapshot;
  /** The mark of the identity store, for a snapshot. */
  identityMarkBytes(): Uint8Array;
  readonly journalPast: Components['journalPast'];
  /** Starts or resumes clock and market. */
  start(): void;
  /** Clock and market submit nothing until `start`. */
  pause(): void;
  /** Changes the clock; time goes on from the present. */
  setClock(choice: ClockChoice): void;
  /** The market begins anew from the present state, as after a restart. */
  reopenMarket(): Promise<void>;
  /** Closes its own resources; the listeners stay open. */
  close(): Promise<void>;
}

/** `resources` are those of the components; the venue closes them. `directory` holds their files. */
export async function openVenue(
  components: Components,
  context: ProcessContext,
  directory: string,
  resources: AsyncDisposableStack,
): Promise<Venue> {
  const { logger } = context;
  const { config } = context.resolved;
  const { sequencer, identity } = components;
  const { node } = components;
  const report = backgroundReport(logger);
  const scheduler = scheduleUpkeep(components, config, directory, report);
  resources.defer(() => scheduler.end());
  const identityMarkBytes = markIdentity(components);
  scheduler.note = identityMarkBytes;
  if (hasDirectory(config)) {
    const modes = new ModeMonitor(sequencer, config.data, logger);
    resources.defer(() => modes.stop());
  }
  const { ticker } = scheduler;
  const open = (onSequencer = sequencer) => openSimulator(onSequencer, ticker, config, logger, resources);
  let running: OpenSimulator | undefined = node === undefined ? await open() : undefined;
  resources.defer(() => running?.close());
  if (node !== undefined)
    runSimulatorOnDuty(node, logger, open, (opened) => {
      running = opened;
    });
  await sequencer.generated24h.load(sequencer.history, sequencer.state, components.generated24h);
  const addressKey = openAddressKey(identity);
  const reserves = new ReserveAudits(sequencer, addressKey, () => components.wallClock.now());
  resources.defer(() => reserves.close());
  const exposure = watchExposure(sequencer, config, logger, resources);
  const dependencies = { ...components, addressKey, reserves, exposure };
  const { api, streams, readiness, load, metricsSnapshot } = await buildApi(dependencies, context);
  resources.defer(() => context.servers.api.release(api));
  const snapshot = () => scheduler.snapshot();
  const market = () => running?.simulator;
  const admin = config.operator
    ? await buildAdmin({ ...dependencies, ticker, market, snapshot, readiness, load }, context)
    : undefined;
  if (admin !== undefined) resources.defer(() => context.servers.admin.release(admin));
  const start = () => {
    scheduler.start();
    sequencer.resumeWork();
    running?.start();
  };
  const pause = () => {
    running?.stop();
    scheduler.stop();
  };
  return {
    components,
    sequencer,
    identity,
    history: components.history,
    ticker,
    scheduler,
    api,
    admin,
    streams,
    get simulator() {
      return running?.simulator;
    },
    metricsSnapshot,
    identityMarkBytes: () => identityMarkBytes() ?? new Uint8Array(0),
    journalPast: components.journalPast,
    start,
    pause,
    setClock: (choice) => {
      const { clock, wallClock } = components;
      pause();
      clock.change(clockFrom(choice, Math.max(clock.now(), sequencer.state.now), wallClock));
      ticker.clockChanged();
      start();
    },
    reopenMarket: async () => {
      if (running === undefined) return;
      running.close();
      running = await open();
      running!.start();
    },
    close: () => resources.disposeAsync(),
  };
}

/** What the house has at stake, held against the configured limits. */
function watchExposure(
  sequencer: Sequencer,
  config: Config,
  logger: Logger,
  resources: AsyncDisposableStack,
): HouseExposure {
  const limits = exposureLimits(config.exposureLimits);
  for (const { coin } of limits)
    if (coin !== undefined && !sequencer.state.coinByName.has(coin))
      logger.warn(`--exposure-limits names ${coin}, which is not listed`);
  const exposure = new HouseExposure(sequencer, limits);
  const monitor = new ExposureMonitor(exposure, logger);
  resources.defer(() => monitor.stop());
  return exposure;
}

/** Rejections for a shortage are not logged with every tick: the mode monitor logs the shortage once. */
export function backgroundReport(logger: Logger): (error: Error) => void {
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

function snapshotsOnDisk(
  config: Config,
  directory: string,
): { schedule: SnapshotSchedule; replica: ReplicaThread } {
  const schedule = {
    commands: config.snapshotCommands,
    intervalMs: config.snapshotMinutes * 60_000,
    replicaFrom: REPLICA_FROM,
  };
  const log = join(directory, LOG_DIRECTORY);
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

/** Detects users and keys that are older than the journal; a cluster has them in its database, with the log. */
function markIdentity({ node, identity, sequencer, identityMark }: Components): () => Uint8Array | undefined {
  if (node !== undefined) return () => undefined;
  const marks = new IdentityMarkWriter(identity, sequencer, identityMark);
  return () => marks.markBytes();
}

function scheduleSnapshots(
  { sequencer, journal }: Components,
  config: Config,
  directory: string,
  report: (error: Error) => void,
): SnapshotScheduler {
  const { schedule, replica } = config.memory
    ? { schedule: MEMORY_SCHEDULE }
    : snapshotsOnDisk(config, directory);
  return new SnapshotScheduler(sequencer, journal, report, schedule, replica);
}

function scheduleUpkeep(
  components: Components,
  config: Config,
  directory: string,
  report: (error: Error) => void,
): Upkeep {
  const { sequencer, history, node } = components;
  const scheduler =
    node === undefined
      ? scheduleSnapshots(components, config, directory, report)
      : new NodeUpkeep(node, report);
  let pruned = sequencer.clock.now();
  scheduler.ticker.onTick((now) => {
    if (now - pruned < PRUNE_INTERVAL_MS) return;
    pruned = now;
    history.prune(now).catch(report);
  });
  return scheduler;
}
