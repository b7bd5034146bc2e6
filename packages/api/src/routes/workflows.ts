/** `GET /workflows`, one of them, and its versions. */
import type { FastifyInstance } from 'fastify';
import { nextPage, serve } from '../input.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';
import { findWorkflow } from '../workflows/find.ts';

/** Adds the routes. */
export function addWorkflowRoutes(app: FastifyInstance, context: Context): void {
  const { store } = context;

  serve(app, context, 'listWorkflows', async ({ query: { project } }) => {
    const workflows = await store.listWorkflows({ project });
    return {
      workflows: workflows.map(({ createdAt, id: _id, ...row }) => ({
        ...row,
        createdAt: timeText(createdAt),
      })),
    };
  });

  serve(app, context, 'showWorkflow', async ({ params, query }) => {
    const { version, workflow } = await findWorkflow(store, params, 'not-found', query.version);
    return { ...params, version, workflow };
  });

  serve(app, context, 'listVersions', async ({ params, query, request }) => {
    const { id } = await findWorkflow(store, params, 'not-found');
    const rows = await store.listVersions({ workflow: id, ...query });
    return {
      versions: rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: timeText(createdAt) })),
      next: nextPage(request, rows, query.limit, (last) => ({ before: last.version })),
    };
  });

  serve(app, context, 'readSource', async ({ params, query }, reply) => {
    const { id, version } = await findWorkflow(store, params, 'not-found', query.version);
    const found = await store.readSource({ workflow: id, version });
    if (!found) throw new Refusal('not-found', 'the text of this version is gone');
    reply.type('application/yaml; charset=utf-8');
    return found.source;
  });
}
