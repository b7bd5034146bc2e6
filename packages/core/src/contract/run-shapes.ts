/** Runs and task runs as the API shows them, and what a run is started with. */
import { z } from 'zod';
import { runKinds, runTriggers } from '../model/index.ts';
import { type RunState, runMachine, type TaskState, taskMachine } from '../state/index.ts';
import { action, number, parameters, priority, time, workflowText } from './shapes.ts';

/** States of runs; `queued`: its start command waits to be claimed. */
export const runStates = ['queued', ...(Object.keys(runMachine.transitions) as RunState[])] as const;

/** The state of a run. */
export const runState = z.enum(runStates, `must be one of ${runStates.join(', ')}`);
export type ShownRunState = z.output<typeof runState>;

/** States of task runs. */
export const taskStates = Object.keys(taskMachine.transitions) as TaskState[];

const taskState = z.enum(taskStates);

/** The part of the graph that a round walks. */
export const scope = z.strictObject({
  kind: z.enum(['all', 'from', 'to', 'only']),
  tasks: z.array(z.string()).max(10_000).default([]),
});

/** The part of the graph that is asked for. */
export const askedScope = scope
  .refine(({ kind, tasks }) => (kind === 'all') === (tasks.length === 0), {
    error: 'name tasks for from, to and only, and none for all',
  })
  .default({ kind: 'all', tasks: [] });

/** Values by name: text, or what JSON has for it; lists and objects become JSON text. */
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

/** What a run is started with. */
export const startRequest = z
  .strictObject({
    workflow: workflowText,
    version: z.int().positive().optional(),
    params: givenParameters.default({}),
    businessTime: z.string().max(100).optional().describe('with an offset or in the zone of the workflow'),
    scope: askedScope,
    dryRun: z.boolean().default(false).describe('walk the graph without running anything'),
    priority: priority.optional(),
    trigger: z.enum(['api', 'manual']).default('api'),
  })
  .meta({ id: 'StartRequest' });

/** A run in a list. */
export const runRow = z
  .object({
    id: number,
    project: z.string(),
    name: z.string(),
    version: number,
    kind: z.enum(runKinds),
    trigger: z.enum(runTriggers),
    state: runState,
    owner: z.string().nullable(),
    businessTime: time,
    createdAt: time,
    startedAt: time.nullable(),
    endedAt: time.nullable(),
  })
  .meta({ id: 'RunRow' });

/** A task run in a list. */
export const taskRow = z
  .object({
    id: z.string(),
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
    shards: z.record(z.string(), z.int()).nullable().describe('how many shards are in each state'),
  })
  .meta({ id: 'TaskRunRow' });

/** A run. What only one that has started has is absent before. */
export const run = z
  .object({
    ...runRow.shape,
    since: time,
    priority,
    params: parameters,
    scope,
    dryRun: z.boolean(),
    ahead: z.int().optional().describe('of a queued one: how many are claimed before it'),
    reason: z.string().nullable().optional(),
    round: z.int().optional(),
    roundKind: z.string().optional(),
    parent: number.nullable().optional(),
    counts: z.record(z.string(), z.int()).optional().describe('task runs by state'),
    requested: z
      .array(z.object({ name: z.string(), by: z.string(), at: time }))
      .optional()
      .describe('asked for, and not yet dealt with by the owner'),
    actions: z.array(action),
    tasks: z.array(taskRow).describe('the first 1,000'),
    nextTasks: z.string().nullable().describe('the path of the others'),
  })
  .meta({ id: 'Run' });

/** A task run. */
export const taskRun = z
  .object({
    ...taskRow.shape,
    run: number,
    needs: z.array(z.string()),
    trigger: z.string(),
    workerGroup: z.string(),
    startedAt: time.nullable(),
    outputs: parameters,
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
    actions: z.array(action),
  })
  .meta({ id: 'TaskRun' });
