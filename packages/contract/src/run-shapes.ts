/** Runs and task runs in the API, requests that start a run, and filters that select runs. */

import { runKinds, runTriggers } from '@orrery/core/model';
import { runStates, type TaskState, taskMachine } from '@orrery/core/state';
import { z } from 'zod';
import type { Frozen } from './operation.ts';
import { problem } from './problem.ts';
import {
  action,
  flag,
  idempotencyKey,
  moment,
  number,
  parameters,
  priority,
  runVersion,
  span,
  time,
  workflowText,
} from './shapes.ts';
import { why } from './why.ts';

/** States of runs; in `queued` the start command waits to be claimed. */
const shownStates = ['queued', ...runStates] as const;

/** The state of a run. */
export const runState = z.enum(shownStates, `must be one of ${shownStates.join(', ')}`);
export type ShownRunState = z.output<typeof runState>;

/** States of task runs. */
export const taskStates = Object.keys(taskMachine.transitions) as TaskState[];

const taskState = z.enum(taskStates);

/** The part of the graph that a round covers. */
export const scope = z.strictObject({
  kind: z.enum(['all', 'from', 'to', 'only']),
  tasks: z.array(z.string()).max(10_000).default([]),
});

const namedScope = scope.refine(({ kind, tasks }) => (kind === 'all') === (tasks.length === 0), {
  error: 'name tasks for from, to and only, and none for all',
});

/** The requested part of the graph. */
export const askedScope = namedScope.default({ kind: 'all', tasks: [] });

/** Values by name: text or any JSON value; lists and objects become JSON text. */
export const givenParameters = z.record(
  z.string(),
  z.unknown().transform((value, context) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
      context.addIssue({ code: 'custom', message: 'is too large for a number in JSON; give it as text' });
    if (value === null) context.addIssue({ code: 'custom', message: 'is null; leave it out, or give text' });
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }),
);

/** A word for finding runs. */
const tag = z
  .string()
  .regex(/^[^,\s][^,]{0,99}$/u, 'a tag has 1 to 100 characters, no comma, and no space before them');

/** Tags given to one run. */
export const tags = z.array(tag).max(50);

/** The request that starts a run. */
export const startRequest = z
  .strictObject({
    workflow: workflowText,
    version: z.int().positive().optional(),
    params: givenParameters.default({}),
    businessTime: z.string().max(100).optional().describe('with an offset or in the zone of the workflow'),
    scope: askedScope,
    dryRun: z.boolean().default(false).describe('walk the graph without running anything'),
    counts: z
      .boolean()
      .optional()
      .describe(
        'whether it counts as a run of its workflow: for dependents, triggers, deadlines, what needs someone and statistics; a dry run and a run of some tasks count only where this is true',
      ),
    priority: priority.optional(),
    tags: tags.default([]).describe('besides those of the workflow'),
    trigger: z.enum(['api', 'manual']).default('api'),
  })
  .meta({ id: 'StartRequest' });

/** The request that starts a test run of a draft; it never counts. */
export const testRequest = startRequest
  .omit({ workflow: true, version: true, counts: true })
  .meta({ id: 'TestRequest' });

/** A started run. */
export const started = z.object({
  id: number,
  state: runState,
  repeated: z.boolean().describe('the key was used before: this is the run it started'),
  counts: z.boolean().describe('whether it counts as a run of its workflow'),
});

/** One start of many. */
export const startEntry = startRequest
  .extend({ key: idempotencyKey.describe('as the header `Idempotency-Key` of a single start') })
  .meta({ id: 'StartEntry' });

/** Result of one start of many. */
export const startVerdict = z.union([started, z.object({ problem })]).meta({ id: 'StartVerdict' });

/** The request that replays a run; omitted fields keep their values. */
export const replayRequest = z
  .strictObject({
    version: z.enum(['same', 'latest']).default('same').describe('of the workflow'),
    params: givenParameters.default({}).describe('those to change'),
    scope: namedScope.optional().describe('another part of the graph'),
    businessTime: z.string().max(100).optional().describe('with an offset or in the zone of the workflow'),
    dryRun: z.boolean().optional().describe('walk the graph without running anything'),
    counts: z.boolean().optional().describe('as of a start'),
    priority: priority.optional(),
    trigger: z.enum(['api', 'manual']).default('api'),
  })
  .meta({ id: 'ReplayRequest' });

/** Filters of runs, beside their states; each one narrows the selection. */
const runChoice = {
  project: z.string().max(300).optional(),
  workflow: workflowText
    .optional()
    .describe('`project/name`, or `name` in the project `default`; `project/*`: all of a project'),
  trigger: z.array(z.enum(runTriggers)).optional(),
  kind: z.enum(runKinds).optional(),
  from: moment.optional().describe('created at or after this'),
  to: moment.optional().describe('created before this'),
  q: z.string().max(200).optional().describe('a part of the name of the workflow, or the number of a run'),
  version: z.array(runVersion).optional().describe('of the workflow; below zero: a draft'),
  duration: span.optional().describe('how long it ran, or has run: `10m`, `..30s`, `10m..1h`'),
  wait: span.optional().describe('how long it waited, or has waited, before it started'),
  owner: z.string().max(300).optional().describe('open ones that this master owns'),
  worker: z.string().max(300).optional().describe('an attempt of it was given to this worker'),
  param: z
    .array(
      z
        .string()
        .max(1_000)
        .regex(/^[^=]+=/, 'write name=value'),
    )
    .optional()
    .describe('a parameter that it was given, as `name=value`; several: all of them'),
  tag: z.array(z.string().min(1).max(100)).optional().describe('several: all of them'),
  error: z.string().min(1).max(500).optional().describe('a part of the first line of its error, in any case'),
  fingerprint: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('what its error has in common with others, as groups by error say it'),
  parent: number.optional().describe('the run that started it'),
  backfill: number.optional().describe('the backfill that it is part of'),
};

/** Selects the runs of a time range to count. */
export const countedRuns = runChoice;

/** Selects the runs of a list or a bulk action. */
export const chosenRuns = {
  ...runChoice,
  state: z.array(runState).optional(),
  unowned: flag.describe('only open ones that no master owns'),
};

/** A parsed selection of runs; not every operation accepts the owner. */
export type RunChoice = Partial<Frozen<z.output<z.ZodObject<typeof chosenRuns>>>>;

/** Task runs by state. */
const counts = z.record(z.string(), z.int());

/** A run in a list. */
export const runRow = z
  .object({
    id: number,
    project: z.string(),
    name: z.string(),
    version: runVersion,
    kind: z.enum(runKinds),
    trigger: z.enum(runTriggers),
    state: runState,
    since: time.describe('when it came into this state'),
    owner: z.string().nullable(),
    priority,
    round: z.int().describe('grows with each rerun and recovery; 0 while it is queued'),
    businessTime: time,
    createdAt: time,
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    idle: z
      .int()
      .describe('milliseconds between its rounds: it took endedAt (or now) - startedAt less these'),
    counted: z
      .boolean()
      .describe('whether it counts for dependents, triggers, deadlines, what needs someone and statistics'),
    params: parameters,
    tags: z.array(z.string()),
    outputs: parameters.describe('what it handed on when it ended'),
    parent: number.nullable().describe('the run that started it'),
    reason: z.string().nullable(),
    counts: counts.nullable().describe('task runs by state; null when there are too many to count in a list'),
    attempts: z
      .int()
      .nullable()
      .describe('the highest number of an attempt of its task runs; null when those are too many for a list'),
    failed: z
      .object({ task: z.string(), taskRun: z.string(), at: time, error: z.string().nullable() })
      .nullable()
      .describe('the task run that failed first, with the first line of its error'),
    actions: z.array(action),
  })
  .meta({ id: 'RunRow' });

const round = z
  .object({
    round: z.int(),
    kind: z.enum(['start', 'rerun', 'recover']).nullable(),
    by: z.string().nullable().describe('who asked for it'),
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    state: z.string(),
  })
  .meta({ id: 'Round' });

/** A run. */
export const run = z
  .object({
    ...runRow.shape,
    counts,
    scope,
    period: z
      .string()
      .describe('the business time as yyyyMMddHHmmss in the zone of the run: the version of what it makes'),
    dryRun: z.boolean(),
    ownerEpoch: z.int().nullable().describe('tells processes of one name apart'),
    takenOver: z
      .object({
        at: time,
        by: z.string(),
        epoch: z.int(),
        from: z.object({
          node: z.string(),
          epoch: z.int(),
          how: z.enum(['fenced', 'joined-again', 'left', 'handed-over']),
          at: time.describe('when it was found lost, or left'),
        }),
      })
      .nullable()
      .describe('the last time that another process went on with it'),
    failedAttempt: z
      .object({ number: z.int(), most: z.int() })
      .nullable()
      .describe('of the task run that failed first: its last attempt, and how many it may have'),
    tick: z
      .object({ schedule: number, name: z.string(), due: time, firedAt: time })
      .nullable()
      .describe('of trigger `tick`: which schedule started it'),
    ahead: z.int().nullable().describe('of a queued one: how many are claimed before it'),
    roundKind: z.string().nullable(),
    rounds: z.array(round).describe('the last 100, oldest first, the present one last'),
    progress: z.object({ ended: z.int(), total: z.int() }).describe('task runs of this round'),
    cause: z
      .object({
        trigger: z.string(),
        run: number.nullable().describe('whose end started it; null of a webhook'),
        workflow: z.string().nullable(),
      })
      .nullable()
      .describe('of trigger `dependency` or `webhook`: what started it'),
    backfill: z
      .object({
        total: z.int().describe('business times'),
        done: z.int(),
        failed: z.int(),
        open: z.int(),
        next: time.nullable().describe('the business time that starts next; null when all have started'),
        parallel: z.int(),
        onFailure: z.enum(['continue', 'stop']),
        version: z.int().nullable().describe('of all its runs; null: the live one at each start'),
        workflows: z.array(z.string()).describe('what runs for each business time, in order'),
      })
      .nullable()
      .describe('of kind `backfill`: how far it has come'),
    parentTask: z.string().nullable().describe('the task run that started it'),
    children: z
      .array(z.object({ id: number, task: z.string(), state: runState, businessTime: time }))
      .describe('the newest 20'),
    startedBy: z
      .string()
      .nullable()
      .describe(
        'the name of the token that asked for it; null of what a schedule, a trigger or a run started',
      ),
    replayOf: number.nullable().describe('the run that it replays'),
    replays: z
      .array(z.object({ id: number, state: runState }))
      .describe('runs that replay it, the newest 20'),
    requested: z
      .array(z.object({ name: z.string(), by: z.string(), at: time }))
      .describe('asked for, and not yet dealt with by the owner'),
    why,
  })
  .meta({ id: 'Run' });

/** A task run. Times belong to its last round. */
export const taskRun = z
  .object({
    id: z.string(),
    run: number,
    index: z.int().describe('its place in the workflow, counted from 0'),
    name: z.string(),
    type: z.string(),
    state: taskState,
    since: time.nullable(),
    round: z.int(),
    attempt: z.int().describe('number of the last attempt, the highest of all shards; 0 before the first'),
    workers: z.array(z.string()),
    reason: z.string().nullable(),
    due: time.nullable().describe('when it goes on by itself'),
    forced: z.boolean(),
    needs: z.array(z.string()),
    trigger: z.string(),
    workerGroup: z.string(),
    taskGroup: z.string().nullable().describe('whose slots its attempts need'),
    queuedAt: time.nullable(),
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    params: parameters.nullable().describe('as resolved for it; null where a value cannot be resolved'),
    settings: z.unknown().describe('what its type is given, with parameters filled in where they can be'),
    environment: z
      .object({ name: z.string().nullable(), variables: z.array(z.string()) })
      .describe('names, never values, of the variables its processes get besides those of the worker'),
    outputs: parameters,
    shards: counts.nullable().describe('how many shards are in each state'),
    shardRuns: z.array(
      z.object({
        shard: z.int().nullable(),
        state: z.enum(['idle', 'out', 'retrying', 'success', 'failed', 'killed']),
        attempt: z.int(),
        failures: z.int(),
        lost: z.int(),
        due: time.nullable(),
        worker: z.string().nullable(),
        error: z.string().nullable(),
      }),
    ),
    children: z
      .array(z.object({ id: number, state: runState, businessTime: time }))
      .describe('runs it started, the newest 20'),
    actions: z.array(action).describe('`run-from-here` and `recover` concern the whole run'),
    why,
  })
  .meta({ id: 'TaskRun' });
