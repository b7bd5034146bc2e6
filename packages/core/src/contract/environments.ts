/** Environments: named sets of variables that the processes of tasks are given. */
import { z } from 'zod';
import { name as modelName } from '../model/schema/values.ts';
import { isSecretName, SECRET_NAMES, secretsNamed } from '../params/index.ts';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { ifMatch, parameters, time } from './shapes.ts';

const MOST_CHARACTERS = 65_536;

const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no variable; use letters, digits and "_", the first no digit')
  .refine((name) => !name.startsWith('ORRERY_'), 'begins with ORRERY_, which only Orrery itself sets');

const value = z.string().superRefine((text, context) => {
  if (text.includes('\0')) context.addIssue({ code: 'custom', message: 'contains a null character' });
  for (const name of secretsNamed(text))
    if (!isSecretName(name))
      context.addIssue({
        code: 'custom',
        message: `"${name}" is not the name of a secret; ${SECRET_NAMES}`,
      });
});

const environment = z
  .object({
    name: z.string(),
    description: z.string(),
    variables: parameters,
    workerGroups: z.array(z.string()).describe('the worker groups it is for; none: for all'),
    revision: z.int().positive().describe('grows with every change; send it as `If-Match`'),
    changedAt: time,
  })
  .meta({ id: 'Environment' });

const path = z.strictObject({ name: modelName });

export const environmentOperations = {
  listEnvironments: {
    summary: 'environments, by name',
    answer: z.object({ environments: z.array(environment) }),
  },
  showEnvironment: { summary: 'an environment', params: path, answer: environment },
  setEnvironment: {
    summary: 'makes or replaces an environment; attempts that start later are given it',
    params: path,
    headers: z.strictObject({
      ifMatch: ifMatch('revision of an environment').describe(
        'only if this is still its revision; 0: if it is new',
      ),
    }),
    body: z.strictObject({
      description: z.string().max(1_000).default(''),
      variables: z
        .record(variable, value)
        .refine((all) => JSON.stringify(all).length <= MOST_CHARACTERS, 'must be at most 64 KB of JSON')
        .describe('all of them, by name; a value may name secrets: `${secret.NAME}`'),
      workerGroups: z.array(modelName).max(100).default([]),
    }),
    answer: environment,
  },
  deleteEnvironment: {
    summary: 'takes an environment away; refused while live versions of workflows use it',
    params: path,
    status: 204,
    answer: z.undefined(),
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
