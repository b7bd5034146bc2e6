/**
 * Bulks: the same change of many runs, requested once and carried out by the server, with an outcome for each
 * run.
 */
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { chosenRuns, runState, tags } from './run-shapes.ts';
import { action, idempotencyKey, limit, next, number, numberPath, time, wording } from './shapes.ts';

/** Limit of runs given by id; a filter may match any number. */
const MOST_GIVEN = 10_000;

const bulkAction = z.enum(['pause', 'resume', 'stop', 'recover', 'rerun', 'tag', 'untag']);

const filter = z.strictObject({ ...chosenRuns, unowned: z.boolean().default(false) });

const why = z.string().max(1_000).optional().describe('goes into the history of each run');

const request = z
  .strictObject({
    action: bulkAction,
    tags: tags.min(1).optional().describe('of `tag` and `untag`: which ones, beside those that a run has'),
    ids: z.array(number).min(1).max(MOST_GIVEN).optional(),
    filter: filter.optional().describe('as of `GET /runs`: those that match now, and none that come later'),
    dryRun: z.boolean().default(false).describe('only say what would be refused'),
    reason: why,
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    error: 'give either ids or a filter',
  })
  .refine(({ action, tags }) => tags === undefined || action === 'tag' || action === 'untag', {
    error: 'give tags for tag and untag alone',
  })
  .refine(({ action, tags, dryRun }) => tags || dryRun || (action !== 'tag' && action !== 'untag'), {
    error: 'give the tags',
  })
  .meta({ id: 'BulkRequest' });

const refusals = z
  .array(z.object({ reason: z.string(), count: z.int(), ...wording }))
  .describe('how many are refused for each reason, the most common first');

/** A bulk. */
export const bulk = z
  .object({
    id: number,
    action: bulkAction,
    tags: z.array(z.string()).nullable().describe('of `tag` and `untag`: which ones'),
    state: z.enum(['running', 'done', 'aborted']),
    project: z.string().nullable().describe('the only project that it concerns; null: any'),
    filter: z.unknown().describe('the filter that was asked for; null where runs were given by their ids'),
    by: z.string(),
    at: time,
    reason: z.string().nullable(),
    gathering: z.boolean().describe('the runs that match are still being written down: `total` grows'),
    total: z.int().describe('runs it means'),
    told: z.int().describe('runs that were asked for the change'),
    refused: z.int(),
    left: z.int().describe('runs that it has not come to; of an aborted one, never will'),
    refusals,
    endedAt: time.nullable(),
    abortedBy: z.string().nullable(),
    actions: z.array(action),
  })
  .meta({ id: 'Bulk' });

const outcome = z
  .enum(['left', 'told', 'refused'])
  .describe('`told`: it was asked for; the run itself says when it is done');

const result = z
  .object({
    run: number,
    outcome,
    reason: z
      .string()
      .nullable()
      .describe('why it was refused; of one that was told, why the run refused it afterwards'),
    ...wording,
    project: z.string().nullable(),
    name: z.string().nullable().describe('of its workflow; null when the run is not kept any more'),
    state: runState.nullable().describe('the state of the run now'),
  })
  .meta({ id: 'BulkResult' });

export const bulkOperations = {
  createBulk: {
    route: 'POST /bulks',
    action: 'run.control',
    scope: 'handler',
    audit: 'bulk.create',
    summary: 'asks for the same change of many runs; the server carries it out',
    headers: z.strictObject({ idempotencyKey }),
    body: request,
    status: 202,
    dryRunStatus: 200,
    answer: z.object({
      bulk: bulk.nullable().describe('null in a dry run'),
      repeated: z.boolean().describe('the key was used before: this is the bulk it made'),
      would: z
        .object({
          total: z.int(),
          more: z
            .boolean()
            .describe('there are more, which were not looked at: a dry run looks at the newest 10,000'),
          allowed: z.int(),
          refusals,
        })
        .nullable()
        .describe('in a dry run: what would become of the runs'),
    }),
    example: {
      body: { action: 'stop', filter: { workflow: 'demo', state: ['running', 'failed'] } },
      idempotencyKey: 'once',
    },
  },
  listBulks: {
    route: 'GET /bulks',
    action: 'run.read',
    scope: 'filter',
    summary: 'bulks, newest first',
    query: z.strictObject({ project: z.string().max(300).optional(), limit, before: number.optional() }),
    answer: z.object({ bulks: z.array(bulk), next }),
    example: { project: 'default', limit: 1, before: 2 },
  },
  showBulk: {
    route: 'GET /bulks/{id}',
    action: 'run.read',
    scope: 'handler',
    summary: 'a bulk: how far it has come',
    params: numberPath,
    answer: bulk,
    example: { id: 1 },
  },
  listBulkResults: {
    route: 'GET /bulks/{id}/results',
    action: 'run.read',
    scope: 'handler',
    summary: 'what became of each run of a bulk, by their numbers',
    params: numberPath,
    query: z.strictObject({ outcome: outcome.optional(), limit, after: number.optional() }),
    answer: z.object({ results: z.array(result), next }),
    example: { id: 1, outcome: 'left' },
  },
  abortBulk: {
    route: 'POST /bulks/{id}/abort',
    action: 'run.control',
    scope: 'handler',
    audit: 'bulk.abort',
    summary: 'asks no more runs; those that were asked stay asked',
    params: numberPath,
    body: z.strictObject({ reason: why }),
    answer: bulk,
    example: { id: 1, body: { reason: 'a mistake' } },
  },
} as const satisfies Record<string, Operation>;
