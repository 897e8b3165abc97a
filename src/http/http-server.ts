/** The HTTP server that the public API and the operator's API share. */

import type { Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import Fastify, { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify';
import { VALIDATION } from '../validation/schema-check.ts';
import type { RequestSource, SourceRefusal } from './request-source.ts';
import { SchemasOnDemand } from './schemas-on-demand.ts';

/** The first seconds belong to clients that waited for the start. */
const COMPILE_AFTER_MS = 5_000;
const COMPILE_STEP_MS = 50;
/** Nothing is compiled ahead while clients use more of the thread's time. */
const BUSY_SHARE = 0.3;

/** Responses to requests that reach no route. */
export interface EarlyResponses {
  readonly source: RequestSource;
  readonly refuse: (reply: FastifyReply, refusal: SourceRefusal) => void;
  /** An unreadable path reaches no hook. */
  readonly unreadablePath: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void;
}

type Options = Omit<FastifyHttpOptions<Server, FastifyBaseLogger>, 'frameworkErrors'>;

export function openHttpServer(options: Options, early: EarlyResponses): FastifyInstance {
  const { source, refuse, unreadablePath } = early;
  const schemas = new SchemasOnDemand();
  const app = Fastify({
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    ajv: { customOptions: VALIDATION },
    schemaController: { compilersFactory: schemas.compilers },
    frameworkErrors: (error, rawRequest, rawReply) => {
      const [request, reply] = [rawRequest, rawReply];
      const refusal = source.refusal(request.raw);
      if (refusal === undefined) unreadablePath(error, request, reply);
      else refuse(reply, refusal);
    },
    ...options,
  }) as unknown as FastifyInstance;
  // The first hook of all: also for unknown paths.
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = source.refusal(request.raw);
    if (refusal === undefined) done();
    else refuse(reply, refusal);
  });
  compileMeanwhile(app, schemas);
  return app;
}

function compileMeanwhile(app: FastifyInstance, schemas: SchemasOnDemand): void {
  let timer: NodeJS.Timeout | undefined;
  let since = performance.eventLoopUtilization();
  const step = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, since);
    since = now;
    try {
      if (utilization < BUSY_SHARE && !schemas.compileNext()) return;
    } catch (error) {
      // Requests to its route will fail with this error; the others go on.
      app.log.error({ err: error }, 'a schema cannot be compiled');
    }
    timer = setTimeout(step, COMPILE_STEP_MS).unref();
  };
  app.addHook('onReady', async () => {
    timer = setTimeout(step, COMPILE_AFTER_MS).unref();
  });
  app.addHook('onClose', async () => clearTimeout(timer));
}
