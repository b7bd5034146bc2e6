/** The cluster: whether the server is well, who takes part, and what workers can run. */
import { z } from 'zod';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { time } from './shapes.ts';

const nodeState = z.enum(['alive', 'silent', 'draining', 'gone']);

const master = z
  .object({
    id: z.string(),
    state: nodeState,
    roles: z.array(z.string()),
    address: z.string(),
    epoch: z.int(),
    joinedAt: time,
    beatAt: time,
  })
  .meta({ id: 'Master' });

const worker = z
  .object({
    id: z.string(),
    state: nodeState,
    groups: z.array(z.string()),
    address: z.string(),
    epoch: z.int(),
    slots: z.int(),
    used: z.int().describe('attempts it has now'),
    beatAt: time,
  })
  .meta({ id: 'Worker' });

const taskType = z
  .object({
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    schema: z.record(z.string(), z.unknown()).optional().describe('what its `with` accepts, as JSON Schema'),
  })
  .meta({ id: 'TaskType' });

export const clusterOperations = {
  checkHealth: {
    summary: 'whether the process answers and reaches its store',
    open: true,
    answer: z.object({
      status: z.literal('ok'),
      version: z.string(),
      since: time,
      store: z.enum(['sqlite', 'postgres']),
    }),
  },
  listNodes: {
    summary: 'masters and workers',
    answer: z.object({ masters: z.array(master), workers: z.array(worker) }),
  },
  listTaskTypes: {
    summary: 'what workers can run, with the JSON Schema of the settings of each type',
    answer: z.object({ taskTypes: z.array(taskType) }),
  },
  readOpenApi: {
    summary: 'this API as OpenAPI 3.1',
    answer: z.record(z.string(), z.unknown()),
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
