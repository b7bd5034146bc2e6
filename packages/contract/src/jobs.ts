/** Elastic jobs, shared in a registry by the processes that run them; the API shows and controls them. */
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { action, limit, next, number, time } from './shapes.ts';

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
  unowned: z.int().describe('shards that no living instance has'),
  nextTick: time.nullable().describe('by its cron; null without one, and while it is disabled'),
};

const failures = z.array(z.object({ shard: z.int(), error: z.string() })).describe('the first failures');

const cause = z.enum(['tick', 'trigger', 'misfire', 'failover']);

const instance = z
  .object({
    id: z.string(),
    server: z.string(),
    language: z.enum(['typescript', 'java']),
    since: time,
    isLeader: z.boolean(),
    disabled: z.boolean(),
    shards: z.array(z.int()),
    running: z.array(z.int()),
    last: z
      .object({ at: time, cause, succeeded: z.int(), failures: z.int(), failed: failures })
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
    isRecorded: z
      .boolean()
      .describe('whether the registry keeps rounds and divisions; entries of ElasticJob do not'),
    actions: z.array(action),
  })
  .meta({ id: 'JobDetails' });

const event = z
  .object({
    id: number,
    kind: z.enum(['round', 'reshard']),
    at: time.describe('when it ended'),
    number: z.int().describe('counts the rounds of an instance, or the divisions of the job'),
    unseen: z.int().describe('earlier ones that are missing here: no server watched when they ended'),
    instance: z.string().nullable().describe('who ran the round'),
    cause: cause.nullable(),
    due: time.nullable(),
    startedAt: time.nullable(),
    shards: z.string().nullable().describe('those that ran, such as `0-3,7`'),
    succeeded: z.int().nullable(),
    failures: z.int().nullable(),
    failed: failures,
    reasons: z.array(z.string()).describe('why the shards were divided'),
    moved: z.int().nullable().describe('shards that changed their owner'),
  })
  .meta({ id: 'JobEvent' });

const heatTick = z
  .object({
    at: time.describe('when it was due, or triggered'),
    cause: z.enum(['tick', 'trigger', 'misfire']),
    took: z.int().describe('milliseconds from the first start to the last end'),
    succeeded: z.string().describe('shards, such as `0-3,7`'),
    failed: z.string(),
    takenOver: z.string().describe('those that succeeded by a failover'),
  })
  .meta({ id: 'JobHeatTick' });

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
    route: 'GET /jobs',
    action: 'job.read',
    scope: 'every',
    summary: 'elastic jobs of all namespaces that the server knows',
    answer: z.object({
      centers: z.array(z.object({ name: z.string(), error: z.string().nullable() })),
      jobs: z.array(z.object(summary).meta({ id: 'Job' })),
    }),
    example: {},
  },
  showJob: {
    route: 'GET /jobs/{center}/{job}',
    action: 'job.read',
    scope: 'every',
    summary: 'an elastic job: instances, shards, who runs what now',
    params: path,
    answer: details,
    example: { center: 'billing', job: 'settle' },
  },
  listJobHistory: {
    route: 'GET /jobs/{center}/{job}/history',
    action: 'job.read',
    scope: 'every',
    summary: 'rounds of the instances and divisions of the shards, newest first',
    params: path,
    query: z.strictObject({ limit, before: number.optional() }),
    answer: z.object({ events: z.array(event), next }),
    example: { center: 'billing', job: 'settle', limit: 1 },
  },
  showJobHeat: {
    route: 'GET /jobs/{center}/{job}/heat',
    action: 'job.read',
    scope: 'every',
    summary: 'what each shard did at the last 60 ticks, oldest first',
    params: path,
    answer: z.object({ ticks: z.array(heatTick) }),
    example: { center: 'billing', job: 'settle' },
  },
  dumpJob: {
    route: 'GET /jobs/{center}/{job}/dump',
    action: 'job.read',
    scope: 'every',
    summary: 'every registry entry of a job as it is stored',
    params: path,
    answer: z.object({ entries: z.array(z.object({ path: z.string(), value: z.string() })) }),
    example: { center: 'billing', job: 'settle' },
  },
  triggerJob: {
    route: 'POST /jobs/{center}/{job}/trigger',
    action: 'job.control',
    scope: 'every',
    audit: 'job.trigger',
    summary: 'asks for a round now, of all instances or of one',
    params: path,
    body: z.strictObject({
      instance: name.optional(),
      parameter: z.string().max(10_000).optional().describe('handed to the handlers of this round'),
    }),
    answer: asked,
    example: { center: 'billing', job: 'settle', body: { parameter: 'today' } },
  },
  disableJob: {
    route: 'POST /jobs/{center}/{job}/disable',
    action: 'job.control',
    scope: 'every',
    audit: 'job.disable',
    summary: 'disables a job, a server or a shard; what runs ends',
    params: path,
    body: target,
    answer: details,
    example: { center: 'billing', job: 'settle', body: { shard: 1 } },
  },
  enableJob: {
    route: 'POST /jobs/{center}/{job}/enable',
    action: 'job.control',
    scope: 'every',
    audit: 'job.enable',
    summary: 'enables a job, a server or a shard',
    params: path,
    body: target,
    answer: details,
    example: { center: 'billing', job: 'settle', body: { server: '10.0.0.1' } },
  },
  configureJob: {
    route: 'PATCH /jobs/{center}/{job}/config',
    action: 'job.edit',
    scope: 'every',
    audit: 'job.configure',
    summary: 'changes settings of a job for all instances; null takes one away',
    params: path,
    body: z
      .record(z.string(), z.unknown())
      .describe('as in a definition: `{"cron": "0 0 * * * ?", "shards": 8}`'),
    answer: details,
    example: { center: 'billing', job: 'settle', body: { shards: 3, shardParameters: '2=shenzhen' } },
  },
  previewJob: {
    route: 'POST /jobs/{center}/{job}/preview',
    action: 'job.read',
    scope: 'every',
    summary: 'how the shards would be divided with other settings; changes nothing',
    unaudited: 'changes nothing',
    params: path,
    body: z.record(z.string(), z.unknown()).describe('as for a change of the settings'),
    answer: z.object({
      division: z
        .object({
          instances: z.array(
            z.object({
              id: z.string(),
              before: z.string().describe('its shards now, such as `0-3,7`'),
              after: z.string(),
            }),
          ),
          moved: z.int(),
        })
        .nullable()
        .describe(
          'null where only the instances know: a strategy of the user’s own, or one that takes turns',
        ),
    }),
    example: { center: 'billing', job: 'settle', body: { shards: 3 } },
  },
  stopJob: {
    route: 'POST /jobs/{center}/{job}/stop',
    action: 'job.control',
    scope: 'every',
    audit: 'job.stop',
    summary: 'ends the part of all instances or of one in the job, in good order',
    params: path,
    body: z.strictObject({ instance: name.optional() }),
    answer: asked,
    example: { center: 'billing', job: 'settle', body: {} },
  },
  deleteJob: {
    route: 'DELETE /jobs/{center}/{job}',
    action: 'job.edit',
    scope: 'every',
    audit: 'job.delete',
    summary: 'deletes a job without instances, with all that is stored of it',
    params: path,
    status: 204,
    answer: z.undefined(),
    example: { center: 'billing', job: 'old' },
  },
} as const satisfies Record<string, Operation>;
