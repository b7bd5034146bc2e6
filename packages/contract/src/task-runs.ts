/** Task runs, their attempts and logs, and explanations of their state. */
import { z } from 'zod';
import { attemptName, taskRunName } from './names.ts';
import type { Operation } from './operation.ts';
import { taskRun } from './run-shapes.ts';
import { flag, limit, next, number, pageSize, time } from './shapes.ts';
import { why } from './why.ts';

const linesShape = /^(?:[1-9]\d{0,9}(?:-[1-9]\d{0,9})?|-[1-9]\d{0,4})$/;

const taskRunPath = z.strictObject({ id: taskRunName });

const placeShape = /^(-?\d{1,6})\.(\d{1,9})$/;

/** Cursor of a page: shard and number of the last attempt on the previous page. */
const attemptPlace = z
  .string()
  .regex(placeShape, 'is not a shard and a number')
  .transform((text) => {
    const [, shard, number] = placeShape.exec(text) ?? [];
    return { shard: Number(shard), number: Number(number) };
  });

const attempt = z
  .object({
    id: z.string(),
    shard: z.int().nullable(),
    number: z.int(),
    state: z.string(),
    worker: z.string().nullable(),
    queuedAt: time.nullable(),
    assignedAt: time.nullable(),
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    exitCode: z.int().nullable(),
    cpuTime: z.number().nullable().describe('milliseconds'),
    peakMemory: z.number().nullable().describe('bytes'),
    error: z.string().nullable(),
    late: z
      .boolean()
      .describe('its report came after the task run had gone on without it, and changed nothing'),
  })
  .meta({ id: 'Attempt' });

const logSource = z
  .enum(['log', 'tail', 'none'])
  .describe('`tail`: the log itself is gone, this is the end that was kept');

const logLoss = z
  .object({
    reason: z
      .enum(['expired', 'removed', 'worker-gone'])
      .describe(
        '`expired`: by a rule of the worker; `removed`: its worker is there and has it no more; `worker-gone`: its worker does not answer',
      ),
    rule: z
      .object({ setting: z.enum(['keep-logs', 'max-logs']), value: z.number() })
      .nullable()
      .describe('the setting of the worker that removed it: milliseconds, or a number of runs'),
    seenAt: time.nullable().describe('when the worker was last heard of'),
  })
  .nullable()
  .describe('why the log itself is not there; null where it is, or where there never was one');

const logPiece = z
  .object({
    state: z.string().describe('of the attempt'),
    offset: z.int(),
    next: z.int().describe('where to go on'),
    size: z.int(),
    done: z.boolean().describe('nothing comes after `next` any more'),
    source: logSource,
    worker: z.string().nullable().describe('who has or had the log'),
    process: z
      .int()
      .nullable()
      .describe('the group of the processes that the attempt runs now, on the machine of its worker'),
    loss: logLoss,
    firstLine: z
      .int()
      .nullable()
      .describe('number of the first line, from 1; only where lines were asked for'),
    lines: z.int().nullable().describe('lines there are now; only where lines were asked for'),
    text: z.string(),
  })
  .meta({ id: 'LogPiece', description: 'offsets count bytes' });

const logHit = z
  .object({
    line: z.int().describe('counted from 1'),
    offset: z.int().describe('of the line, in bytes'),
    from: z.int().describe('where in `text` the hit begins'),
    to: z.int(),
    text: z.string().describe('the line, or the part of a long one around the hit'),
  })
  .meta({ id: 'LogHit' });

const bytes = (least: number, most: number) =>
  z
    .int('is not a number of bytes')
    .min(least, `must be from ${least} to ${most}`)
    .max(most, `must be from ${least} to ${most}`);

export const taskRunOperations = {
  showTaskRun: {
    route: 'GET /task-runs/{id}',
    action: 'run.read',
    scope: 'run',
    summary: 'a task run with its shards and outputs',
    params: taskRunPath,
    answer: taskRun,
    example: { id: '1.a' },
  },
  listAttempts: {
    route: 'GET /task-runs/{id}/attempts',
    action: 'run.read',
    scope: 'run',
    summary: 'the attempts of a task run, wherever they are',
    params: taskRunPath,
    query: z.strictObject({ limit, after: attemptPlace.optional() }),
    answer: z.object({ attempts: z.array(attempt), next }),
    example: { id: '1.a' },
  },
  readLog: {
    route: 'GET /attempts/{id}/log',
    action: 'log.read',
    scope: 'run',
    summary: 'a piece of the log of an attempt',
    params: z.strictObject({ id: attemptName }),
    query: z.strictObject({
      offset: bytes(0, Number.MAX_SAFE_INTEGER).default(0),
      limit: bytes(1, 1024 * 1024).default(64 * 1024),
      line: z
        .string()
        .regex(linesShape, 'write lines as 120, 120-140, or -50 for the last 50')
        .optional()
        .describe('lines instead of bytes: `120`, `120-140`, or `-50` for the last 50; 10,000 at most'),
      follow: flag.describe('answer with the rest of it as a stream of text that ends with the attempt'),
      download: flag.describe('answer with all there is now, as a file of text'),
    }),
    answer: logPiece,
    stream: {
      type: 'text/plain',
      when: 'with `follow`: the log from `offset` on, as it grows; with `download`: what there is now',
    },
    example: { id: '1.a.1' },
  },
  searchLog: {
    route: 'GET /attempts/{id}/log/search',
    action: 'log.read',
    scope: 'run',
    summary: 'lines of a log that contain a text or match a regular expression',
    params: z.strictObject({ id: attemptName }),
    query: z.strictObject({
      q: z.string().min(1).max(500),
      regex: flag.describe('`q` is a regular expression of JavaScript; a line at a time'),
      ignoreCase: flag,
      limit: pageSize(100),
      after: z
        .string()
        .regex(/^\d{1,15}\.\d{1,12}$/, 'is not a place in a log')
        .optional(),
    }),
    answer: z.object({
      hits: z.array(logHit),
      size: z.int(),
      looked: z.int().describe('bytes that were looked through, from the beginning'),
      source: logSource,
      next: next.describe('goes on after the last hit, or where time ran out; null at the end of the log'),
    }),
    example: { id: '1.a.1', q: 'two' },
  },
  explain: {
    route: 'GET /why/{id}',
    action: 'run.read',
    scope: 'run',
    summary: 'why a run or a task run is where it is',
    params: z.strictObject({
      id: z.union([number, taskRunName], 'is neither a run nor a task run; write 12 or 12.extract'),
    }),
    answer: why,
    example: { id: '1.b' },
  },
} as const satisfies Record<string, Operation>;
