/** Serves the reference of the interface: loaded with the first request for it, because few processes are asked. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Answers a request that the reference cannot; without an error it is for a path that does not exist. */
export type Fail = (error: FastifyError | undefined, request: FastifyRequest, reply: FastifyReply) => void;

export function serveReference(app: FastifyInstance, fail: Fail): void {
  let opened: Promise<FastifyInstance> | undefined;
  const open = async () => {
    const { openReferenceApp } = await import('./reference-app.ts');
    return openReferenceApp(fail);
  };
  app.addHook('onClose', async () => (await opened)?.close());
  for (const url of ['/openapi.json', '/docs', '/docs/*'])
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      opened ??= open();
      const reference = await opened;
      reply.hijack();
      reference.routing(request.raw, reply.raw);
    });
}
