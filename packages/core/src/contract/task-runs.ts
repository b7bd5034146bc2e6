/** Task runs, their attempts and logs, and why anything is where it is. */
import { z } from 'zod';
import { attemptName, taskRunName } from './names.ts';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { taskRun } from './run-shapes.ts';
import { flag, limit, next, number, time } from './shapes.ts';

const taskRunPath = z.strictObject({ id: taskRunName });

const placeShape = /^(-?\d{1,6})\.(\d{1,9})$/;

/** The last attempt of the page before: its shard and number. */
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

const logPiece = z
  .object({
    state: z.string().describe('of the attempt'),
    offset: z.int(),
    next: z.int().describe('where to go on'),
    size: z.int(),
    done: z.boolean().describe('nothing comes after `next` any more'),
    source: z
      .enum(['log', 'tail', 'none'])
      .describe('`tail`: the log itself is gone, this is the end that was kept'),
    text: z.string(),
  })
  .meta({ id: 'LogPiece', description: 'offsets count bytes' });

const bytes = (least: number, most: number) =>
  z
    .int('is not a number of bytes')
    .min(least, `must be from ${least} to ${most}`)
    .max(most, `must be from ${least} to ${most}`);

const why = z
  .object({
    id: z.string(),
    state: z.string(),
    since: time.nullable(),
    why: z.string().describe('a sentence without its subject: `waits for extract (running)`'),
    frees: z.string().nullable().describe('what would let it go on; null where nothing has to happen'),
    waitsFor: z.array(z.string()).describe('the runs and task runs it waits for, if any'),
  })
  .meta({ id: 'Why' });

export const taskRunOperations = {
  showTaskRun: { summary: 'a task run with its shards and outputs', params: taskRunPath, answer: taskRun },
  listAttempts: {
    summary: 'the attempts of a task run, wherever they are',
    params: taskRunPath,
    query: z.strictObject({ limit, after: attemptPlace.optional() }),
    answer: z.object({ attempts: z.array(attempt), next }),
  },
  readLog: {
    summary: 'a piece of the log of an attempt',
    params: z.strictObject({ id: attemptName }),
    query: z.strictObject({
      offset: bytes(0, Number.MAX_SAFE_INTEGER).default(0),
      limit: bytes(1, 1024 * 1024).default(64 * 1024),
      follow: flag.describe('answer with the rest of it as a stream of text that ends with the attempt'),
    }),
    answer: logPiece,
    stream: { type: 'text/plain', when: 'with `follow`: the log from `offset` on, as it grows' },
  },
  explain: {
    summary: 'why a run or a task run is where it is',
    params: z.strictObject({
      id: z.union([number, taskRunName], 'is neither a run nor a task run; write 12 or 12.extract'),
    }),
    answer: why,
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
