/** The two servers of the exchange: the public API with its streams, and the operator's. Listeners stand in front of them. */

import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { ConsoleSessions } from '../../admin/console-sessions.ts';
import { ForcedCloses } from '../../admin/forced-closes.ts';
import type { Load, OperatorRoute } from '../../admin/route.ts';
import { type AdminServerOptions, buildAdminServer } from '../../admin/server.ts';
import { newToken, openToken, readToken, TOKEN_FILE } from '../../admin/token.ts';
import { TIMESTAMP_WINDOW_MS } from '../../api/auth/authenticate.ts';
import { ReplayGuard } from '../../api/auth/replay-guard.ts';
import type { ReadinessCheck } from '../../api/http/health.ts';
import { NO_GATEWAY } from '../../api/http/node-gate.ts';
import { countCall } from '../../api/http/order-calls.ts';
import { type ApiServerOptions, buildApiServer } from '../../api/http/server.ts';
import { LimitClock } from '../../api/limits/limit-clock.ts';
import { RateLimiter } from '../../api/limits/rate-limit.ts';
import { serveAsyncApi } from '../../api/ws/asyncapi.ts';
import type { ExplainCommand } from '../../api/ws/inspect/explained.ts';
import { Streams } from '../../api/ws/streams.ts';
import { openOrderCount } from '../../core/reads/reads.ts';
import type { CallFaults } from '../../http/call-faults.ts';
import type { StreamFaults } from '../../http/stream-faults.ts';
import type { DemoAccount } from '../../identity/demo-accounts.ts';
import type { Recorder } from '../../inspector/recorder.ts';
import { serveConsole, servePages } from '../../pages/serve-pages.ts';
import type { HouseExposure } from '../../reserves/house-exposure.ts';
import type { ReserveAudits } from '../../reserves/reserve-audit.ts';
import { choiceOf } from '../../sequencer/clock-choice.ts';
import type { ClockTicker } from '../../sequencer/clock-ticker.ts';
import type { MarketSimulator } from '../../simulator/market-simulator.ts';
import { freeBytes } from '../../storage/free-space.ts';
import { VERSION } from '../../version.ts';
import { hasDirectory } from '../config/memory-mode.ts';
import { explainSettings, type ResolvedConfig } from '../config/resolve-config.ts';
import type { Config } from '../config/settings.ts';
import type { LoopReading } from '../observability/event-loop-monitor.ts';
import type { Metrics, MetricsSnapshot } from '../observability/metrics.ts';
import { readinessChecks } from '../observability/readiness.ts';
import { demoKeys, hasDemoKeys } from './bootstrap.ts';
import type { Components } from './components.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { isWithinReach, refusalOutsideContainer } from './demo-reach.ts';
import { type BuiltServer, KeptServers } from './kept-servers.ts';

/** Belongs to the process: stays when the laboratory replaces the venue behind the listeners. */
export interface ProcessContext {
  readonly resolved: ResolvedConfig;
  readonly logger: Logger;
  /** Accounts whose keys are published, where it is a demo. */
  readonly demo: readonly DemoAccount[];
  readonly loop: LoopReading;
  readonly connections: ConnectionLimit;
  /** Undefined while nothing is recorded. */
  readonly recorder: Recorder | undefined;
  readonly metrics: Metrics;
  readonly stopping: { begun: boolean };
  readonly sessions: ConsoleSessions;
  readonly token: string;
  /** Routes of the laboratory on the operator's listener. */
  readonly labRoutes: readonly OperatorRoute[];
  /** Undefined without a laboratory. */
  readonly faults: (CallFaults & StreamFaults) | undefined;
  /** Explains commands to their senders; absent where there is no laboratory. */
  readonly explain?: ExplainCommand | undefined;
  /** Where users reach the exchange. */
  readonly url: () => string;
  readonly servers: Servers;
}

/** Dependencies of both servers. */
export interface ServerDependencies extends Components {
  readonly addressKey: KeyObject;
  readonly reserves: ReserveAudits;
  readonly exposure: HouseExposure;
}

export interface BuiltApi {
  readonly api: FastifyInstance;
  readonly streams: Streams;
  readonly readiness: () => readonly ReadinessCheck[];
  readonly load: () => Load;
  readonly metricsSnapshot: () => MetricsSnapshot;
}

/** The public API with its streams; it listens behind a front. */
export async function buildApi(components: ServerDependencies, context: ProcessContext): Promise<BuiltApi> {
  const { sequencer, identity, node } = components;
  const { logger, recorder, connections, loop, metrics, stopping } = context;
  const { config } = context.resolved;
  const snapshot = () => metricsOf(components, loop, config, connections);
  const readiness = () => {
    const { capacity, logQueueAgeMs, historyLagRows, historyDamagedReads, historyStarved, loopDelay } =
      snapshot();
    const loopDelayP99Ms = loopDelay.p99Ms;
    const { failure, memoryShort } = sequencer;
    const checks = readinessChecks({
      stopping: stopping.begun,
      failure,
      capacity,
      memoryShort,
      logQueueAgeMs,
      historyLagRows,
      historyDamagedReads,
      historyStarved,
      historyWaitsFor: components.history.waitsFor,
      loopDelayP99Ms,
      exposure: components.exposure.kept(),
    });
    return node === undefined ? checks : [...checks, ...node.checks()];
  };
  const limiter = new RateLimiter({
    rateLimits: config.rateLimits,
    // Demo accounts allow only this machine: there are no millions of addresses to tell apart.
    fewSources: config.memory,
  });
  const limitClock = new LimitClock(sequencer.clock, components.wallClock);
  if (node !== undefined)
    node.onCalls = (calls) => {
      for (const call of calls) countCall(limiter, identity, call, limitClock.now());
    };
  const demo = hasDemoKeys(identity, context.demo);
  const services = {
    sequencer,
    identity,
    logger: logger.child({}),
    clock: sequencer.clock,
    wallClock: components.wallClock,
    limitClock,
    limiter,
    errorDialect: config.errorDialect,
    addressKey: components.addressKey,
    reserves: components.reserves,
    trustedProxies: config.trustedProxies,
    // The host that the exchange listens on is a name under which it may be reached.
    allowedHosts: [...config.allowedHosts, config.host],
    // On loopback every peer is this machine.
    peerRefusal: demo && config.demoReach === 'container' ? refusalOutsideContainer : undefined,
    recorder,
    faults: context.faults,
    replays: config.rejectReplays ? new ReplayGuard(TIMESTAMP_WINDOW_MS) : undefined,
  };
  const { rateLimits, allowedOrigins } = config;
  // Limits and timeouts of a driven clock use its time alone.
  const driven = choiceOf(sequencer.clock) === 'driven';
  const streams = new Streams({
    ...services,
    rateLimits,
    allowedOrigins,
    explain: context.explain,
    refusal: node?.isGateway === false ? NO_GATEWAY : undefined,
    ...(driven && { driven, wallClock: sequencer.clock }),
  });
  const metricsSnapshot = () => ({
    ...snapshot(),
    streams: streams.metrics,
    exposure: components.exposure.kept(),
  });
  const connectionsMax = connections.max;
  const api = await context.servers.api.acquire({
    ...services,
    demo,
    metrics,
    readiness,
    connectionsMax,
    node,
    streams,
  });
  const load = () => ({ sockets: streams.metrics.connections, ...metrics.takeRecent() });
  return { api, streams, readiness, load, metricsSnapshot };
}

/** Servers of the process, for one exchange after the other. */
export interface Servers {
  readonly api: KeptServers<ApiOptions>;
  readonly admin: KeptServers<AdminServerOptions>;
}

type ApiOptions = ApiServerOptions & { readonly streams: Streams };

export function keepServers(config: Config, demo: readonly DemoAccount[]): Servers {
  return {
    api: new KeptServers((options) => buildPublic(options, config, demo)),
    admin: new KeptServers(async (options) => {
      const built = buildAdminServer(options);
      serveConsole(built.app);
      return built;
    }),
  };
}

async function buildPublic(
  options: ApiOptions,
  config: Config,
  demo: readonly DemoAccount[],
): Promise<BuiltServer> {
  const app = await buildApiServer(options);
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    options.streams.upgrade(request, socket, head),
  );
  serveAsyncApi(app);
  servePages(app, {
    demoKeys: () => demoKeys(options.identity, demo),
    // For a page a driven clock is one that others move.
    clock: () => choiceOf(options.sequencer.clock).replace('driven', 'manual'),
    isNear: (address) => isWithinReach(config.demoReach, address),
    inspect: config.inspect === 'on',
  });
  return { app, leave: () => options.streams.close() };
}

function metricsOf(
  { sequencer, journal, history }: Components,
  loop: LoopReading,
  config: Config,
  connections: ConnectionLimit,
): Omit<MetricsSnapshot, 'streams' | 'exposure'> {
  return {
    appliedSeq: sequencer.appliedSeq,
    durableSeq: sequencer.durableSeq,
    historySeq: history.confirmedSeq,
    historyLagRows: history.lag(),
    historyDamagedReads: history.damagedReads(),
    logQueueAgeMs: journal.queueAgeMs(),
    capacity: journal.capacity(),
    mode: sequencer.shortage()?.mode ?? 'normal',
    historyStarved: history.starved,
    freeBytes: hasDirectory(config) ? freeBytes(config.data) : undefined,
    connectionsMax: connections.max,
    connectionsDropped: connections.dropped,
    accounts: sequencer.state.accountByUid.size,
    openOrders: openOrderCount(sequencer.state),
    loopDelay: loop.delay,
    gcPauses: loop.gcPauses,
  };
}

/** Dependencies of the operator's server, including services of the running process. */
export interface AdminDependencies extends ServerDependencies {
  readonly ticker: ClockTicker;
  readonly market: () => MarketSimulator | undefined;
  readonly snapshot: () => Promise<void>;
  readonly readiness: () => readonly ReadinessCheck[];
  readonly load: () => Load;
}

/** The operator's server; it listens behind a front. */
export async function buildAdmin(
  dependencies: AdminDependencies,
  context: ProcessContext,
): Promise<FastifyInstance> {
  const { sequencer, identity, reserves, exposure, audit, ticker, snapshot, readiness, load, node } =
    dependencies;
  const { resolved, recorder, sessions, token, labRoutes, logger, url } = context;
  const { allowedHosts, demo, memory, market, operatorHost: host } = resolved.config;
  return context.servers.admin.acquire({
    sequencer,
    sessions,
    forcedCloses: new ForcedCloses(sequencer),
    identity,
    reserves,
    exposure,
    audit,
    token,
    allowedHosts: [...allowedHosts, host],
    ticker,
    get market() {
      return dependencies.market();
    },
    get marketElsewhere() {
      return market === 'off' || node === undefined ? undefined : node.elsewhere('market');
    },
    recorder,
    snapshot,
    demo,
    memory,
    load,
    settings: explainSettings(resolved),
    logger: logger.child({}),
    moreRoutes: labRoutes,
    health: () => ({
      version: VERSION,
      url: url(),
      uptimeSeconds: Math.floor(process.uptime()),
      checks: readiness(),
    }),
  });
}

/** From the keys folder of a cluster, the configured file or the data directory; in memory, a new one for this process. */
export function openOperatorToken({ data, memory, operatorTokenFile, cluster, keys }: Config): string {
  if (cluster !== '') return readToken(join(keys, TOKEN_FILE));
  if (operatorTokenFile !== '') return openToken(operatorTokenFile);
  return memory ? newToken() : openToken(join(data, TOKEN_FILE));
}
