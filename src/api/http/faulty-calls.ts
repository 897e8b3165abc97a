/**
 * Applies faults of the laboratory (`http/call-faults.ts`) to requests. A fault `before` acts when the body has arrived and
 * before anything reads it; a fault `after` acts on the response, when everything in it is durable.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CategoryName } from '../../core/model/enums.ts';
import type { State } from '../../core/state/state.ts';
import type { CallFault, CallFaults, FaultStatus, Garbling } from '../../http/call-faults.ts';
import { JSON_TYPE } from '../../http/client-error.ts';
import type { Clock } from '../../sequencer/clock.ts';
import type { Route } from '../route.ts';
import { errorEnvelope } from '../wire/envelope.ts';
import type { WireCode } from '../wire/error-catalogue.ts';
import { refusalWith } from '../wire/reject-messages.ts';
import { parseBody } from '../wire/safe-json.ts';
import { WireError } from '../wire/wire-error.ts';

declare module 'fastify' {
  interface FastifyRequest {
    fault: CallFault | undefined;
  }
}

const HTML_TYPE = 'text/html';

const REASONS: Readonly<Record<FaultStatus, string>> = {
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway Time-out',
};
/** The code that the exchange itself sends with such a status. */
export const RESPONSE_CODES: Readonly<Record<FaultStatus, WireCode>> = {
  429: '429',
  500: '25000',
  502: '25000',
  503: '429',
  504: '40010',
};

/** Applies faults to responses; `applyFault` chooses them. */
export function serveFaultyCalls(app: FastifyInstance, faults: CallFaults, clock: Clock): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { fault } = request;
    if (fault === undefined) done();
    else applyFaultAfter(fault, request, reply, payload, faults, clock, done);
  });
}

/** Calls `goOn` unless the request ends here. */
export function applyFault(
  findFault: NonNullable<CallFaults['call']>,
  { faults, clock }: { readonly faults?: CallFaults | undefined; readonly clock: Clock },
  { path }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  goOn: () => void,
): void {
  const apiKey = request.headers['access-key'];
  const fault = findFault({
    method: request.method,
    path,
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
    symbols: () => symbolsOf(request),
  });
  if (fault === undefined) {
    goOn();
    return;
  }
  const isBefore = 'at' in fault && fault.at === 'before';
  if (!isBefore) {
    request.fault = fault;
    goOn();
  } else if (fault.kind === 'latency') faults!.wait(fault.ms, goOn, () => cut(request));
  else if (fault.kind === 'drop') dropConnection(request, reply);
  else {
    const { type, body } = responseOf(fault, clock);
    if (fault.retryAfter !== undefined) reply.header('retry-after', fault.retryAfter);
    reply.code(fault.status).type(type).serializer(String).send(body);
  }
}

/** The rejection that a fault demands, in the words of the exchange. */
export function injectedRejection(
  { code, msg }: { readonly code: string; readonly msg: string | undefined },
  state: State,
  input: unknown,
): WireError {
  const [named] = [input].flat() as ({ category?: CategoryName; symbol?: string } | undefined)[];
  const { category, symbol } = named ?? {};
  const instrument =
    category === undefined || symbol === undefined ? undefined : state.instrument(category, symbol);
  const refusal = refusalWith(code as WireCode, state, instrument);
  return msg === undefined ? refusal : new WireError(refusal.code, msg, refusal.retryAfterMs);
}

/** A clock that is as wrong as a fault has ordered. */
export function skewedClock(fault: CallFault, clock: Clock): Clock {
  return fault.kind === 'skew' ? { now: () => clock.now() + fault.ms } : clock;
}

/** Orders that are placed here may say by their client ids what becomes of them. */
export const ORDER_PATHS: ReadonlySet<string> = new Set([
  '/api/v3/trade/place-order',
  '/api/v3/trade/place-batch',
]);

const ACTING = 'sim-';

interface Named {
  readonly clientOid?: string;
}

/** Asked for every order while there is a laboratory. */
export function hasFaultOid(body: unknown): boolean {
  if (Array.isArray(body)) return body.some(hasFaultOid);
  return (body as Named | undefined)?.clientOid?.startsWith(ACTING) === true;
}

/** Client ids of the orders in a request. */
export function clientOidsOf(body: unknown): readonly (string | undefined)[] {
  return ([body].flat() as (Named | undefined)[]).map((order) => order?.clientOid);
}

/** The request never arrived. */
export function dropConnection(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  cut(request);
}

/** A reset, not an end: bytes that were sent already may be lost too. */
function cut({ raw: { socket } }: FastifyRequest): void {
  socket.resetAndDestroy();
}

function applyFaultAfter(
  fault: CallFault,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  faults: CallFaults,
  clock: Clock,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  switch (fault.kind) {
    case 'latency':
      faults.wait(
        fault.ms,
        () => done(null),
        () => {
          cut(request);
          done(null);
        },
      );
      return;
    case 'drop':
      cut(request);
      break;
    case 'status': {
      const { type, body } = responseOf(fault, clock);
      if (fault.retryAfter !== undefined) reply.header('retry-after', fault.retryAfter);
      reply.code(fault.status).type(type);
      done(null, body);
      return;
    }
    case 'garble': {
      const text = typeof payload === 'string' ? payload : '';
      if (fault.how === 'html') reply.type(HTML_TYPE);
      done(null, garbled(fault.how, text, 'data'));
      return;
    }
  }
  done(null);
}

function responseOf(
  { status, body }: CallFault & { kind: 'status' },
  clock: Clock,
): { readonly type: string; readonly body: string } {
  if (body === 'empty') return { type: HTML_TYPE, body: '' };
  if (body === 'html') return { type: HTML_TYPE, body: page(`${status} ${REASONS[status]}`) };
  const text = JSON.stringify(errorEnvelope(RESPONSE_CODES[status], REASONS[status], clock.now()));
  return { type: JSON_TYPE, body: text };
}

/** `field` is where an answer has what was asked for. */
export function garbled(how: Garbling, text: string, field: string): string {
  switch (how) {
    case 'truncate':
      return text.slice(0, Math.floor(text.length / 2));
    case 'html':
      return page('Just a moment...');
    case 'wrong-type': {
      // Text of JSON in the place of JSON: the answer parses, and nothing in it is where it should be.
      const answer = JSON.parse(text) as Record<string, unknown>;
      return JSON.stringify({ ...answer, [field]: JSON.stringify(answer[field]) });
    }
  }
}

function page(title: string): string {
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
}

function symbolsOf({ body, query }: FastifyRequest): readonly string[] {
  const parsed = body instanceof Uint8Array ? parseBody(body) : undefined;
  const value: unknown = parsed?.ok === true ? parsed.value : body;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [...items, query].flatMap((item) => {
    const symbol = (item as { symbol?: unknown } | null | undefined)?.symbol;
    return typeof symbol === 'string' ? [symbol] : [];
  });
}
