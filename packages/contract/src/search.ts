/** Finding anything by its name or id. */
import { z } from 'zod';
import type { Operation } from './operation.ts';

const hit = z
  .object({
    kind: z.enum([
      'workflow',
      'schedule',
      'run',
      'task-run',
      'attempt',
      'master',
      'worker',
      'worker-group',
      'task-group',
      'bulk',
    ]),
    id: z.string(),
    title: z.string(),
    state: z.string().nullable(),
    address: z.string().describe('of its page in the console'),
  })
  .meta({ id: 'SearchHit' });

export const searchOperations = {
  search: {
    route: 'GET /search',
    action: 'run.read',
    scope: 'filter',
    summary:
      'workflows, schedules, runs, task runs, attempts, nodes, groups, logs and bulks by name, id, host or path',
    query: z.strictObject({
      q: z.string().min(1).max(500),
      project: z.string().max(300).optional(),
      limit: z.int().min(1).max(50).default(20),
    }),
    answer: z.object({
      exact: hit.nullable().describe('what has exactly this id or name'),
      hits: z.array(hit),
    }),
    example: { q: 'demo' },
  },
} as const satisfies Record<string, Operation>;
