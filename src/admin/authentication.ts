/**
 * Who asks: the operator's token, a session of the console, or a code that begins one. The name for the audit log is
 * the header's for the token, and the session's own for a session: a page cannot act in another name than it was given.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { wantsPage } from '../http/page.ts';
import { AdminError } from './admin-error.ts';
import { OPERATOR_NAME } from './audit-reference.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import { defaultOperator } from './default-operator.ts';
import { LATE_ANSWER_MS, Throttle } from './throttle.ts';
import { TokenCheck } from './token.ts';

/**
 * `page` and `file`: the console, which holds nothing secret, a page only for browsers; `code`: a code in the body
 * serves instead of a bearer; `token`: not for sessions, which could otherwise prolong themselves for ever. A route that
 * says nothing takes both kinds of bearer.
 */
export type Access = 'page' | 'file' | 'code' | 'token';

const OPERATOR_HEADER = 'x-operator';

export class Authentication {
  readonly #token: TokenCheck;
  readonly #sessions: ConsoleSessions;
  readonly #logger: FastifyBaseLogger;
  readonly #throttle = new Throttle();
  readonly #operators = new WeakMap<FastifyRequest, string>();

  constructor(token: string, sessions: ConsoleSessions, logger: FastifyBaseLogger) {
    this.#token = new TokenCheck(token);
    this.#sessions = sessions;
    this.#logger = logger;
  }

  /** The operator of an admitted request. */
  operatorOf(request: FastifyRequest): string {
    return this.#operators.get(request)!;
  }

  /** By its bearer, before anything of the body is read. */
  async refusal(request: FastifyRequest): Promise<AdminError | undefined> {
    const access = accessOf(request);
    if (access === 'file' || (access === 'page' && wantsPage(request.raw))) return undefined;
    const { authorization } = request.headers;
    if (access === 'code' && authorization === undefined) return undefined;
    const [, presented] = /^Bearer (\S{1,512})$/i.exec(authorization ?? '') ?? [];
    const operator = presented === undefined ? undefined : this.#identify(presented, request);
    if (operator === undefined) return this.#failed(request, TOKEN_REFUSED);
    if (operator instanceof AdminError) return operator;
    if (access === 'token' && !this.#token.accepts(presented!)) return TOKEN_ONLY;
    this.#operators.set(request, operator);
    return undefined;
  }

  /** By the code in its body, where it has no bearer. */
  async codeRefusal(request: FastifyRequest): Promise<AdminError | undefined> {
    if (accessOf(request) !== 'code' || this.#operators.has(request)) return undefined;
    const { code } = request.body as { code?: string };
    const operator = code === undefined ? undefined : this.#sessions.redeem(code);
    if (operator === undefined) return this.#failed(request, CODE_REFUSED);
    this.#operators.set(request, operator);
    return undefined;
  }

  /** May the bearer read the stream of figures? */
  accepts(bearer: string): boolean {
    return this.#token.accepts(bearer) || this.#sessions.find(bearer) !== undefined;
  }

  #identify(bearer: string, request: FastifyRequest): string | AdminError | undefined {
    if (!this.#token.accepts(bearer)) return this.#sessions.find(bearer)?.operator;
    const named = request.headers[OPERATOR_HEADER];
    const operator = typeof named === 'string' ? named : defaultOperator();
    return OPERATOR_NAME.test(operator) ? operator : NAME_REFUSED;
  }

  async #failed({ ip }: FastifyRequest, refusal: AdminError): Promise<AdminError> {
    if (!this.#throttle.exceeds(ip, Date.now())) return refusal;
    this.#logger.warn({ address: ip }, "too many wrong operator's tokens");
    await sleep(LATE_ANSWER_MS);
    return ATTEMPTS_REFUSED;
  }
}

function accessOf({ routeOptions }: FastifyRequest): Access | undefined {
  return (routeOptions.config as { readonly access?: Access } | undefined)?.access;
}

const TOKEN_REFUSED = new AdminError(
  'not_authenticated',
  'the header "Authorization: Bearer <operator\'s token>" is missing or wrong',
);
const CODE_REFUSED = new AdminError(
  'not_authenticated',
  'the code is wrong, was used already or is older than a minute: run "bourse console" for a new one',
);
const TOKEN_ONLY = new AdminError(
  'not_allowed',
  "this needs the operator's token: a session of the console cannot open another",
);
const ATTEMPTS_REFUSED = new AdminError(
  'too_many_attempts',
  'too many wrong tokens from this address; wait a minute',
);
const NAME_REFUSED = new AdminError(
  'invalid_request',
  'the header x-operator must be a name of 1 to 64 letters, digits and . _ @ -',
);
