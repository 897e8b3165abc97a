/** The two doors of the exchange: the gateway with its streams for users, and the operator's. */
import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { TIMESTAMP_WINDOW_MS } from '../../api/auth/authenticate.ts';
import { RateLimiter } from '../../api/limits/rate-limit.ts';
import { ReplayGuard } from '../../api/auth/replay-guard.ts';
import type { ReadinessCheck } from '../../api/http/health.ts';
import { openSubAccount } from '../../accounts/open-sub-account.ts';
import { buildGateway } from '../../api/http/server.ts';
import type { LivingMarket } from '../../simulator/market-simulator.ts';
import { buildDoor } from '../../admin/server.ts';
import { openToken, removeDoorNote, TOKEN_FILE, writeDoorNote } from '../../admin/token.ts';
import { freeBytes } from '../../storage/free-space.ts';
import { serveAsyncApi } from '../../api/ws/asyncapi.ts';
import { Streams } from '../../api/ws/streams.ts';
import type { ReserveAudits } from '../../reserves/reserve-audit.ts';
import type { SecondHand } from '../../sequencer/clock-ticker.ts';
import { VERSION } from '../../version.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { hasDemoKeys } from './bootstrap.ts';
import { listen } from './listen.ts';
import { LoopWatch } from '../observability/event-loop-monitor.ts';
import { type Figures, Metrics } from '../observability/metrics.ts';
import { readinessChecks } from '../observability/readiness.ts';
import type { Rooms } from './components.ts';
import type { Config } from '../config/settings.ts';

/** The rooms, and what both doors show of them. */
interface Doors extends Rooms {
  readonly addressKey: KeyObject;
  readonly reserves: ReserveAudits;
}

export async function openGateway(rooms: Doors, config: Config, logger: Logger, open: AsyncDisposableStack) {
  const { venue, identity } = rooms;
  const watch = new LoopWatch();
  open.defer(() => watch.stop());
  const stopping = { begun: false };
  const connections = new ConnectionLimit(logger);
  const figures = () => figuresOf(rooms, watch, config.data, connections);
  const readiness = () => {
    const { capacity, logQueueAgeMs, historyLagRows, historyDamagedReads, historyStarved, loopDelay } =
      figures();
    const loopDelayP99Ms = loopDelay.p99Ms;
    const { failure, memoryShort } = venue;
    return readinessChecks({
      stopping: stopping.begun,
      failure,
      capacity,
      memoryShort,
      logQueueAgeMs,
      historyLagRows,
      historyDamagedReads,
      historyStarved,
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
    // The name that it was told to listen on is one under which it is meant to be reached.
    allowedHosts: [...config.allowedHosts, config.host],
    replays: config.rejectReplays ? new ReplayGuard(TIMESTAMP_WINDOW_MS) : undefined,
  };
  const { rateLimits, allowedOrigins } = config;
  const streams = new Streams({ ...services, rateLimits, allowedOrigins });
  const metrics = new Metrics(() => ({ ...figures(), streams: streams.figures }));
  const demo = hasDemoKeys(identity);
  const connectionsMax = connections.max;
  const gateway = await buildGateway({ ...services, demo, metrics, readiness, connectionsMax });
  connections.watch(gateway.server);
  streams.attach(gateway.server);
  serveAsyncApi(gateway);
  gateway.addHook('preClose', () => streams.close());
  open.defer(() => gateway.close());
  return { gateway, streams, stopping, readiness };
}

function figuresOf(
  { venue, log, history }: Rooms,
  watch: LoopWatch,
  data: string,
  connections: ConnectionLimit,
): Omit<Figures, 'streams'> {
  return {
    appliedSeq: venue.appliedSeq,
    durableSeq: venue.durableSeq,
    historySeq: history.confirmedSeq,
    historyLagRows: history.lag(),
    historyDamagedReads: history.damagedReads(),
    logQueueAgeMs: log.queueAgeMs(),
    capacity: log.capacity(),
    mode: venue.shortage()?.mode ?? 'normal',
    historyStarved: history.starved,
    freeBytes: freeBytes(data),
    connectionsMax: connections.max,
    connectionsDropped: connections.dropped,
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
export async function openDoor(desk: DoorDesk, config: Config, logger: Logger, open: AsyncDisposableStack) {
  const { venue, identity, reserves, audit, seconds, market, snapshot, readiness } = desk;
  const { data, demo, operatorHost: host, operatorPort: port, operatorTokenFile } = config;
  const token = openToken(operatorTokenFile === '' ? join(data, TOKEN_FILE) : operatorTokenFile);
  const server = buildDoor({
    venue,
    identity,
    reserves,
    audit,
    token,
    allowedHosts: [...config.allowedHosts, host],
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
