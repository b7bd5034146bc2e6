/** Schemas of `with` for the task types that the master runs itself. */
import { z } from 'zod';
import { MAX_ELEMENTS } from '../../series/index.ts';
import { said } from '../../texts/index.ts';
import type { LogicType } from '../glossary.ts';
import type { LogicSpecs } from '../types.ts';
import { exactlyOne, joinedGroups, joinedKeys, whateverElse } from './joined.ts';
import { byParameter, declaredParameters, parameters, parameterValue, scalar } from './parameters.ts';
import { workflowReference } from './reference.ts';
import { count, errorOf, name, names, object, positiveDuration, report, text } from './values.ts';

const child = {
  workflow: workflowReference,
  params: parameters.default({}).describe('Values for the child run.'),
};

const dependencyItem = object({
  workflow: workflowReference,
  task: name.optional().describe('Wait for this task of it; without it, for the whole run.'),
  window: text.describe('Which runs count, by their business time: today, last1Days, …'),
  onFailure: z
    .enum(['fail', 'wait'])
    .default('fail')
    .describe('What a failed run means: fail too, or wait for a better one.'),
  for: positiveDuration
    .optional()
    .describe(
      'How long a better run is waited for, counted from the end of the failed one or from where the wait began.',
    ),
}).superRefine(({ onFailure, for: bound }, context) => {
  if (bound !== undefined && onFailure !== 'wait') report(context, 'bad-value', said('file.forWithoutWait'));
});

const upstreamCheck = z.union([
  name.transform((task) => ({ task, is: 'success' as const })),
  object({ task: name, is: z.enum(['success', 'failed']).default('success') }),
]);

const switchCase = object({
  when: text.describe('An expression over parameters: count > 3.'),
  to: names.describe('The tasks to go on with.'),
});

/** Outputs of every approval, beside its fields. */
const answerNames = ['answer', 'answeredBy', 'comment'];

/** The schema of `with`, by type. */
export const logicSchemas = {
  'sub-workflow': object(child),
  dependent: object(joinedKeys(dependencyItem)).superRefine(exactlyOne, whateverElse).transform(joinedGroups),
  conditions: object({
    ...joinedKeys(upstreamCheck),
    success: names.default([]).describe('The tasks to go on with if it holds.'),
    failure: names.default([]).describe('The tasks to go on with if it does not.'),
  })
    .superRefine(exactlyOne, whateverElse)
    .superRefine(({ success, failure }, context) => {
      if (success?.length === 0 && failure?.length === 0)
        report(context, 'bad-value', said('file.leadsNowhere'));
    }, whateverElse)
    .transform(({ success, failure, ...rest }) => ({ ...joinedGroups(rest), success, failure })),
  switch: object({
    cases: z.array(switchCase).min(1).describe('Tried in order; the first that is true is taken.'),
    default: names.optional().describe('The tasks to go on with if no case is true.'),
  }),
  dynamic: object({
    ...child,
    over: byParameter(parameterValue)
      .refine((lists) => Object.keys(lists).length > 0, errorOf(said('file.noList')))
      .transform((lists) => Object.entries(lists).map(([name, values]) => ({ name, values })))
      .describe('Lists to combine, by the name of the parameter that each fills.'),
    without: z.array(scalar).default([]).describe('Combinations with one of these values are left out.'),
    parallelism: count(1, 10_000).default(10).describe('How many child runs are open at once.'),
    maxElements: count(1, MAX_ELEMENTS).default(1_000).describe('More combinations than this are refused.'),
    onFailure: z
      .enum(['continue', 'stop'])
      .default('continue')
      .describe('Whether a failed child run stops the others from starting.'),
  }),
  approval: object({
    message: text.describe('The question that a person answers; may refer to parameters.'),
    fields: declaredParameters
      .default({})
      .superRefine((fields, context) => {
        const taken = Object.keys(fields).find((name) => answerNames.includes(name));
        if (taken !== undefined)
          report(context, 'bad-value', said('file.approvalOutput', { name: taken }), [taken]);
      })
      .describe('What the person fills in, declared as parameters are; outputs of the task.'),
    by: z
      .array(text)
      .min(1)
      .max(100)
      .optional()
      .describe('Names of those who may answer; everyone who may control the run unless given.'),
    onNo: z
      .enum(['fail', 'continue'])
      .default('fail')
      .describe('Whether a no fails the task, or is an output like a yes.'),
  }),
} as const satisfies { [Type in LogicType]: z.ZodType<LogicSpecs[Type]> };

/** `with` of a logic task as people write it, by type. */
export type LogicFiles = { [Type in LogicType]: z.input<(typeof logicSchemas)[Type]> };
