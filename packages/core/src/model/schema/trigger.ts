/** A trigger in the file: starts a run when runs of other workflows end, or on a signed request. */

import { z } from 'zod';
import { isSecretName } from '../../params/index.ts';
import { said } from '../../texts/index.ts';
import { endStates, hookSchemes, priorities } from '../glossary.ts';
import { byParameter, parameters } from './parameters.ts';
import { workflowReference, writtenReference } from './reference.ts';
import { flag, formed, name, object, quote, report } from './values.ts';

/** Trigger limit of a workflow. */
export const MOST_TRIGGERS = 100;

const references = z.array(workflowReference).min(1).max(100);
const state = z.enum(endStates);
const defaults = { states: ['success'] as (typeof endStates)[number][], when: 'all' as const };

const afterObject = object({
  workflows: z
    .union([workflowReference.transform((one) => [one]), references])
    .describe('The workflows whose runs it waits for; one, or a list.'),
  states: z
    .union([state.transform((one) => [one]), z.array(state).min(1)])
    .default(defaults.states)
    .describe('How their runs must have ended; any also means stopped.'),
  when: z
    .enum(['all', 'any'])
    .default(defaults.when)
    .describe('all: each of them has ended so since it last started a run; any: one of them.'),
});

const after = z.union([
  writtenReference.transform((one) => ({ ...defaults, workflows: [one] })),
  references.transform((workflows) => ({ ...defaults, workflows })),
  afterObject,
]);

const secret = z.string().superRefine((value, context) => {
  if (!isSecretName(value)) report(context, 'bad-value', said('param.secretName', { name: quote(value) }));
});

const bodyPath = formed(/^body(\.[^.\s]+)*$/, (text) => said('file.bodyPath', { text }));

const webhookObject = object({
  secret: secret.describe('The name of the secret that requests are signed with.'),
  scheme: z
    .enum(hookSchemes)
    .optional()
    .describe('How requests are signed: orrery (default), or github, by its own headers.'),
  params: byParameter(bodyPath)
    .default({})
    .describe('Parts of the JSON body as parameters: {branch: body.ref, first: body.commits.0.id}.'),
});

/** A trigger. */
export const trigger = object({
  name: name.default('main'),
  after: after.optional().describe('Starts a run when runs of other workflows have ended.'),
  webhook: z
    .union([secret.transform((name) => ({ secret: name, params: {} })), webhookObject])
    .optional()
    .describe('Starts a run when a signed request comes.'),
  params: parameters
    .default({})
    .describe('Values for the runs it starts; ${trigger.run}, ${trigger.workflow}, ${trigger.outputs.NAME}.'),
  priority: z.enum(priorities).optional().describe('Default: that of the workflow.'),
  enabled: flag.default(true),
});
