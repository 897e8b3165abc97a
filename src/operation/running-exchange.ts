/**
 * An exchange from start to stop. Nothing is served before everything has succeeded; the way down is the way up
 * backwards, with a snapshot in between so that the next start is quick. A process that ends without it loses nothing.
 */
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { buildGateway } from '../gateway/server.ts';
import type { OpenedDemoAccount } from '../identity/demo-accounts.ts';
import { loadCatalogue } from '../venue/catalogue.ts';
import { Keeper } from '../venue/keeper.ts';
import type { Venue } from '../venue/venue.ts';
import { CannotStart, ConfigError } from './exit-codes.ts';
import { hasDemoKeys, listCatalogue, openDemo } from './first-start.ts';
import { LoopWatch } from './loop-watch.ts';
import { refuseDemoBeyondLoopback, urlOf } from './loopback.ts';
import { type Figures, Metrics } from './metrics.ts';
import { portHolder } from './port-holder.ts';
import { readinessChecks } from './readiness.ts';
import { openRooms, type Rooms } from './rooms.ts';

/** Requests under way get this long before their connections are cut. */
const REQUESTS_END_MS = 3000;
const PRUNE_INTERVAL_MS = 24 * 60 * 60_000;

export interface RunningExchange {
  readonly url: string;
  readonly venue: Venue;
  readonly demoAccounts: readonly OpenedDemoAccount[];
  readonly replayedCommands: number;
  stop(): Promise<void>;
}

/** `onFailure` hears of what no request can be blamed for: the exchange cannot keep its promises any longer. */
export async function startExchange(
  config: Config,
  logger: Logger,
  onFailure: (error: Error) => void,
): Promise<RunningExchange> {
  if (config.demo) refuseDemoBeyondLoopback(config.host);
  if (!existsSync(config.catalogue)) throw new ConfigError(`--catalogue ${config.catalogue} does not exist`);
  const catalogue = loadCatalogue(config.catalogue);
  const open = new AsyncDisposableStack();
  try {
    const rooms = await openRooms(config, logger, open, onFailure);
    const { venue, identity } = rooms;
    if (hasDemoKeys(identity)) refuseDemoBeyondLoopback(config.host);
    await listCatalogue(venue, catalogue);
    const demoAccounts = config.demo ? await openDemo(venue, identity, config.data) : [];
    const keeper = startKeeping(rooms, config, logger, open);
    const { gateway, stopping } = await openGateway(rooms, config, logger, open);
    const url = await listen(gateway, config);
    const stop = async () => {
      stopping.begun = true;
      await closeGateway(gateway);
      keeper.stop();
      await venue.settled();
      await keeper.snapshot();
      await open.disposeAsync();
    };
    return { url, venue, demoAccounts, replayedCommands: rooms.replayed, stop };
  } catch (error) {
    await open.disposeAsync();
    throw error;
  }
}

function startKeeping(rooms: Rooms, config: Config, logger: Logger, open: AsyncDisposableStack): Keeper {
  const { venue, log, history } = rooms;
  const report = (error: Error) => logger.error({ err: error }, 'upkeep failed');
  const keeper = new Keeper(venue, log, report, {
    commands: config.snapshotCommands,
    intervalMs: config.snapshotMinutes * 60_000,
  });
  keeper.start();
  const prune = () => void history.prune(venue.clock.now()).catch(report);
  const pruning = setInterval(prune, PRUNE_INTERVAL_MS).unref();
  open.defer(() => {
    keeper.stop();
    clearInterval(pruning);
  });
  return keeper;
}

async function openGateway(rooms: Rooms, config: Config, logger: Logger, open: AsyncDisposableStack) {
  const { venue, identity } = rooms;
  const watch = new LoopWatch();
  open.defer(() => watch.stop());
  const stopping = { begun: false };
  const figures = () => figuresOf(rooms, watch);
  const gateway = await buildGateway({
    venue,
    identity,
    logger: logger.child({}),
    clock: venue.clock,
    rateLimits: config.rateLimits,
    errorDialect: config.errorDialect,
    trustedProxies: config.trustedProxies,
    metrics: new Metrics(figures),
    readiness: () => {
      const { capacity, logQueueAgeMs, historyLagRows, loopDelay } = figures();
      const loopDelayP99Ms = loopDelay.p99Ms;
      const { failure } = venue;
      return readinessChecks({
        stopping: stopping.begun,
        failure,
        capacity,
        logQueueAgeMs,
        historyLagRows,
        loopDelayP99Ms,
      });
    },
  });
  open.defer(() => gateway.close());
  return { gateway, stopping };
}

function figuresOf({ venue, log, history }: Rooms, watch: LoopWatch): Figures {
  return {
    appliedSeq: venue.appliedSeq,
    durableSeq: venue.durableSeq,
    historySeq: history.confirmedSeq,
    historyLagRows: history.lag(),
    logQueueAgeMs: log.queueAgeMs(),
    capacity: log.capacity(),
    accounts: venue.state.accountByUid.size,
    openOrders: venue.state.slab.count,
    loopDelay: watch.delay,
    gcPauses: watch.gcPauses,
  };
}

/** Resolves with the address under which the exchange is reached. */
async function listen(gateway: FastifyInstance, { host, port }: Config): Promise<string> {
  const { level } = gateway.log;
  try {
    // Fastify tells the address by itself; here that is the banner's work.
    gateway.log.level = 'silent';
    await gateway.listen({ host, port });
  } catch (error) {
    throw cannotListen(host, port, error as NodeJS.ErrnoException);
  } finally {
    gateway.log.level = level;
  }
  return urlOf(host, (gateway.server.address() as AddressInfo).port);
}

function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EADDRINUSE') {
    const holder = portHolder(port);
    const by = holder === undefined ? 'another program' : `process ${holder.pid} (${holder.command})`;
    return new CannotStart(
      `port ${port} on ${host} is in use by ${by}. Stop it, choose another with --port, ` +
        'or take any free one with --port 0.',
    );
  }
  if (error.code === 'EACCES') {
    return new CannotStart(`port ${port} needs rights that this user does not have: choose one above 1023`);
  }
  return new CannotStart(`cannot listen on ${host}, port ${port}: ${error.message}`);
}

async function closeGateway(gateway: FastifyInstance): Promise<void> {
  const closed = gateway.close();
  const inTime = await Promise.race([closed.then(() => true), sleep(REQUESTS_END_MS, false, { ref: false })]);
  if (!inTime) gateway.server.closeAllConnections();
  await closed;
}
