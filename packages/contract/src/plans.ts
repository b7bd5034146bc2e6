/** The leader, the registry and plan by which masters share schedules, and who holds a schedule and why. */
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

const part = z.object({
  from: z.int().nullable().describe('the first id of a schedule; null: no lower end'),
  to: z.int().nullable().describe('the last id; null: no upper end'),
  master: z.string().nullable().describe('who fires them by this plan'),
  before: z.string().nullable().describe('who fired them by the plan before; the same where nothing moved'),
  schedules: z.int().describe('enabled schedules in it now'),
});

const nodeEvent = z
  .object({
    at: time,
    what: z
      .enum([
        'plan',
        'joined',
        'left',
        'fenced',
        'lost',
        'drain',
        'undrain',
        'forget',
        'unhealthy',
        'healthy',
      ])
      .describe('fenced: a master was declared dead; lost: a worker was'),
    kind: z.enum(['master', 'worker', 'plan']),
    node: z.string().describe('whom it happened to; of a plan its leader'),
    by: z
      .string()
      .nullable()
      .describe('who did it: a node or a person; a caller with one project gets null for a person'),
    epoch: z.int().nullable(),
    runs: z.int().nullable().describe('runs that passed to other masters'),
    schedules: z.int().nullable().describe('schedules that changed hands'),
    attempts: z.int().nullable().describe('attempts that were lost'),
    plan: z.int().nullable().describe('the number of the plan that was made'),
    took: z.int().nullable().describe('milliseconds until all masters had adopted the plan'),
    reason: z.string().nullable(),
  })
  .meta({ id: 'ClusterEvent' });

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
  showPlan: {
    route: 'GET /plans/{number}',
    action: 'cluster.read',
    scope: 'shared',
    summary: 'one plan: which schedules it gives to which master, and which of them changed hands',
    params: z.strictObject({ number }),
    answer: plan.extend({
      parts: z
        .array(part)
        .nullable()
        .describe('in the order of ids; null where no range says who fires what: a ring or claims'),
    }),
    example: { number: 1 },
  },
  listClusterEvents: {
    route: 'GET /cluster/events',
    action: 'cluster.read',
    scope: 'shared',
    summary: 'what happened to masters, workers and plans, newest first',
    query: z.strictObject({
      node: z.string().min(1).max(200).optional().describe('only what happened to this node'),
      limit: pageSize(50),
      before: z
        .string()
        .regex(/^\d{1,15}-\d{1,15}$/, 'use the value of the path in `next`')
        .optional()
        .describe('the end of the page before'),
    }),
    answer: z.object({ events: z.array(nodeEvent), next }),
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
