/** Valid input for every operation, on a store that has something of everything; for tests. */
import { createHmac } from 'node:crypto';
import {
  contract,
  type Input,
  type OperationId,
  type OperationSchema,
  operations,
} from '@orrery/core/contract';
import { headerName } from '../header.ts';
import { seedJobs } from '../jobs/seed-jobs.ts';
import { type TestApi, testApi } from '../testing.ts';

/** An API with something of everything. */
export interface Seed {
  readonly api: TestApi;
  readonly queued: number;
  /** Task `a` has failed once and runs again, `b` waits for it, `c` is delayed. */
  readonly running: number;
  readonly failed: number;
  readonly schedule: number;
  readonly token: number;
  /** It means two runs, and nobody carries it out. */
  readonly bulk: number;
}

const workflow = `name: demo
params: {day: monday}
schedule: 0 12 * * *
triggers: [{name: push, webhook: HOOK}]
tasks:
  - {name: a, type: shell, retries: 3}
  - {name: b, type: shell, needs: a}
  - {name: c, type: shell, delay: 1h}
`;

/** Builds one. */
export async function seed(more: Parameters<typeof testApi>[0] = {}): Promise<Seed> {
  const jobs = [{ name: 'billing', operator: await seedJobs() }];
  const api = await testApi({ jobs, token: serverToken, readSecret: async () => hookSecret, ...more });
  api.headers.authorization = `Bearer ${serverToken}`;
  const { hand } = api;
  await api.publish(workflow);
  await api.publish(workflow.replace('monday', 'tuesday'));
  await api.publish('name: lone\ntasks: [{name: a, type: shell}]');
  await api.put('/workflows/default/demo/draft', { text: workflow.replace('monday', 'friday') });
  const start = async () => (await api.post('/runs', { workflow: 'demo' })).body.id as number;
  const [running, failed] = [await start(), await start()];
  await hand.claim();
  await hand.joinWorker();
  await hand.change(running, { state: 'running', startedAt: api.now });
  await hand.enqueue(running, 0);
  await hand.take();
  const again = { shards: [{ state: 'out', attempt: 2, failures: 1, lost: 0 }] } as const;
  await hand.end(
    running,
    0,
    { state: 'failed', error: 'exit 1', logTail: 'oops\n' },
    hand.task('running', again),
  );
  await hand.change(running, { tasks: [[2, hand.task('delayed', { due: api.now + 3_600_000 })]] });
  await hand.change(failed, { state: 'failed', tasks: [[0, hand.task('failed')]], endedAt: api.now });
  api.logs.set(`${running}.0.1`, { text: 'line one\nline two\n', live: false });
  const queued = await start();
  const [{ id: schedule }] = (await api.get('/schedules')).body.schedules;
  const { body: token } = await api.post('/tokens', { name: 'ci', role: 'viewer' });
  const filter = { workflow: 'demo', state: ['running', 'failed'] };
  const { body: made } = await api.post('/bulks', { action: 'pause', filter });
  return { api, queued, running, failed, schedule, token: token.id, bulk: made.bulk.id };
}

const hookSecret = 'what-requests-are-signed-with';

/** The token of the server under test. */
const serverToken = 'the-token-of-the-server-under-test';

const settle = { center: 'billing', job: 'settle' } as const;
const demo = { project: 'default', name: 'demo' } as const;
const range = { from: '2026-03-01T00:00:00Z', to: '2026-03-03T00:00:00Z' } as const;

type Inputs = { readonly [Id in OperationId]: (seed: Seed) => Input<Id> | Promise<Input<Id>> };

/** What each operation is called with; some bring about first what they need. */
export const validInputs: Inputs = {
  checkHealth: () => ({}),
  checkReady: () => ({}),
  listNodes: () => ({}),
  drainNode: async ({ api }) => {
    await api.hand.joinWorker('w8', 1);
    await api.hand.joinWorker('w9', 1);
    return { node: 'w9', body: { dryRun: true } };
  },
  undrainNode: async ({ api }) => {
    await api.hand.joinWorker('w9', 1);
    return { node: 'w9' };
  },
  forgetNode: async ({ api }) => {
    const now = api.now;
    const { epoch } = await api.store.joinNode({ id: 'm9', roles: ['master'], address: '', info: {}, now });
    await api.store.leaveNode({ self: { node: 'm9', epoch }, now });
    return { node: 'm9', body: {} };
  },
  listTaskTypes: () => ({}),
  readOpenApi: () => ({}),

  listWorkflows: () => ({ include: ['strip', 'next'], q: 'de', limit: 1 }),
  publishWorkflows: () => ({ body: 'name: more\ntasks: [{name: a, type: shell}]', note: 'first' }),
  validateWorkflow: () => ({ body: 'name: more\ntasks: [{name: a, type: shel}]' }),
  showWorkflow: () => ({ ...demo, version: 1 }),
  deleteWorkflow: () => ({ project: 'default', name: 'lone' }),
  renameWorkflow: () => ({ project: 'default', name: 'lone', body: { name: 'alone' } }),
  listVersions: () => ({ ...demo, limit: 1 }),
  restoreVersion: () => ({ ...demo, version: 1, body: {} }),
  readSource: () => ({ ...demo, format: 'yaml' }),
  compareVersions: () => ({ ...demo, from: 1, to: 'draft' }),
  showGrid: () => ({ ...demo, runs: 10 }),
  readDraft: () => demo,
  saveDraft: () => ({ ...demo, ifMatch: '"1"', body: { text: 'name: demo' } }),
  discardDraft: () => ({ ...demo, ifMatch: '"1"' }),
  publishDraft: () => ({ ...demo, body: { note: 'better' } }),

  startRun: () => ({ body: { workflow: 'demo', params: { day: 'sunday' } }, idempotencyKey: 'once' }),
  listRuns: () => ({ state: ['failed', 'running'], workflow: 'demo', count: true }),
  showHistogram: () => ({ buckets: 4 }),
  listRunGroups: () => ({ by: 'error', state: ['failed'] }),
  listRunPoints: () => ({ workflow: 'demo', from: '-7d' }),
  setRunTags: ({ running }) => ({ id: running, body: { tags: ['nightly'] } }),
  listViews: () => ({ project: 'default' }),
  setView: () => ({ project: 'default', view: 'slow', body: { query: 'duration=10m', badge: true } }),
  deleteView: async ({ api }) => {
    await api.put('/projects/default/views/gone', { query: 'state=failed' });
    return { project: 'default', view: 'gone' };
  },
  showRun: ({ running }) => ({ id: running }),
  listTasks: ({ running }) => ({ id: running }),
  listTaskWaits: ({ running }) => ({ id: running }),
  listRunEvents: ({ running }) => ({ id: running }),
  pauseRun: ({ running }) => ({ id: running, body: {} }),
  resumeRun: async ({ api, running }) => {
    await api.hand.change(running, { state: 'paused' });
    return { id: running, body: {} };
  },
  stopRun: ({ queued }) => ({ id: queued, body: { reason: 'not needed' } }),
  recoverRun: ({ failed }) => ({ id: failed, body: {} }),
  rerunRun: ({ failed }) => ({ id: failed, body: { scope: { kind: 'from', tasks: ['a'] }, dryRun: true } }),
  replayRun: ({ failed }) => ({ id: failed, body: { version: 'latest', params: { day: 'sunday' } } }),
  forceTask: ({ running }) => ({ id: running, body: { task: 'a' } }),
  killTask: ({ running }) => ({ id: running, body: { task: 'a' } }),
  startTaskNow: ({ running }) => ({ id: running, body: { task: 'c' } }),
  setRunParams: async ({ api, running }) => {
    await api.hand.change(running, { state: 'paused' });
    return { id: running, body: { params: { day: 'sunday' } } };
  },

  createBulk: ({ running, failed }) => ({
    body: { action: 'stop', ids: [running, failed] },
    idempotencyKey: 'once',
  }),
  listBulks: ({ bulk }) => ({ project: 'default', limit: 1, before: bulk + 1 }),
  showBulk: ({ bulk }) => ({ id: bulk }),
  listBulkResults: ({ bulk }) => ({ id: bulk, outcome: 'left' }),
  abortBulk: ({ bulk }) => ({ id: bulk, body: { reason: 'a mistake' } }),

  startBackfill: () => ({ body: { workflow: 'demo', from: '2026-01-01', to: '2026-01-03', dryRun: true } }),

  receiveHook: ({ api }) => {
    const body = '{"ref":"main"}';
    const orreryTimestamp = String(api.now / 1_000);
    const sum = createHmac('sha256', hookSecret).update(`${orreryTimestamp}.${body}`).digest('hex');
    const hook = { project: 'default', workflow: 'demo', trigger: 'push' };
    return { ...hook, body, orreryTimestamp, orrerySignature: `v1=${sum}` };
  },

  showTaskRun: ({ running }) => ({ id: `${running}.a` }),
  listAttempts: ({ running }) => ({ id: `${running}.a` }),
  readLog: ({ running }) => ({ id: `${running}.a.1` }),
  searchLog: ({ running }) => ({ id: `${running}.a.1`, q: 'two' }),
  explain: ({ running }) => ({ id: `${running}.b` }),

  listSchedules: () => ({ project: 'default', state: 'on' }),
  showSchedule: ({ schedule }) => ({ id: schedule }),
  listScheduleTicks: ({ schedule }) => ({ id: schedule }),
  updateSchedule: ({ schedule }) => ({ id: schedule, ifMatch: '"1"', body: { cron: '30 3 * * *' } }),
  pauseSchedule: ({ schedule }) => ({ id: schedule, ifMatch: '"1"' }),
  resumeSchedule: async ({ api, schedule }) => {
    await api.post(`/schedules/${schedule}/pause`);
    return { id: schedule };
  },
  fireSchedule: ({ schedule }) => ({ id: schedule, idempotencyKey: 'once' }),
  listTicks: () => ({ ...range, limit: 5 }),

  previewCron: () => ({ body: { cron: '0 12 * * *', count: 2 } }),
  previewParams: () => ({ body: { template: '$[yyyyMMdd-1]' } }),
  previewShards: () => ({
    body: { items: 10, servers: ['a', 'b'], strategy: 'weighted', weights: { a: 2 } },
  }),
  previewPlan: () => ({ body: { total: 10, nodes: ['a', 'b', 'c'] } }),
  previewDependency: () => ({ body: { window: 'last2Days' } }),

  showOverview: () => ({}),
  muteNeed: async ({ api }) => {
    const [need] = (await api.get('/overview')).body.needs;
    return { id: need.id, body: { reason: 'known' } };
  },
  search: () => ({ q: 'demo' }),

  followEvents: () => ({ topics: ['runs'] }),

  signIn: () => ({ body: { token: serverToken } }),
  signOut: () => ({}),
  showMe: () => ({}),
  savePreferences: () => ({ body: { language: 'zh' } }),
  changePreferences: () => ({ body: { zone: 'UTC', language: null } }),
  listProjects: () => ({}),
  showProject: () => ({ project: 'default' }),
  setProject: () => ({ project: 'default', ifMatch: '"0"', body: { params: { region: 'eu' } } }),
  showParameters: () => ({}),
  setParameters: () => ({ ifMatch: '"0"', body: { params: { region: 'eu' } } }),
  listEnvironments: () => ({}),
  showEnvironment: async ({ api }) => {
    await api.put('/environments/prod', { variables: { REGION: 'eu' } });
    return { name: 'prod' };
  },
  setEnvironment: () => ({
    name: 'test',
    ifMatch: '"0"',
    body: { variables: { TOKEN: '${secret.token}' }, workerGroups: ['gpu'] },
  }),
  deleteEnvironment: async ({ api }) => {
    await api.put('/environments/old', { variables: {} });
    return { name: 'old' };
  },
  listTaskGroups: () => ({ project: 'default' }),
  showTaskGroup: async ({ api }) => {
    await api.put('/task-groups/default/warehouse', { slots: 2 });
    return { project: 'default', name: 'warehouse' };
  },
  setTaskGroup: () => ({ project: 'default', name: 'licence', body: { slots: 1 } }),
  deleteTaskGroup: async ({ api }) => {
    await api.put('/task-groups/default/old', { slots: 2 });
    return { project: 'default', name: 'old' };
  },
  listJobs: () => ({}),
  showJob: () => settle,
  dumpJob: () => settle,
  triggerJob: () => ({ ...settle, body: { parameter: 'today' } }),
  disableJob: () => ({ ...settle, body: { shard: 1 } }),
  enableJob: () => ({ ...settle, body: { server: '10.0.0.1' } }),
  configureJob: () => ({ ...settle, body: { shards: 3, shardParameters: '2=shenzhen' } }),
  stopJob: () => ({ ...settle, body: {} }),
  deleteJob: () => ({ center: 'billing', job: 'old' }),
  showLimits: () => ({}),
  setLimits: () => ({
    ifMatch: '"0"',
    body: { runs: 100, tenants: { sales: { runs: 10, weight: 2 } } },
  }),
  listTokens: () => ({ limit: 1 }),
  createToken: () => ({ body: { name: 'other', role: 'operator', project: 'default' } }),
  revokeToken: ({ token }) => ({ id: token }),
  listAudit: () => ({}),
  showConfig: () => ({}),
};

/** Input as it travels. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly payload?: string | Buffer;
}

/** The request of an operation. */
export function requestOf(id: OperationId, input: Readonly<Record<string, unknown>>): Sent {
  const [method, path] = operations[id];
  const schema: OperationSchema = contract[id];
  const query = new URLSearchParams();
  for (const key of Object.keys(schema.query?.shape ?? {}))
    if (input[key] !== undefined) query.set(key, String(input[key]));
  const headers: Record<string, string> = { authorization: `Bearer ${serverToken}` };
  for (const key of Object.keys(schema.headers?.shape ?? {}))
    if (input[key] !== undefined) headers[headerName(key).toLowerCase()] = String(input[key]);
  const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(input[name])));
  const sent = { method, url: `/api/v1${url}${query.size > 0 ? `?${query}` : ''}`, headers };
  if (input.body === undefined) return sent;
  headers['content-type'] = schema.bodyTypes?.[0] ?? 'application/json';
  return { ...sent, payload: schema.bodyTypes ? String(input.body) : JSON.stringify(input.body) };
}
