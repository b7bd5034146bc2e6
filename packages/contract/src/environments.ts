/** Environments: named sets of variables for the processes of tasks. */

import { nameSchema } from '@orrery/core/model';
import { isSecretName, secretsNamed } from '@orrery/core/params';
import { english, said } from '@orrery/core/texts';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { ifMatch, parameters, time } from './shapes.ts';
import { boundProjects } from './worker-groups.ts';

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
        message: english(said('param.secretName', { name: JSON.stringify(name) })),
      });
});

const environment = z
  .object({
    name: z.string(),
    description: z.string(),
    variables: parameters,
    workerGroups: z.array(z.string()).describe('the worker groups it is for; none: for all'),
    projects: z.array(z.string()).describe('the projects whose tasks may use it; none: all projects'),
    revision: z.int().positive().describe('grows with every change; send it as `If-Match`'),
    changedAt: time,
  })
  .meta({ id: 'Environment' });

const path = z.strictObject({ name: nameSchema });

export const environmentOperations = {
  listEnvironments: {
    route: 'GET /environments',
    action: 'setting.read',
    scope: 'handler',
    summary: 'environments, by name; with one project those open to it',
    answer: z.object({ environments: z.array(environment) }),
    example: {},
  },
  showEnvironment: {
    route: 'GET /environments/{name}',
    action: 'setting.read',
    scope: 'handler',
    summary: 'an environment',
    params: path,
    answer: environment,
    example: { name: 'prod' },
  },
  setEnvironment: {
    route: 'PUT /environments/{name}',
    action: 'setting.edit',
    scope: 'every',
    audit: 'environment.set',
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
      workerGroups: z.array(nameSchema).max(100).default([]),
      projects: boundProjects.default([]),
    }),
    answer: environment,
    example: {
      name: 'test',
      ifMatch: '"0"',
      body: { variables: { TOKEN: '${secret.token}' }, workerGroups: ['gpu'] },
    },
  },
  deleteEnvironment: {
    route: 'DELETE /environments/{name}',
    action: 'setting.edit',
    scope: 'every',
    audit: 'environment.delete',
    summary: 'takes an environment away; refused while live versions of workflows use it',
    params: path,
    status: 204,
    answer: z.undefined(),
    example: { name: 'prod' },
  },
} as const satisfies Record<string, Operation>;
