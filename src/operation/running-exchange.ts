/**
 * An exchange from start to stop. Nothing is served before everything has succeeded; the way down is the way up
 * backwards, with a snapshot in between so that the next start is quick. A process that ends without it loses nothing.
 */
import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { RateLimiter } from '../gateway/admission/rate-limit.ts';
import type { ReadinessCheck } from '../gateway/health.ts';
import { completeSubAccounts, openSubAccount } from '../gateway/open-sub-account.ts';
import { buildGateway } from '../gateway/server.ts';
import type { OpenedDemoAccount } from '../identity/demo-accounts.ts';
import type { LivingMarket } from '../market/living-market.ts';
import { buildDoor } from '../operator/server.ts';
import { openToken, removeDoorNote, TOKEN_FILE, writeDoorNote } from '../operator/token.ts';
import { serveAsyncApi } from '../streams/asyncapi.ts';
import { Streams } from '../streams/streams.ts';
import { loadCatalogue } from '../venue/catalogue.ts';
import { Keeper } from '../venue/keeper.ts';
import { ReserveAudits } from '../venue/reserve-audit.ts';
import type { SecondHand } from '../venue/second-hand.ts';
import type { Venue } from '../venue/venue.ts';
import { VERSION } from '../version.ts';
import { openAddressKey } from './address-key.ts';
import { CannotStart, ConfigError } from './exit-codes.ts';
import { hasDemoKeys, listCatalogue, openDemo } from './first-start.ts';
import { LoopWatch } from './loop-watch.ts';
import { refuseDemoBeyondLoopback, refuseOperatorBeyondLoopback, urlOf } from './loopback.ts';
import { type Figures, Metrics } from './metrics.ts';
import { openMarket } from './open-market.ts';
import { portHolder } from './port-holder.ts';
import { readinessChecks } from './readiness.ts';
import { openRooms, type Rooms } from './rooms.ts';
import type { Config } from './settings/settings.ts';

/** Requests under way get this long before their connections are cut. */
const REQUESTS_END_MS = 3000;
const PRUNE_INTERVAL_MS = 24 * 60 * 60_000;

export interface RunningExchange {
  readonly url: string;
  /** Undefined when the exchange runs without an operator's door. */
  readonly operatorUrl: string | undefined;
  readonly venue: Venue;
  /** Undefined when the market is off. */
  readonly market: LivingMarket | undefined;
  readonly seconds: SecondHand;
  readonly demoAccounts: readonly OpenedDemoAccount[];
  readonly replayedCommands: number;
  /** The stop that follows is told to whoever reads streams; says how many do. Nobody new should be sent here. */
  announceStop(seconds: number): number;
  stop(): Promise<void>;
}

/** `onFailure` hears of what no request can be blamed for: the exchange cannot keep its promises any longer. */
export async function startExchange(
  config: Config,
  logger: Logger,
  onFailure: (error: Error) => void,
): Promise<RunningExchange> {
  if (config.demo) refuseDemoBeyondLoopback(config.host);
  if (config.operator) refuseOperatorBeyondLoopback(config.operatorHost, config.operatorTokenFile);
  if (!existsSync(config.catalogue)) throw new ConfigError(`--catalogue ${config.catalogue} does not exist`);
  const catalogue = loadCatalogue(config.catalogue);
  const open = new AsyncDisposableStack();
  let givenUp = false;
  try {
    // Why a start was given up is what its user must read, not what closing the rooms may say about it.
    const rooms = await openRooms(config, logger, open, (error) => {
      if (!givenUp) onFailure(error);
    });
    const { venue, identity } = rooms;
    open.defer(() => lastRecords(venue));
    if (hasDemoKeys(identity)) refuseDemoBeyondLoopback(config.host);
    await listCatalogue(venue, catalogue);
    const demoAccounts = config.demo ? await openDemo(venue, identity, config.data) : [];
    const completed = await completeSubAccounts(rooms);
    if (completed !== 0) logger.info({ completed }, 'sub-accounts that were half open are complete');
    const keeper = startKeeping(rooms, config, logger, open);
    const living = await openMarket(venue, keeper.seconds, config, logger, open);
    const market = living?.market;
    await venue.pastDays.load(venue.history, venue.state);
    const addressKey = openAddressKey(config.data);
    const reserves = new ReserveAudits(venue, addressKey, () => rooms.wall.now());
    const doors = { ...rooms, addressKey, reserves };
    const { gateway, streams, stopping, readiness } = await openGateway(doors, config, logger, open);
    const url = await listen(gateway, config, 'port');
    const { seconds } = keeper;
    const desk = { ...doors, seconds, market, snapshot: () => keeper.snapshot(), readiness, url };
    const door = config.operator ? await openDoor(desk, config, logger, open) : undefined;
    const announceStop = (seconds: number) => {
      stopping.begun = true;
      return streams.announceStop(seconds);
    };
    const stop = async () => {
      stopping.begun = true;
      living?.stop();
      const servers = door === undefined ? [gateway] : [door.server, gateway];
      await Promise.all(servers.map(closeServer));
      keeper.stop();
      await venue.settled();
      await keeper.snapshot();
      await open.disposeAsync();
    };
    const operatorUrl = door?.url;
    const replayedCommands = rooms.replayed;
    return {
      url,
      operatorUrl,
      venue,
      market,
      seconds,
      demoAccounts,
      replayedCommands,
      announceStop,
      stop,
    };
  } catch (error) {
    givenUp = true;
    await open
      .disposeAsync()
      .catch((closing) => logger.warn({ err: closing }, 'closing after a failed start'));
    throw error;
  }
}

/** Commands under way, such as those of a living market, need the log and the history until they are durable. */
async function lastRecords(venue: Venue): Promise<void> {
  if (venue.failure === undefined) await venue.settled();
}

function startKeeping(rooms: Rooms, config: Config, logger: Logger, open: AsyncDisposableStack): Keeper {
  const { venue, log, history } = rooms;
  const report = (error: Error) => logger.error({ err: error }, 'upkeep failed');
  const keeper = new Keeper(venue, log, report, {
    commands: config.snapshotCommands,
    intervalMs: config.snapshotMinutes * 60_000,
  });
  keeper.start();
  let pruned = venue.clock.now();
  keeper.seconds.onSecond((now) => {
    if (now - pruned < PRUNE_INTERVAL_MS) return;
    pruned = now;
    history.prune(now).catch(report);
  });
  open.defer(() => keeper.stop());
  return keeper;
}

/** The rooms, and what both doors show of them. */
interface Doors extends Rooms {
  readonly addressKey: KeyObject;
  readonly reserves: ReserveAudits;
}

async function openGateway(rooms: Doors, config: Config, logger: Logger, open: AsyncDisposableStack) {
  const { venue, identity } = rooms;
  const watch = new LoopWatch();
  open.defer(() => watch.stop());
  const stopping = { begun: false };
  const figures = () => figuresOf(rooms, watch);
  const readiness = () => {
    const { capacity, logQueueAgeMs, historyLagRows, loopDelay } = figures();
    const loopDelayP99Ms = loopDelay.p99Ms;
    const { failure, memoryShort } = venue;
    return readinessChecks({
      stopping: stopping.begun,
      failure,
      capacity,
      memoryShort,
      logQueueAgeMs,
      historyLagRows,
      loopDelayP99Ms,
    });
  };
  const limiter = new RateLimiter({ rateLimits: config.rateLimits });
  const services = {
    venue,
    identity,
    logger: logger.child({}),
    clock: venue.clock,
    wall: rooms.wall,
    limiter,
    errorDialect: config.errorDialect,
    addressKey: rooms.addressKey,
    reserves: rooms.reserves,
    trustedProxies: config.trustedProxies,
  };
  const { rateLimits, allowedOrigins } = config;
  const streams = new Streams({ ...services, rateLimits, allowedOrigins });
  const metrics = new Metrics(() => ({ ...figures(), streams: streams.figures }));
  const gateway = await buildGateway({ ...services, metrics, readiness });
  streams.attach(gateway.server);
  serveAsyncApi(gateway);
  gateway.addHook('preClose', () => streams.close());
  open.defer(() => gateway.close());
  return { gateway, streams, stopping, readiness };
}

function figuresOf({ venue, log, history }: Rooms, watch: LoopWatch): Omit<Figures, 'streams'> {
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

/** What the operator's door stands on: the rooms, and what only the running process can tell and do. */
interface DoorDesk extends Doors {
  readonly seconds: SecondHand;
  readonly market: LivingMarket | undefined;
  readonly snapshot: () => Promise<void>;
  readonly readiness: () => readonly ReadinessCheck[];
  /** Where users reach the exchange. */
  readonly url: string;
}

/** The note for the command line is written when the door is open and goes with it. */
async function openDoor(desk: DoorDesk, config: Config, logger: Logger, open: AsyncDisposableStack) {
  const { venue, identity, reserves, audit, seconds, market, snapshot, readiness } = desk;
  const { data, demo, operatorHost: host, operatorPort: port, operatorTokenFile } = config;
  const token = openToken(operatorTokenFile === '' ? join(data, TOKEN_FILE) : operatorTokenFile);
  const server = buildDoor({
    venue,
    identity,
    reserves,
    audit,
    token,
    seconds,
    market,
    snapshot,
    openSub: openSubAccount,
    data,
    demo,
    logger: logger.child({}),
    health: () => ({
      version: VERSION,
      url: desk.url,
      uptimeSeconds: Math.floor(process.uptime()),
      checks: readiness(),
    }),
  });
  open.defer(() => server.close());
  const url = await listen(server, { host, port }, 'operator-port');
  writeDoorNote(data, { url, token, pid: process.pid });
  open.defer(() => removeDoorNote(data));
  return { server, url };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Resolves with the address under which the server is reached; `flag` is the one that chooses its port. */
async function listen(server: FastifyInstance, { host, port }: Address, flag: string): Promise<string> {
  const { level } = server.log;
  try {
    // Fastify tells the address by itself; here that is the banner's work.
    server.log.level = 'silent';
    await server.listen({ host, port });
  } catch (error) {
    throw cannotListen(host, port, flag, error as NodeJS.ErrnoException);
  } finally {
    server.log.level = level;
  }
  return urlOf(host, (server.server.address() as AddressInfo).port);
}

function cannotListen(host: string, port: number, flag: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EADDRINUSE') {
    const holder = portHolder(port);
    const by = holder === undefined ? 'another program' : `process ${holder.pid} (${holder.command})`;
    return new CannotStart(
      `port ${port} on ${host} is in use by ${by}. Stop it, choose another with --${flag}, ` +
        `or take any free one with --${flag} 0.`,
    );
  }
  if (error.code === 'EACCES') {
    return new CannotStart(`port ${port} needs rights that this user does not have: choose one above 1023`);
  }
  return new CannotStart(`cannot listen on ${host}, port ${port}: ${error.message}`);
}

async function closeServer(server: FastifyInstance): Promise<void> {
  const closed = server.close();
  const inTime = await Promise.race([closed.then(() => true), sleep(REQUESTS_END_MS, false, { ref: false })]);
  if (!inTime) server.server.closeAllConnections();
  await closed;
}
