/**
 * `GET /health`: whether the cluster works as seen from this process. `GET /ready`: whether this process can do its own
 * part. Both name every part that does not work, and need no token, so that whatever watches over the process can ask.
 */
import type { FastifyInstance } from 'fastify';
import { clusterParts, type HealthPart } from '../health/parts.ts';
import { serve } from '../input.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';

/** Adds the routes. */
export function addHealthRoute(app: FastifyInstance, context: Context): void {
  const { store, clock, version, health } = context;
  const since = timeText(clock.now());
  const parts = async () => [
    ...(await clusterParts({ ...health, store, clock })),
    ...((await health?.own?.()) ?? []),
  ];
  const answer = (all: readonly HealthPart[]) => {
    const wrong = all.filter(({ problem }) => problem !== undefined);
    if (wrong.length === 0)
      return {
        status: 'ok',
        version,
        since,
        store: store.dialect,
        parts: all.map(({ name }) => name),
      } as const;
    const problems = wrong.map(({ name, problem = '' }) => ({ path: [name], message: problem }));
    const kind = wrong.some(({ name }) => name === 'store') ? 'store-away' : 'unhealthy';
    throw new Refusal(kind, problems.map(({ message }) => message).join('; '), problems);
  };
  serve(app, context, 'checkHealth', async () => answer(await parts()));
  serve(app, context, 'checkReady', async () =>
    answer((await parts()).filter(({ name }) => name !== 'master')),
  );
}
