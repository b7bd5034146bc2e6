/** `/limits`: how many runs may be open, of all and of each tenant. */

import type { Answer } from '@orrery/contract';
import { limitsOfRun } from '@orrery/core/admit';
import { Conflict } from '@orrery/store';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { Changed } from '../problem.ts';

/** What the operations do. */
export function limitHandlers(context: Context) {
  const { store, clock, hints } = context;

  return {
    showLimits: async (_, reply) => {
      const shown = await show(context);
      reply.header('etag', `"${shown.revision}"`);
      return shown;
    },

    setLimits: async ({ headers, body: caps, request }, reply) => {
      const by = request.identity.name;
      await store
        .setRunCaps({ caps, revision: headers.ifMatch, by, now: clock.now() })
        .catch(async (error: unknown) => {
          throw error instanceof Conflict
            ? new Changed(error.said ?? error.message, await show(context))
            : error;
        });
      hints.inboxTold([]);
      const shown = await show(context);
      reply.header('etag', `"${shown.revision}"`);
      return shown;
    },
  } satisfies Partial<Handlers>;
}

async function show({ store }: Context): Promise<Answer<'showLimits'>> {
  const { value: caps, revision } = await store.readRunCaps();
  const place = { project: '', workflow: '', child: false };
  const [, , all] = limitsOfRun({ ...place, tenant: '' });
  const tenants = Object.entries(caps.tenants).sort(([a], [b]) => (a < b ? -1 : 1));
  const nameOf = (tenant: string) => limitsOfRun({ ...place, tenant })[1];
  const rows = await store.readLimits({ names: [all, ...tenants.map(([tenant]) => nameOf(tenant))] });
  const standing = (name: string) => {
    const { held = 0, waiting = 0 } = rows.find((row) => row.name === name) ?? {};
    return { held, waiting };
  };
  return {
    revision,
    all: { runs: caps.runs, ...standing(all) },
    tenants: tenants.map(([name, cap]) => ({ name, ...cap, ...standing(nameOf(name)) })),
  };
}
