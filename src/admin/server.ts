/**
 * The operator's server: a listener of its own, never the public port. A request passes these steps; the first that
 * fails responds:
 *   onRequest     Host and web page (`http/request-source.ts`), then the bearer (`authentication.ts`)
 *   validation    the route's schema; unknown fields are rejected
 *   preHandler    a code instead of a bearer, where a session begins
 *   handler       a read waits until what it shows is durable; a change goes through the audit log:
 *                 line "begun" on disk, the action, line with the outcome on disk, response
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HistoryUnavailable } from '../history/history.ts';
import { endConnection, type RawError } from '../http/client-error.ts';
import { openHttpServer } from '../http/http-server.ts';
import { RequestSource, type SourceRefusal } from '../http/request-source.ts';
import { IdentityUnavailable } from '../identity/identity.ts';
import { RotationRefused } from '../identity/rotation.ts';
import { OutcomeUnknown, Unavailable } from '../sequencer/sequencer.ts';
import { isOutOfSpace } from '../storage/shortage-errors.ts';
import { AdminError, type AdminErrorCode, ERROR_STATUS } from './admin-error.ts';
import { AuditFull, type AuditLog, AuditUnavailable } from './audit-log.ts';
import { formatAuditReference } from './audit-reference.ts';
import { Authentication } from './authentication.ts';
import { ConsoleStream, STREAM_PATH } from './console-stream.ts';
import { Download } from './download.ts';
import { type AdminContext, AuditedAction, type Call, type OperatorRoute } from './route.ts';
import { accountRightsRoutes } from './routes/account-rights.ts';
import { accountRoutes } from './routes/accounts.ts';
import { addressRoutes } from './routes/addresses.ts';
import { backupRoutes } from './routes/backups.ts';
import { clockRoutes } from './routes/clock.ts';
import { coinRoutes } from './routes/coins.ts';
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
import { riskRoutes } from './routes/risk.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { marketRoutes } from './routes/simulator.ts';
import { validationError } from './validation.ts';

export interface AdminServerOptions extends AdminContext {
  readonly audit: AuditLog;
  readonly token: string;
  /** Further host names under which the server responds (`HostList` has the built-in ones). */
  readonly allowedHosts: readonly string[];
  readonly logger: FastifyBaseLogger;
  /** Routes of other modules, beside its own. */
  readonly moreRoutes: readonly OperatorRoute[];
}

export const OPERATOR_ROUTES: readonly OperatorRoute[] = [
  ...exchangeRoutes,
  ...exposureRoutes,
  ...riskRoutes,
  ...reserveRoutes,
  ...accountRoutes,
  ...accountRightsRoutes,
  ...keyRoutes,
  ...addressRoutes,
  ...moneyRoutes,
  ...loanRoutes,
  ...insuranceRoutes,
  ...listingRoutes,
  ...coinRoutes,
  ...priceRoutes,
  ...forceRoutes,
  ...marketRoutes,
  ...clockRoutes,
  ...backupRoutes,
  ...sessionRoutes,
  ...requestRoutes,
];

/** Limits of the listener. */
export const ADMIN_HTTP = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 8_192,
  // Node would respond without a body.
  requireHostHeader: false,
  // Every other upgrade is an ordinary request.
  shouldUpgradeCallback: ({ url, headers }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === 'websocket' && url === STREAM_PATH,
} as const;
const BODY_BYTES_MAX = 64 * 1024;
/** Deeper bodies would end in the stack of whatever walks through them, such as the audit log. */
const BODY_LEVELS_MAX = 32;
/** Longer than any name, so that the route says what a name is. */
const PARAM_CHARS_MAX = 256;
const CONNECTIONS_MAX = 64;

type AnyCall = Call<never, never, never>;

/** Options that belong to the exchange are looked up at each use: another exchange may take the place of the first. */
export function buildAdminServer(options: AdminServerOptions): {
  readonly app: FastifyInstance;
  /** Ends the sockets of consoles. */
  readonly leave: () => void;
} {
  const { logger, allowedHosts } = options;
  const source = new RequestSource({ allowedHosts, ownPagesOnly: () => true });
  const app = openHttpServer(
    {
      loggerInstance: logger,
      bodyLimit: BODY_BYTES_MAX,
      routerOptions: { maxParamLength: PARAM_CHARS_MAX },
      http: ADMIN_HTTP,
      clientErrorHandler: (error, socket) => endConnection(error, socket, malformed),
    },
    {
      source,
      refuse: (reply, refusal) => void fail(reply, sourceRefused(refusal)),
      unreadablePath: ({ code }, _request, reply) =>
        void fail(reply, code === 'FST_ERR_MAX_PARAM_LENGTH' ? PATH_TOO_LONG : PATH_REFUSED),
    },
  );
  app.server.maxConnections = CONNECTIONS_MAX;
  const authentication = new Authentication(options.token, options.sessions, logger);
  app.addHook('onRequest', async (request, reply) => {
    const refusal = await authentication.refusal(request);
    return refusal === undefined ? undefined : fail(reply, refusal);
  });
  app.addHook('preValidation', async ({ body }, reply) =>
    isDeeperThan(body, BODY_LEVELS_MAX) ? fail(reply, BODY_TOO_DEEP) : undefined,
  );
  app.addHook('preHandler', async (request, reply) => {
    const refusal = await authentication.codeRefusal(request);
    return refusal === undefined ? undefined : fail(reply, refusal);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => fail(reply, refusalOf(error, request)));
  app.setNotFoundHandler((request, reply) => fail(reply, unknownPath(request)));
  for (const route of [...OPERATOR_ROUTES, ...options.moreRoutes]) serve(app, route, options, authentication);
  const stream = new ConsoleStream(options, source, authentication);
  stream.attach(app.server);
  return { app, leave: () => stream.close() };
}

function unknownPath({ method }: FastifyRequest): AdminError {
  return new AdminError('unknown_path', `there is no ${method} at this path`);
}

/** To bytes that are not an HTTP request, or one whose head is too long. */
function malformed(fault: string | undefined): RawError {
  const message =
    fault === 'HPE_HEADER_OVERFLOW'
      ? `the request line and headers may have at most ${ADMIN_HTTP.maxHeaderSize} bytes`
      : 'the request is not valid HTTP/1.1 or took too long to arrive';
  const code: AdminErrorCode = 'invalid_request';
  return { status: `${ERROR_STATUS[code]} Bad Request`, body: JSON.stringify({ error: { code, message } }) };
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
const PATH_TOO_LONG = new AdminError(
  'invalid_request',
  `the path is not valid: a name in it has more than ${PARAM_CHARS_MAX} characters`,
);
const BODY_TOO_DEEP = new AdminError(
  'invalid_request',
  `the body is nested more than ${BODY_LEVELS_MAX} levels deep`,
);

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(each, levels - 1));
}

function serve(
  app: FastifyInstance,
  route: OperatorRoute,
  options: AdminServerOptions,
  authentication: Authentication,
): void {
  app.route({
    method: route.method,
    url: route.path,
    exposeHeadRoute: false,
    ...(route.access !== undefined && { config: { access: route.access } }),
    ...(route.bodyBytesMax !== undefined && { bodyLimit: route.bodyBytesMax }),
    schema: {
      ...(route.params !== undefined && { params: route.params }),
      ...(route.query !== undefined && { querystring: route.query }),
      ...(route.body !== undefined && { body: route.body }),
      response: { 200: route.answer },
    },
    handler: async (request, reply) => {
      const operator = authentication.operatorOf(request);
      const {
        token: _token,
        allowedHosts: _hosts,
        logger: _logger,
        moreRoutes: _routes,
        ...context
      } = options;
      const { audit, sequencer } = context;
      const call = {
        ...context,
        params: request.params as never,
        query: request.query as never,
        body: request.body as never,
      };
      const answer =
        route.action === undefined
          ? await read(route, { ...call, audited: new AuditedAction(sequencer, operator, '') })
          : await change(route, route.action, operator, call, audit);
      if (answer instanceof Download) return sendFile(reply, answer);
      return answer instanceof AdminError ? fail(reply, answer) : answer;
    },
  });
}

function sendFile(reply: FastifyReply, { type, name, bytes }: Download): FastifyReply {
  return reply
    .header('content-type', type)
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(bytes);
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
    const why =
      error instanceof AuditUnavailable
        ? 'the database does not answer: the audit log tells when it does'
        : 'the disk is full: the audit log tells when space is free';
    return new AdminError('unavailable', `${what}, but ${why}`);
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
    const answer = await route.handle(call);
    // A change of users and keys is no command: its mark in the journal is durable before the response, too.
    if (call.sequencer.failure === undefined) await call.sequencer.durable();
    return answer;
  } catch (error) {
    if (error instanceof OutcomeUnknown) return error;
    if (
      error instanceof Unavailable ||
      error instanceof HistoryUnavailable ||
      error instanceof IdentityUnavailable
    )
      return new AdminError('unavailable', error.message);
    if (error instanceof RotationRefused) return new AdminError('not_allowed', error.message);
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
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
      return new AdminError(
        'invalid_request',
        `the body has more than ${request.routeOptions.bodyLimit} bytes, which is the most`,
      );
    return new AdminError('invalid_request', error.message);
  }
  if (error instanceof HistoryUnavailable || error instanceof AuditUnavailable)
    return new AdminError('unavailable', error.message);
  request.log.error({ err: error, path: request.routeOptions.url }, 'operator request failed');
  const unknown = 'whether the action was carried out is not known: the audit log tells after the next start';
  return new AdminError(
    'internal',
    request.method === 'GET' ? error.message : `${error.message}; ${unknown}`,
  );
}
