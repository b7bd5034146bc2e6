/** The cluster: health of the server, its nodes, and the task types of its workers. */
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { time } from './shapes.ts';

const nodeState = z
  .enum(['alive', 'silent', 'paused', 'draining', 'unhealthy', 'gone'])
  .describe(
    'paused: it has not reached the store for a while, and takes nothing; unhealthy: a worker that cannot run tasks now',
  );

const progress = time
  .nullable()
  .describe('when it last finished or advanced work, unlike its heartbeat; null if that is too long ago');

const master = z
  .object({
    id: z.string(),
    state: nodeState,
    roles: z.array(z.string()),
    address: z.string(),
    epoch: z.int(),
    joinedAt: time,
    beatAt: time,
    progressAt: progress,
    runs: z.int().describe('runs that it owns'),
    reason: z.string().nullable().describe('why it takes no work although it is alive, such as its load'),
    settings: z.record(z.string(), z.string()).describe('in force there; times in milliseconds'),
    clockOffset: z
      .int()
      .nullable()
      .describe("milliseconds that are added to its clock to get the database's; null if not measured yet"),
    clockFault: z.string().nullable().describe('why it fires nothing by its clock now; null if it does'),
  })
  .meta({ id: 'Master' });

const worker = z
  .object({
    id: z.string(),
    state: nodeState,
    groups: z.array(z.string()),
    address: z.string(),
    epoch: z.int(),
    slots: z.int(),
    used: z.int().describe('attempts it has now'),
    resources: z
      .object({
        cores: z.number(),
        usedCores: z.number(),
        memory: z.int().describe('bytes'),
        usedMemory: z.int(),
      })
      .nullable()
      .describe('what it has for tasks that ask for cores and memory, and what its attempts asked for'),
    beatAt: time,
    progressAt: progress,
    load: z
      .object({
        cpu: z.number().describe('shares of its machine in use, 0 to 1'),
        memory: z.number(),
        disk: z.number().nullable(),
      })
      .nullable()
      .describe('from its last heartbeat; null before the first'),
    unhealthy: z
      .object({ reason: z.string(), since: time })
      .nullable()
      .describe('why it takes no work, and since when; it runs what it has, and takes again when it is well'),
  })
  .meta({ id: 'Worker' });

const nodeAttempt = z
  .object({
    id: z.string().describe('the attempt, as `orrery logs` takes it'),
    run: z.int(),
    project: z.string(),
    workflow: z.string(),
    assignedAt: time,
    ending: z.boolean().describe('it was asked to end'),
  })
  .meta({ id: 'NodeAttempt' });

const path = z.strictObject({ node: z.string().min(1).max(200) });
const dryRun = z.boolean().default(false).describe('only say whether it may be done');
const drained = z
  .object({
    id: z.string(),
    roles: z.array(z.enum(['master', 'worker'])).describe('what drains: all that this node is'),
    draining: z.boolean(),
    sum: z.string().describe('what the others can carry'),
    runs: z.int().describe('runs that it still owns'),
    attempts: z.int().describe('attempts that it still has'),
  })
  .meta({ id: 'Drain' });

const invitation = z
  .object({
    worker: z.string().describe('the one name under which a worker may join with it'),
    groups: z.array(z.string()).describe('the worker groups that it may serve'),
    createdBy: z.string(),
    createdAt: time,
    usedAt: time.nullable().describe('when a worker last joined with it'),
  })
  .meta({ id: 'Invitation' });

const workerName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,99}$/)
  .describe('letters, digits, ".", "_" and "-", at most 100');

const taskType = z
  .object({
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    schema: z.record(z.string(), z.unknown()).optional().describe('what its `with` accepts, as JSON Schema'),
    waits: z.boolean().optional().describe('whether its attempts poll, and take no slot'),
  })
  .meta({ id: 'TaskType' });

const healthy = z.object({
  status: z.literal('ok'),
  version: z.string(),
  since: time,
  store: z.enum(['sqlite', 'postgres']),
  parts: z.array(z.string()).describe('what was looked at: `store`, `master`, `disk`, `worker`'),
});

export const clusterOperations = {
  checkHealth: {
    route: 'GET /health',
    action: 'cluster.read',
    scope: 'shared',
    summary:
      'whether the store can be read and written, a master is alive, and this process works; 503 names each part that does not',
    open: true,
    answer: healthy,
    example: {},
  },
  checkReady: {
    route: 'GET /ready',
    action: 'cluster.read',
    scope: 'shared',
    summary: 'the same without the master: whether this process can do its own part',
    open: true,
    answer: healthy,
    example: {},
  },
  listNodes: {
    route: 'GET /nodes',
    action: 'cluster.read',
    scope: 'shared',
    summary: 'masters and workers',
    answer: z.object({ masters: z.array(master), workers: z.array(worker) }),
    example: {},
  },
  listNodeAttempts: {
    route: 'GET /nodes/{node}/attempts',
    action: 'cluster.read',
    scope: 'filter',
    summary: 'what a worker runs now, oldest first, at most 500',
    params: path,
    query: z.strictObject({ project: z.string().max(300).optional() }),
    answer: z.object({ attempts: z.array(nodeAttempt) }),
    example: { node: 'w1' },
  },
  drainNode: {
    route: 'POST /nodes/{node}/drain',
    action: 'node.control',
    scope: 'every',
    audit: 'node.drain',
    summary:
      'has a master or worker take nothing new; refused with the sum where the others could not carry on',
    params: path,
    body: z.strictObject({
      timeout: z
        .int()
        .min(0)
        .max(86_400_000)
        .default(30_000)
        .describe('milliseconds in which runs of a master may end there; those left are handed over'),
      together: z
        .boolean()
        .default(false)
        .describe('also while another master drains, although tolerances differ'),
      dryRun,
    }),
    answer: drained,
    example: { node: 'w2', body: { dryRun: true } },
  },
  undrainNode: {
    route: 'POST /nodes/{node}/undrain',
    action: 'node.control',
    scope: 'every',
    audit: 'node.undrain',
    summary: 'has it take work again, at any moment',
    params: path,
    answer: drained,
    example: { node: 'w2' },
  },
  forgetNode: {
    route: 'POST /nodes/{node}/forget',
    action: 'node.control',
    scope: 'every',
    audit: 'node.forget',
    summary: 'drops a node that is gone from the list',
    params: path,
    body: z.strictObject({ dryRun }),
    answer: z.object({ id: z.string(), forgotten: z.boolean() }),
    example: { node: 'm2', body: {} },
  },
  listInvitations: {
    route: 'GET /invitations',
    action: 'token.manage',
    scope: 'every',
    summary: 'the workers that may join from other machines; never the tokens themselves',
    answer: z.object({ invitations: z.array(invitation) }),
    example: {},
  },
  inviteNode: {
    route: 'POST /invitations',
    action: 'token.manage',
    audit: 'worker.invite',
    scope: 'every',
    summary: 'invites a worker; this answer is the only place its token is ever shown',
    body: z.strictObject({
      worker: workerName,
      groups: z.array(workerName).min(1).max(100).default(['default']),
    }),
    status: 201,
    answer: z.object({ ...invitation.shape, token: z.string() }),
    example: { body: { worker: 'w9', groups: ['gpu'] } },
  },
  uninviteNode: {
    route: 'DELETE /invitations/{node}',
    action: 'token.manage',
    audit: 'worker.uninvite',
    scope: 'every',
    summary: 'ends an invitation and the session of the worker that joined with it',
    params: path,
    answer: z.object({ worker: z.string() }),
    example: { node: 'w8' },
  },
  listTaskTypes: {
    route: 'GET /task-types',
    action: 'cluster.read',
    scope: 'shared',
    summary: 'what workers can run, with the JSON Schema of the settings of each type',
    answer: z.object({ taskTypes: z.array(taskType) }),
    example: {},
  },
  readOpenApi: {
    route: 'GET /openapi.json',
    action: 'cluster.read',
    scope: 'shared',
    summary: 'this API as OpenAPI 3.1',
    answer: z.record(z.string(), z.unknown()),
    example: {},
  },
} as const satisfies Record<string, Operation>;
