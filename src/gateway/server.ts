/**
 * The HTTP door. A request passes these steps in this order (wire.md 1.7, reliability.md 3.1); the first that fails
 * answers, and nothing expensive happens before the cheap ones:
 *
 *   onRequest       shape of the request line and headers, the IP's overall limit, public limits per IP
 *   body            at most 64 KiB, raw bytes: signatures are over what was sent
 *   preValidation   key, timestamp, signature, passphrase, IP list, permission, limit per UID; then JSON
 *   validation      the route's schema
 *   handler         the route; its answer leaves when everything it shows is durable
 */
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import Type from 'typebox';
import type { Metrics } from '../operation/metrics.ts';
import type { ReadinessCheck } from '../operation/readiness.ts';
import { OutcomeUnknown, Unavailable } from '../venue/venue.ts';
import { authenticate, mayUse, type Refused } from './authenticate.ts';
import { errorEnvelope, failureEnvelope, successEnvelope } from './envelope.ts';
import { normaliseFields } from './fields.ts';
import { serveHealth } from './health.ts';
import { HTTP_LIMITS, limitConnections } from './http-limits.ts';
import { serveReference } from './openapi.ts';
import { peerAddressResolver } from './peer-address.ts';
import { RateLimiter, type Taken } from './rate-limit.ts';
import { parseBody } from './raw-json.ts';
import { checkRequestShape } from './request-shape.ts';
import type { Call, Caller, Route, Services } from './route.ts';
import { ROUTES } from './routes.ts';
import { validationError } from './validation.ts';
import { WireError } from './wire-error.ts';

export interface GatewayOptions extends Services {
  readonly logger: FastifyBaseLogger;
  readonly rateLimits: 'on' | 'off';
  readonly trustedProxies: readonly string[];
  readonly metrics: Metrics;
  readonly readiness: () => readonly ReadinessCheck[];
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

const NO_BYTES = new Uint8Array(0);

export async function buildGateway(options: GatewayOptions): Promise<FastifyInstance> {
  const gateway = new Gateway(options);
  return gateway.build();
}

class Gateway {
  private readonly options: GatewayOptions;
  private readonly limiter: RateLimiter;
  private readonly peerOf: ReturnType<typeof peerAddressResolver>;

  constructor(options: GatewayOptions) {
    this.options = options;
    this.limiter = new RateLimiter({ rateLimits: options.rateLimits });
    this.peerOf = peerAddressResolver(options.trustedProxies);
  }

  async build(): Promise<FastifyInstance> {
    const { options } = this;
    const app = Fastify({
      loggerInstance: options.logger,
      logController: new LogController({ disableRequestLogging: true }),
      bodyLimit: HTTP_LIMITS.bodyBytes,
      http: HTTP_LIMITS.server,
      return503OnClosing: false,
      forceCloseConnections: 'idle',
      // Clients send numbers where strings are documented (wire.md rule 19); unknown keys pass and are dropped.
      ajv: {
        customOptions: { coerceTypes: true, removeAdditional: false, useDefaults: false, allErrors: false },
      },
      frameworkErrors: (error, request, reply) => {
        void this.answerError(error, request, reply);
      },
      clientErrorHandler: (_error, socket) => {
        if (!socket.writable) return;
        const body = JSON.stringify(
          errorEnvelope('40017', 'the request is not valid HTTP/1.1', options.clock.now()),
        );
        socket.end(
          `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
        );
      },
    });
    limitConnections(app.server);
    app.decorateRequest('peer', undefined);
    app.decorateRequest('caller', undefined);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

    app.addHook('onRequest', (request, reply) => this.admit(request, reply));
    app.addHook('onSend', async (_request, reply) => {
      reply.header('x-content-type-options', 'nosniff').header('cache-control', 'no-store');
    });
    app.addHook('onResponse', async (request, reply) => {
      const route = request.routeOptions.url ?? 'unknown';
      options.metrics.observeRequest(route, reply.statusCode, reply.elapsedTime / 1000);
    });
    app.setErrorHandler((error: FastifyError, request, reply) => this.answerError(error, request, reply));
    app.setNotFoundHandler((request, reply) =>
      this.answer(reply, new WireError('40404', `there is no ${request.method} at this path`)),
    );

    await serveReference(app);
    await app.register(async (scope) => {
      for (const route of ROUTES) this.serve(scope, route);
    });
    serveHealth(app, options.metrics, options.readiness);
    return app;
  }

  private serve(app: FastifyInstance, route: Route): void {
    const { clock } = this.options;
    app.route({
      method: route.method,
      url: route.path,
      exposeHeadRoute: false,
      config: { route },
      schema: {
        summary: route.summary,
        tags: [route.group],
        ...(route.access !== 'public' && { security: [{ accessKey: [] }] }),
        description: `${accessText(route)} ${route.perSecond} a second per ${route.access === 'public' ? 'IP' : 'UID'}.`,
        ...(route.query !== undefined && { querystring: route.query }),
        ...(route.body !== undefined && { body: route.body }),
        response: { 200: envelopeOf(route), '4xx': FAILURE },
      },
      preValidation: (request, reply) => this.identify(request, reply, route),
      handler: async (request, reply) => {
        const answer = await route.handle(this.callOf(request));
        if (answer instanceof WireError) return this.answer(reply, answer);
        // Whatever the answer shows must be durable before it leaves.
        const settled = this.options.venue.settled();
        if (settled !== undefined) await settled;
        return successEnvelope(answer, clock.now());
      },
    });
  }

  private callOf(request: FastifyRequest): Call<never, never> {
    const { venue, identity, clock, errorDialect } = this.options;
    return {
      venue,
      identity,
      clock,
      errorDialect,
      query: request.query as never,
      body: request.body as never,
      caller: request.caller!,
    };
  }

  /** Before the body is read. */
  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const now = this.options.clock.now();
    request.peer = this.peerOf(request.raw.socket.remoteAddress, request.raw.rawHeaders);
    const overall = this.limiter.takeOverall(request.peer, now);
    if (!overall.allowed) return this.tooMany(reply, overall, 'all requests of this IP');
    const misshapen = checkRequestShape(request.raw);
    if (misshapen !== undefined) return this.answer(reply, misshapen);
    const { route } = request.routeOptions.config;
    if (route?.access !== 'public') return undefined;
    return this.count(
      reply,
      this.limiter.takeForIp(route.path, route.perSecond, request.peer, now),
      route.path,
    );
  }

  /** After the body is read: who is it, and may they; then the body becomes a value. */
  private async identify(request: FastifyRequest, reply: FastifyReply, route: Route): Promise<unknown> {
    const bytes = request.body instanceof Uint8Array ? request.body : NO_BYTES;
    if (route.access !== 'public') {
      const now = this.options.clock.now();
      const { method, url, rawHeaders } = request.raw;
      const incoming = { method: method!, url: url!, rawHeaders, body: bytes, peerAddress: request.peer };
      const verdict = authenticate(incoming, now, this.options.identity);
      const result = verdict instanceof Promise ? await verdict : verdict;
      if (!result.ok) {
        this.limiter.chargeFailedAuthentication(request.peer, now);
        return this.refuse(reply, result);
      }
      const denied = mayUse(result, route.access);
      if (denied !== undefined) return this.refuse(reply, denied);
      request.caller = result;
      const taken = this.limiter.takeForUid(route.path, route.perSecond, result.user.uid, now);
      const limited = this.count(reply, taken, route.path);
      if (limited !== undefined) return limited;
    }
    if (route.body !== undefined) {
      const parsed = parseBody(bytes);
      if (!parsed.ok) return this.answer(reply, new WireError('40017', parsed.msg));
      request.body = normaliseFields(parsed.value);
    }
    if (route.query !== undefined) request.query = normaliseFields(request.query);
    return undefined;
  }

  private count(reply: FastifyReply, taken: Taken, path: string): unknown {
    if (!taken.allowed) return this.tooMany(reply, taken, path);
    reply.header('x-mbx-used-remain-limit', taken.remaining);
    return undefined;
  }

  private tooMany(reply: FastifyReply, taken: Taken, what: string): FastifyReply {
    const waitMs = taken.allowed ? 0 : taken.retryAfterMs;
    return this.answer(
      reply,
      new WireError('429', `Too many requests for ${what}: try again in ${waitMs} ms`, waitMs),
    );
  }

  private refuse(reply: FastifyReply, refused: Refused): FastifyReply {
    if (refused.retryAfterMs !== undefined) retryAfter(reply, refused.retryAfterMs);
    return reply
      .code(refused.status)
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(errorEnvelope(refused.code, refused.msg, this.options.clock.now()));
  }

  private answer(reply: FastifyReply, error: WireError): FastifyReply {
    if (error.retryAfterMs !== undefined) retryAfter(reply, error.retryAfterMs);
    return reply
      .code(error.status)
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(failureEnvelope(error, this.options.errorDialect, this.options.clock.now()));
  }

  private answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (error instanceof OutcomeUnknown)
      return this.answer(reply, new WireError('40010', `${error.message}; query the order by its clientOid`));
    if (error instanceof Unavailable) return this.answer(reply, new WireError('429', error.message, 1000));
    if (error.validation !== undefined) return this.answer(reply, validationError(error.validation));
    if (error.statusCode === 413)
      return this.answer(reply, new WireError('40017', 'the body must be at most 64 KiB'));
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return this.answer(reply, new WireError('40017', 'the request is not valid'));
    }
    // A defect of ours: say so honestly, keep the details in the log.
    request.log.error({ err: error, path: request.routeOptions.url }, 'request failed');
    return this.answer(
      reply,
      new WireError('25000', 'internal error; the outcome of a change is unknown until queried'),
    );
  }
}

function retryAfter(reply: FastifyReply, waitMs: number): void {
  reply.header('retry-after', Math.max(1, Math.ceil(waitMs / 1000)));
}

const FAILURE = Type.Object({
  code: Type.String(),
  msg: Type.String(),
  requestTime: Type.Integer(),
  data: Type.Null(),
});

function envelopeOf(route: Route) {
  return Type.Object({
    code: Type.Literal('00000'),
    msg: Type.Literal('success'),
    requestTime: Type.Integer({ description: 'server time, Unix ms' }),
    data: route.data,
  });
}

function accessText(route: Route): string {
  if (route.access === 'public') return 'Public.';
  return route.access === 'none' ? 'Any valid key.' : `Needs ${route.access.replace('_', ' ')}.`;
}
