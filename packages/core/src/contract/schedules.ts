/** Schedules and what their due times became. */
import { z } from 'zod';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { limit, next, number, numberPath, parameters, time, workflowText } from './shapes.ts';
import { excluded, misfire } from './workflow-model.ts';

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
    state: z.enum(['on', 'paused']),
    nextDue: time.nullable(),
    firedUntil: time,
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

export const scheduleOperations = {
  listSchedules: {
    summary: 'schedules',
    query: z.strictObject({ workflow: workflowText.optional(), limit, after: number.optional() }),
    answer: z.object({ schedules: z.array(schedule), next }),
  },
  showSchedule: { summary: 'a schedule', params: numberPath, answer: schedule },
  listScheduleTicks: {
    summary: 'what the due times of a schedule became, newest first',
    params: numberPath,
    query: z.strictObject({ limit, before: number.optional() }),
    answer: z.object({ ticks: z.array(tick), next }),
  },
  pauseSchedule: { summary: 'fires no more', params: numberPath, answer: schedule },
  resumeSchedule: { summary: 'fires again, from now on', params: numberPath, answer: schedule },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
