/** What the public door and the operator's have in common. */

import type { Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import Fastify, { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify';
import { schemasOnDemand } from './schemas-on-demand.ts';

export function openHttpServer(options: FastifyHttpOptions<Server, FastifyBaseLogger>): FastifyInstance {
  const app = Fastify({
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Nothing is coerced: `true` is no clientOid. Unknown keys pass where the schema does not forbid them.
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: false },
    },
    schemaController: { compilersFactory: schemasOnDemand },
    ...options,
  });
  return app as unknown as FastifyInstance;
}
