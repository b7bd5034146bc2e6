/** `/ownership`: which master fires each schedule, and the claims of masters. */
import type { Answer } from '@orrery/contract';
import { claimantOf, claimWarnings, limitOf } from '@orrery/core/balance';
import { Conflict } from '@orrery/store';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { isMaster } from '../nodes.ts';
import { nextPage } from '../page-link.ts';
import { Changed } from '../problem.ts';
import { timeText } from '../time.ts';

/** What the operations do. */
export function ownershipHandlers(context: Context) {
  const { store, clock } = context;

  return {
    showOwnership: async (_, reply) => {
      const shown = await show(context);
      reply.header('etag', `"${shown.revision}"`);
      return shown;
    },

    setOwnership: async ({ headers, body: settings, request }, reply) => {
      const by = request.identity.name;
      await store
        .setOwnership({ settings, revision: headers.ifMatch, by, now: clock.now() })
        .catch(async (error: unknown) => {
          throw error instanceof Conflict
            ? new Changed(error.said ?? error.message, await show(context))
            : error;
        });
      const shown = await show(context);
      reply.header('etag', `"${shown.revision}"`);
      return shown;
    },

    claimNow: async () => {
      const repaired = await store.alignHoldings({ now: clock.now() });
      const { settings, free } = await store.readHoldings();
      return { repaired, free: settings.mode === 'claim' ? free : 0 };
    },

    listHoldings: async ({ query, request }) => {
      const rows = await store.listHoldings(query);
      return {
        holdings: rows.map((row) => ({ ...row, since: timeText(row.since) })),
        next: nextPage(request, rows, query.limit, (last) => ({ after: last.schedule })),
      };
    },
  } satisfies Partial<Handlers>;
}

async function show({ store }: Context): Promise<Answer<'showOwnership'>> {
  const [{ settings, revision, view, free }, nodes] = await Promise.all([
    store.readHoldings(),
    store.listNodes(),
  ]);
  const alive = view.masters.map(({ name, held, offline }) => ({
    id: name,
    state: offline ? ('drained' as const) : ('working' as const),
    held,
    limit: limitOf(view, name),
    ...claimantOf(settings, name),
  }));
  const dead = nodes
    .filter((node) => node.fenced === 1 && isMaster(node))
    .map(({ id }) => ({ id, state: 'dead' as const, held: 0, limit: 0, ...claimantOf(settings, id) }));
  const isClaiming = settings.mode === 'claim';
  return {
    revision,
    settings,
    schedules: view.schedules,
    free,
    masters: [...alive, ...dead],
    warnings: isClaiming ? claimWarnings(view) : [],
  };
}
