/** Worker groups: the projects whose tasks their workers take, and how a worker is chosen. */

import { nameSchema } from '@orrery/core/model';
import { groupChoices } from '@orrery/core/queue';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { ifMatch, time } from './shapes.ts';

/** Projects to which something is restricted. */
export const boundProjects = z
  .array(nameSchema)
  .max(1_000)
  .describe('the projects whose tasks may use it; none: all projects');

const MOST_WEIGHTS = 1_000;

const choose = z
  .enum(groupChoices)
  .describe('`queue`: whoever asks first; `sticky`: one worker for all tasks of a run');
const weights = z
  .record(z.string(), z.number())
  .describe('of workers by name, for `weighted`; others have 1');

const workerGroup = z
  .object({
    name: z.string(),
    projects: z.array(z.string()).describe('the projects whose tasks may use it; none: all projects'),
    workers: z.int().describe('workers that serve it now'),
    choose,
    weights,
    revision: z.int().min(0).describe('grows with every change; send it as `If-Match`; 0: never set'),
    changedAt: time.nullable(),
  })
  .meta({ id: 'WorkerGroup' });

export const workerGroupOperations = {
  listWorkerGroups: {
    route: 'GET /worker-groups',
    action: 'setting.read',
    scope: 'handler',
    summary: 'worker groups that are served or kept to projects, by name; with one project those open to it',
    answer: z.object({ workerGroups: z.array(workerGroup) }),
    example: {},
  },
  setWorkerGroup: {
    route: 'PUT /worker-groups/{name}',
    action: 'setting.edit',
    scope: 'every',
    audit: 'worker-group.set',
    summary: 'keeps a worker group to projects; tasks of others are refused when published and when taken',
    params: z.strictObject({ name: nameSchema }),
    headers: z.strictObject({
      ifMatch: ifMatch('revision of a worker group').describe('only if this is still its revision'),
    }),
    body: z.strictObject({ projects: boundProjects }),
    answer: workerGroup,
    example: { name: 'gpu', ifMatch: '"0"', body: { projects: ['research'] } },
  },
  setWorkerChoice: {
    route: 'PUT /worker-groups/{name}/choice',
    action: 'setting.edit',
    scope: 'every',
    audit: 'worker-group.choose',
    summary:
      'sets how a worker group chooses who takes an attempt; those that become ready later are chosen for so',
    params: z.strictObject({ name: nameSchema }),
    body: z
      .strictObject({
        choose,
        weights: z
          .record(z.string().min(1).max(300), z.number().positive('must be above 0').max(1_000))
          .default({})
          .describe('of workers by name; others have 1'),
      })
      .refine(
        (body) => body.choose === 'weighted' || Object.keys(body.weights).length === 0,
        'only `weighted` takes weights',
      )
      .refine(
        (body) => Object.keys(body.weights).length <= MOST_WEIGHTS,
        `at most ${MOST_WEIGHTS} workers have a weight`,
      ),
    answer: workerGroup,
    example: { name: 'gpu', body: { choose: 'weighted', weights: { w1: 3 } } },
  },
} as const satisfies Record<string, Operation>;
