/** Schedules and what their due times became. */
import { z } from 'zod';
import { misfirePolicies } from '../model/index.ts';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { givenParameters } from './run-shapes.ts';
import {
  action,
  idempotencyKey,
  ifMatch,
  limit,
  next,
  number,
  numberPath,
  parameters,
  priority,
  time,
  workflowText,
} from './shapes.ts';
import { excluded, misfire } from './workflow-model.ts';

const scheduleState = z.enum(['on', 'paused'], 'must be on or paused');

const schedule = z
  .object({
    id: number,
    project: z.string(),
    workflow: z.string(),
    name: z.string(),
    cron: z.string().optional(),
    every: z.number().optional().describe('milliseconds'),
    timezone: z.string(),
    from: time.nullable(),
    until: time.nullable(),
    misfire,
    exclude: excluded.optional(),
    params: parameters,
    state: scheduleState,
    version: number.describe('grows with every change; send it as `If-Match`'),
    nextDue: time.nullable(),
    nextTicks: z.array(time).describe('the next 5'),
    late: time.nullable().describe('a due time that has passed by 10 s or more and was not fired'),
    firedUntil: time,
    actions: z.array(action),
  })
  .meta({ id: 'Schedule' });

const tick = z
  .union([
    z.object({ due: time, firedAt: time, run: number }),
    z.object({
      due: time,
      until: time,
      count: z.int().positive(),
      skipped: z.string().describe('why'),
      recordedAt: time,
    }),
  ])
  .meta({ id: 'Tick', description: 'one due time that became a run, or some in a row that were skipped' });

/** A tick anywhere in the cluster. */
const anyTick = z
  .object({
    schedule: number,
    project: z.string(),
    workflow: z.string(),
    name: z.string().describe('of the schedule'),
    due: time,
    state: z.enum(['fired', 'skipped', 'due']),
    until: time.optional().describe('of skipped ones: the last of them'),
    count: z.int().positive().optional().describe('of skipped ones: how many'),
    firedAt: time.optional(),
    run: number.optional(),
    reason: z.string().optional().describe('why they were skipped'),
  })
  .meta({ id: 'AnyTick' });

const seen = ifMatch('version of a schedule').describe('only if this is still its version');

const change = { params: numberPath, headers: z.strictObject({ ifMatch: seen }), answer: schedule };

const instant = z.iso.datetime({ offset: true, error: 'is not a time; write 2026-03-01T08:00:00Z' });

export const scheduleOperations = {
  listSchedules: {
    summary: 'schedules',
    query: z.strictObject({
      project: z.string().optional(),
      workflow: workflowText.optional(),
      state: scheduleState.optional(),
      limit,
      after: number.optional(),
    }),
    answer: z.object({ schedules: z.array(schedule), next }),
  },
  showSchedule: { summary: 'a schedule', params: numberPath, answer: schedule },
  listScheduleTicks: {
    summary: 'what the due times of a schedule became, newest first',
    params: numberPath,
    query: z.strictObject({ limit, before: number.optional() }),
    answer: z.object({ ticks: z.array(tick), next }),
  },
  pauseSchedule: { summary: 'fires no more', ...change },
  resumeSchedule: { summary: 'fires again, from now on', ...change },
  fireSchedule: {
    summary: 'starts a run as a tick of now would, also while it is paused; its due times stay as they are',
    params: numberPath,
    headers: z.strictObject({ idempotencyKey }),
    status: 202,
    answer: z.object({
      id: number.describe('of the run'),
      repeated: z.boolean().describe('the key was used before: this is the run it started'),
    }),
  },
  updateSchedule: {
    summary: 'changes a schedule by a new version of its workflow; what is left out stays',
    params: numberPath,
    headers: z.strictObject({ ifMatch: seen }),
    body: z.strictObject({
      cron: z.string().max(300).optional().describe('takes the place of `every`'),
      every: z.string().max(60).optional().describe('an interval such as `30m`; takes the place of `cron`'),
      timezone: z.string().max(100).nullable().optional().describe('null: that of the workflow'),
      from: z.string().max(100).nullable().optional(),
      until: z.string().max(100).nullable().optional(),
      misfire: z
        .union([
          z.enum(misfirePolicies),
          z.strictObject({ policy: z.enum(misfirePolicies).optional(), threshold: z.string().optional() }),
        ])
        .optional(),
      exclude: z
        .strictObject({
          dates: z.array(z.string()).optional(),
          yearly: z.array(z.string()).optional(),
          weekdays: z.array(z.string()).optional().describe('such as `saturday`'),
        })
        .nullable()
        .optional(),
      params: givenParameters.optional().describe('all of them; others are gone'),
      priority: priority.nullable().optional(),
      enabled: z.boolean().optional().describe('a schedule that is paused stays so unless this is true'),
      note: z.string().max(1_000).optional().describe('what the new version is for'),
      dryRun: z.boolean().default(false).describe('only say when it would fire'),
    }),
    answer: schedule,
  },
  listTicks: {
    summary: 'the ticks of all schedules in a range of time: fired, skipped, and due next',
    query: z.strictObject({
      from: instant,
      to: instant,
      project: z.string().optional(),
      workflow: workflowText.optional(),
      limit,
      after: z
        .string()
        .regex(/^\d{1,15}\.\d{1,15}$/, 'is not the place of a tick')
        .transform((text) => {
          const [due, schedule] = text.split('.').map(Number);
          return { due, schedule };
        })
        .optional(),
    }),
    answer: z.object({ ticks: z.array(anyTick), next }),
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
