/** What the public door and the operator's have in common. */

import type { Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import Fastify, { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify';
import { VALIDATION } from './schema-check.ts';
import { SchemasOnDemand } from './schemas-on-demand.ts';

/** The first seconds belong to those who waited for the start. */
const COMPILE_AFTER_MS = 5_000;
const COMPILE_STEP_MS = 50;

export function openHttpServer(options: FastifyHttpOptions<Server, FastifyBaseLogger>): FastifyInstance {
  const schemas = new SchemasOnDemand();
  const app = Fastify({
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    ajv: { customOptions: VALIDATION },
    schemaController: { compilersFactory: schemas.compilers },
    ...options,
  });
  compileMeanwhile(app as unknown as FastifyInstance, schemas);
  return app as unknown as FastifyInstance;
}

function compileMeanwhile(app: FastifyInstance, schemas: SchemasOnDemand): void {
  let timer: NodeJS.Timeout | undefined;
  const step = () => {
    try {
      if (!schemas.compileNext()) return;
    } catch (error) {
      // The route that it belongs to will say so to whoever asks; the others go on.
      app.log.error({ err: error }, 'a schema cannot be compiled');
    }
    timer = setTimeout(step, COMPILE_STEP_MS).unref();
  };
  app.addHook('onListen', async () => {
    timer = setTimeout(step, COMPILE_AFTER_MS).unref();
  });
  app.addHook('onClose', async () => clearTimeout(timer));
}
