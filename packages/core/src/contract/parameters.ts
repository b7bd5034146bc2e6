/** Parameters that workflows find where they run: those of their project, and those of all projects below them. */
import { z } from 'zod';
import { byParameter } from '../model/schema/parameters.ts';
import { name as modelName } from '../model/schema/values.ts';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { ifMatch, parameters, time } from './shapes.ts';

/** They are kept with every run that is given them. */
const MOST_CHARACTERS = 65_536;

const values = byParameter(z.string())
  .refine((given) => JSON.stringify(given).length <= MOST_CHARACTERS, 'must be at most 64 KB of JSON')
  .describe('all of them, by name; what is left out is taken away');

const revision = z.int().min(0).describe('grows with every change; send it as `If-Match`');

const project = z
  .object({ name: z.string(), params: parameters, revision, createdAt: time })
  .meta({ id: 'Project' });

const shared = z.object({ params: parameters, revision }).meta({ id: 'SharedParameters' });

const seen = z.strictObject({
  ifMatch: ifMatch('revision of parameters').describe('only if this is still their revision'),
});

const projectPath = z.strictObject({ project: modelName });

export const parameterOperations = {
  showProject: { summary: 'a project and its parameters', params: projectPath, answer: project },
  setProject: {
    summary: 'replaces the parameters of a project; runs and rounds that start later are given them',
    params: projectPath,
    headers: seen,
    body: z.strictObject({ params: values }),
    answer: project,
  },
  showParameters: { summary: 'the parameters of all projects', answer: shared },
  setParameters: {
    summary: 'replaces the parameters of all projects; runs and rounds that start later are given them',
    headers: seen,
    body: z.strictObject({ params: values }),
    answer: shared,
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
