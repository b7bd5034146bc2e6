/** Runs: starting, listing, showing and controlling them. */
import { z } from 'zod';
import type { Operation } from './operation.ts';
import {
  askedScope,
  chosenRuns,
  countedRuns,
  givenParameters,
  replayRequest,
  run,
  runRow,
  runState,
  startEntry,
  started,
  startRequest,
  startVerdict,
  tags,
} from './run-shapes.ts';
import {
  flag,
  idempotencyKey,
  limit,
  moment,
  next,
  number,
  numberPath,
  pageSize,
  priority,
  time,
} from './shapes.ts';

/** Optional fields of every control. */
const asked = {
  dryRun: z.boolean().default(false).describe('only say what would change'),
  reason: z.string().max(1_000).optional().describe('goes into the history of the run'),
};

/** Task runs that a control would affect: their number, and the first 1,000 by name. */
const effect = z.object({
  what: z.enum(['again', 'kill', 'hold', 'go-on', 'force', 'skip']),
  count: z.int(),
  tasks: z.array(z.string()),
});

/** A control is answered once it is recorded; the run's owner carries it out. */
const control = {
  params: numberPath,
  body: z.strictObject(asked),
  status: 202,
  dryRunStatus: 200,
  answer: z
    .object({
      run: number,
      control: z.string(),
      by: z.string(),
      at: time,
      reason: z.string().nullable(),
      recorded: z.boolean().describe('false in a dry run'),
      would: z
        .object({
          effects: z.array(effect),
          kept: z.int().describe('task runs that stay as they are'),
        })
        .nullable()
        .describe('in a dry run: what would change'),
    })
    .meta({ id: 'ControlAnswer' }),
} as const;

const ofTask = { ...control, body: z.strictObject({ task: z.string().min(1), ...asked }) } as const;

const offsets = z.array(z.int().nullable());

const taskPage = z
  .object({
    run: number,
    total: z.int().describe('tasks of the workflow'),
    from: z.int().describe('the place of the first row'),
    base: time.describe('times of rows are milliseconds after this'),
    states: z.array(z.string()),
    types: z.array(z.string()),
    workers: z.array(z.string().nullable()),
    reasons: z.array(z.string().nullable()),
    columns: z
      .object({
        name: z.array(z.string()),
        type: z.array(z.int()),
        state: z.array(z.int()),
        since: offsets,
        queued: offsets,
        started: offsets,
        ended: offsets,
        round: z.array(z.int()),
        attempt: z.array(z.int()),
        worker: z.array(z.int()),
        reason: z.array(z.int()),
      })
      .describe('all of one length; states, types, workers and reasons by their place in the lists above'),
    due: z.record(z.string(), z.int()).describe('by row: when it goes on by itself'),
    forced: z.array(z.int()).describe('rows that were forced to succeed'),
    shards: z.record(z.string(), z.record(z.string(), z.int())).describe('by row: shards by state'),
    needs: z.array(z.array(z.int())).optional().describe('the places of the tasks that each needs'),
    next,
  })
  .meta({ id: 'TaskPage' });

const event = z
  .object({
    at: time,
    kind: z.enum(['created', 'started', 'action', 'queued', 'assigned', 'attempt', 'task', 'round', 'ended']),
    task: z.string().nullable(),
    shard: z.int().nullable(),
    number: z.int().nullable().describe('of an attempt'),
    round: z.int().nullable(),
    state: z.string().nullable(),
    worker: z.string().nullable(),
    actor: z.string().nullable().describe('of an action: who did it'),
    action: z
      .string()
      .nullable()
      .describe(
        'such as `stop`, then `stop-done` or `stop-refused`, or `taken-over`, or `broken`: it was set aside',
      ),
    epoch: z.int().nullable().describe('of `taken-over`: of the process that went on'),
    text: z.string().nullable().describe('an error or a reason'),
  })
  .meta({ id: 'RunEvent' });

const taskWaits = z
  .object({
    waits: z.array(
      z.object({
        code: z
          .enum(['no-worker', 'task-group', 'priority', 'slots'])
          .describe(
            'no live worker serves its group; a slot of its task group; a worker, and more urgent runs go first; a worker',
          ),
        tasks: z.array(z.int()).describe('their places in the workflow, counted from 0'),
      }),
    ),
    more: z.boolean().describe('there are more than 10,000'),
  })
  .meta({ id: 'TaskWaits' });

/** Number of runs in each part of a time range. */
export const histogram = z
  .object({
    from: time,
    to: time,
    width: z.int().describe('milliseconds of one part'),
    sampled: z.int().describe('1: all were counted; otherwise successes are estimated from one of so many'),
    success: z.array(z.int()),
    failed: z.array(z.int()),
    stopped: z.array(z.int()),
    open: z.array(z.int()),
  })
  .meta({ id: 'Histogram' });

const groups = z
  .object({
    groups: z
      .array(
        z.object({
          workflow: z.string().nullable().describe('`project/name`; null in groups by error'),
          fingerprint: z
            .string()
            .nullable()
            .describe('what their errors have in common; null in groups by workflow'),
          error: z.string().nullable().describe('one of their errors'),
          count: z.int(),
          success: z.int(),
          failed: z.int(),
          stopped: z.int(),
          open: z.int(),
          first: z.object({ id: number, at: time }),
          last: z.object({ id: number, at: time }),
        }),
      )
      .describe('the largest first'),
    more: z.boolean().describe('there are more groups than were asked for'),
    since: time.nullable().describe('only runs created since then were looked at; null when all were'),
  })
  .meta({ id: 'RunGroups' });

const points = z
  .object({
    from: time,
    to: time,
    sampled: z.int().describe('each point stands for so many runs; 1: all of them are here'),
    states: z.array(runState),
    columns: z
      .object({
        id: z.array(number),
        at: z.array(z.int()).describe('when it was created, in milliseconds after `from`'),
        took: z.array(z.int()).describe('how long it ran, or has run, in milliseconds'),
        state: z.array(z.int()).describe('its place in `states`'),
      })
      .describe('all of one length, oldest first'),
  })
  .meta({ id: 'RunPoints' });

export const runOperations = {
  startRun: {
    route: 'POST /runs',
    action: 'run.start',
    scope: 'workflow',
    audit: 'run.start',
    summary: 'starts a run',
    headers: z.strictObject({ idempotencyKey }),
    body: startRequest,
    // A caller that starts runs must learn soon that the database hangs; with a key it can safely retry.
    answerWithin: 4_500,
    status: 202,
    answer: started,
    example: { body: { workflow: 'demo', params: { day: 'sunday' } }, idempotencyKey: 'once' },
  },
  startRuns: {
    route: 'POST /runs/batch',
    action: 'run.start',
    scope: 'handler',
    audit: 'run.start',
    summary:
      'starts many runs; each has an answer of its own, and one that is refused leaves the others alone',
    body: z.strictObject({
      runs: z.array(startEntry).min(1).max(1_000).describe('a list of another shape starts nothing'),
    }),
    bodyLimit: 16_000_000,
    answerWithin: 4_500,
    status: 202,
    answer: z.object({ results: z.array(startVerdict).describe('in the order of the starts') }),
    example: { body: { runs: [{ workflow: 'demo', params: { day: 'sunday' }, key: 'first' }] } },
  },
  listRuns: {
    route: 'GET /runs',
    action: 'run.read',
    scope: 'filter',
    summary: 'runs, newest or oldest first or by how long they took, also those still queued',
    query: z.strictObject({
      ...chosenRuns,
      count: flag.describe('also say how many match, up to 10,000'),
      order: z
        .enum(['newest', 'oldest', 'longest', 'shortest'], 'must be newest, oldest, longest or shortest')
        .default('newest')
        .describe(
          'by when they were created, or by how long they took, where the filters leave at most 10,000 to look at',
        ),
      limit,
      before: number.optional().describe('only runs with a lower id'),
      after: number
        .optional()
        .describe('only runs with a higher id; by how long they took, those that come after this one'),
    }),
    answer: z.object({
      runs: z.array(runRow),
      count: z.object({ value: z.int(), more: z.boolean() }).optional(),
      next,
    }),
    example: { state: ['failed', 'running'], workflow: 'demo', count: true },
  },
  showHistogram: {
    route: 'GET /runs/histogram',
    action: 'run.read',
    scope: 'filter',
    summary: 'how many runs of a range of time were created when, and how they stand',
    query: z.strictObject({
      ...countedRuns,
      from: moment.default('-24h'),
      to: moment.default('-0'),
      buckets: z.int().min(1).max(200).default(48),
    }),
    answer: histogram,
    example: { buckets: 4 },
  },
  listRunGroups: {
    route: 'GET /runs/groups',
    action: 'run.read',
    scope: 'filter',
    summary: 'runs put together by their workflow, or by what their errors have in common',
    query: z.strictObject({
      ...chosenRuns,
      by: z.enum(['workflow', 'error']).default('workflow'),
      limit: pageSize(100),
    }),
    answer: groups,
    example: { by: 'error', state: ['failed'] },
  },
  listRunPoints: {
    route: 'GET /runs/points',
    action: 'run.read',
    scope: 'filter',
    summary: 'how long each run of a range of time took; of very many, every n-th one',
    query: z.strictObject({ ...chosenRuns, from: moment.default('-24h'), to: moment.default('-0') }),
    answer: points,
    example: { workflow: 'demo', from: '-7d' },
  },
  showRun: {
    route: 'GET /runs/{id}',
    action: 'run.read',
    scope: 'run',
    summary: 'a run, without its task runs',
    params: numberPath,
    answer: run,
    example: { id: 1 },
  },
  listTasks: {
    route: 'GET /runs/{id}/tasks',
    action: 'run.read',
    scope: 'run',
    summary: 'task runs of a run, in columns',
    params: numberPath,
    query: z.strictObject({
      limit: pageSize(1_000),
      from: z
        .int('is not the number of a task, counted from 0')
        .min(0, 'is not the number of a task, counted from 0')
        .max(9_999_999, 'is not the number of a task, counted from 0')
        .default(0),
      include: z.array(z.enum(['needs'])).default([]),
    }),
    answer: taskPage,
    example: { id: 1 },
  },
  listTaskWaits: {
    route: 'GET /runs/{id}/waits',
    action: 'run.read',
    scope: 'run',
    summary: 'which queued task runs of a run wait for what, as it is now',
    params: numberPath,
    answer: taskWaits,
    example: { id: 1 },
  },
  listRunEvents: {
    route: 'GET /runs/{id}/events',
    action: 'run.read',
    scope: 'run',
    summary: 'what happened to a run',
    params: numberPath,
    query: z.strictObject({
      order: z
        .enum(['oldest', 'newest'], 'must be oldest or newest')
        .default('oldest')
        .describe('which comes first'),
      limit,
      after: z.string().max(100).optional(),
    }),
    answer: z.object({ events: z.array(event), next }),
    example: { id: 1 },
  },
  pauseRun: {
    route: 'POST /runs/{id}/pause',
    action: 'run.control',
    scope: 'run',
    audit: 'run.pause',
    summary: 'starts nothing more; what runs is left to end',
    ...control,
    example: { id: 1, body: {} },
  },
  resumeRun: {
    route: 'POST /runs/{id}/resume',
    action: 'run.control',
    scope: 'run',
    audit: 'run.resume',
    summary: 'goes on after a pause',
    ...control,
    example: { id: 3, body: {} },
  },
  stopRun: {
    route: 'POST /runs/{id}/stop',
    action: 'run.control',
    scope: 'run',
    audit: 'run.stop',
    summary: 'ends it now; a queued one is taken back',
    ...control,
    example: { id: 4, body: { reason: 'not needed' } },
  },
  recoverRun: {
    route: 'POST /runs/{id}/recover',
    action: 'run.control',
    scope: 'run',
    audit: 'run.recover',
    summary: 'runs again what failed or was stopped, and what follows',
    ...control,
    example: { id: 2, body: {} },
  },
  rerunRun: {
    route: 'POST /runs/{id}/rerun',
    action: 'run.control',
    scope: 'run',
    audit: 'run.rerun',
    summary: 'runs it again',
    ...control,
    body: z.strictObject({ scope: askedScope, ...asked }),
    example: { id: 2, body: { scope: { kind: 'from', tasks: ['a'] }, dryRun: true } },
  },
  replayRun: {
    route: 'POST /runs/{id}/replay',
    action: 'run.start',
    scope: 'run',
    audit: 'run.replay',
    summary: 'starts another run with what this one was started with, changed where asked',
    params: numberPath,
    headers: z.strictObject({ idempotencyKey }),
    body: replayRequest,
    status: 202,
    answer: started.extend({
      leftOut: z.array(z.string()).describe('parameters of this one that the version does not declare'),
    }),
    example: { id: 2, body: { version: 'latest', params: { day: 'sunday' } } },
  },
  forceTask: {
    route: 'POST /runs/{id}/force',
    action: 'run.control',
    scope: 'run',
    audit: 'run.force',
    summary: 'counts a task as succeeded',
    ...ofTask,
    example: { id: 1, body: { task: 'a' } },
  },
  killTask: {
    route: 'POST /runs/{id}/kill',
    action: 'run.control',
    scope: 'run',
    audit: 'run.kill',
    summary: 'ends one task',
    ...ofTask,
    example: { id: 1, body: { task: 'a' } },
  },
  startTaskNow: {
    route: 'POST /runs/{id}/start-now',
    action: 'run.control',
    scope: 'run',
    audit: 'run.start-now',
    summary: 'ends the delay of a task, or its wait for a retry',
    ...ofTask,
    example: { id: 1, body: { task: 'c' } },
  },
  setRunParams: {
    route: 'POST /runs/{id}/set-params',
    action: 'run.control',
    scope: 'run',
    audit: 'run.set-params',
    summary: 'changes parameters of a run that waits or is paused',
    ...control,
    body: z.strictObject({ params: givenParameters, ...asked }),
    example: { id: 3, body: { params: { day: 'sunday' } } },
  },
  setRunParallel: {
    route: 'POST /runs/{id}/set-parallel',
    action: 'run.control',
    scope: 'run',
    audit: 'run.set-parallel',
    summary: 'changes how many business times of a backfill are open at once',
    ...control,
    body: z.strictObject({ parallel: z.int().min(1).max(10_000), ...asked }),
    example: { id: 5, body: { parallel: 2 } },
  },
  setRunPriority: {
    route: 'PUT /runs/{id}/priority',
    action: 'run.control',
    scope: 'run',
    audit: 'run.set-priority',
    summary: 'changes the priority of a run that has not started: queued, or waiting for a slot',
    params: numberPath,
    body: z.strictObject({ priority, reason: z.string().max(1_000).optional() }),
    answer: z.object({ run: number, priority, before: priority }),
    example: { id: 4, body: { priority: 'high' } },
  },
  setRunTags: {
    route: 'PUT /runs/{id}/tags',
    action: 'run.control',
    scope: 'run',
    audit: 'run.tag',
    summary: 'replaces the tags of a run',
    params: numberPath,
    body: z.strictObject({ tags }),
    answer: z.object({ run: number, tags: z.array(z.string()) }),
    example: { id: 1, body: { tags: ['nightly'] } },
  },
} as const satisfies Record<string, Operation>;
