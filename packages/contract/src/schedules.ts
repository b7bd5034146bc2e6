/** Schedules and the outcomes of their due times. */

import { misfirePolicies } from '@orrery/core/model';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { givenParameters, runState } from './run-shapes.ts';
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
  wording,
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
    calendar: z.string().optional().describe('of its project: its days are left out too'),
    params: parameters,
    state: scheduleState,
    version: number.describe('grows with every change; send it as `If-Match`'),
    nextDue: time.nullable(),
    nextTicks: z.array(time).describe('the next 5'),
    leftOut: z
      .array(time)
      .describe('ticks that `exclude` or `calendar` leaves out before the last of those, at most 10'),
    late: time.nullable().describe('a due time that has passed by 10 s or more and was not fired'),
    firedUntil: time,
    recent: z
      .object({
        last: z
          .object({ due: time, run: number, state: runState.nullable() })
          .nullable()
          .describe('the newest tick that became a run; its state is null after that was deleted'),
        drift: z
          .object({ p50: z.number(), p99: z.number() })
          .nullable()
          .describe('milliseconds from due to fired, of the last 50 ticks'),
        skipped: z.int().describe('ticks skipped in the last 7 days'),
      })
      .optional()
      .describe('with `include=recent`'),
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
      ...wording,
      recordedAt: time,
    }),
  ])
  .meta({ id: 'Tick', description: 'one due time that became a run, or some in a row that were skipped' });

/** A tick of any schedule in the cluster. */
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
    ...wording,
  })
  .meta({ id: 'AnyTick' });

const seen = ifMatch('version of a schedule').describe('only if this is still its version');

const change = { params: numberPath, headers: z.strictObject({ ifMatch: seen }), answer: schedule };

const instant = z.iso.datetime({ offset: true, error: 'is not a time; write 2026-03-01T08:00:00Z' });

export const scheduleOperations = {
  listSchedules: {
    route: 'GET /schedules',
    action: 'schedule.read',
    scope: 'filter',
    summary: 'schedules',
    query: z.strictObject({
      project: z.string().optional(),
      workflow: workflowText.optional(),
      state: scheduleState.optional(),
      include: z
        .array(z.enum(['recent'], 'must be recent'))
        .default([])
        .describe('`recent`: the last tick, drift and skipped ticks of each'),
      limit,
      after: number.optional(),
    }),
    answer: z.object({ schedules: z.array(schedule), next }),
    example: { project: 'default', state: 'on' },
  },
  showSchedule: {
    route: 'GET /schedules/{id}',
    action: 'schedule.read',
    scope: 'schedule',
    summary: 'a schedule',
    params: numberPath,
    answer: schedule,
    example: { id: 1 },
  },
  listScheduleTicks: {
    route: 'GET /schedules/{id}/ticks',
    action: 'schedule.read',
    scope: 'schedule',
    summary: 'what the due times of a schedule became, newest first',
    params: numberPath,
    query: z.strictObject({ limit, before: number.optional() }),
    answer: z.object({ ticks: z.array(tick), next }),
    example: { id: 1 },
  },
  updateSchedule: {
    route: 'PUT /schedules/{id}',
    action: 'schedule.edit',
    scope: 'schedule',
    audit: 'workflow.publish',
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
      calendar: z.string().max(200).nullable().optional().describe('null: none'),
      params: givenParameters.optional().describe('all of them; others are gone'),
      priority: priority.nullable().optional(),
      enabled: z.boolean().optional().describe('a schedule that is paused stays so unless this is true'),
      note: z.string().max(1_000).optional().describe('what the new version is for'),
      dryRun: z
        .boolean()
        .default(false)
        .describe('only say when it would fire; of a paused one, when it would once resumed'),
    }),
    answer: schedule,
    example: { id: 1, ifMatch: '"1"', body: { cron: '30 3 * * *' } },
  },
  pauseSchedule: {
    route: 'POST /schedules/{id}/pause',
    action: 'schedule.control',
    scope: 'schedule',
    audit: 'schedule.pause',
    summary: 'fires no more',
    ...change,
    example: { id: 1, ifMatch: '"1"' },
  },
  resumeSchedule: {
    route: 'POST /schedules/{id}/resume',
    action: 'schedule.control',
    scope: 'schedule',
    audit: 'schedule.resume',
    summary: 'fires again, from now on',
    ...change,
    example: { id: 2 },
  },
  fireSchedule: {
    route: 'POST /schedules/{id}/fire',
    action: 'schedule.control',
    scope: 'schedule',
    audit: 'schedule.fire',
    summary: 'starts a run as a tick of now would, also while it is paused; its due times stay as they are',
    params: numberPath,
    headers: z.strictObject({ idempotencyKey }),
    status: 202,
    answer: z.object({
      id: number.describe('of the run'),
      repeated: z.boolean().describe('the key was used before: this is the run it started'),
    }),
    example: { id: 1, idempotencyKey: 'once' },
  },
  listTicks: {
    route: 'GET /ticks',
    action: 'schedule.read',
    scope: 'filter',
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
    example: { from: '2026-03-01T00:00:00Z', to: '2026-03-03T00:00:00Z', limit: 5 },
  },
  countTicks: {
    route: 'GET /ticks/counts',
    action: 'schedule.read',
    scope: 'filter',
    summary: 'how many ticks a range of time has, by equal steps: fired, skipped, and due next',
    query: z.strictObject({
      from: instant,
      to: instant,
      step: z
        .int()
        .min(60_000)
        .max(86_400_000)
        .default(3_600_000)
        .describe('milliseconds; a range has at most 5,000 steps'),
      project: z.string().optional(),
      workflow: workflowText.optional(),
    }),
    answer: z.object({
      steps: z
        .object({
          at: z.array(time),
          fired: z.array(z.int()),
          skipped: z.array(z.int()),
          due: z.array(z.int()),
        })
        .describe('steps that have ticks, a column each'),
      partial: z.boolean().describe('more ticks come than are counted: those due next are too few'),
    }),
    example: { from: '2026-03-01T00:00:00Z', to: '2026-03-03T00:00:00Z', step: 86_400_000 },
  },
} as const satisfies Record<string, Operation>;
