/** Serves the OpenAPI document: made with the first request for it, because few processes are asked. */
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../../http/client-error.ts';

export function serveReference(app: FastifyInstance): void {
  let text: string | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    if (text === undefined) {
      const { openApiDocument } = await import('./openapi.ts');
      text = JSON.stringify(openApiDocument());
    }
    return reply.type(JSON_TYPE).send(text);
  });
}
