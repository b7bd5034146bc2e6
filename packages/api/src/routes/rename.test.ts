import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

const orders = `# Loads the orders
name: orders
params: {day: monday}
schedule: 0 12 * * *
tasks: [{name: load, type: shell}]
`;

describe.each(testDatabases())('a workflow on $name', (database) => {
  let api: TestApi;
  beforeEach(async () => {
    api = await testApi({ store: await database.open() });
  });
  afterEach(async () => {
    expect(api.defects).toEqual([]);
    await api.app.close();
  });
  afterAll(() => database.close());

  const rename = (body: object, from = 'default/orders') => api.post(`/workflows/${from}/rename`, body);
  const start = async (workflow: string) => (await api.post('/runs', { workflow })).body.id as number;
  const versions = async (of: string) => (await api.get(`/workflows/${of}/versions`)).body.versions;

  it('keeps versions, schedules, ticks and runs under another name', async () => {
    await api.publish(orders);
    const old = await start('orders');
    await api.hand.claim();
    await api.hand.change(old, { state: 'success', endedAt: api.now });
    const queued = await start('orders');
    const [schedule] = (await api.get('/schedules')).body.schedules;
    const { status, body } = await rename({ project: 'etl', name: 'daily' });
    expect([status, body]).toEqual([200, { project: 'etl', name: 'daily', version: 2, runs: 1 }]);
    expect((await api.get('/workflows/default/orders')).status).toBe(404);
    const { runs } = (await api.get('/runs?workflow=etl/daily')).body;
    expect(runs.map(({ id }: { id: number }) => id)).toEqual([queued, old]);
    expect((await api.get('/runs?project=etl')).body.runs).toHaveLength(2);
    expect((await api.get('/runs?project=default')).body.runs).toEqual([]);
    await api.hand.claim();
    expect((await api.get(`/runs/${queued}`)).body).toMatchObject({
      project: 'etl',
      name: 'daily',
      version: 1,
    });
    expect(await versions('etl/daily')).toMatchObject([
      { version: 2, live: true, note: 'was default/orders' },
      { version: 1, live: false },
    ]);
    const [after] = (await api.get('/schedules')).body.schedules;
    expect(after).toMatchObject({
      id: schedule.id,
      project: 'etl',
      workflow: 'daily',
      nextDue: schedule.nextDue,
    });
    expect((await api.get('/workflows/etl/daily/source')).body).toMatch(/^# Loads the orders\nname: daily\n/);
    expect((await api.publish(orders)).body.workflows[0]).toMatchObject({ created: true, version: 1 });
  });

  it('is renamed in its draft too', async () => {
    await api.publish(orders);
    await api.put('/workflows/default/orders/draft', { text: orders.replace('monday', 'friday') });
    await rename({ name: 'daily' });
    const { body } = await api.get('/workflows/default/daily/draft');
    expect(body).toMatchObject({ text: expect.stringMatching(/name: daily[\s\S]*friday/) });
  });

  it('is not renamed while others use it, to the name of another, or while its open runs are counted', async () => {
    await api.publish(orders);
    await api.publish('name: user\ntasks: [{name: a, type: sub-workflow, with: {workflow: orders}}]');
    expect((await rename({ name: 'daily' })).body).toMatchObject({
      status: 409,
      detail: 'default/orders is used by default/user (sub-workflow); change those first',
    });
    await api.publish('name: gone\ntasks: [{name: a, type: shell}]');
    await api.del('/workflows/default/gone');
    const user = 'default/user';
    expect((await rename({ name: 'orders' }, user)).body.detail).toBe(
      'there is already a workflow default/orders',
    );
    expect((await rename({ name: 'gone' }, user)).body.detail).toContain('there was a workflow default/gone');
    expect((await rename({ name: 'user' }, user)).status).toBe(422);
    expect((await rename({}, user)).status).toBe(422);
    expect((await rename({ name: 'a b' }, user)).status).toBe(422);
    expect((await rename({ name: 'x' }, 'default/nobody')).status).toBe(404);
    await api.publish('name: one\nlimit: 1\ntasks: [{name: a, type: shell}]');
    await start('one');
    expect((await rename({ name: 'two' }, 'default/one')).body.detail).toContain(
      'are open and counted by its name',
    );
  });

  it('has an earlier version again, under the name it has now', async () => {
    await api.publish(orders);
    await api.publish(orders.replace('monday', 'friday'));
    await rename({ name: 'daily' });
    const restore = (version: number, body: object = {}) =>
      api.post(`/workflows/default/daily/versions/${version}/restore`, body);
    expect((await restore(1)).body).toMatchObject({
      name: 'daily',
      version: 4,
      changed: true,
      created: false,
    });
    expect(await versions('default/daily')).toMatchObject([
      { version: 4, live: true, note: 'version 1 again' },
      {},
      {},
      {},
    ]);
    const { workflow } = (await api.get('/workflows/default/daily')).body;
    expect(workflow.params.day.default).toBe('monday');
    expect((await restore(4)).body).toMatchObject({ version: 4, changed: false });
    expect((await restore(9)).status).toBe(404);
  });
});
