/** Liveness, readiness and metrics for monitoring. Outside the API: no envelope. */
import type { FastifyInstance } from 'fastify';

/** A condition for serving requests. */
export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

/** Counts responses and renders the metrics page. */
export interface Meter {
  /** `route` is the template, such as `/api/v3/market/tickers`. */
  observeRequest(route: string, status: number, seconds: number): void;
  text(): string;
}

export function serveHealth(
  app: FastifyInstance,
  metrics: Meter,
  readiness: () => readonly ReadinessCheck[],
): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const checks = readiness();
    const ready = checks.every((check) => check.ok);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks });
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(metrics.text()),
  );
}
