/** Previews: the results of rules on the given input. They read nothing else and change nothing. */
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { parameters } from './shapes.ts';

const text = z.string().max(10_000);
const at = text
  .optional()
  .describe('the business time, with an offset or as local time of the zone; by default now');
const tz = text.optional().describe('time zone, such as Asia/Shanghai; by default UTC');
/** A name becomes a key of the answer; JSON readers would drop `__proto__`. */
const name = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => text !== '__proto__', 'is not a name');
/** Limited because dividing more would delay other requests. */
const names = z.array(name).min(1).max(1_000);
const weights = z.record(z.string(), z.number()).optional().describe('for `weighted`; 1 unless given');
const count = (most: number) => z.int().min(0).max(most);

export const previewOperations = {
  previewCron: {
    route: 'POST /preview/cron',
    action: 'preview',
    scope: 'shared',
    unaudited: 'changes nothing',
    summary: 'the next times of a cron expression',
    body: z.strictObject({
      cron: text.describe('Quartz with 6 or 7 fields, Unix with 5'),
      tz,
      from: text.optional().describe('times after this one; by default now'),
      count: count(200).optional().describe('5 unless given'),
    }),
    answer: z.object({ next: z.array(z.string()) }),
    example: { body: { cron: '0 12 * * *', count: 2 } },
  },
  previewParams: {
    route: 'POST /preview/params',
    action: 'preview',
    scope: 'shared',
    unaudited: 'changes nothing',
    summary: 'what the placeholders in a text become',
    body: z.strictObject({ template: text, at, tz, params: parameters.optional() }),
    answer: z.object({ value: z.string() }),
    example: { body: { template: '$[yyyyMMdd-1]' } },
  },
  previewShards: {
    route: 'POST /preview/shards',
    action: 'preview',
    scope: 'shared',
    unaudited: 'changes nothing',
    summary: 'which server gets which items of a job',
    body: z.strictObject({
      strategy: text.optional().describe('`average` unless given'),
      items: count(10_000),
      servers: names,
      job: text.optional().describe('its name, which some strategies divide by'),
      weights,
    }),
    answer: z.object({ servers: z.record(z.string(), z.array(z.int())) }),
    example: { body: { items: 10, servers: ['a', 'b'], strategy: 'weighted', weights: { a: 2 } } },
  },
  previewPlan: {
    route: 'POST /preview/plan',
    action: 'preview',
    scope: 'shared',
    unaudited: 'changes nothing',
    summary: 'which master fires which schedules, by rank',
    body: z.strictObject({
      strategy: text.optional().describe('`range` unless given'),
      total: count(Number.MAX_SAFE_INTEGER),
      nodes: names,
      weights,
    }),
    answer: z.object({
      nodes: z
        .record(z.string(), z.tuple([z.int(), z.int()]).nullable())
        .describe('first and last rank of each, counted from 1; null: nothing'),
    }),
    example: { body: { total: 10, nodes: ['a', 'b', 'c'] } },
  },
  previewDependency: {
    route: 'POST /preview/dependency',
    action: 'preview',
    scope: 'shared',
    unaudited: 'changes nothing',
    summary: 'the intervals that a dependency window covers',
    body: z.strictObject({
      window: text.describe('such as `last2Days`, `previous` or `(-2,2)`'),
      at,
      tz,
      cron: text.optional().describe("the other workflow's schedule, by which `previous` and versions count"),
    }),
    answer: z.object({
      intervals: z.array(z.tuple([z.string(), z.string()])).describe('local times, both ends included'),
      versions: z
        .array(z.int())
        .optional()
        .describe('of `previous` and versions: which, counted from the newest; their times need `cron`'),
    }),
    example: { body: { window: 'last2Days' } },
  },
} as const satisfies Record<string, Operation>;
