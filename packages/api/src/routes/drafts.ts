/** `/workflows/{project}/{name}/draft`: a workflow that is being edited, beside its live version. */

import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { once, ownKey } from '../once.ts';
import { stateOf } from '../runs/read.ts';
import { discardDraft, publishDraft, readDraft, saveDraft, testDraft } from '../workflows/draft.ts';

/** What the operations do. */
export function draftHandlers(context: Context) {
  return {
    readDraft: async ({ params }, reply) => {
      const draft = await readDraft(context, params);
      reply.header('etag', `"${draft.revision}"`);
      return draft;
    },

    saveDraft: async ({ params, headers, body, request }, reply) => {
      const author = request.identity.name;
      const head = await saveDraft(context, params, { ...body, author }, headers.ifMatch);
      reply.header('etag', `"${head.revision}"`);
      return head;
    },

    discardDraft: async ({ params, headers }) =>
      discardDraft(context, params, headers.ifMatch).then(() => undefined),

    testDraft: async ({ params, headers, body, request }, reply) => {
      const { identity } = request;
      const key = ownKey(identity, headers.idempotencyKey);
      const started = await testDraft(context, params, { ...body, identity }, headers.ifMatch, key);
      const { run: id, repeated, counts } = started;
      reply.header('location', `/api/v1/runs/${id}`);
      return { id, state: repeated ? await stateOf(context, id) : 'queued', repeated, counts };
    },

    publishDraft: async ({ params, headers, body, request }) =>
      once(context, 'publishDraft', request, headers.idempotencyKey, () =>
        publishDraft(context, params, { ...body, identity: request.identity }, headers.ifMatch),
      ),
  } satisfies Partial<Handlers>;
}
