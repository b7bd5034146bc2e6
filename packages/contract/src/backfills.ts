/** Backfills: runs of a workflow over business times, listed or computed. */

import { MAX_ELEMENTS } from '@orrery/core/series';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { givenParameters, runState } from './run-shapes.ts';
import { idempotencyKey, number, priority, time, workflowText } from './shapes.ts';

const written = z.string().min(1).max(100);

/** The request that starts a backfill. */
const request = z
  .strictObject({
    workflow: workflowText,
    params: givenParameters.default({}).describe('for every run of it'),
    from: written
      .optional()
      .describe(
        'the first time, with an offset or in the zone of the schedule; a date means its first moment',
      ),
    to: written.optional().describe('the last time; a date means the whole day'),
    times: z
      .array(written)
      .min(1)
      .max(MAX_ELEMENTS)
      .optional()
      .describe('business times instead of a range; the same one twice is once'),
    schedule: z
      .string()
      .max(300)
      .optional()
      .describe('whose ticks are meant; not needed where the workflow has one schedule'),
    cron: z.string().max(300).optional().describe('ticks of this instead of a schedule'),
    every: z
      .string()
      .max(60)
      .optional()
      .describe('an interval such as `1h`, counted from `from`, instead of a schedule'),
    timezone: z.string().max(100).optional().describe('of `cron` and of times without an offset'),
    order: z
      .enum(['oldest', 'newest'], 'must be oldest or newest')
      .default('oldest')
      .describe('which business times start first'),
    parallel: z.int().min(1).max(10_000).default(1).describe('how many business times are open at once'),
    onFailure: z
      .enum(['continue', 'stop'])
      .default('continue')
      .describe('`stop`: after a failure no other business time starts'),
    includeDownstream: z
      .boolean()
      .default(false)
      .describe('after each run also run the workflows that depend on it, in order'),
    version: z
      .enum(['start', 'latest'])
      .default('start')
      .describe(
        '`start`: all its runs are of the versions that are live now; `latest`: of those live at each start',
      ),
    priority: priority.optional(),
    trigger: z.enum(['api', 'manual']).default('api'),
    dryRun: z.boolean().default(false).describe('only say which runs there would be'),
  })
  .superRefine((body, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    const { from, to, times, schedule, cron, every } = body;
    if (times && (from !== undefined || to !== undefined))
      refuse('times', 'give either times or from and to');
    if (!times && from === undefined) refuse('from', 'give from and to, or times');
    if (!times && from !== undefined && to === undefined) refuse('to', 'is missing; give from and to');
    const sources = Object.entries({ schedule, cron, every }).filter(([, value]) => value !== undefined);
    if (times && sources.length > 0)
      refuse(sources[0][0], 'makes no sense with times; give it with from and to');
    else if (sources.length > 1) refuse(sources[1][0], 'give one of schedule, cron and every');
  })
  .meta({ id: 'BackfillRequest' });

export const backfillOperations = {
  startBackfill: {
    route: 'POST /backfills',
    action: 'run.start',
    scope: 'workflow',
    audit: 'backfill.start',
    summary: 'runs a workflow over business times',
    headers: z.strictObject({ idempotencyKey }),
    body: request,
    bodyLimit: 8 * 1024 * 1024,
    status: 202,
    dryRunStatus: 200,
    answer: z.object({
      id: number.nullable().describe('of the run; null in a dry run'),
      state: runState.nullable(),
      repeated: z.boolean().describe('the key was used before: this is the run it started'),
      count: z.int().describe('business times'),
      runs: z.int().describe('runs that it starts: one for each time and workflow'),
      times: z.array(time).describe('the first 1,000, in the order they start'),
      workflows: z.array(z.string()).describe('what runs for each business time, in order'),
    }),
    example: { body: { workflow: 'demo', from: '2026-01-01', to: '2026-01-03', dryRun: true } },
  },
} as const satisfies Record<string, Operation>;
