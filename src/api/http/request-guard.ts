/**
 * Hooks that admit a request: shape, limits, authentication, permission. They are in callback form: almost every
 * request passes without waiting, and a promise per hook would cost more than the checks.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Identity } from '../../identity/identity.ts';
import type { Clock } from '../../sequencer/clock.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import type { TObject, TSchema } from '../../validation/schema.ts';
import { type Authentication, authenticate } from '../auth/authenticate.ts';
import { checkPermission } from '../auth/permissions.ts';
import type { ReplayGuard } from '../auth/replay-guard.ts';
import { orderLimit } from '../limits/order-quota.ts';
import { type PeerAddress, peerAddressResolver } from '../limits/peer-address.ts';
import type { LimitResult, RateLimiter } from '../limits/rate-limit.ts';
import type { Route } from '../route.ts';
import { normaliseFields } from '../wire/fields.ts';
import { FORBIDDEN_KEYS, parseBody } from '../wire/safe-json.ts';
import { WireError } from '../wire/wire-error.ts';
import { checkRequestShape } from './request-shape.ts';
import type { Responder } from './responder.ts';

const NO_BYTES = new Uint8Array(0);

export interface RequestGuardOptions {
  readonly sequencer: Sequencer;
  readonly identity: Identity;
  readonly clock: Clock;
  /** The machine's clock: signatures of real time are accepted, whatever the exchange's clock is. */
  readonly wallClock: Clock;
  /** The clock of rate limits. Default: the machine's. */
  readonly limitClock?: Clock;
  readonly limiter: RateLimiter;
  readonly trustedProxies: readonly string[];
  /** Undefined when replays are not rejected. */
  readonly replays?: ReplayGuard | undefined;
}

export class RequestGuard {
  /** Looked up at each use: another exchange may take the place of the first. */
  readonly #options: RequestGuardOptions;
  readonly #responder: Responder;
  readonly #peerOf: PeerAddress;
  /** Without proxies all requests of a socket come from one address. */
  readonly #peers: WeakMap<Socket, string | undefined> | undefined;

  constructor(options: RequestGuardOptions, responder: Responder) {
    this.#options = options;
    this.#responder = responder;
    this.#peerOf = peerAddressResolver(options.trustedProxies);
    this.#peers = options.trustedProxies.length === 0 ? new WeakMap() : undefined;
  }

  #limitTime(): number {
    const { limitClock, wallClock } = this.#options;
    return (limitClock ?? wallClock).now();
  }

  /** Before the body is read: shape of the request and limits of its address. */
  admit(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    const now = this.#limitTime();
    if (!this.admitAddress(request, reply, now)) return;
    const { raw } = request;
    const misshapen = checkRequestShape(raw);
    if (misshapen !== undefined) {
      this.#responder.fail(reply, misshapen);
      return;
    }
    const { route } = request.routeOptions.config;
    if (route?.access === 'public') {
      const result = this.#options.limiter.takeForIp(route.path, route.perSecond, request.peer, now);
      if (!this.#count(reply, result, route.path)) return;
    }
    done();
  }

  /** Counts every request, also one with an unreadable path. False when an error was sent. */
  admitAddress(request: FastifyRequest, reply: FastifyReply, now = this.#limitTime()): boolean {
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
    request.peer = this.#peer(request.raw);
    const overall = this.#options.limiter.takeOverall(request.peer, now);
    if (!overall.allowed) this.#tooMany(reply, overall, 'all requests of this IP');
    return overall.allowed;
  }

  #peer({ socket, rawHeaders }: IncomingMessage): string | undefined {
    const peers = this.#peers;
    if (peers === undefined) return this.#peerOf(socket.remoteAddress, rawHeaders);
    if (peers.has(socket)) return peers.get(socket);
    const peer = this.#peerOf(socket.remoteAddress, rawHeaders);
    peers.set(socket, peer);
    return peer;
  }

  /** After the body is read: authentication, permission, limit of the account; then the body is parsed. */
  identify(route: Route, request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    const bytes = request.body instanceof Uint8Array ? request.body : NO_BYTES;
    if (route.access === 'public') {
      this.#readInput(route, bytes, request, reply, done);
      return;
    }
    const { method, url, rawHeaders } = request.raw;
    const { fault } = request;
    const skewMs = fault?.kind === 'skew' ? fault.ms : 0;
    const incoming = {
      method: method!,
      url: url!,
      rawHeaders,
      body: bytes,
      peerAddress: request.peer,
      skewMs,
    };
    const { wallClock, clock, identity, replays } = this.#options;
    const verdict = authenticate(incoming, wallClock.now(), identity, clock.now(), replays);
    const goOn = (result: Authentication) => {
      if (this.#authorise(result, route, bytes, request, reply))
        this.#readInput(route, bytes, request, reply, done);
    };
    if (verdict instanceof Promise) verdict.then(goOn).catch(done);
    else goOn(verdict);
  }

  #authorise(
    result: Authentication,
    route: Route,
    bytes: Uint8Array,
    request: FastifyRequest,
    reply: FastifyReply,
  ): boolean {
    const now = this.#limitTime();
    if (!result.ok) {
      this.#options.limiter.chargeFailedAuthentication(request.peer, now);
      this.#responder.refuse(reply, result);
      return false;
    }
    const denied = route.access === 'public' ? undefined : checkPermission(result, route.access);
    if (denied !== undefined) {
      this.#responder.refuse(reply, denied);
      return false;
    }
    request.caller = result;
    const { uid, quotas } = result.user;
    const limit =
      quotas === undefined
        ? route
        : orderLimit(route, uid, quotas, this.#options.sequencer.state, bodyOf(bytes));
    return this.#count(
      reply,
      this.#options.limiter.takeForUid(limit.path, limit.perSecond, uid, now),
      limit.path,
    );
  }

  #readInput(
    route: Route,
    bytes: Uint8Array,
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ): void {
    if (route.body !== undefined) {
      const parsed = parseBody(bytes);
      if (!parsed.ok) {
        this.#responder.fail(reply, new WireError('40017', parsed.msg));
        return;
      }
      request.body = normaliseFields(parsed.value);
    }
    if (route.query !== undefined) {
      const fault = queryFault(request.query as Record<string, unknown>, route.query);
      if (fault !== undefined) {
        this.#responder.fail(reply, new WireError('40017', fault));
        return;
      }
      request.query = normaliseFields(request.query);
    }
    done();
  }

  /** False when the limit was reached and an error was sent. */
  #count(reply: FastifyReply, result: LimitResult, path: string): boolean {
    if (!result.allowed) {
      this.#tooMany(reply, result, path);
      return false;
    }
    reply.header('x-mbx-used-remain-limit', result.remaining);
    return true;
  }

  #tooMany(reply: FastifyReply, result: LimitResult, what: string): void {
    const waitMs = result.allowed ? 0 : result.retryAfterMs;
    const msg = `Too many requests for ${what}: try again in ${waitMs} ms`;
    this.#responder.fail(reply, new WireError('429', msg, waitMs));
  }
}

function bodyOf(bytes: Uint8Array): unknown {
  const parsed = parseBody(bytes);
  return parsed.ok ? parsed.value : undefined;
}

/** Keys with a meaning in JavaScript, and repeated parameters: a schema would only report a wrong type. */
function queryFault(query: Readonly<Record<string, unknown>>, schema: TSchema): string | undefined {
  const { properties } = schema as TObject;
  for (const name in query) {
    if (FORBIDDEN_KEYS.has(name)) return `the field name ${name} is not allowed`;
    if (Array.isArray(query[name]) && Object.hasOwn(properties, name)) {
      return `parameter ${name} is given more than once`;
    }
  }
  return undefined;
}
