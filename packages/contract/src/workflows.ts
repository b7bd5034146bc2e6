/** Workflows: publishing them, and reading published versions. */

import { nameSchema } from '@orrery/core/model';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { inputProblem } from './problem.ts';
import { runState, started, testRequest } from './run-shapes.ts';
import {
  action,
  flag,
  idempotencyKey,
  ifMatch,
  limit,
  MOST_FILE_BYTES,
  next,
  number,
  runVersion,
  time,
  workflowPath,
  yamlBody,
} from './shapes.ts';
import { workflow } from './workflow-model.ts';
import {
  comparison,
  draftHead,
  grid,
  offlineSince,
  published,
  versionRow,
  workflowRow,
  workflowUser,
} from './workflow-shapes.ts';

/** The text of a workflow file as a request body. */
const workflowFile = yamlBody('workflow file');

const note = z.string().max(1_000).default('').describe('goes into the list of versions');

const ofVersion = {
  version: runVersion.optional().describe('by default the live one; below zero: the draft of a test run'),
};

const compared = z.union([number, z.literal('draft')], 'is neither a version nor `draft`');

export const workflowOperations = {
  listWorkflows: {
    route: 'GET /workflows',
    action: 'workflow.read',
    scope: 'filter',
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
    example: { include: ['strip', 'next'], q: 'de', limit: 1 },
  },
  publishWorkflows: {
    route: 'POST /workflows',
    action: 'workflow.edit',
    scope: 'handler',
    audit: 'workflow.publish',
    summary: 'publishes a workflow file: all workflows in it, or none',
    query: z.strictObject({
      dryRun: flag.describe('only say what would change'),
      note,
      source: z.enum(['api', 'apply']).default('api').describe('for the list of versions'),
      module: z
        .string()
        .max(500)
        .optional()
        .describe('the module that the file was made from: the console names it, and edits no text of it'),
    }),
    headers: z.strictObject({ idempotencyKey }),
    ...workflowFile,
    answer: z.object({
      dryRun: z.boolean(),
      workflows: z.array(published),
      warnings: z
        .array(inputProblem)
        .describe('what is accepted and may not do what is meant; at most 1,000'),
    }),
    example: { body: 'name: more\ntasks: [{name: a, type: shell}]', note: 'first' },
  },
  validateWorkflow: {
    route: 'POST /workflows/validate',
    action: 'workflow.read',
    scope: 'shared',
    unaudited: 'changes nothing',
    summary: 'says everything that is wrong with a workflow file; changes nothing',
    ...workflowFile,
    answer: z.object({
      valid: z.boolean(),
      workflows: z
        .array(z.object({ project: z.string(), name: z.string() }))
        .describe('those that can be read'),
      problems: z.array(inputProblem).describe('at most the first 1,000'),
      warnings: z
        .array(inputProblem)
        .describe('what is accepted and may not do what is meant; at most 1,000'),
      missing: z
        .array(workflowUser)
        .describe(
          'workflows that they start or await and that are neither live nor in this file; no problem yet',
        ),
    }),
    example: { body: 'name: more\ntasks: [{name: a, type: shel}]' },
  },
  readWorkflowSchema: {
    route: 'GET /schema/workflow.json',
    action: 'workflow.read',
    scope: 'shared',
    summary: 'the JSON Schema of workflow files, with the settings of every task type that workers can run',
    answer: z.record(z.string(), z.unknown()),
    example: {},
  },
  showWorkflow: {
    route: 'GET /workflows/{project}/{name}',
    action: 'workflow.read',
    scope: 'path',
    summary: 'a version of a workflow',
    params: workflowPath,
    query: z.strictObject(ofVersion),
    answer: z.object({
      project: z.string(),
      name: z.string(),
      version: runVersion,
      live: runVersion.describe('the live version; while none is, this one'),
      offlineSince,
      note: z.string(),
      author: z.string(),
      publishedAt: time,
      draft: draftHead.nullable(),
      usedBy: z.array(workflowUser).describe('the first 100 workflows that start or await it'),
      actions: z.array(action),
      workflow,
    }),
    example: { project: 'default', name: 'demo', version: 1 },
  },
  deleteWorkflow: {
    route: 'DELETE /workflows/{project}/{name}',
    action: 'workflow.edit',
    scope: 'path',
    audit: 'workflow.delete',
    summary: 'takes a workflow away with its schedules and draft; its runs go on and stay',
    params: workflowPath,
    status: 204,
    answer: z.undefined(),
    example: { project: 'default', name: 'lone' },
  },
  setWorkflowOnline: {
    route: 'PUT /workflows/{project}/{name}/online',
    action: 'workflow.edit',
    scope: 'path',
    audit: 'workflow.offline',
    summary: 'takes a workflow offline, so that nothing starts it, or puts it online; open runs go on',
    params: z.strictObject({ project: nameSchema, name: nameSchema }),
    body: z.strictObject({ online: z.boolean() }),
    answer: z.object({ project: z.string(), name: z.string(), offlineSince }),
    example: { project: 'default', name: 'lone', body: { online: true } },
  },
  renameWorkflow: {
    route: 'POST /workflows/{project}/{name}/rename',
    action: 'workflow.edit',
    scope: 'path',
    audit: 'workflow.rename',
    summary: 'gives a workflow another name or another project; versions, schedules and runs stay with it',
    params: workflowPath,
    body: z.strictObject({
      project: nameSchema.optional().describe('by default the one it is in'),
      name: nameSchema.optional().describe('by default the one it has'),
      note,
    }),
    answer: z.object({
      project: z.string(),
      name: z.string(),
      version: number.describe('the live one, which has the new name'),
      runs: z.int().describe('runs that got the new name'),
    }),
    example: { project: 'default', name: 'lone', body: { name: 'alone' } },
  },
  listVersions: {
    route: 'GET /workflows/{project}/{name}/versions',
    action: 'workflow.read',
    scope: 'path',
    summary: 'the versions of a workflow, newest first',
    params: workflowPath,
    query: z.strictObject({ limit, before: number.optional() }),
    answer: z.object({ versions: z.array(versionRow), next }),
    example: { project: 'default', name: 'demo', limit: 1 },
  },
  restoreVersion: {
    route: 'POST /workflows/{project}/{name}/versions/{version}/restore',
    action: 'workflow.edit',
    scope: 'path',
    audit: 'workflow.publish',
    summary: 'publishes an earlier version again, as a new one under the name it has now',
    params: workflowPath.extend({ version: number }),
    body: z.strictObject({
      note: z.string().max(1_000).optional().describe('goes into the list of versions'),
    }),
    answer: published,
    example: { project: 'default', name: 'demo', version: 1, body: {} },
  },
  readSource: {
    route: 'GET /workflows/{project}/{name}/source',
    action: 'workflow.read',
    scope: 'path',
    summary: 'the text that a version was published from, or an export that reads back the same',
    params: workflowPath,
    query: z.strictObject({
      ...ofVersion,
      format: z
        .enum(['yaml', 'json'], 'must be yaml or json')
        .optional()
        .describe('write it out, without comments and defaults; by default the text as it was'),
    }),
    answer: z.string(),
    answerTypes: ['application/yaml', 'application/json'],
    example: { project: 'default', name: 'demo', format: 'yaml' },
  },
  compareVersions: {
    route: 'GET /workflows/{project}/{name}/diff',
    action: 'workflow.read',
    scope: 'path',
    summary: 'what differs between two versions, or a version and the draft',
    params: workflowPath,
    query: z.strictObject({ from: compared, to: compared }),
    answer: comparison,
    example: { project: 'default', name: 'demo', from: 1, to: 'draft' },
  },
  showGrid: {
    route: 'GET /workflows/{project}/{name}/grid',
    action: 'workflow.read',
    scope: 'path',
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
    example: { project: 'default', name: 'demo', runs: 10 },
  },
} as const satisfies Record<string, Operation>;

const seen = ifMatch('revision of a draft');

const draft = z.object({ ...draftHead.shape, text: z.string(), live: number.nullable() }).meta({
  id: 'Draft',
  description: '`live` is the live version now',
});

/** Drafts: a workflow being edited, beside its live version. */
export const draftOperations = {
  readDraft: {
    route: 'GET /workflows/{project}/{name}/draft',
    action: 'workflow.read',
    scope: 'path',
    summary: 'the draft of a workflow',
    params: workflowPath,
    answer: draft,
    example: { project: 'default', name: 'demo' },
  },
  saveDraft: {
    route: 'PUT /workflows/{project}/{name}/draft',
    action: 'workflow.edit',
    scope: 'path',
    unaudited: 'only test runs, which are recorded, run from a draft; its author is kept with it',
    summary: 'saves the draft of a workflow; it need not be valid',
    params: z.strictObject({ project: nameSchema, name: nameSchema }),
    headers: z.strictObject({
      ifMatch: seen.describe('the revision that was read; without it there must be no draft yet'),
    }),
    body: z.strictObject({
      text: z.string().max(MOST_FILE_BYTES),
      base: number
        .nullable()
        .optional()
        .describe('the version it begins from; by default as it was, or the live one'),
    }),
    bodyLimit: 2 * MOST_FILE_BYTES,
    answer: draftHead,
    example: { project: 'default', name: 'demo', ifMatch: '"1"', body: { text: 'name: demo' } },
  },
  discardDraft: {
    route: 'DELETE /workflows/{project}/{name}/draft',
    action: 'workflow.edit',
    scope: 'path',
    unaudited: 'only test runs, which are recorded, run from a draft',
    summary: 'throws the draft of a workflow away',
    params: workflowPath,
    headers: z.strictObject({ ifMatch: seen.describe('only if this is still its revision') }),
    status: 204,
    answer: z.undefined(),
    example: { project: 'default', name: 'demo', ifMatch: '"1"' },
  },
  testDraft: {
    route: 'POST /workflows/{project}/{name}/draft/run',
    action: 'workflow.edit',
    scope: 'path',
    audit: 'run.start',
    summary: 'starts a test run of the draft of a workflow, which counts for nothing',
    params: workflowPath,
    headers: z.strictObject({ ifMatch: seen.describe('only if this is still its revision'), idempotencyKey }),
    body: testRequest,
    status: 202,
    answer: started,
    example: { project: 'default', name: 'demo', body: { params: { day: 'sunday' } } },
  },
  publishDraft: {
    route: 'POST /workflows/{project}/{name}/draft/publish',
    action: 'workflow.edit',
    scope: 'path',
    audit: 'workflow.publish',
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
    example: { project: 'default', name: 'demo', body: { note: 'better' } },
  },
} as const satisfies Record<string, Operation>;
