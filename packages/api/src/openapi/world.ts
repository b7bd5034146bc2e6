/** A server that has something of everything, on which the examples of the contract are valid; for tests. */
import { contract, type OperationId, operationOf, routeOf } from '@orrery/contract';
import { headerName } from '../header.ts';
import { seedJobs } from '../jobs/seed-jobs.ts';
import { type TestApi, testApi } from '../testing.ts';

const workflow = `name: demo
params: {day: monday}
schedule: 0 12 * * *
triggers: [{name: push, webhook: HOOK}]
tasks:
  - {name: a, type: shell, retries: 3}
  - {name: b, type: shell, needs: a}
  - {name: c, type: shell, delay: 1h}
`;

const nightly = 'name: nightly\nschedule: 0 1 * * *\ntasks: [{name: a, type: shell}]';

const gate = `name: gate
tasks:
  - {name: ask, type: approval, with: {message: go on?, fields: {most: {type: integer}}}}
`;

/** The first plan of the leader `m2`. */
const plan = {
  ...{ number: 1, mode: 'scope', strategy: 'range', hash: 'h', leader: 'm2', reason: 'm2 was elected' },
  body: JSON.stringify({
    ...{ number: 1, mode: 'scope', strategy: 'range', nodes: ['m2'] },
    ranges: { owners: ['m2'], cuts: [] },
  }),
  ...{ schedules: 2, moved: 2 },
};

/** A server, and what it calls the things that examples number from 1. */
export interface World {
  readonly api: TestApi;
  readonly runs: readonly number[];
  readonly schedules: readonly number[];
  readonly tokens: readonly number[];
  readonly bulks: readonly number[];
  readonly alerts: readonly number[];
  readonly deliveries: readonly number[];
  readonly mutes: readonly number[];
  /** The one need of people. */
  readonly need: string;
}

/**
 * Builds a cluster for examples. In run 1, task `a` failed once and runs again, `b` waits for it, `c` is
 * delayed. Run 2 has failed, 3 is paused, 4 is queued, 5 is a running backfill, 6 waits for an answer.
 * Schedule 2 is paused. Bulk 1 covers two runs and never progresses.
 */
export async function seed(more: Parameters<typeof testApi>[0] = {}): Promise<World> {
  const jobs = [{ name: 'billing', operator: (await seedJobs()).operator }];
  const api = await testApi({ jobs, token: serverToken, readSecret: async () => hookSecret, ...more });
  api.headers.authorization = `Bearer ${serverToken}`;
  const { hand, store, now } = api;
  await api.publish(workflow);
  await api.publish(workflow.replace('monday', 'tuesday'));
  await api.publish('name: lone\ntasks: [{name: a, type: shell}]');
  await api.publish(nightly);
  await api.publish(gate);
  const schedules: { id: number }[] = (await api.get('/schedules')).body.schedules;
  await api.post(`/schedules/${schedules[1].id}/pause`);
  await api.put('/workflows/default/demo/draft', { text: workflow.replace('monday', 'friday') });
  const runs = await seedRuns(api);
  for (const worker of ['w2', 'w3']) await hand.joinWorker(worker, 1);
  await store.inviteWorker({ worker: 'w8', groups: ['default'], hash: 'h', by: 'root', now });
  const { epoch } = await store.joinNode({ id: 'm2', roles: ['master'], address: '', info: {}, now });
  await store.recordPlan({ self: { node: 'm2', epoch }, plan: { ...plan, writtenAt: now } });
  await store.leaveNode({ self: { node: 'm2', epoch }, now });
  const { body: token } = await api.post('/tokens', { name: 'ci', role: 'viewer' });
  const filter = { workflow: 'demo', state: ['running', 'failed'] };
  const { body: made } = await api.post('/bulks', { action: 'pause', filter });
  await api.put('/projects/default/views/old', { query: 'state=failed' });
  await api.put('/environments/prod', { variables: { REGION: 'eu' } });
  await api.put('/task-groups/default/warehouse', { slots: 2 });
  const told = await seedAlerts(api, runs[1]);
  const settings = { file: '/data/warehouse.db' };
  await api.put('/connections/default/warehouse', { kind: 'sqlite', settings });
  await api.put('/calendars/default/holidays', { yearly: ['12-25'] });
  const [need] = (await api.get('/overview')).body.needs;
  return {
    api,
    runs,
    schedules: schedules.map(({ id }) => id),
    tokens: [token.id],
    bulks: [made.bulk.id],
    ...told,
    need: need.id,
  };
}

/** A run whose failure a rule sent to a channel, where delivery failed. */
async function seedAlerts({ hand, put, post, get, store, now }: TestApi, run: number) {
  await put('/alert-channels/*/ops', { kind: 'slack', settings: { url: '${secret.slack}' } });
  await put('/alert-rules/default/old', { name: 'old', channels: ['ops'] });
  const self = await hand.join();
  const about = { workflow: 1, project: 'default', name: 'demo', run };
  await hand.change(run, { alerts: [{ ...about, kind: 'run-failed', text: 'exit 1', from: now, to: null }] });
  await store.routeAlerts({ self, limit: 10, now });
  await store.passAlertGroups({ self, limit: 10, now });
  const leased = await store.leaseDeliveries({ self, limit: 10, until: now, now });
  const results = leased.map(
    ({ id, tries }) => ({ id, number: tries, state: 'failed', answer: '400', took: 1 }) as const,
  );
  await store.recordTries({ self, results, now });
  const { body: muted } = await post('/alert-mutes/default', {
    match: { names: ['x'] },
    until: '+1h',
    reason: 'r',
  });
  const { alerts } = (await get('/alerts')).body as { alerts: { id: number }[] };
  return {
    alerts: alerts.map(({ id }) => id),
    deliveries: leased.map(({ id }) => id),
    mutes: [muted.id as number],
  };
}

async function seedRuns({ hand, post, logs, now }: TestApi): Promise<number[]> {
  const start = async () => (await post('/runs', { workflow: 'demo' })).body.id as number;
  const [running, failed, paused] = [await start(), await start(), await start()];
  const times = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
  const backfill = (await post('/backfills', { workflow: 'lone', times })).body.id as number;
  const asking = (await post('/runs', { workflow: 'gate' })).body.id as number;
  await hand.claim();
  await hand.joinWorker();
  await hand.change(running, { state: 'running', startedAt: now });
  await hand.enqueue(running, 0);
  await hand.take();
  const again = { shards: [{ state: 'out', attempt: 2, failures: 1, lost: 0 }] } as const;
  await hand.end(
    running,
    0,
    { state: 'failed', error: 'exit 1', logTail: 'oops\n' },
    hand.task('running', again),
  );
  await hand.change(running, { tasks: [[2, hand.task('delayed', { due: now + 3_600_000 })]] });
  await hand.change(failed, { state: 'failed', tasks: [[0, hand.task('failed')]], endedAt: now });
  await hand.change(paused, { state: 'paused' });
  logs.set(`${running}.0.1`, { text: 'line one\nline two\n', live: false });
  await hand.change(backfill, { state: 'running', startedAt: now });
  const question = { message: 'go on?', defaults: {} };
  await hand.change(asking, {
    state: 'running',
    startedAt: now,
    tasks: [[0, hand.task('waiting', { question, started: now })]],
    approvals: { open: [{ task: 0, round: 1, name: 'ask', message: question.message }], close: [] },
  });
  return [running, failed, paused, await start(), backfill, asking];
}

/** What the example of `receiveHook` is signed with. */
const hookSecret = 'what-requests-are-signed-with';

const serverToken = contract.signIn.example.body.token;

/** Input as it travels. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly payload?: string | Buffer;
}

/** The example of an operation as a request to a world. */
export function exampleOf(id: OperationId, world: World): Sent {
  const { example } = operationOf(id);
  return requestOf(id, 'id' in example ? { ...example, id: idOf(id, String(example.id), world) } : example);
}

/** What the world calls `1.a` of an example. */
function idOf(operation: OperationId, id: string, world: World): string {
  const [, kind] = routeOf(operation).path.split('/');
  if (kind === 'needs') return world.need;
  const { runs, schedules, tokens, bulks, alerts, deliveries, mutes } = world;
  const numbers = { schedules, tokens, bulks, alerts, deliveries, 'alert-mutes': mutes }[kind] ?? runs;
  return id.replace(/^\d+/, (digits) => String(numbers[Number(digits) - 1]));
}

/** The request of an operation. */
export function requestOf(id: OperationId, input: Readonly<Record<string, unknown>>): Sent {
  const { method, path } = routeOf(id);
  const schema = operationOf(id);
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
