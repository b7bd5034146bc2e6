/** Task groups: how many attempts of their tasks run at once, over all workflows of a project and all workers. */
import { z } from 'zod';
import { name as modelName } from '../model/schema/values.ts';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { number, time } from './shapes.ts';

const counts = {
  project: z.string(),
  name: z.string(),
  slots: z.int().min(0),
  held: z
    .int()
    .min(0)
    .describe('more than `slots` after it was made smaller, or where tasks were started at once'),
  waiting: z.int().min(0).describe('counted up to 10000'),
};

const group = z.object(counts).meta({ id: 'TaskGroup' });

const shown = z
  .object({
    ...counts,
    holders: z
      .array(z.object({ taskRun: z.string(), run: number }))
      .describe('whose attempts hold slots, at most 100'),
    waiters: z
      .array(z.object({ taskRun: z.string(), run: number, attempt: number, since: time }))
      .describe('in the order in which they get a slot, at most 100'),
  })
  .meta({ id: 'TaskGroupDetails' });

const path = z.strictObject({ project: modelName, name: modelName });

export const taskGroupOperations = {
  listTaskGroups: {
    summary: 'task groups, by project and name',
    query: z.strictObject({ project: z.string().optional() }),
    answer: z.object({ taskGroups: z.array(group) }),
  },
  showTaskGroup: { summary: 'a task group: who holds its slots, and who waits', params: path, answer: shown },
  setTaskGroup: {
    summary: 'makes a task group or sets its slots; what waits is let in at once, what runs is left to end',
    params: path,
    body: z.strictObject({ slots: z.int().min(0).max(1_000_000) }),
    answer: shown,
  },
  deleteTaskGroup: {
    summary: 'takes a task group away; refused while live versions of workflows use it',
    params: path,
    status: 204,
    answer: z.undefined(),
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
