/** The two servers of the exchange: the public API with its streams, and the operator's. */

import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { ConsoleSessions } from '../../admin/console-sessions.ts';
import { defaultOperator } from '../../admin/default-operator.ts';
import { RiskWatch } from '../../admin/risk-watch.ts';
import type { Load } from '../../admin/route.ts';
import { buildAdminServer } from '../../admin/server.ts';
import {
  newToken,
  openToken,
  removeAdminEndpoint,
  TOKEN_FILE,
  writeAdminEndpoint,
} from '../../admin/token.ts';
import { TIMESTAMP_WINDOW_MS } from '../../api/auth/authenticate.ts';
import { ReplayGuard } from '../../api/auth/replay-guard.ts';
import type { ReadinessCheck } from '../../api/http/health.ts';
import { buildApiServer } from '../../api/http/server.ts';
import { RateLimiter } from '../../api/limits/rate-limit.ts';
import { serveAsyncApi } from '../../api/ws/asyncapi.ts';
import { Streams } from '../../api/ws/streams.ts';
import { openOrderCount } from '../../core/reads/reads.ts';
import type { DemoAccount } from '../../identity/demo-accounts.ts';
import { Recorder } from '../../inspector/recorder.ts';
import { runningTrace } from '../../inspector/request-trace.ts';
import { serveConsole, servePages } from '../../pages/serve-pages.ts';
import type { HouseExposure } from '../../reserves/house-exposure.ts';
import type { ReserveAudits } from '../../reserves/reserve-audit.ts';
import type { ClockTicker } from '../../sequencer/clock-ticker.ts';
import type { MarketSimulator } from '../../simulator/market-simulator.ts';
import { freeBytes } from '../../storage/free-space.ts';
import { VERSION } from '../../version.ts';
import { explainSettings, type ResolvedConfig } from '../config/resolve-config.ts';
import type { Config } from '../config/settings.ts';
import { type LoopReading, readEventLoop } from '../observability/event-loop-monitor.ts';
import { Metrics, type MetricsSnapshot } from '../observability/metrics.ts';
import { readinessChecks } from '../observability/readiness.ts';
import { demoKeys, hasDemoKeys } from './bootstrap.ts';
import type { Components } from './components.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { listen } from './listen.ts';
import { isLoopback } from './loopback.ts';

/** Dependencies of both servers. */
interface ServerDependencies extends Components {
  /** Accounts whose keys are published, where it is a demo. */
  readonly demo: readonly DemoAccount[];
  readonly addressKey: KeyObject;
  readonly reserves: ReserveAudits;
  readonly exposure: HouseExposure;
}

export async function openApi(
  components: ServerDependencies,
  config: Config,
  logger: Logger,
  open: AsyncDisposableStack,
) {
  const { sequencer, identity } = components;
  const loop = readEventLoop();
  open.defer(() => loop.stop());
  const stopping = { begun: false };
  const connections = new ConnectionLimit(logger);
  const snapshot = () => metricsOf(components, loop, config, connections);
  const readiness = () => {
    const { capacity, logQueueAgeMs, historyLagRows, historyDamagedReads, historyStarved, loopDelay } =
      snapshot();
    const loopDelayP99Ms = loopDelay.p99Ms;
    const { failure, memoryShort } = sequencer;
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
      exposure: components.exposure.kept(),
    });
  };
  const limiter = new RateLimiter({
    rateLimits: config.rateLimits,
    // Demo accounts allow only this machine: there are no millions of addresses to tell apart.
    fewSources: config.memory,
  });
  const recorder = config.inspect === 'on' ? new Recorder() : undefined;
  if (recorder !== undefined) sequencer.traceOf = runningTrace;
  const services = {
    sequencer,
    identity,
    logger: logger.child({}),
    clock: sequencer.clock,
    wall: components.wall,
    limiter,
    errorDialect: config.errorDialect,
    addressKey: components.addressKey,
    reserves: components.reserves,
    trustedProxies: config.trustedProxies,
    // The host that the exchange listens on is a name under which it may be reached.
    allowedHosts: [...config.allowedHosts, config.host],
    recorder,
    replays: config.rejectReplays ? new ReplayGuard(TIMESTAMP_WINDOW_MS) : undefined,
  };
  const { rateLimits, allowedOrigins } = config;
  const streams = new Streams({ ...services, rateLimits, allowedOrigins });
  const metrics = new Metrics(() => ({
    ...snapshot(),
    streams: streams.metrics,
    exposure: components.exposure.kept(),
  }));
  const demo = hasDemoKeys(identity, components.demo);
  const connectionsMax = connections.max;
  const api = await buildApiServer({ ...services, demo, metrics, readiness, connectionsMax });
  connections.attach(api.server);
  streams.attach(api.server);
  serveAsyncApi(api);
  const inspect = config.inspect === 'on';
  servePages(api, {
    demoKeys: () => demoKeys(identity, components.demo),
    clock: config.clock,
    isLoopback,
    inspect,
  });
  api.addHook('preClose', () => streams.close());
  open.defer(() => api.close());
  const load = () => ({ sockets: streams.metrics.connections, ...metrics.takeRecent() });
  return { api, streams, stopping, readiness, load, recorder };
}

function metricsOf(
  { sequencer, journal, history }: Components,
  loop: LoopReading,
  { memory, data }: Config,
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
    freeBytes: memory ? undefined : freeBytes(data),
    connectionsMax: connections.max,
    connectionsDropped: connections.dropped,
    accounts: sequencer.state.accountByUid.size,
    openOrders: openOrderCount(sequencer.state),
    loopDelay: loop.delay,
    gcPauses: loop.gcPauses,
  };
}

/** Dependencies of the operator's server, including services of the running process. */
interface AdminDependencies extends ServerDependencies {
  readonly ticker: ClockTicker;
  readonly market: MarketSimulator | undefined;
  readonly recorder: Recorder | undefined;
  readonly snapshot: () => Promise<void>;
  readonly readiness: () => readonly ReadinessCheck[];
  readonly load: () => Load;
  /** Where users reach the exchange. */
  readonly url: string;
}

/** Where there is a data directory, the endpoint file for the command line exists while the listener is open. */
export async function openAdminServer(
  dependencies: AdminDependencies,
  resolved: ResolvedConfig,
  logger: Logger,
  open: AsyncDisposableStack,
) {
  const {
    sequencer,
    identity,
    reserves,
    exposure,
    audit,
    ticker,
    market,
    recorder,
    snapshot,
    readiness,
    load,
  } = dependencies;
  const { config } = resolved;
  const { data, demo, memory, operatorHost: host, operatorPort: port } = config;
  const token = openOperatorToken(config);
  const sessions = new ConsoleSessions(() => Date.now());
  const server = buildAdminServer({
    sequencer,
    sessions,
    risk: new RiskWatch(sequencer),
    identity,
    reserves,
    exposure,
    audit,
    token,
    allowedHosts: [...config.allowedHosts, host],
    ticker,
    market,
    recorder,
    snapshot,
    demo,
    memory,
    load,
    settings: explainSettings(resolved),
    logger: logger.child({}),
    health: () => ({
      version: VERSION,
      url: dependencies.url,
      uptimeSeconds: Math.floor(process.uptime()),
      checks: readiness(),
    }),
  });
  serveConsole(server);
  open.defer(() => server.close());
  const url = await listen(server, { host, port }, 'operator-port');
  if (!memory) {
    writeAdminEndpoint(data, { url, token, pid: process.pid });
    open.defer(() => removeAdminEndpoint(data));
  }
  return { server, url, token, signIn: () => sessions.issueCode(defaultOperator()) };
}

/** In the named file, else in the data directory, else for this process only. */
function openOperatorToken({ data, memory, operatorTokenFile }: Config): string {
  if (operatorTokenFile !== '') return openToken(operatorTokenFile);
  return memory ? newToken() : openToken(join(data, TOKEN_FILE));
}
