/**
 * Task groups: how many attempts of their tasks run at once, across all workflows of a project and all
 * workers.
 */

import { nameSchema } from '@orrery/core/model';
import { z } from 'zod';
import type { Operation } from './operation.ts';
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

const path = z.strictObject({ project: nameSchema, name: nameSchema });

export const taskGroupOperations = {
  listTaskGroups: {
    route: 'GET /task-groups',
    action: 'task-group.read',
    scope: 'filter',
    summary: 'task groups, by project and name',
    query: z.strictObject({ project: z.string().optional() }),
    answer: z.object({ taskGroups: z.array(group) }),
    example: { project: 'default' },
  },
  showTaskGroup: {
    route: 'GET /task-groups/{project}/{name}',
    action: 'task-group.read',
    scope: 'path',
    summary: 'a task group: who holds its slots, and who waits',
    params: path,
    answer: shown,
    example: { project: 'default', name: 'warehouse' },
  },
  setTaskGroup: {
    route: 'PUT /task-groups/{project}/{name}',
    action: 'task-group.edit',
    scope: 'path',
    audit: 'task-group.set',
    summary: 'makes a task group or sets its slots; what waits is let in at once, what runs is left to end',
    params: path,
    body: z.strictObject({ slots: z.int().min(0).max(1_000_000) }),
    answer: shown,
    example: { project: 'default', name: 'licence', body: { slots: 1 } },
  },
  deleteTaskGroup: {
    route: 'DELETE /task-groups/{project}/{name}',
    action: 'task-group.edit',
    scope: 'path',
    audit: 'task-group.delete',
    summary: 'takes a task group away; refused while live versions of workflows use it',
    params: path,
    status: 204,
    answer: z.undefined(),
    example: { project: 'default', name: 'warehouse' },
  },
} as const satisfies Record<string, Operation>;
