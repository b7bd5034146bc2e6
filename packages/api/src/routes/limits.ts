/** `/limits`: how many runs may be open, of all and of each tenant. */
import { limitsOfRun } from '@orrery/core/admit';
import type { Answer } from '@orrery/core/contract';
import { Conflict } from '@orrery/store';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { Changed } from '../problem.ts';
import type { Context } from '../server.ts';

/** Adds the routes. */
export function addLimitRoutes(app: FastifyInstance, context: Context): void {
  const { store, clock, hints } = context;

  serve(app, context, 'showLimits', async (_, reply) => {
    const shown = await show(context);
    reply.header('etag', `"${shown.revision}"`);
    return shown;
  });

  serve(app, context, 'setLimits', async ({ headers, body: caps, request }, reply) => {
    const by = request.identity.name;
    await store
      .setRunCaps({ caps, revision: headers.ifMatch, by, now: clock.now() })
      .catch(async (error: unknown) => {
        throw error instanceof Conflict ? new Changed(error.message, await show(context)) : error;
      });
    hints.inboxTold([]);
    const shown = await show(context);
    reply.header('etag', `"${shown.revision}"`);
    return shown;
  });
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
