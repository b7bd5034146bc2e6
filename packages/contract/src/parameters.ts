/** Parameters that runs inherit: those of their project, with those of all projects as defaults. */

import { byParameter, callers, nameSchema } from '@orrery/core/model';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { ifMatch, parameters, time } from './shapes.ts';

/** Limited because every run stores the parameters it is given. */
const MOST_CHARACTERS = 65_536;

const values = byParameter(z.string())
  .refine((given) => JSON.stringify(given).length <= MOST_CHARACTERS, 'must be at most 64 KB of JSON')
  .describe('all of them, by name; what is left out is taken away');

const revision = z.int().min(0).describe('grows with every change; send it as `If-Match`');

const project = z
  .object({
    name: z.string(),
    params: parameters,
    callableFrom: z
      .array(z.string())
      .describe('projects whose workflows may call those of this one; `*`: all'),
    revision,
    createdAt: time,
  })
  .meta({ id: 'Project' });

const shared = z.object({ params: parameters, revision }).meta({ id: 'SharedParameters' });

const seen = z.strictObject({
  ifMatch: ifMatch('revision of parameters').describe('only if this is still their revision'),
});

const projectPath = z.strictObject({ project: nameSchema });

export const parameterOperations = {
  showProject: {
    route: 'GET /projects/{project}',
    action: 'project.read',
    scope: 'path',
    summary: 'a project and its parameters',
    params: projectPath,
    answer: project,
    example: { project: 'default' },
  },
  setProject: {
    route: 'PUT /projects/{project}',
    action: 'project.edit',
    scope: 'path',
    audit: 'project.set',
    summary: 'replaces the parameters of a project; runs and rounds that start later are given them',
    params: projectPath,
    headers: seen,
    body: z.strictObject({
      params: values,
      callableFrom: callers.optional().describe('as it was unless given'),
    }),
    answer: project,
    example: { project: 'default', ifMatch: '"0"', body: { params: { region: 'eu' } } },
  },
  listRefusedCalls: {
    route: 'GET /refused-calls',
    action: 'setting.read',
    scope: 'every',
    summary:
      'what live workflows refer to and may not use: other projects, worker groups and environments; the first 1,000 each',
    answer: z.object({
      calls: z.array(
        z.object({
          from: z.object({ project: z.string(), name: z.string() }),
          project: z.string(),
          name: z.string(),
          as: z.string(),
        }),
      ),
      uses: z
        .array(
          z.object({
            from: z.object({ project: z.string(), name: z.string() }),
            kind: z.enum(['worker-group', 'environment']),
            name: z.string(),
          }),
        )
        .describe('worker groups and environments that are not open to the project of the workflow'),
    }),
    example: {},
  },
  showParameters: {
    route: 'GET /parameters',
    action: 'setting.read',
    scope: 'shared',
    summary: 'the parameters of all projects',
    answer: shared,
    example: {},
  },
  setParameters: {
    route: 'PUT /parameters',
    action: 'setting.edit',
    scope: 'every',
    audit: 'parameters.set',
    summary: 'replaces the parameters of all projects; runs and rounds that start later are given them',
    headers: seen,
    body: z.strictObject({ params: values }),
    answer: shared,
    example: { ifMatch: '"0"', body: { params: { region: 'eu' } } },
  },
} as const satisfies Record<string, Operation>;
