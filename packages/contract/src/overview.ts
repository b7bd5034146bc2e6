/** Home: what needs people, current activity, and upcoming work. */
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { histogram } from './runs.ts';
import { action, flag, momentAhead, number, time, wording } from './shapes.ts';

/** Kinds of needs, the most harmful first. */
export const needKinds = [
  'no-master',
  'no-worker',
  'failed',
  'approval',
  'deadline',
  'late-tick',
  'wrong-clock',
  'overtime',
  'not-taken',
  'node-missing',
  'node-unhealthy',
  'undelivered',
  'job-idle',
  'job-unowned',
  'claim-alarm',
  'limit-full',
  'skipped-ticks',
] as const;

const need = z
  .object({
    id: z.string().describe('stays the same while it lasts'),
    kind: z.enum(needKinds),
    text: z.string().describe('one sentence'),
    said: z.object(wording).describe('code and fields of `text`'),
    fields: z.record(z.string(), z.unknown()).describe('facts for programs, by kind'),
    since: time.nullable(),
    count: z.int(),
    examples: z.array(z.string()).describe('ids of runs, task runs, schedules or nodes it is about'),
    address: z.string().describe('of its page in the console'),
    action: z
      .object({ name: z.string(), ids: z.array(number) })
      .nullable()
      .describe('what would help, and the runs to do it to'),
    actions: z.array(action).describe('what the caller may do about it: that action, and `mute` or `unmute`'),
    command: z.string().nullable().describe('what would help, or tells more, for a shell'),
    muted: z.object({ by: z.string(), at: time, until: time.nullable(), reason: z.string() }).nullable(),
  })
  .meta({ id: 'Need' });

const bounded = z
  .object({ value: z.int(), more: z.boolean() })
  .describe('`more`: there are more than that, they were not counted');

const counters = z
  .object({
    running: bounded.describe(
      'runs that have started and not ended; those that pause or stop are among them',
    ),
    queued: bounded.describe('runs that wait to be claimed or admitted'),
    ready: bounded.describe('attempts that wait for a worker'),
    waiting: bounded.describe('attempts that wait for a limit'),
    oldestWait: time.nullable().describe('since when the attempt waits that waits longest'),
    startP95: z
      .number()
      .nullable()
      .describe('milliseconds from queue to worker, of 95 of 100 recent attempts; null without any'),
    ticksNextHour: bounded,
    slots: z.object({ used: z.int(), total: z.int() }),
    masters: z.object({ alive: z.int(), total: z.int() }),
    workers: z.object({ alive: z.int(), total: z.int() }),
  })
  .meta({ id: 'Counters' });

const change = z
  .object({
    at: time,
    actor: z
      .string()
      .nullable()
      .describe('null for a person who changed a node, if the caller has one project'),
    kind: z.string(),
    subject: z.string().describe('an id or a name; of a need what it says'),
    action: z.string(),
    count: z.int().nullable().describe('of a bulk: how many runs it is for'),
    address: z.string().nullable(),
  })
  .meta({ id: 'Change' });

export const overviewOperations = {
  showOverview: {
    route: 'GET /overview',
    action: 'run.read',
    scope: 'filter',
    summary: 'what needs people, how much is going on, and what comes next',
    query: z.strictObject({
      project: z.string().max(300).optional(),
      muted: flag.describe('also needs that were muted'),
    }),
    answer: z
      .object({
        at: time,
        needs: z
          .array(need)
          .describe('the most harmful first, at most 20; behind them those that are muted, if wanted'),
        moreNeeds: z.int(),
        mutedNeeds: z.int().describe('needs that are muted and therefore neither listed nor counted'),
        everRun: z
          .boolean()
          .describe('whether a run of any project was ever started, as far as is still known'),
        lastFailure: time.nullable().describe('when a run last ended badly, among the last 10,000 that did'),
        counters,
        runs: histogram.describe('of the last 24 hours'),
        nextTicks: z.array(
          z.object({
            schedule: number,
            project: z.string(),
            workflow: z.string(),
            name: z.string(),
            due: time,
            timezone: z.string(),
          }),
        ),
        dueSchedules: bounded.describe('schedules that are due within a day, with those in `nextTicks`'),
        changes: z.array(change).describe('what people and nodes did, newest first'),
      })
      .meta({ id: 'Overview' }),
    example: {},
  },
  muteNeed: {
    route: 'POST /needs/{id}/mute',
    action: 'need.mute',
    scope: 'every',
    audit: 'need.mute',
    summary: 'hides something that needs people until a time, or until more of it happens',
    params: z.strictObject({
      id: z.string().regex(/^[a-z-]{1,30}-[0-9a-f]{16}$/, 'is not the id of a need'),
    }),
    body: z.strictObject({
      until: momentAhead.optional().describe('a time to come; without one, until another run adds to it'),
      off: z.boolean().default(false).describe('show it again'),
      reason: z.string().max(1_000).default(''),
    }),
    answer: z.object({
      id: z.string(),
      muted: z.boolean(),
      by: z.string(),
      at: time,
      until: time.nullable(),
    }),
    example: { id: 'failed-0123456789abcdef', body: { reason: 'known' } },
  },
} as const satisfies Record<string, Operation>;
