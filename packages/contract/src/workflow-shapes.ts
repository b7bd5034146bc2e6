/** Workflows in lists, on pages and in comparisons. */
import { z } from 'zod';
import { runState } from './run-shapes.ts';
import { action, number, runVersion, time } from './shapes.ts';

/** A changed value; `path` says where, such as `tasks.load.retries.limit`. */
export const difference = z
  .object({ path: z.string(), before: z.unknown().optional(), after: z.unknown().optional() })
  .meta({ id: 'Difference' });

/** Result of publishing one workflow of a file. */
export const published = z
  .object({
    project: z.string(),
    name: z.string(),
    version: number.nullable().describe('the live one; null in a dry run that would make a new one'),
    changed: z.boolean(),
    created: z.boolean().describe('it had no version before'),
    diff: z.array(difference),
  })
  .meta({ id: 'Published' });

/** A draft without its text. */
export const draftHead = z
  .object({
    base: number.nullable().describe('the version it began from; null: of a workflow that has none'),
    revision: z.int().positive().describe('send it as `If-Match` with the next change'),
    author: z.string(),
    savedAt: time,
  })
  .meta({ id: 'DraftHead' });

/** A run in the strip of its workflow. */
const stripRun = z.object({
  id: number,
  version: runVersion,
  state: runState,
  startedAt: time.nullable(),
  duration: z.number().nullable().describe('milliseconds that its rounds took; null until it has ended'),
  counted: z.boolean().describe('whether it counts for the figures'),
});

const strip = z
  .object({
    runs: z.array(stripRun).describe('the last 30 runs, oldest first'),
    successRate: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('of those that have ended and count; null if none has'),
    p50: z.number().nullable().describe('median duration of those that succeeded, in milliseconds'),
    p95: z.number().nullable(),
  })
  .meta({ id: 'Strip' });

const scheduleHead = z.object({
  id: number,
  name: z.string(),
  cron: z.string().optional(),
  every: z.number().optional(),
  timezone: z.string(),
  state: z.enum(['on', 'paused']),
  nextDue: time.nullable(),
});

export const offlineSince = time.nullable().describe('since when nothing starts it; null while it is online');

/** A workflow in a list. */
export const workflowRow = z
  .object({
    project: z.string(),
    name: z.string(),
    version: number.nullable().describe('the live one; null while there is only a draft'),
    offlineSince,
    createdAt: time,
    publishedAt: time.nullable(),
    owner: z.string().describe('who published the live version; without one, whose draft it is'),
    tags: z.array(z.string()).describe('of the live version'),
    module: z
      .string()
      .nullable()
      .describe('the module that the live version was made from; null where its text is its source'),
    draft: draftHead
      .extend({
        ahead: z
          .int()
          .nullable()
          .optional()
          .describe(
            'with `include=draft`: how many tasks it adds, changes or leaves out against the live version; null where that is not known (yet)',
          ),
      })
      .nullable(),
    actions: z.array(action),
    strip: strip.optional().describe('with `include=strip`'),
    schedules: z.array(scheduleHead).optional().describe('with `include=next`: the first 10'),
    nextDue: time.nullable().optional().describe('with `include=next`: the next tick of any schedule'),
  })
  .meta({ id: 'WorkflowRow' });

/** A workflow that starts or awaits another, or is started or awaited by it. */
export const workflowUser = z
  .object({
    project: z.string(),
    name: z.string(),
    as: z.enum(['sub-workflow', 'dynamic', 'dependent', 'trigger']),
  })
  .meta({ id: 'WorkflowUser' });

/** A version in a list. */
export const versionRow = z
  .object({
    version: number,
    note: z.string(),
    author: z.string(),
    source: z.enum(['api', 'apply', 'editor']).describe('how it was published'),
    createdAt: time,
    live: z.boolean(),
    runs: z.int().describe('how many of the last 10,000 runs of the workflow are on it'),
    lastRun: number.nullable().describe('the newest of these runs'),
  })
  .meta({ id: 'Version' });

const changedEntry = z.object({ name: z.string(), changes: z.array(difference) });

const named = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(changedEntry),
});

const edge = z.object({ from: z.string(), to: z.string() });

/** A comparison of two versions. */
export const comparison = z
  .object({
    same: z.boolean(),
    tasks: named,
    edges: z.object({ added: z.array(edge), removed: z.array(edge) }),
    schedules: named,
    fields: z.array(difference).describe('everything else of the workflow'),
    texts: z.object({ from: z.string(), to: z.string() }),
  })
  .meta({ id: 'Comparison' });

/** States of a grid's cells: the byte of a cell is an index into this list. */
export const gridStates = [
  'absent',
  'pending',
  'delayed',
  'submitted',
  'running',
  'retrying',
  'waiting',
  'paused',
  'stopping',
  'success',
  'failed',
  'killed',
  'skipped',
  'passed',
  'excluded',
] as const;

/** The last runs of a workflow by task. */
export const grid = z
  .object({
    tasks: z
      .array(z.string())
      .describe('the rows: tasks of the live version, then those that only older ones had'),
    runs: z.array(stripRun).describe('the columns, oldest first'),
    states: z.array(z.string()).describe('what the byte of a cell stands for, by its place in this list'),
    cells: z.base64().describe('a byte a cell, column after column'),
    took: z
      .base64()
      .describe(
        'how long each cell ran, all attempts together: of byte b, 2 ^ (b / 8) ms; 0: it did not run',
      ),
    waited: z.base64().describe('how long each cell waited for a worker, written alike'),
    figures: z
      .object({
        took: z.array(z.number()).describe('milliseconds that its attempts ran'),
        waited: z.array(z.number()).describe('milliseconds that they waited for a worker'),
        ran: z.array(z.int()).describe('runs in which it had an attempt'),
        retried: z.array(z.int()).describe('runs in which it needed more than one'),
        failed: z.array(z.int()).describe('runs in which it failed'),
      })
      .describe('of each task over all these runs, in the order of the rows'),
  })
  .meta({ id: 'Grid' });
