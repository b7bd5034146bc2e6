/** `GET /metrics`, beside the API: for Prometheus. It tells of all projects, so it wants a caller of all. */
import { said } from '@orrery/core/texts';
import type { FastifyInstance } from 'fastify';
import type { ApiOptions } from '../options.ts';
import { Refusal } from '../problem.ts';

/** Adds the route, and times every request. */
export function addMetrics(app: FastifyInstance, { metrics }: Pick<ApiOptions, 'metrics'>): void {
  if (metrics === undefined) return;
  app.addHook('onResponse', async ({ routeOptions }, { statusCode, elapsedTime }) => {
    const { operation } = routeOptions.config;
    if (operation === undefined) return;
    metrics.requestTime.observe({ operation, status: String(statusCode) }, elapsedTime / 1_000);
  });
  app.get('/metrics', async ({ identity }, reply) => {
    if (identity.project !== null) throw new Refusal('not-allowed', said('access.metrics'));
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}
