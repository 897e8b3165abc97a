/**
 * The HTTP server. A request passes these steps in this order (wire 1.7, reliability 3.1); the first that fails
 * responds, and nothing expensive happens before the cheap checks:
 *   onRequest       Host header and origin of web pages (`http/request-source.ts`)
 *                   the IP's overall limit, shape of the request line and headers, public limits per IP
 *   body            at most 64 KiB, raw bytes, because the signature covers them
 *   preValidation   key, timestamp, signature, passphrase, IP list, permission, limit per UID; then JSON
 *   validation      the route's schema
 *   handler         the route; its response is sent when everything in it is durable
 */
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preValidationHookHandler,
} from 'fastify';
import type { CallFaults } from '../../http/call-faults.ts';
import { endConnection, JSON_TYPE } from '../../http/client-error.ts';
import { openHttpServer } from '../../http/http-server.ts';
import { wantsPage } from '../../http/page.ts';
import { type PeerRefusal, RequestSource } from '../../http/request-source.ts';
import { timed } from '../../inspector/request-timer.ts';
import type { TrafficSink } from '../../inspector/traffic.ts';
import type { Clock } from '../../sequencer/clock.ts';
import type { Call, Caller, Route, Services } from '../route.ts';
import { JsonText, successEnvelope, successText } from '../wire/envelope.ts';
import { validationError } from '../wire/validation.ts';
import { WireError } from '../wire/wire-error.ts';
import { describedRoute } from './described-route.ts';
import {
  applyFault,
  clientOidsOf,
  dropConnection,
  hasFaultOid,
  injectedRejection,
  ORDER_PATHS,
  serveFaultyCalls,
  skewedClock,
} from './faulty-calls.ts';
import { type Meter, type ReadinessCheck, serveHealth } from './health.ts';
import { HTTP_LIMITS, limitConnections } from './http-limits.ts';
import { type NodeGate, passNode, SEQ_HEADER } from './node-gate.ts';
import { olderPathHint } from './older-paths.ts';
import { sendNotFoundPage, serveAboutPage } from './pages.ts';
import { receive, recordCalls } from './record-calls.ts';
import { serveReference } from './reference.ts';
import { RequestGuard, type RequestGuardOptions } from './request-guard.ts';
import { Responder } from './responder.ts';
import { ROUTES } from './routes.ts';
import { internalError, runRoute, sequencerFailure } from './run-route.ts';
import { streamRole } from './stream-paths.ts';

export interface ApiServerOptions extends Services, RequestGuardOptions {
  readonly logger: FastifyBaseLogger;
  /** Further host names under which the exchange responds (`HostList` has the built-in ones). */
  readonly allowedHosts: readonly string[];
  readonly peerRefusal?: PeerRefusal | undefined;
  /** Are there demo accounts with published keys? The page of /about says so. */
  readonly demo: boolean;
  readonly metrics: Meter;
  readonly readiness: () => readonly ReadinessCheck[];
  /** Defaults to the value of `http-limits.ts`. */
  readonly connectionsMax?: number;
  /** Undefined while nothing is recorded. */
  readonly recorder?: TrafficSink | undefined;
  /** Undefined without a laboratory. */
  readonly faults?: CallFaults | undefined;
  /** Undefined for an exchange of one machine. */
  readonly node?: NodeGate | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    peer: string | undefined;
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

/** Options that belong to the exchange are read at each use: a later exchange may be served by the same server. */
export async function buildApiServer(options: ApiServerOptions): Promise<FastifyInstance> {
  const clock: Clock = { now: () => options.clock.now() };
  const responder = new Responder(clock, options.errorDialect);
  const requestGuard = new RequestGuard(options, responder);
  const app = openServer(options, requestGuard, responder);
  app.decorateRequest('peer', undefined);
  app.decorateRequest('caller', undefined);
  app.decorateRequest('received', undefined);
  app.decorateRequest('fault', undefined);
  app.removeAllContentTypeParsers();
  // A named type is matched without parsing, and nearly all bodies have this one.
  for (const type of ['application/json', '*'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const { recorder: traffic, wallClock } = options;
  if (traffic !== undefined) recordCalls(app, { traffic, identity: () => options.identity, wallClock });
  // Registered after the recorder, which must see the response unaltered.
  if (options.faults !== undefined) serveFaultyCalls(app, options.faults, clock);
  app.addHook('onRequest', (request, reply, done) => requestGuard.admit(request, reply, done));
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    options.metrics.observeRequest(route, reply.statusCode, reply.elapsedTime / 1000);
    options.logger.debug({ req: request, res: reply, ms: Math.round(reply.elapsedTime) }, 'request');
    done();
  });
  app.setErrorHandler((error: FastifyError, request, reply) =>
    responder.fail(reply, wireErrorOf(error, request)),
  );
  const sendNotFound = (request: FastifyRequest, reply: FastifyReply) =>
    wantsPage(request.raw)
      ? sendNotFoundPage(reply, notFound(request).msg)
      : responder.fail(reply, notFound(request));
  const received = traffic === undefined ? undefined : receive;
  app.setNotFoundHandler({ preValidation: hookOf(received) }, sendNotFound);

  serveReference(app);
  await app.register(async (scope) => {
    for (const route of ROUTES) serve(scope, route, options, requestGuard, responder, received);
  });
  serveAboutPage(
    app,
    () => options.demo,
    (request, reply) => responder.fail(reply, notFound(request)),
  );
  serveHealth(app, options.metrics, () => options.readiness());
  return app;
}

/** Called with each request when its body has arrived, while requests are recorded. */
type Received = typeof receive;

function hookOf(received: Received | undefined): preValidationHookHandler[] {
  if (received === undefined) return [];
  return [
    (request, reply, done) => {
      received(request, reply);
      done();
    },
  ];
}

function notFound({ method, url }: FastifyRequest): WireError {
  return new WireError('40404', `there is no ${method} at this path; ${hintFor(url.split('?', 1)[0]!)}`);
}

function hintFor(path: string): string {
  const methods = ROUTES.filter((route) => route.path === path).map((route) => route.method);
  if (methods.length > 0) return `it takes ${methods.join(' and ')}`;
  if (streamRole(path) !== undefined) return 'it takes WebSockets';
  return olderPathHint(path) ?? '/docs shows what there is';
}

function openServer(
  options: ApiServerOptions,
  requestGuard: RequestGuard,
  responder: Responder,
): FastifyInstance {
  const { logger, allowedHosts } = options;
  const peerRefusal: PeerRefusal = (address) => options.peerRefusal?.(address);
  const app = openHttpServer(
    {
      loggerInstance: logger,
      bodyLimit: HTTP_LIMITS.bodyBytes,
      http: HTTP_LIMITS.server,
      clientErrorHandler: (error, socket) =>
        endConnection(error, socket, (code) => responder.malformed(code)),
    },
    {
      source: new RequestSource({ allowedHosts, peerRefusal, ownPagesOnly: isForPages }),
      refuse: (reply, refusal) => void responder.refuseSource(reply, refusal),
      unreadablePath: (error, request, reply) => {
        if (requestGuard.admitAddress(request, reply)) responder.fail(reply, wireErrorOf(error, request));
      },
    },
  );
  // A child logger per request costs more than most requests; log lines name the route themselves. What a `childLoggerFactory`
  // returns is checked at each request.
  app.log.child = () => app.log;
  limitConnections(app.server, options.connectionsMax);
  return app;
}

/** Paths that only pages of this server may request. */
function isForPages(path: string): boolean {
  return path === '/web' || path.startsWith('/web/');
}

function serve(
  app: FastifyInstance,
  route: Route,
  services: Services & Pick<ApiServerOptions, 'faults' | 'node'>,
  requestGuard: RequestGuard,
  responder: Responder,
  received: Received | undefined,
): void {
  const { errorDialect, faults, node } = services;
  const isOrderEntry = ORDER_PATHS.has(route.path);
  app.route({
    ...describedRoute(route),
    config: { route },
    preValidation: (request, reply, done) => {
      received?.(request, reply);
      const findFault = faults?.call;
      if (node !== undefined)
        passNode(node, route, request, reply, responder, () =>
          requestGuard.identify(route, request, reply, done),
        );
      else if (findFault === undefined) requestGuard.identify(route, request, reply, done);
      else
        applyFault(findFault, services, route, request, reply, () =>
          requestGuard.identify(route, request, reply, done),
        );
    },
    handler: (request, reply) => {
      const { sequencer, identity, addressKey, reserves } = services;
      if (isOrderEntry && faults !== undefined && hasFaultOid(request.body))
        request.fault ??= faults.named(clientOidsOf(request.body));
      const { fault } = request;
      if (fault?.kind === 'drop' && fault.at === 'before') {
        dropConnection(request, reply);
        return;
      }
      if (fault?.kind === 'reject') {
        responder.fail(reply, injectedRejection(fault, sequencer.state, request.body ?? request.query));
        return;
      }
      const clock = fault === undefined ? services.clock : skewedClock(fault, services.clock);
      const call: Call<never, never> = {
        sequencer,
        identity,
        // Stored times use the unskewed clock.
        clock: route.access === 'public' ? clock : services.clock,
        errorDialect,
        addressKey,
        reserves,
        query: request.query as never,
        body: request.body as never,
        caller: request.caller!,
      };
      // Taken before the handler: the response reflects at least this much of the log.
      const readSeq = sequencer.appliedSeq;
      const runHandler = () => timed(sequencer, request.received, () => runRoute(route, call));
      const response =
        fault?.kind === 'act'
          ? fault.around({ uid: request.caller?.user.uid, body: request.body }, async () => runHandler())
          : runHandler();
      if (response instanceof Promise) response.then(send).catch((error) => reply.send(error));
      else send(response);

      function send(data: unknown): void {
        if (node !== undefined) reply.header(SEQ_HEADER, route.changesState ? sequencer.appliedSeq : readSeq);
        if (data instanceof WireError) responder.fail(reply, data);
        else if (data instanceof JsonText) reply.type(JSON_TYPE).send(successText(data, clock.now()));
        else reply.send(successEnvelope(data, clock.now()));
      }
    },
  });
}

function wireErrorOf(error: FastifyError, request: FastifyRequest): WireError {
  const failure = sequencerFailure(error);
  if (failure !== undefined) return failure;
  if (error.validation !== undefined) return validationError(error.validation);
  if (error.code === 'FST_ERR_BAD_URL') {
    return new WireError('40017', 'the path is not valid: % must be followed by two hexadecimal digits');
  }
  if (error.statusCode === 413) return new WireError('40017', 'the body must be at most 64 KiB');
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new WireError('40017', 'the request is not valid');
  }
  request.log.error({ err: error, path: request.routeOptions.url }, 'request failed');
  return internalError(error);
}
