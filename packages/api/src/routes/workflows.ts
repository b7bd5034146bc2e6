/** `GET /workflows`, one of them, and its versions. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { limit, nextPage, number, route } from '../input.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';
import { findWorkflow } from '../workflows/find.ts';

const params = z.strictObject({ project: z.string(), name: z.string() });

/** Adds the routes. */
export function addWorkflowRoutes(app: FastifyInstance, { store }: Context): void {
  route(app, {
    method: 'GET',
    path: '/workflows',
    query: z.strictObject({ project: z.string().optional() }),
    async handle({ query: { project } }) {
      const workflows = await store.listWorkflows({ project });
      return {
        workflows: workflows.map(({ createdAt, id: _id, ...row }) => ({
          ...row,
          createdAt: timeText(createdAt),
        })),
      };
    },
  });

  route(app, {
    method: 'GET',
    path: '/workflows/:project/:name',
    params,
    query: z.strictObject({ version: number.optional() }),
    async handle({ params, query }) {
      const { version, workflow } = await findWorkflow(store, params, 'not-found', query.version);
      return { ...params, version, workflow };
    },
  });

  route(app, {
    method: 'GET',
    path: '/workflows/:project/:name/versions',
    params,
    query: z.strictObject({ limit, before: number.optional() }),
    async handle({ params, query, request }) {
      const { id } = await findWorkflow(store, params, 'not-found');
      const rows = await store.listVersions({ workflow: id, ...query });
      return {
        versions: rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: timeText(createdAt) })),
        next: nextPage(request, rows, query.limit, (last) => ({ before: last.version })),
      };
    },
  });

  route(app, {
    method: 'GET',
    path: '/workflows/:project/:name/source',
    params,
    query: z.strictObject({ version: number.optional() }),
    async handle({ params, query }, reply) {
      const { id, version } = await findWorkflow(store, params, 'not-found', query.version);
      const found = await store.readSource({ workflow: id, version });
      if (!found) throw new Refusal('not-found', 'the text of this version is gone');
      return reply.type('application/yaml; charset=utf-8').send(found.source);
    },
  });
}
