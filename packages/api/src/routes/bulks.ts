/** `/bulks`: the same change of many runs, carried out by masters; how far it is, what became of each run, its end. */

import { said } from '@orrery/core/texts';
import type { BulkRow } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import { createBulk, tryBulk } from '../bulks/create.ts';
import { showResults } from '../bulks/results.ts';
import { endedReason, showBulk } from '../bulks/show.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { ownKey } from '../once.ts';
import { nextPage } from '../page-link.ts';
import { Refusal } from '../problem.ts';

/** What the operations do. */
export function bulkHandlers(context: Context) {
  const { store, clock } = context;

  /** A bulk of other projects is not found for a single-project caller. */
  const find = async (id: number, { project }: Identity): Promise<BulkRow> => {
    const [bulk] = await store.readBulks({ ids: [id] });
    if (!bulk || (project !== null && bulk.project !== project))
      throw new Refusal('not-found', said('none.bulk', { id }));
    return bulk;
  };

  return {
    createBulk: async ({ body, headers, request: { identity } }, reply) => {
      if (body.dryRun) {
        reply.code(200);
        return { bulk: null, repeated: false, would: await tryBulk(context, body, identity) };
      }
      const { bulk, repeated } = await createBulk(
        context,
        body,
        ownKey(identity, headers.idempotencyKey),
        identity,
      );
      reply.header('location', `/api/v1/bulks/${bulk.id}`);
      return { bulk: showBulk(bulk), repeated, would: null };
    },

    listBulks: async ({ query, request }) => {
      const bulks = await store.listBulks(query);
      return {
        bulks: bulks.map(showBulk),
        next: nextPage(request, bulks, query.limit, ({ id }) => ({ before: id })),
      };
    },

    showBulk: async ({ params, request }) => showBulk(await find(params.id, request.identity)),

    listBulkResults: async ({ params, query, request }) => {
      const bulk = await find(params.id, request.identity);
      const { outcome, after, limit } = query;
      const rows = await store.listBulkRuns({ bulk: bulk.id, outcome, after, limit });
      return {
        results: await showResults(store, bulk, rows),
        next: nextPage(request, rows, limit, ({ run }) => ({ after: run })),
      };
    },

    abortBulk: async ({ params: { id }, body: { reason }, request: { identity } }) => {
      await find(id, identity);
      const aborted = await store.abortBulk({ id, by: identity.name, reason, now: clock.now() });
      const bulk = await find(id, identity);
      if (!aborted) throw new Refusal('conflict', said('bulk.notAborted', { why: endedReason(bulk.state) }));
      return showBulk(bulk);
    },
  } satisfies Partial<Handlers>;
}
