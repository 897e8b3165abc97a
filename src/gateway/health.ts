/** For those who watch the process: is it alive, is it ready, what are its figures. Outside the API, no envelope. */
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../operation/metrics.ts';
import type { ReadinessCheck } from '../operation/readiness.ts';

export function serveHealth(
  app: FastifyInstance,
  metrics: Metrics,
  readiness: () => readonly ReadinessCheck[],
): void {
  const hidden = { schema: { hide: true }, exposeHeadRoute: false };
  app.get('/healthz', hidden, async () => ({ status: 'ok' }));
  app.get('/readyz', hidden, async (_request, reply) => {
    const checks = readiness();
    const ready = checks.every((check) => check.ok);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks });
  });
  app.get('/metrics', hidden, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(metrics.text()),
  );
}
