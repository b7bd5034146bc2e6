/** Workflows: publishing them, and reading what was published. */
import { z } from 'zod';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { flag, limit, next, number, time, workflowPath } from './shapes.ts';
import { workflow } from './workflow-model.ts';

/** Content types of a workflow file. */
export const workflowFileTypes = [
  'application/yaml',
  'application/x-yaml',
  'text/yaml',
  'text/x-yaml',
  'text/plain',
  'application/json',
] as const;

const workflowFile = z.string().min(1, 'send the text of a workflow file as the body of the request');

const difference = z
  .object({
    path: z.string().describe('such as `tasks.load.retries.limit`'),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
  })
  .meta({ id: 'Difference' });

const published = z
  .object({
    project: z.string(),
    name: z.string(),
    version: number.nullable().describe('the live one; null in a dry run that would make a new one'),
    changed: z.boolean(),
    created: z.boolean().describe('it had no version before'),
    diff: z.array(difference),
  })
  .meta({ id: 'Published' });

const workflowRow = z
  .object({ project: z.string(), name: z.string(), version: number, createdAt: time })
  .meta({ id: 'WorkflowRow' });

const versionRow = z
  .object({ version: number, note: z.string(), author: z.string(), createdAt: time })
  .meta({ id: 'Version' });

const ofVersion = z.strictObject({ version: number.optional().describe('by default the live one') });

export const workflowOperations = {
  listWorkflows: {
    summary: 'workflows with their live versions, by name',
    query: z.strictObject({ project: z.string().optional() }),
    answer: z.object({ workflows: z.array(workflowRow) }),
  },
  publishWorkflows: {
    summary: 'publishes a workflow file: all workflows in it, or none',
    query: z.strictObject({
      dryRun: flag.describe('only say what would change'),
      note: z.string().max(1_000).default('').describe('goes into the list of versions'),
    }),
    body: workflowFile,
    bodyTypes: workflowFileTypes,
    bodyLimit: 10 * 1024 * 1024,
    answer: z.object({ dryRun: z.boolean(), workflows: z.array(published) }),
  },
  showWorkflow: {
    summary: 'a version of a workflow',
    params: workflowPath,
    query: ofVersion,
    answer: z.object({ project: z.string(), name: z.string(), version: number, workflow }),
  },
  listVersions: {
    summary: 'the versions of a workflow, newest first',
    params: workflowPath,
    query: z.strictObject({ limit, before: number.optional() }),
    answer: z.object({ versions: z.array(versionRow), next }),
  },
  readSource: {
    summary: 'the text that a version was published from',
    params: workflowPath,
    query: ofVersion,
    answer: z.string(),
    answerTypes: ['application/yaml'],
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
