/**
 * The operator's server: a listener of its own, never the public port. A request passes these steps; the first that
 * fails responds:
 *   onRequest     Host and web page (`http/request-source.ts`), the bearer token, then the operator's name
 *   validation    the route's schema; unknown fields are rejected
 *   handler       a read waits until what it shows is durable; a change goes through the audit log:
 *                 line "begun" on disk, the action, line with the outcome on disk, response
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { endConnection, type RawError } from '../http/client-error.ts';
import { openHttpServer } from '../http/http-server.ts';
import { CachedPage, wantsPage } from '../http/page.ts';
import { RequestSource, type SourceRefusal } from '../http/request-source.ts';
import { OutcomeUnknown, Unavailable } from '../sequencer/sequencer.ts';
import { isOutOfSpace } from '../storage/shortage-errors.ts';
import { AdminError, type AdminErrorCode, ERROR_STATUS } from './admin-error.ts';
import { AuditFull, type AuditLog } from './audit-log.ts';
import { formatAuditReference, OPERATOR_NAME } from './audit-reference.ts';
import { defaultOperator } from './default-operator.ts';
import { FIRST_PAGE } from './first-page.ts';
import { type AdminContext, AuditedAction, type Call, type OperatorRoute } from './route.ts';
import { accountRightsRoutes } from './routes/account-rights.ts';
import { accountRoutes } from './routes/accounts.ts';
import { addressRoutes } from './routes/addresses.ts';
import { backupRoutes } from './routes/backups.ts';
import { clockRoutes } from './routes/clock.ts';
import { exchangeRoutes } from './routes/exchange.ts';
import { exposureRoutes } from './routes/exposure.ts';
import { forceRoutes } from './routes/force.ts';
import { insuranceRoutes } from './routes/insurance.ts';
import { keyRoutes } from './routes/keys.ts';
import { listingRoutes } from './routes/listings.ts';
import { loanRoutes } from './routes/loans.ts';
import { moneyRoutes } from './routes/money.ts';
import { priceRoutes } from './routes/prices.ts';
import { requestRoutes } from './routes/requests.ts';
import { reserveRoutes } from './routes/reserves.ts';
import { marketRoutes } from './routes/simulator.ts';
import { LATE_ANSWER_MS, Throttle } from './throttle.ts';
import { TokenCheck } from './token.ts';
import { validationError } from './validation.ts';

export interface AdminServerOptions extends AdminContext {
  readonly audit: AuditLog;
  readonly token: string;
  /** Further host names under which the server responds (`HostList` has the built-in ones). */
  readonly allowedHosts: readonly string[];
  readonly logger: FastifyBaseLogger;
}

export const OPERATOR_ROUTES: readonly OperatorRoute[] = [
  ...exchangeRoutes,
  ...exposureRoutes,
  ...reserveRoutes,
  ...accountRoutes,
  ...accountRightsRoutes,
  ...keyRoutes,
  ...addressRoutes,
  ...moneyRoutes,
  ...loanRoutes,
  ...insuranceRoutes,
  ...listingRoutes,
  ...priceRoutes,
  ...forceRoutes,
  ...marketRoutes,
  ...clockRoutes,
  ...backupRoutes,
  ...requestRoutes,
];

const LIMITS = {
  bodyBytes: 64 * 1024,
  connections: 64,
  server: {
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 8_192,
    // Node would respond without a body.
    requireHostHeader: false,
  },
} as const;
const OPERATOR_HEADER = 'x-operator';

type AnyCall = Call<never, never, never>;

export function buildAdminServer(options: AdminServerOptions): FastifyInstance {
  const { logger, allowedHosts } = options;
  const app = openHttpServer(
    {
      loggerInstance: logger,
      bodyLimit: LIMITS.bodyBytes,
      http: LIMITS.server,
      clientErrorHandler: (error, socket) => endConnection(error, socket, malformed),
    },
    {
      source: new RequestSource({ allowedHosts, ownPagesOnly: () => true }),
      refuse: (reply, refusal) => void fail(reply, sourceRefused(refusal)),
      unreadablePath: (_error, _request, reply) => void fail(reply, PATH_REFUSED),
    },
  );
  app.server.maxConnections = LIMITS.connections;
  app.addHook('onRequest', authentication(options));
  app.setErrorHandler((error: FastifyError, request, reply) => fail(reply, refusalOf(error, request)));
  app.setNotFoundHandler((request, reply) => fail(reply, unknownPath(request)));
  for (const route of OPERATOR_ROUTES) serve(app, route, options);
  const page = new CachedPage(FIRST_PAGE);
  app.get('/', (request, reply) =>
    isForPerson(request) ? page.send(request, reply) : fail(reply, unknownPath(request)),
  );
  return app;
}

/** A browser opened the address; the page contains no secret. */
function isForPerson({ raw, routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === '/' && wantsPage(raw);
}

function unknownPath({ method }: FastifyRequest): AdminError {
  return new AdminError('unknown_path', `there is no ${method} at this path`);
}

/** To bytes that are not an HTTP request, or one whose head is too long. */
function malformed(fault: string | undefined): RawError {
  const message =
    fault === 'HPE_HEADER_OVERFLOW'
      ? `the request line and headers may have at most ${LIMITS.server.maxHeaderSize} bytes`
      : 'the request is not valid HTTP/1.1 or took too long to arrive';
  const code: AdminErrorCode = 'invalid_request';
  return { status: `${ERROR_STATUS[code]} Bad Request`, body: JSON.stringify({ error: { code, message } }) };
}

function authentication({ token, logger }: AdminServerOptions) {
  const check = new TokenCheck(token);
  const throttle = new Throttle();
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (isForPerson(request)) return undefined;
    const [, presented] = /^Bearer (\S{1,512})$/i.exec(request.headers.authorization ?? '') ?? [];
    if (presented !== undefined && check.accepts(presented)) {
      return OPERATOR_NAME.test(operatorOf(request)) ? undefined : fail(reply, NAME_REFUSED);
    }
    if (!throttle.exceeds(request.ip, Date.now())) return fail(reply, TOKEN_REFUSED);
    logger.warn({ address: request.ip }, "too many wrong operator's tokens");
    await sleep(LATE_ANSWER_MS);
    return fail(reply, ATTEMPTS_REFUSED);
  };
}

function sourceRefused({ status, message }: SourceRefusal): AdminError {
  return new AdminError(SOURCE_CODES[status], message);
}

const SOURCE_CODES: Readonly<Record<SourceRefusal['status'], AdminErrorCode>> = {
  400: 'invalid_request',
  403: 'foreign_page',
  421: 'unknown_host',
};
const PATH_REFUSED = new AdminError(
  'invalid_request',
  'the path is not valid: % must be followed by two hexadecimal digits',
);
const TOKEN_REFUSED = new AdminError(
  'not_authenticated',
  'the header "Authorization: Bearer <operator\'s token>" is missing or wrong',
);
const ATTEMPTS_REFUSED = new AdminError(
  'too_many_attempts',
  'too many wrong tokens from this address; wait a minute',
);
const NAME_REFUSED = new AdminError(
  'invalid_request',
  'the header x-operator must be a name of 1 to 64 letters, digits and . _ @ -',
);

/** The operator's name from the header, else the user who runs the server. */
function operatorOf(request: FastifyRequest): string {
  const named = request.headers[OPERATOR_HEADER];
  return typeof named === 'string' ? named : defaultOperator();
}

function serve(app: FastifyInstance, route: OperatorRoute, options: AdminServerOptions): void {
  const { audit, token: _token, allowedHosts: _allowedHosts, logger: _logger, ...context } = options;
  app.route({
    method: route.method,
    url: route.path,
    exposeHeadRoute: false,
    schema: {
      ...(route.params !== undefined && { params: route.params }),
      ...(route.query !== undefined && { querystring: route.query }),
      ...(route.body !== undefined && { body: route.body }),
      response: { 200: route.answer },
    },
    handler: async (request, reply) => {
      const operator = operatorOf(request);
      const call = {
        ...context,
        params: request.params as never,
        query: request.query as never,
        body: request.body as never,
      };
      const answer =
        route.action === undefined
          ? await read(route, { ...call, audited: new AuditedAction(context.sequencer, operator, '') })
          : await change(route, route.action, operator, call, audit);
      return answer instanceof AdminError ? fail(reply, answer) : answer;
    },
  });
}

async function read(route: OperatorRoute, call: AnyCall): Promise<unknown> {
  const answer = await route.handle(call);
  const durable = call.sequencer.durable();
  if (durable !== undefined) await durable;
  return answer;
}

/** The audit log records the intent before the action runs, and the outcome before the response is sent. */
async function change(
  route: OperatorRoute,
  action: string,
  operator: string,
  call: Omit<AnyCall, 'audited'>,
  audit: AuditLog,
): Promise<unknown> {
  const { sequencer } = call;
  const auditArguments = route.auditArguments?.(call) ?? {};
  const line = await begin(audit, { operator, action, arguments: auditArguments }, sequencer.appliedSeq);
  if (line instanceof AdminError) return line;
  const audited = new AuditedAction(
    sequencer,
    operator,
    formatAuditReference({ operator, chain: audit.chain, line }),
  );
  const answer = await runAction(route, { ...call, audited });
  if (answer instanceof OutcomeUnknown) throw answer;
  const refused = answer instanceof AdminError;
  const detail = refused ? answer.message : route.auditDetail?.(answer);
  const outcome = refused ? (answer.code === 'internal' ? 'failed' : 'refused') : 'done';
  try {
    await audit.end(line, { outcome, detail, command: audited.command });
  } catch (error) {
    if (!(error instanceof AuditFull)) throw error;
    const what = outcome === 'done' ? 'the action was carried out' : `the action was refused (${detail})`;
    return new AdminError(
      'unavailable',
      `${what}, but the disk is full: the audit log tells when space is free`,
    );
  }
  return answer;
}

async function begin(
  audit: AuditLog,
  ...intent: Parameters<AuditLog['begin']>
): Promise<number | AdminError> {
  try {
    return await audit.begin(...intent);
  } catch (error) {
    return new AdminError(
      'unavailable',
      `the audit log cannot be written, nothing was done: ${(error as Error).message}`,
    );
  }
}

/** An action whose outcome is unknown gets none: the next start finds it out. */
async function runAction(route: OperatorRoute, call: AnyCall): Promise<unknown> {
  try {
    return await route.handle(call);
  } catch (error) {
    if (error instanceof OutcomeUnknown) return error;
    if (error instanceof Unavailable) return new AdminError('unavailable', error.message);
    if (isOutOfSpace(error)) return new AdminError('unavailable', 'the disk is full: nothing was changed');
    return new AdminError('internal', (error as Error).message);
  }
}

function fail(reply: FastifyReply, { code, message }: AdminError): FastifyReply {
  return reply.code(ERROR_STATUS[code]).send({ error: { code, message } });
}

function refusalOf(error: FastifyError, request: FastifyRequest): AdminError {
  if (error.validation !== undefined) return validationError(error.validation, error.validationContext);
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new AdminError('invalid_request', error.message);
  }
  request.log.error({ err: error, path: request.routeOptions.url }, 'operator request failed');
  const unknown = 'whether the action was carried out is not known: the audit log tells after the next start';
  return new AdminError(
    'internal',
    request.method === 'GET' ? error.message : `${error.message}; ${unknown}`,
  );
}
