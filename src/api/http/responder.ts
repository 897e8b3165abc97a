/** Sends errors: one envelope, one content type, a Retry-After header where it helps. */

import type { FastifyReply } from 'fastify';
import { JSON_TYPE, type RawError } from '../../http/client-error.ts';
import type { SourceRefusal } from '../../http/request-source.ts';
import type { Clock } from '../../sequencer/clock.ts';
import type { Refused } from '../auth/authenticate.ts';
import { errorEnvelope } from '../wire/envelope.ts';
import type { WireCode } from '../wire/error-catalogue.ts';
import type { ErrorDialect, WireError } from '../wire/wire-error.ts';

/** The catalogue has no code for it; the HTTP status says more. */
const SOURCE_CODE = '40017' satisfies WireCode;
const UNAVAILABLE_MS = 1_000;
export type Fault = readonly [status: string, msg: string];

const FAULTS: Readonly<Record<string, Fault>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
  HPE_HEADER_OVERFLOW: [
    '400 Bad Request',
    'the request line and headers may have at most 8 KiB and 64 headers',
  ],
};
const NOT_HTTP: Fault = ['400 Bad Request', 'the request is not valid HTTP/1.1'];

export class Responder {
  readonly #clock: Clock;
  readonly #dialect: ErrorDialect;

  constructor(clock: Clock, dialect: ErrorDialect) {
    this.#clock = clock;
    this.#dialect = dialect;
  }

  fail(reply: FastifyReply, error: WireError): FastifyReply {
    return this.#send(reply, error.status, error.codeIn(this.#dialect), error.msg, error.retryAfterMs);
  }

  refuse(reply: FastifyReply, refused: Refused): FastifyReply {
    return this.#send(reply, refused.status, refused.code, refused.msg, refused.retryAfterMs);
  }

  /** The same request may be answered by another server, or later. */
  unavailable(reply: FastifyReply, msg: string): FastifyReply {
    return this.#send(reply, 503, '429', msg, UNAVAILABLE_MS);
  }

  /** For a request whose Host or origin is not allowed. No parameter of the API is at fault. */
  refuseSource(reply: FastifyReply, { status, message }: SourceRefusal): FastifyReply {
    reply.header('x-content-type-options', 'nosniff').header('cache-control', 'no-store');
    return this.#send(reply, status, SOURCE_CODE, message, undefined);
  }

  /** To bytes that are not an HTTP request; `code` is Node's name of the fault. */
  malformed(code: string | undefined): RawError {
    const [status, msg] = FAULTS[code ?? ''] ?? NOT_HTTP;
    return { status, body: JSON.stringify(errorEnvelope('40017', msg, this.#clock.now())) };
  }

  #send(
    reply: FastifyReply,
    status: number,
    code: string,
    msg: string,
    retryAfterMs: number | undefined,
  ): FastifyReply {
    if (retryAfterMs !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(retryAfterMs / 1000)));
    return reply
      .code(status)
      .type(JSON_TYPE)
      .serializer(JSON.stringify)
      .send(errorEnvelope(code, msg, this.#clock.now()));
  }
}
