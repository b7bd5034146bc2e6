/** Approvals: tasks that wait until a person says yes or no. */
import { parameterTypes } from '@orrery/core/model';
import { z } from 'zod';
import { taskRunName } from './names.ts';
import type { Operation } from './operation.ts';
import { limit, number, parameters, time, wording } from './shapes.ts';

const taskRunPath = z.strictObject({ id: taskRunName });

const waiting = {
  id: z.string().describe('of the task run: RUN.TASK'),
  run: number,
  project: z.string(),
  workflow: z.string(),
  task: z.string(),
  message: z.string().describe('the question; where approvals are listed, the first 1,000 characters of it'),
};

const field = z.object({
  name: z.string(),
  type: z.enum(parameterTypes),
  default: z.string().nullable(),
  required: z.boolean(),
  options: z.array(z.string()).nullable(),
  description: z.string().nullable(),
});

export const approvalOperations = {
  listApprovals: {
    route: 'GET /approvals',
    action: 'run.read',
    scope: 'filter',
    summary: 'approvals that wait for an answer, those first that wait longest',
    query: z.strictObject({ project: z.string().max(300).optional(), limit }),
    answer: z.object({ approvals: z.array(z.object({ ...waiting, since: time }).meta({ id: 'Approval' })) }),
    example: {},
  },
  showApproval: {
    route: 'GET /task-runs/{id}/approval',
    action: 'run.read',
    scope: 'run',
    summary: 'what an approval asks, and whether it waits for an answer',
    params: taskRunPath,
    answer: z
      .object({
        ...waiting,
        fields: z.array(field).describe('what a person fills in'),
        by: z.array(z.string()).nullable().describe('who may answer; null: everyone who may control the run'),
        waiting: z.boolean(),
        since: time.nullable(),
        until: time
          .nullable()
          .describe('when it gives up; null where it does not, or while the run is paused'),
        refusal: z.string().nullable().describe('why the caller cannot answer it; null: it can'),
        said: z.object(wording).describe('code and fields of `refusal`'),
      })
      .meta({ id: 'ApprovalQuestion' }),
    example: { id: '6.ask' },
  },
  linkApproval: {
    route: 'POST /task-runs/{id}/answer-links',
    action: 'run.control',
    scope: 'run',
    audit: 'approval.link',
    summary: 'makes a link by which someone answers an approval without signing in, once',
    params: taskRunPath,
    body: z.strictObject({
      for: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .describe('who will answer, such as a mail address; recorded with the answer'),
    }),
    status: 201,
    answer: z.object({
      path: z.string().describe('behind the address of the console; it is shown only now'),
    }),
    example: { id: '6.ask', body: { for: 'ann@example.com' } },
  },
  answerApproval: {
    route: 'POST /task-runs/{id}/answer',
    action: 'run.control',
    scope: 'run',
    audit: 'approval.answer',
    summary: 'answers an approval',
    params: taskRunPath,
    body: z.strictObject({
      answer: z.enum(['yes', 'no']),
      values: parameters.default({}).describe('what was filled in; all that is required, for a yes'),
      comment: z.string().trim().max(1_000).default(''),
    }),
    status: 202,
    answer: z.object({ id: z.string(), answer: z.enum(['yes', 'no']), by: z.string(), at: time }),
    example: { id: '6.ask', body: { answer: 'yes', values: { most: '5' } } },
  },
} as const satisfies Record<string, Operation>;
