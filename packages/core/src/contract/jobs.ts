/** Elastic jobs, as the processes that run them share them in a registry: seen and driven from here. */
import { z } from 'zod';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { time } from './shapes.ts';

const status = z
  .enum(['ok', 'disabled', 'idle', 'crashed', 'resharding', 'broken'])
  .describe(
    'idle: no instance; crashed: shards of a lost instance wait for another; resharding: shards are to be divided again; broken: entries cannot be read',
  );

const summary = {
  center: z.string().describe('the name that the setting `jobs` gives the namespace'),
  name: z.string(),
  status,
  fault: z.string().nullable().describe('what is wrong with a broken job'),
  cron: z.string().nullable(),
  timezone: z.string().nullable(),
  shards: z.int(),
  instances: z.int(),
  running: z.int().describe('shards that run now'),
};

const instance = z
  .object({
    id: z.string(),
    server: z.string(),
    since: time,
    isLeader: z.boolean(),
    disabled: z.boolean(),
    shards: z.array(z.int()),
    running: z.array(z.int()),
    last: z
      .object({
        at: time,
        succeeded: z.int(),
        failed: z.array(z.object({ shard: z.int(), error: z.string() })).describe('the first failures'),
      })
      .nullable()
      .describe('its last round'),
  })
  .meta({ id: 'JobInstance' });

const shard = z
  .object({
    shard: z.int(),
    parameter: z.string(),
    state: z
      .enum(['ready', 'running', 'disabled', 'crashed', 'orphan', 'unassigned'])
      .describe('orphan: its owner is not there; unassigned: not divided yet'),
    owner: z.string().nullable(),
    runner: z.string().nullable().describe('another than its owner after a failover'),
  })
  .meta({ id: 'JobShard' });

const details = z
  .object({
    ...summary,
    config: z.record(z.string(), z.unknown()).describe('durations in milliseconds'),
    identity: z.string().describe('what kind of handler it has'),
    instanceList: z.array(instance),
    shardList: z.array(shard),
    disabledServers: z.array(z.string()),
    mark: z
      .object({ reasons: z.array(z.string()), since: time })
      .nullable()
      .describe('why the shards are to be divided again'),
    divisions: z
      .array(z.object({ number: z.int(), at: time, reasons: z.array(z.string()), moved: z.int() }))
      .describe('the last divisions of the shards, the newest first'),
    faults: z.array(z.string()).describe('entries that cannot be read'),
  })
  .meta({ id: 'JobDetails' });

const name = z.string().min(1).max(200);
const path = z.strictObject({ center: name, job: name });
const asked = z.object({ instances: z.array(z.string()).describe('who was asked') });
const target = z
  .strictObject({ server: name.optional(), shard: z.int().min(0).optional() })
  .refine(
    ({ server, shard }) => server === undefined || shard === undefined,
    'name a server or a shard, not both',
  )
  .describe('a server or a shard; without either the whole job');

export const jobOperations = {
  listJobs: {
    summary: 'elastic jobs of all namespaces that the server knows',
    answer: z.object({
      centers: z.array(z.object({ name: z.string(), error: z.string().nullable() })),
      jobs: z.array(z.object(summary).meta({ id: 'Job' })),
    }),
  },
  showJob: { summary: 'an elastic job: instances, shards, who runs what now', params: path, answer: details },
  dumpJob: {
    summary: 'every registry entry of a job as it is stored',
    params: path,
    answer: z.object({ entries: z.array(z.object({ path: z.string(), value: z.string() })) }),
  },
  triggerJob: {
    summary: 'asks for a round now, of all instances or of one',
    params: path,
    body: z.strictObject({
      instance: name.optional(),
      parameter: z.string().max(10_000).optional().describe('handed to the handlers of this round'),
    }),
    answer: asked,
  },
  disableJob: {
    summary: 'disables a job, a server or a shard; what runs ends',
    params: path,
    body: target,
    answer: details,
  },
  enableJob: { summary: 'enables a job, a server or a shard', params: path, body: target, answer: details },
  configureJob: {
    summary: 'changes settings of a job for all instances; null takes one away',
    params: path,
    body: z
      .record(z.string(), z.unknown())
      .describe('as in a definition: `{"cron": "0 0 * * * ?", "shards": 8}`'),
    answer: details,
  },
  stopJob: {
    summary: 'ends the part of all instances or of one in the job, in good order',
    params: path,
    body: z.strictObject({ instance: name.optional() }),
    answer: asked,
  },
  deleteJob: {
    summary: 'deletes a job without instances, with all that is stored of it',
    params: path,
    status: 204,
    answer: z.undefined(),
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
