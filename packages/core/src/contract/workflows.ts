/** Workflows: publishing them, and reading what was published. */
import { z } from 'zod';
import { name } from '../model/schema/values.ts';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { inputProblem } from './problem.ts';
import { runState } from './run-shapes.ts';
import { action, flag, idempotencyKey, ifMatch, limit, next, number, time, workflowPath } from './shapes.ts';
import { workflow } from './workflow-model.ts';
import {
  comparison,
  draftHead,
  grid,
  published,
  versionRow,
  workflowRow,
  workflowUser,
} from './workflow-shapes.ts';

const MOST_BYTES = 10 * 1024 * 1024;

/** The text of a workflow file as a body. */
const workflowFile = {
  body: z.string().min(1, 'send the text of a workflow file as the body of the request'),
  bodyTypes: [
    'application/yaml',
    'application/x-yaml',
    'text/yaml',
    'text/x-yaml',
    'text/plain',
    'application/json',
  ],
  bodyLimit: MOST_BYTES,
} as const;

const note = z.string().max(1_000).default('').describe('goes into the list of versions');

const ofVersion = { version: number.optional().describe('by default the live one') };

const compared = z.union([number, z.literal('draft')], 'is neither a version nor `draft`');

export const workflowOperations = {
  listWorkflows: {
    summary: 'workflows by name, also those that are only a draft',
    query: z.strictObject({
      project: z.string().optional(),
      q: z
        .string()
        .max(200)
        .optional()
        .describe('only names that contain these letters in this order; words in any order'),
      names: z
        .array(z.string().max(600))
        .max(50, 'at most 50 names at once')
        .optional()
        .describe('only these, as `project/name`'),
      tag: z.array(z.string().max(300)).max(20).optional().describe('those that have all of these tags'),
      owner: z
        .string()
        .max(300)
        .optional()
        .describe(
          'those whose live version was published by this person; without one, whose draft is theirs',
        ),
      state: z.array(runState).optional().describe('those whose last run is in one of these states'),
      schedule: z
        .enum(['on', 'paused', 'none'], 'must be on, paused or none')
        .optional()
        .describe(
          '`on`: a schedule of it is on; `paused`: it has schedules and none is on; `none`: it has none',
        ),
      include: z
        .array(z.enum(['strip', 'next', 'draft'], 'must be of strip, next, draft'))
        .default([])
        .describe(
          '`strip`: the last 30 runs; `next`: schedules and the next tick; `draft`: how far drafts are ahead',
        ),
      limit,
      after: z.string().max(600).optional().describe('the last one of the page before, as `project/name`'),
    }),
    answer: z.object({ workflows: z.array(workflowRow), next }),
  },
  publishWorkflows: {
    summary: 'publishes a workflow file: all workflows in it, or none',
    query: z.strictObject({
      dryRun: flag.describe('only say what would change'),
      note,
      source: z.enum(['api', 'apply']).default('api').describe('for the list of versions'),
    }),
    headers: z.strictObject({ idempotencyKey }),
    ...workflowFile,
    answer: z.object({ dryRun: z.boolean(), workflows: z.array(published) }),
  },
  validateWorkflow: {
    summary: 'says everything that is wrong with a workflow file; changes nothing',
    ...workflowFile,
    answer: z.object({
      valid: z.boolean(),
      workflows: z
        .array(z.object({ project: z.string(), name: z.string() }))
        .describe('those that can be read'),
      problems: z.array(inputProblem).describe('at most the first 1,000'),
      missing: z
        .array(workflowUser)
        .describe(
          'workflows that they start or await and that are neither live nor in this file; no problem yet',
        ),
    }),
  },
  showWorkflow: {
    summary: 'a version of a workflow',
    params: workflowPath,
    query: z.strictObject(ofVersion),
    answer: z.object({
      project: z.string(),
      name: z.string(),
      version: number,
      live: number.describe('the live version'),
      note: z.string(),
      author: z.string(),
      publishedAt: time,
      draft: draftHead.nullable(),
      usedBy: z.array(workflowUser).describe('the first 100 workflows that start or await it'),
      actions: z.array(action),
      workflow,
    }),
  },
  deleteWorkflow: {
    summary: 'takes a workflow away with its schedules and draft; its runs go on and stay',
    params: workflowPath,
    status: 204,
    answer: z.undefined(),
  },
  renameWorkflow: {
    summary: 'gives a workflow another name or another project; versions, schedules and runs stay with it',
    params: workflowPath,
    body: z.strictObject({
      project: name.optional().describe('by default the one it is in'),
      name: name.optional().describe('by default the one it has'),
      note,
    }),
    answer: z.object({
      project: z.string(),
      name: z.string(),
      version: number.describe('the live one, which has the new name'),
      runs: z.int().describe('runs that got the new name'),
    }),
  },
  restoreVersion: {
    summary: 'publishes an earlier version again, as a new one under the name it has now',
    params: workflowPath.extend({ version: number }),
    body: z.strictObject({
      note: z.string().max(1_000).optional().describe('goes into the list of versions'),
    }),
    answer: published,
  },
  listVersions: {
    summary: 'the versions of a workflow, newest first',
    params: workflowPath,
    query: z.strictObject({ limit, before: number.optional() }),
    answer: z.object({ versions: z.array(versionRow), next }),
  },
  readSource: {
    summary: 'the text that a version was published from, or an export that reads back the same',
    params: workflowPath,
    query: z.strictObject({
      ...ofVersion,
      format: z
        .enum(['yaml', 'json'], 'must be yaml or json')
        .optional()
        .describe('write it anew, without comments and defaults; by default the text as it was'),
    }),
    answer: z.string(),
    answerTypes: ['application/yaml', 'application/json'],
  },
  compareVersions: {
    summary: 'what differs between two versions, or a version and the draft',
    params: workflowPath,
    query: z.strictObject({ from: compared, to: compared }),
    answer: comparison,
  },
  showGrid: {
    summary: 'the last runs of a workflow by task, packed; at most 200,000 cells',
    params: workflowPath,
    query: z.strictObject({
      runs: z
        .int('must be a whole number from 1 to 200')
        .min(1, 'must be a whole number from 1 to 200')
        .max(200, 'must be a whole number from 1 to 200')
        .default(60),
    }),
    answer: grid,
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;

const seen = ifMatch('revision of a draft');

const draft = z.object({ ...draftHead.shape, text: z.string(), live: number.nullable() }).meta({
  id: 'Draft',
  description: '`live` is the live version now',
});

/** Drafts: a workflow that is being edited, beside its live version. */
export const draftOperations = {
  readDraft: { summary: 'the draft of a workflow', params: workflowPath, answer: draft },
  saveDraft: {
    summary: 'saves the draft of a workflow; it need not be valid',
    params: z.strictObject({ project: name, name }),
    headers: z.strictObject({
      ifMatch: seen.describe('the revision that was read; without it there must be no draft yet'),
    }),
    body: z.strictObject({
      text: z.string().max(MOST_BYTES),
      base: number
        .nullable()
        .optional()
        .describe('the version it begins from; by default as it was, or the live one'),
    }),
    bodyLimit: 2 * MOST_BYTES,
    answer: draftHead,
  },
  discardDraft: {
    summary: 'throws the draft of a workflow away',
    params: workflowPath,
    headers: z.strictObject({ ifMatch: seen.describe('only if this is still its revision') }),
    status: 204,
    answer: z.undefined(),
  },
  publishDraft: {
    summary: 'makes the draft of a workflow its live version; runs under way stay on theirs',
    params: workflowPath,
    headers: z.strictObject({
      ifMatch: seen.describe('only if this is still its revision'),
      idempotencyKey,
    }),
    body: z.strictObject({
      note,
      overwrite: z.boolean().default(false).describe('also if another version than its base is live by now'),
    }),
    answer: published,
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
