/** Saved views of projects: named filters of the run list, shared by everybody who sees the project. */

import { nameSchema } from '@orrery/core/model';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { action, time } from './shapes.ts';

const view = z
  .object({
    project: z.string(),
    name: z.string(),
    query: z.string().describe('the query of `GET /runs`, as in `state=failed&from=-24h`'),
    badge: z.boolean().describe('show how many runs it has'),
    author: z.string(),
    savedAt: time,
    actions: z.array(action),
  })
  .meta({ id: 'SavedView' });

const viewPath = z.strictObject({
  project: nameSchema,
  view: z
    .string()
    .min(1)
    .max(100)
    .regex(/^\S(?:.*\S)?$/u, 'must not begin or end with a space'),
});

export const viewOperations = {
  listViews: {
    route: 'GET /views',
    action: 'project.read',
    scope: 'filter',
    summary: 'the views of a project, or of all that the caller can see',
    query: z.strictObject({ project: z.string().max(300).optional() }),
    answer: z.object({ views: z.array(view) }),
    example: { project: 'default' },
  },
  setView: {
    route: 'PUT /projects/{project}/views/{view}',
    action: 'project.edit',
    scope: 'path',
    audit: 'view.set',
    summary: 'makes a view, or changes the one of that name',
    params: viewPath,
    body: z.strictObject({
      query: z.string().min(1).max(4_000),
      badge: z.boolean().default(false),
    }),
    answer: view,
    example: { project: 'default', view: 'slow', body: { query: 'duration=10m', badge: true } },
  },
  deleteView: {
    route: 'DELETE /projects/{project}/views/{view}',
    action: 'project.edit',
    scope: 'path',
    audit: 'view.delete',
    summary: 'takes a view away',
    params: viewPath,
    answer: z.object({ deleted: z.boolean() }),
    example: { project: 'default', view: 'old' },
  },
} as const satisfies Record<string, Operation>;
