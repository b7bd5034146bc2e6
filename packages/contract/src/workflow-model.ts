/** A workflow as the engine models it (`model/types.ts`), in the form the API returns. */

import {
  endStates,
  failureStrategies,
  hookSchemes,
  misfirePolicies,
  parameterTypes,
  runModes,
  timeoutActions,
  triggerRules,
  type Workflow,
} from '@orrery/core/model';
import { z } from 'zod';
import { parameters, priority } from './shapes.ts';

const timeout = z.object({ after: z.number(), action: z.enum(timeoutActions) });

const declaredParameter = z.object({
  type: z.enum(parameterTypes),
  default: z.string().optional(),
  required: z.boolean(),
  options: z.array(z.string()).optional(),
  description: z.string().optional(),
  output: z.boolean(),
});

const task = z
  .object({
    name: z.string(),
    type: z.string(),
    description: z.string().optional(),
    needs: z.array(z.string()),
    with: z.unknown(),
    params: parameters,
    trigger: z.enum(triggerRules),
    retries: z.object({
      limit: z.int(),
      delay: z.number(),
      backoff: z.number(),
      maxDelay: z.number(),
      on: z.enum(['any', 'same', 'other']),
      later: z.object({ on: z.enum(['any', 'same', 'other']), after: z.int() }).optional(),
    }),
    timeout: timeout.optional(),
    queueTimeout: z.number().optional(),
    onNoWorker: z.object({ fail: z.number() }).optional(),
    delay: z.number(),
    priority,
    workerGroup: z.string().optional(),
    environment: z.string().optional(),
    group: z.object({ name: z.string(), priority: z.int() }).optional(),
    resources: z.object({ cores: z.number().optional(), memory: z.number().optional() }).optional(),
    shards: z
      .object({
        count: z.int(),
        parameters: z.record(z.string(), z.string()),
        plan: z.enum(['none', 'static', 'dynamic']),
        strategy: z.string(),
        instances: z.int().optional(),
      })
      .optional(),
    disabled: z.boolean(),
    ignoreFailure: z.boolean(),
    onLostContact: z.enum(['kill', 'keep']),
  })
  .meta({ id: 'Task' });

/** Times that a schedule leaves out. */
export const excluded = z.object({
  dates: z.array(z.string()),
  yearly: z.array(z.string()),
  weekdays: z.array(z.int()),
});

/** Handling of ticks that nobody could fire in time. */
export const misfire = z.object({ policy: z.enum(misfirePolicies), threshold: z.number() });

const schedule = z.object({
  name: z.string(),
  cron: z.string().optional(),
  every: z.number().optional(),
  timezone: z.string(),
  from: z.number().optional(),
  until: z.number().optional(),
  misfire,
  exclude: excluded.optional(),
  calendar: z.string().optional(),
  params: parameters,
  priority: priority.optional(),
  enabled: z.boolean().optional(),
});

const trigger = z.object({
  name: z.string(),
  after: z
    .object({
      workflows: z.array(z.object({ project: z.string().optional(), name: z.string() })),
      states: z.array(z.enum(endStates)),
      when: z.enum(['all', 'any']),
    })
    .optional(),
  webhook: z
    .object({ secret: z.string(), params: parameters, scheme: z.enum(hookSchemes).optional() })
    .optional(),
  params: parameters,
  priority: priority.optional(),
  enabled: z.boolean(),
});

/** One version of a workflow: defaults filled in, durations and times in milliseconds. */
export const workflow = z
  .object({
    project: z.string(),
    name: z.string(),
    description: z.string().optional(),
    tags: z.array(z.string()),
    priority,
    mode: z.enum(runModes),
    limit: z.int().optional(),
    onePerPeriod: z.boolean().optional(),
    onNoRoom: z.literal('fail').optional(),
    onFailure: z.enum(failureStrategies),
    timeout: timeout.optional(),
    deadline: z
      .object({ at: z.string(), timezone: z.string(), days: z.array(z.int()).optional() })
      .optional(),
    workerGroup: z.string(),
    environment: z.string().optional(),
    tenant: z.string(),
    callableFrom: z.array(z.string()).optional(),
    timezone: z.string(),
    params: z.record(z.string(), declaredParameter),
    schedules: z.array(schedule),
    triggers: z.array(trigger),
    tasks: z.array(task),
  })
  .meta({ id: 'Workflow' }) satisfies z.ZodType<Workflow>;
