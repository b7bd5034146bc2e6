import { RegistryError } from '@orrery/registry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INSTANCE, seedJobs } from '../jobs/seed-jobs.ts';
import { type TestApi, testApi } from '../testing.ts';

const away = async () => {
  throw new RegistryError('away', { detail: 'connection refused' });
};
let api: TestApi;
let billing: Awaited<ReturnType<typeof seedJobs>>;
beforeEach(async () => {
  billing = await seedJobs();
  const { operator } = billing;
  const broken = { ...operator, list: away, dump: away, show: away } as unknown as typeof operator;
  api = await testApi({
    token: 'root-token-for-tests',
    jobs: [
      { name: 'billing', operator },
      { name: 'away', operator: broken },
    ],
  });
  api.headers.authorization = 'Bearer root-token-for-tests';
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

/** The header of a token with this role. */
async function as(role: string, project?: string): Promise<{ authorization: string }> {
  const { body } = await api.post('/tokens', { name: `${role}-${project}`, role, project });
  return { authorization: `Bearer ${body.token}` };
}

describe('elastic jobs', () => {
  it('are listed, also broken ones and namespaces whose registry does not answer', async () => {
    const { body } = await api.get('/jobs');
    expect(body.centers).toEqual([
      { name: 'billing', error: null },
      { name: 'away', error: expect.stringContaining('does not answer') },
    ]);
    expect(body.jobs).toMatchObject([
      { center: 'billing', name: 'bad', status: 'broken', fault: expect.stringContaining('newer version') },
      { name: 'old', status: 'idle', instances: 0 },
      { name: 'settle', status: 'ok', instances: 1, shards: 2, running: 1 },
    ]);
  });

  it('show who runs what, and why shards are where they are', async () => {
    const { body } = await api.get('/jobs/billing/settle');
    expect(body).toMatchObject({
      config: { cron: '0 0 * * * ?', failover: false },
      instanceList: [
        {
          id: INSTANCE,
          isLeader: true,
          shards: [0, 1],
          running: [0],
          last: { succeeded: 1, failed: [{ shard: 1 }] },
        },
      ],
      shardList: [
        { shard: 0, parameter: 'beijing', state: 'running', owner: INSTANCE, runner: INSTANCE },
        { shard: 1, parameter: 'shanghai', state: 'ready', owner: INSTANCE, runner: null },
      ],
      divisions: [{ number: 1, reasons: ['first division'] }],
    });
  });

  it('have a history that is copied from the registry, once, and says what is missing', async () => {
    const path = '/jobs/billing/settle/history';
    const events = async () => (await api.get(path)).body.events;
    await expect.poll(events).toHaveLength(2);
    expect(await events()).toMatchObject([
      {
        kind: 'round',
        instance: INSTANCE,
        cause: 'tick',
        shards: '0-1',
        succeeded: 1,
        failures: 1,
        failed: [{ shard: 1, error: 'no account' }],
        unseen: 0,
      },
      { kind: 'reshard', instance: null, number: 1, reasons: ['first division'], moved: 0 },
    ]);
    expect((await api.get('/jobs/billing/settle/heat')).body.ticks).toMatchObject([
      { cause: 'tick', succeeded: '0', failed: '1', takenOver: '' },
    ]);
    const { registry } = billing;
    const entry = await registry.get(`/billing/settle/running/${INSTANCE}`);
    const running = JSON.parse(entry?.value ?? '');
    const later = { ...running.recent[0], number: 5, cause: 'failover', at: running.recent[0].at + 60_000 };
    await registry.set(
      `/billing/settle/running/${INSTANCE}`,
      JSON.stringify({ ...running, recent: [...running.recent, later] }),
    );
    await expect.poll(events).toHaveLength(3);
    expect((await events())[0]).toMatchObject({ cause: 'failover', number: 5, unseen: 3 });
    const { body } = await api.get(`${path}?limit=2`);
    expect(body.events).toHaveLength(2);
    expect((await api.get(body.next.replace('/api/v1', ''))).body).toMatchObject({
      events: [{ kind: 'reshard' }],
      next: null,
    });
    expect((await api.get('/jobs/billing/nosuch/history')).status).toBe(404);
    expect((await api.get(`${path}?before=x`)).status).toBe(400);
  });

  it('are a need on Home without an instance, or with shards that nobody has for a while', async () => {
    const needs = async () => {
      api.now += 5_000;
      const all: { kind: string; text: string; address: string }[] = (await api.get('/overview')).body.needs;
      return all.filter(({ kind }) => kind.startsWith('job-'));
    };
    await expect.poll(needs).toMatchObject([
      {
        kind: 'job-idle',
        text: 'elastic job billing/old has no instance: nothing runs it',
        address: '/jobs/billing/old',
        command: 'orrery jobs show billing/old',
      },
    ]);
    const assignment = { number: 2, total: 2, strategy: 'average', shards: { 'gone@-@1': '0-1' } };
    await billing.registry.set('/billing/settle/assignment', JSON.stringify(assignment));
    await expect
      .poll(async () => (await needs()).map(({ text }) => text), { timeout: 10_000 })
      .toContain('elastic job billing/settle has 2 of 2 shards without an owner');
    const ofProject = (await api.get('/overview?project=default')).body.needs;
    expect(ofProject.filter(({ kind }: { kind: string }) => kind.startsWith('job-'))).toEqual([]);
  });

  it('say what may be done, and who may', async () => {
    const actions = async (job: string, headers = api.headers) => {
      const reply = await api.app.inject({ url: `/api/v1/jobs/billing/${job}`, headers });
      return Object.fromEntries(
        reply
          .json()
          .actions.map((one: { name: string; allowed: boolean; reason?: string }) => [
            one.name,
            one.allowed || one.reason,
          ]),
      );
    };
    expect(await actions('settle')).toMatchObject({
      'trigger-job': true,
      'enable-job': 'it is not disabled',
      'delete-job': 'it has instances; stop them first',
    });
    expect(await actions('old')).toMatchObject({
      'trigger-job': 'it has no instance',
      'configure-job': true,
      'delete-job': true,
    });
    expect(await actions('settle', await as('viewer'))).toMatchObject({
      'trigger-job': expect.stringContaining('role operator'),
      'configure-job': expect.stringContaining('role editor'),
    });
  });

  it('are triggered, switched, configured, stopped and deleted, each time recorded', async () => {
    const path = '/jobs/billing/settle';
    expect((await api.post(`${path}/trigger`, { parameter: 'now' })).body).toEqual({ instances: [INSTANCE] });
    const dump = async () => JSON.stringify((await api.get(`${path}/dump`)).body);
    expect(await dump()).toContain(`triggers/${INSTANCE}/t1`);
    expect((await api.post(`${path}/disable`, { shard: 1 })).body.shardList[1].state).toBe('disabled');
    expect((await api.post(`${path}/enable`, { shard: 1 })).body.shardList[1].state).toBe('ready');
    expect((await api.post(`${path}/disable`, { server: '10.0.0.1' })).body).toMatchObject({
      disabledServers: ['10.0.0.1'],
      instanceList: [{ disabled: true }],
    });
    expect((await api.post(`${path}/disable`)).body.status).toBe('disabled');
    const reply = await api.app.inject({
      method: 'PATCH',
      url: `/api/v1${path}/config`,
      headers: api.headers,
      payload: { cron: '0 30 * * * ?', failover: true, shards: 3 },
    });
    expect(reply.json().config).toMatchObject({ cron: '0 30 * * * ?', failover: true, shards: 3 });
    expect((await api.del(path)).status).toBe(409);
    expect((await api.post(`${path}/stop`, {})).body).toEqual({ instances: [INSTANCE] });
    expect(await dump()).toContain(`triggers/${INSTANCE}/stop`);
    // As the instance does then.
    await billing.registry.delete(`/billing/settle/instances/${INSTANCE}`);
    expect((await api.del(path)).status).toBe(204);
    expect((await api.get(path)).status).toBe(404);
    const { entries } = (await api.get('/audit?limit=20')).body;
    const actions = entries.map(({ action }: { action: string }) => action).reverse();
    expect(actions).toEqual(
      ['trigger', 'disable', 'enable', 'disable', 'disable', 'configure', 'delete', 'stop', 'delete'].map(
        (what) => `job.${what}`,
      ),
    );
    expect(entries.at(-1)).toMatchObject({ subject: 'billing/settle', detail: { parameter: 'now' } });
  });

  it('refuse wrong input with a reason', async () => {
    const path = '/jobs/billing/settle';
    expect(await api.post(`${path}/disable`, { shard: 2 })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('shards 0 to 1, not 2') },
    });
    expect((await api.post(`${path}/disable`, { shard: 1, server: 'a' })).status).toBe(422);
    expect((await api.post(`${path}/trigger`, { instance: 'nobody' })).status).toBe(404);
    expect((await api.post('/jobs/billing/old/trigger', {})).status).toBe(409);
    const configure = async (changes: object) => {
      const request = { method: 'PATCH', url: `/api/v1${path}/config`, headers: api.headers } as const;
      const reply = await api.app.inject({ ...request, payload: changes });
      return [reply.statusCode, reply.json().detail];
    };
    expect(await configure({ shards: 1 })).toEqual([422, expect.stringContaining('shard')]);
    expect(await configure({ strategy: 'nosuch' })).toEqual([
      422,
      expect.stringContaining('unknown strategy'),
    ]);
    expect(await configure({ cron: 'whenever' })).toEqual([422, expect.stringContaining('cron')]);
    expect(await configure({ name: 'other' })).toEqual([422, expect.stringContaining('another job')]);
    expect(await configure({ nosuch: 1 })).toEqual([422, expect.stringContaining('nosuch')]);
    expect((await api.get('/jobs/nowhere/settle')).status).toBe(404);
    expect((await api.get('/jobs/billing/bad')).status).toBe(409);
    expect(await api.get('/jobs/away/settle')).toMatchObject({
      status: 503,
      body: { type: 'urn:orrery:problem:registry-away' },
    });
  });

  it('need the role for what is asked, and a token of all projects', async () => {
    const trigger = '/jobs/billing/settle/trigger';
    const viewer = await as('viewer');
    expect((await api.app.inject({ url: '/api/v1/jobs', headers: viewer })).statusCode).toBe(200);
    expect((await api.post(trigger, {}, viewer)).status).toBe(403);
    const operator = await as('operator');
    expect((await api.post(trigger, {}, operator)).status).toBe(200);
    expect((await api.del('/jobs/billing/old', operator)).status).toBe(403);
    expect((await api.post(trigger, {}, await as('operator', 'default'))).status).toBe(403);
    const audit = (await api.get('/audit')).body.entries;
    expect(audit.filter(({ action }: { action: string }) => action.startsWith('job.'))).toHaveLength(1);
  });
});
