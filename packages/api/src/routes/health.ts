/** `GET /health`: whether this process answers and its store can be read and written. */
import { StoreAway } from '@orrery/store';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';

/** Masters beat every second; this long without a beat is more than a slow disk. */
const BEAT_OVERDUE = 5_000;

/** Adds the route; it needs no token, so that whatever watches over the process can ask. */
export function addHealthRoute(app: FastifyInstance, context: Context): void {
  const { store, clock, version } = context;
  const since = timeText(clock.now());
  serve(app, context, 'checkHealth', async () => {
    const nodes = await store.listNodes();
    const beats = nodes.filter(({ fenced }) => fenced === 0).map(({ beatAt }) => beatAt);
    const last = Math.max(...beats);
    // An embedded store is written by this process alone. A full disk can still be read, so the beat tells.
    if (store.dialect === 'sqlite' && beats.length > 0 && clock.now() - last > BEAT_OVERDUE) {
      throw new StoreAway(`the database has not been written since ${timeText(last)}`, false);
    }
    return { status: 'ok', version, since, store: store.dialect };
  });
}
