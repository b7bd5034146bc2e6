/** Who leads, by which registry and plan masters share the schedules, and who holds a schedule and why. */
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { next, number, numberPath, pageSize, time } from './shapes.ts';

const plan = z
  .object({
    number: z.int(),
    mode: z.enum(['scope', 'claim']),
    strategy: z.string().nullable(),
    hash: z.string().describe('the same at every master that holds this plan'),
    leader: z.string().describe('who made it'),
    reason: z.string().describe('why it was made'),
    masters: z.array(z.string()).describe('for whom it was made'),
    schedules: z.int().describe('how many it divided'),
    moved: z.int().describe('of them those that changed hands'),
    writtenAt: time,
    adoptedAt: time.nullable().describe('when all masters had adopted it; null while some have not'),
  })
  .meta({ id: 'Plan' });

const cluster = z
  .object({
    mode: z.enum(['scope', 'claim']),
    leader: z
      .string()
      .nullable()
      .describe('who made the newest plan; null without a registry, or while nobody is'),
    registry: z
      .object({
        server: z.string().describe('its kind and address, without credentials'),
        cluster: z.string(),
        sessionTimeout: z.int().describe('milliseconds that the registry agreed to'),
        onLoss: z.string().describe('what masters do without it'),
      })
      .nullable()
      .describe('null where the beat in the database says who is alive'),
    plan: plan.nullable().describe('the newest plan'),
    masters: z.array(
      z.object({
        id: z.string(),
        state: z.string(),
        plan: z.int().nullable().describe('the plan that it has adopted'),
        share: z
          .int()
          .nullable()
          .describe('schedules that the newest plan gives it; null where no range says so'),
      }),
    ),
    problems: z.array(z.string()).describe('what is not as it should be'),
  })
  .meta({ id: 'Cluster' });

const holder = z
  .object({
    schedule: z.int(),
    mode: z.enum(['scope', 'claim']),
    holder: z
      .string()
      .nullable()
      .describe('the master that fires it at its due time; null if none is recorded'),
    plan: z.int().nullable().describe('the plan since which it holds it'),
    since: time.nullable(),
    why: z.string(),
  })
  .meta({ id: 'Holder' });

export const planOperations = {
  showCluster: {
    route: 'GET /cluster',
    action: 'cluster.read',
    scope: 'shared',
    summary:
      'who leads, the registry and the plan by which masters share the schedules, and what is wrong with them',
    answer: cluster,
    example: {},
  },
  listPlans: {
    route: 'GET /plans',
    action: 'cluster.read',
    scope: 'shared',
    summary: 'plans that leaders made and why, newest first',
    query: z.strictObject({ limit: pageSize(50), before: number.optional() }),
    answer: z.object({ plans: z.array(plan), next }),
    example: {},
  },
  showHolder: {
    route: 'GET /schedules/{id}/holder',
    action: 'schedule.read',
    scope: 'schedule',
    summary: 'which master fires a schedule, since which plan, and why',
    params: numberPath,
    answer: holder,
    example: { id: 1 },
  },
} as const satisfies Record<string, Operation>;
