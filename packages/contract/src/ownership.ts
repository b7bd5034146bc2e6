/**
 * Schedule ownership: the mode of the whole cluster and, in claim mode, each master's holdings and limits.
 */
import { ownershipSchema } from '@orrery/core/balance/schema';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { ifMatch, next, number, pageSize, time } from './shapes.ts';

const ownership = z
  .object({
    revision: z.int().min(0).describe('grows with every change; send it as `If-Match`'),
    settings: ownershipSchema,
    schedules: z.int().min(0).describe('enabled schedules: K'),
    free: z.int().min(0).describe('of them those that no master holds'),
    masters: z.array(
      z.object({
        id: z.string(),
        state: z
          .enum(['working', 'drained', 'dead'])
          .describe('drained: it lives and claims nothing: it drains or is paused'),
        held: z.int().min(0).describe('schedules that it holds: X'),
        limit: z.int().min(0).describe('how many it may hold: N; 0 of a dead one'),
        alarmAbove: z.int().min(0).describe('a claim that ends above this raises an alert: M'),
        tolerance: z.int().min(1).describe('how many masters may die at once: n'),
        weight: z.int().min(1),
      }),
    ),
    warnings: z.array(z.string()).describe('what leaves nothing to spare'),
  })
  .meta({ id: 'Ownership' });

const holding = z.object({
  schedule: z.int(),
  project: z.string(),
  workflow: z.string(),
  name: z.string(),
  holder: z.string().nullable().describe('null while no master holds it'),
  since: time,
});

export const ownershipOperations = {
  showOwnership: {
    route: 'GET /ownership',
    action: 'cluster.read',
    scope: 'shared',
    summary: 'who fires which schedule: the mode, and in claim mode what each master holds and may hold',
    answer: ownership,
    example: {},
  },
  setOwnership: {
    route: 'PUT /ownership',
    action: 'setting.edit',
    scope: 'every',
    audit: 'ownership.set',
    summary: 'replaces the settings; masters follow within a second or two, and no tick is lost',
    headers: z.strictObject({
      ifMatch: ifMatch('revision of the settings').describe('only if this is still their revision'),
    }),
    body: ownershipSchema,
    answer: ownership,
    example: { ifMatch: '"0"', body: { mode: 'claim', tolerance: 2, masters: { m1: { weight: 2 } } } },
  },
  claimNow: {
    route: 'POST /ownership/claim',
    action: 'node.control',
    scope: 'every',
    audit: 'ownership.claim',
    summary: 'has masters look for free schedules at once instead of at their next sweep',
    answer: z.object({
      repaired: z.int().min(0).describe('schedules that were not recorded as they stand'),
      free: z.int().min(0).describe('schedules that masters now claim'),
    }),
    example: {},
  },
  listHoldings: {
    route: 'GET /ownership/schedules',
    action: 'cluster.read',
    scope: 'every',
    summary: 'which master holds which schedule in claim mode, in the order of their ids',
    query: z.strictObject({
      holder: z.string().min(1).max(200).optional().describe('only those of this master'),
      after: number.optional().describe('the last schedule of the page before'),
      limit: pageSize(100),
    }),
    answer: z.object({ holdings: z.array(holding), next }),
    example: { limit: 1 },
  },
} as const satisfies Record<string, Operation>;
