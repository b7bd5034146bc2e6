/**
 * `GET /health`: whether the cluster works, as seen from this process. `GET /ready`: whether this process can
 * do its own part. Both name every part that does not work, and need no token, so that any process monitor
 * can call them.
 */

import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { clusterParts, type HealthPart } from '../health/parts.ts';
import { Refusal } from '../problem.ts';
import { timeText } from '../time.ts';

/** What the operations do. */
export function healthHandlers(context: Context) {
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

  return {
    checkHealth: async () => answer(await parts()),

    checkReady: async () => answer((await parts()).filter(({ name }) => name !== 'master')),
  } satisfies Partial<Handlers>;
}
