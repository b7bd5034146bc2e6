/** A task in the file. */
import { z } from 'zod';
import { said } from '../../texts/index.ts';
import { isLogicType, priorities, timeoutActions, triggerRules } from '../glossary.ts';
import { isRecord } from '../outline.ts';
import type { Retries, TaskSpec, Timeout } from '../types.ts';
import { logicSchemas } from './logic.ts';
import { parameters } from './parameters.ts';
import { shards } from './shards.ts';
import {
  count,
  duration,
  errorOf,
  flag,
  name,
  names,
  object,
  positiveDuration,
  report,
  size,
  text,
} from './values.ts';

/** A time limit: `10m`, or an object with an action. */
export const timeout = z.union([
  positiveDuration.transform((after): Timeout => ({ after, action: 'fail' })),
  object({ after: positiveDuration, action: z.enum(timeoutActions).default('fail') }),
]);

const noRetries: Retries = { limit: 0, delay: 0, backoff: 1, maxDelay: 86_400_000, on: 'any' };
const retryLimit = count(0, 1_000);

const choices = ['any', 'same', 'other'] as const;

const retries = z.union([
  retryLimit.transform((limit): Retries => ({ ...noRetries, limit })),
  object({
    limit: retryLimit.describe('How many times a failed attempt is tried again.'),
    delay: duration.default(noRetries.delay).describe('Wait before the first retry.'),
    backoff: z
      .number()
      .min(1)
      .max(100)
      .default(noRetries.backoff)
      .describe('Each further wait is this many times the one before.'),
    maxDelay: duration.default(noRetries.maxDelay).describe('The longest wait.'),
    on: z.enum(choices).default(noRetries.on).describe('Which worker should take the next attempt.'),
    // biome-ignore lint/suspicious/noThenProperty: a key of the file, never a function
    then: z.enum(choices).optional().describe('Which worker should take it after some retries.'),
    after: count(1, 1_000).optional().describe('After how many retries `then` counts; 1 unless given.'),
  })
    .superRefine(({ then, after }, context) => {
      if (after !== undefined && then === undefined)
        report(context, 'bad-value', said('file.afterWithoutThen'), ['after']);
    })
    .transform(
      ({ then: on, after = 1, ...rest }): Retries => (on ? { ...rest, later: { on, after } } : rest),
    ),
]);

const onNoWorker = z.union([
  z.literal('wait').transform(() => undefined),
  z.literal('fail').transform(() => ({ fail: 0 })),
  object({ fail: duration.describe('How long no live worker may serve its group.') }),
]);

const resources = object({
  cores: z.number().positive().max(4_096).optional().describe('Cores, also a part of one: 0.5.'),
  memory: size.optional(),
}).superRefine(({ cores, memory }, context) => {
  if (cores === undefined && memory === undefined) report(context, 'bad-value', said('file.noResources'));
});

const group = z.union([
  name.transform((name) => ({ name, priority: 0 })),
  object({ name, priority: z.int().default(0).describe('The larger one is admitted first.') }),
]);

const taskType = name.refine((type) => type !== 'backfill', errorOf(said('file.backfillType')));

/** The keys of a task, before checks that involve several keys. */
export const taskFields = object({
  name,
  type: taskType.describe(
    'A task type: shell, http, …, or sub-workflow, dependent, conditions, switch, dynamic, approval.',
  ),
  description: text.optional(),
  needs: names.default([]).describe('The tasks that come before: a name or a list.'),
  with: z.record(z.string(), z.unknown()).default({}).describe('The settings of this type of task.'),
  params: parameters.default({}).describe('Local parameters.'),
  trigger: z
    .enum(triggerRules)
    .optional()
    .describe('When it may start, seen from how the tasks before it ended.'),
  retries: retries.default(noRetries).describe('A number, or an object.'),
  timeout: timeout.optional().describe('The longest an attempt may take.'),
  queueTimeout: positiveDuration.optional().describe('The longest wait for a worker.'),
  onNoWorker: onNoWorker
    .optional()
    .describe('What happens while no live worker serves its group: wait, fail, or {fail: 10m}.'),
  delay: duration.default(0).describe('Wait between being ready and being queued.'),
  priority: z.enum(priorities).default('medium'),
  workerGroup: name.optional().describe('Default: that of the workflow.'),
  environment: name.optional().describe('Default: that of the workflow.'),
  group: group.optional().describe('The task group whose slots it needs.'),
  shards: shards.optional().describe('How it is split: a number, "0=beijing,1=shanghai", or an object.'),
  resources: resources
    .optional()
    .describe('What a worker must have left to take it: {cores: 2, memory: 4GB}.'),
  disabled: flag.default(false).describe('Passed over, as if it had succeeded.'),
  ignoreFailure: flag.default(false).describe('Its failure counts as success.'),
  onLostContact: z
    .enum(['kill', 'keep'])
    .default('kill')
    .describe('What a worker does with it once it has lost its masters.'),
});

/**
 * A task. A logic task's `with` is parsed even if another key is wrong, so that all problems are reported.
 */
export const task = taskFields.superRefine(readLogic, { when: ({ value }) => isRecord(value) }).transform(
  ({ trigger, ...rest }): TaskSpec => ({
    ...rest,
    trigger: trigger ?? (rest.type === 'conditions' ? 'all-done' : 'all-succeeded'),
  }),
);

type Fields = z.output<typeof taskFields>;

function readLogic(value: Fields, context: z.core.$RefinementCtx<Fields>): void {
  if (!isLogicType(value.type)) return;
  const read = logicSchemas[value.type].safeParse(value.with ?? {}, { reportInput: true });
  if (read.success) {
    context.value = { ...value, with: read.data };
    return;
  }
  for (const issue of read.error.issues)
    context.issues.push({ ...issue, path: ['with', ...issue.path] } as z.core.$ZodRawIssue);
}
