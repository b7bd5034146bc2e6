/** `/workflows/{project}/{name}/draft`: a workflow that is being edited, beside its live version. */
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { once } from '../once.ts';
import type { Context } from '../server.ts';
import { discardDraft, publishDraft, readDraft, saveDraft } from '../workflows/draft.ts';

/** Adds the routes. */
export function addDraftRoutes(app: FastifyInstance, context: Context): void {
  serve(app, context, 'readDraft', async ({ params }, reply) => {
    const draft = await readDraft(context, params);
    reply.header('etag', `"${draft.revision}"`);
    return draft;
  });

  serve(app, context, 'saveDraft', async ({ params, headers, body, request }, reply) => {
    const author = request.identity.name;
    const head = await saveDraft(context, params, { ...body, author }, headers.ifMatch);
    reply.header('etag', `"${head.revision}"`);
    return head;
  });

  serve(app, context, 'discardDraft', async ({ params, headers }) =>
    discardDraft(context, params, headers.ifMatch).then(() => undefined),
  );

  serve(app, context, 'publishDraft', async ({ params, headers, body, request }) =>
    once(context, 'publishDraft', request, headers.idempotencyKey, () =>
      publishDraft(context, params, { ...body, identity: request.identity }, headers.ifMatch),
    ),
  );
}
