/** `GET /health`: whether this process answers and reaches its store. */
import type { FastifyInstance } from 'fastify';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';

/** Adds the route; it needs no token, so that whatever watches over the process can ask. */
export function addHealthRoute(app: FastifyInstance, { store, clock, version }: Context): void {
  const since = timeText(clock.now());
  app.get('/health', { config: { open: true } }, async () => {
    await store.listNodes();
    return { status: 'ok', version, since, store: store.dialect };
  });
}
