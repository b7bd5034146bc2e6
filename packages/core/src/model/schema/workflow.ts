/**
 * The schema of the workflow file: converts what people write to a complete `Workflow`. It checks only the
 * shape; `validate.ts` checks names, schedules and parameters.
 */
import { z } from 'zod';
import { failureStrategies, priorities, runModes } from '../glossary.ts';
import type { Workflow } from '../types.ts';
import { completeDeadline, deadline } from './deadline.ts';
import { declaredParameters } from './parameters.ts';
import { completeSchedule, MOST_SCHEDULES, schedule } from './schedule.ts';
import { task, timeout } from './task.ts';
import { MOST_TRIGGERS, trigger } from './trigger.ts';
import { callers, count, flag, name, object, text, timezone } from './values.ts';

const fields = object({
  $schema: z.string().optional().describe('For editors; has no meaning here.'),
  project: name.default('default'),
  name,
  description: text.optional(),
  tags: z.array(text).default([]),
  priority: z.enum(priorities).default('medium').describe('How urgent its runs are.'),
  mode: z.enum(runModes).default('parallel').describe('What a new run does while earlier ones are open.'),
  limit: count(1, 1_000_000).optional().describe('How many runs may be open at once; only in mode parallel.'),
  onePerPeriod: flag
    .optional()
    .describe('A start is refused while another run for the same business time is open.'),
  onNoRoom: z
    .enum(['wait', 'fail'])
    .transform((said) => (said === 'fail' ? said : undefined))
    .optional()
    .describe('What a start does that finds every slot taken or every master full; only in mode parallel.'),
  onFailure: z
    .enum(failureStrategies)
    .default('continue')
    .describe('Whether a failed task ends the run at once.'),
  timeout: timeout.optional().describe('The longest a run may take.'),
  deadline: deadline.optional().describe('Until when a run of each day must have succeeded.'),
  workerGroup: name.default('default').describe('Where its tasks run.'),
  environment: name.optional(),
  tenant: name.default('default'),
  callableFrom: callers.optional(),
  timezone: timezone.default('UTC'),
  params: declaredParameters.default({}).describe('Parameters: a value, or a declaration.'),
  schedule: schedule.optional().describe('Short for a list of one schedule.'),
  schedules: z.array(schedule).max(MOST_SCHEDULES).default([]),
  triggers: z.array(trigger).max(MOST_TRIGGERS).default([]).describe('What else starts a run.'),
  tasks: z.array(task),
});

/** The schema of one workflow. */
export const workflow = fields.transform(
  ({ $schema: _, schedule, schedules, deadline: written, ...rest }): Workflow => ({
    ...rest,
    ...(written && { deadline: completeDeadline(written, rest.timezone) }),
    schedules: (schedule ? [schedule, ...schedules] : schedules).map((one) =>
      completeSchedule(one, rest.timezone),
    ),
  }),
);

/** A workflow as people write it: short forms allowed, defaults omitted. */
export type WorkflowFile = z.input<typeof workflow>;
