import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { START, type TestApi, testApi } from '../testing.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
});

const at = new Date(START).toISOString();

describe('nodes', () => {
  it('are masters and workers, with the slots they use', async () => {
    await api.hand.joinWorker('w1', 4, ['default', 'gpu']);
    await api.publish('name: w\ntasks: [{name: a, type: shell}]');
    const { id } = (await api.post('/runs', { workflow: 'w' })).body;
    await api.hand.claim();
    await api.hand.enqueue(id, 0);
    await api.hand.take();
    expect((await api.get('/nodes')).body).toEqual({
      masters: [
        {
          id: 'm1',
          state: 'alive',
          roles: ['master'],
          address: 'm1:1',
          epoch: 1,
          joinedAt: at,
          beatAt: at,
          runs: 1,
          reason: null,
          settings: {},
          clockOffset: null,
          clockFault: null,
          progressAt: at,
        },
      ],
      workers: [
        {
          id: 'w1',
          state: 'alive',
          groups: ['default', 'gpu'],
          address: 'w1:1',
          epoch: 1,
          slots: 4,
          unhealthy: null,
          used: 1,
          resources: null,
          beatAt: at,
          progressAt: null,
          load: null,
        },
      ],
    });
    await api.store.close();
  });

  it('show what a worker runs, to each project its own, and how busy it is', async () => {
    await api.hand.joinWorker('w1', 4);
    await api.publish('name: w\ntasks: [{name: load, type: shell}]');
    const { id } = (await api.post('/runs', { workflow: 'w' })).body;
    await api.hand.claim();
    await api.hand.enqueue(id, 0);
    await api.hand.take();
    await api.store.beatWorker({
      ...{ self: await api.hand.join(), worker: 'w1', epoch: 1, take: 1, now: api.now + 5_000 },
      held: [{ run: id, task: 0, shard: -1, number: 1 }],
      load: { cpu: 0.5, memory: 0.25, running: 1, idle: 2_000 },
    });
    expect((await api.get('/nodes')).body.workers).toMatchObject([
      {
        progressAt: new Date(api.now + 3_000).toISOString(),
        load: { cpu: 0.5, memory: 0.25, disk: null },
      },
    ]);
    const attempt = { id: `${id}.load.1`, run: id, project: 'default', workflow: 'w', ending: false };
    const all = await api.get('/nodes/w1/attempts');
    expect(all.body).toEqual({ attempts: [{ ...attempt, assignedAt: at }] });
    expect((await api.get('/nodes/w1/attempts?project=other')).body).toEqual({ attempts: [] });
    expect(await api.get('/nodes/m1/attempts')).toMatchObject({
      status: 404,
      body: { detail: 'there is no worker "m1"' },
    });
    await api.store.close();
  });

  it('are silent when they have not been heard of, and gone when they left', async () => {
    await api.hand.joinWorker();
    const states = async () => {
      const { masters, workers } = (await api.get('/nodes')).body;
      return [masters[0].state, workers[0].state];
    };
    api.now += 20_000;
    expect(await states()).toEqual(['silent', 'alive']);
    api.now += 20_000;
    expect(await states()).toEqual(['silent', 'silent']);
    await api.store.leaveWorker({ self: await api.hand.join(), worker: 'w1', epoch: 1, now: api.now });
    await api.store.leaveNode({ self: await api.hand.join(), now: api.now });
    expect(await states()).toEqual(['gone', 'gone']);
    await api.store.close();
  });
});

describe('draining', () => {
  const join = (id: string) =>
    api.store.joinNode({ id, roles: ['master'], address: '', info: { room: '10' }, now: api.now });
  const stateOf = async (id: string) => {
    const { masters, workers } = (await api.get('/nodes')).body;
    return [...masters, ...workers].find((node) => node.id === id)?.state;
  };

  it('of a master shows the sum, and is taken back at any moment', async () => {
    await api.hand.join();
    expect(await api.post('/nodes/m1/drain', {})).toMatchObject({
      status: 409,
      body: { detail: 'm1 cannot be drained: no other master takes work' },
    });
    await join('m2');
    const tried = await api.post('/nodes/m1/drain', { dryRun: true });
    expect(tried.body).toMatchObject({ id: 'm1', roles: ['master'], draining: false, runs: 0 });
    expect(tried.body.sum).toContain('m2 has room for 10 runs; all masters hold 0');
    expect(await stateOf('m1')).toBe('alive');
    expect((await api.post('/nodes/m1/drain', { timeout: 5 })).body).toMatchObject({ draining: true });
    expect(await stateOf('m1')).toBe('draining');
    expect((await api.post('/nodes/m1/undrain', {})).body).toMatchObject({ draining: false });
    expect(await stateOf('m1')).toBe('alive');
    await api.store.close();
  });

  it('of a worker keeps what it runs, and takes nothing new', async () => {
    await api.hand.joinWorker('w1', 4);
    expect((await api.post('/nodes/w1/drain', {})).body.detail).toContain('no other worker serves group');
    await api.hand.joinWorker('w2', 4);
    expect((await api.post('/nodes/w1/drain', {})).body).toMatchObject({ roles: ['worker'], attempts: 0 });
    expect(await stateOf('w1')).toBe('draining');
    const unknown = await api.post('/nodes/nobody/drain', {});
    expect([unknown.status, unknown.body.detail]).toEqual([
      404,
      expect.stringMatching(/^no master and no worker "nobody" is alive; alive are .*\bm1\b/),
    ]);
    await api.store.close();
  });

  it('ends with forgetting who is gone', async () => {
    const { epoch } = await join('m9');
    expect((await api.post('/nodes/m9/forget', {})).status).toBe(409);
    await api.store.leaveNode({ self: { node: 'm9', epoch }, now: api.now });
    expect((await api.post('/nodes/m9/forget', { dryRun: true })).body).toEqual({
      id: 'm9',
      forgotten: false,
    });
    expect((await api.post('/nodes/m9/forget', {})).body).toEqual({ id: 'm9', forgotten: true });
    expect(await stateOf('m9')).toBeUndefined();
    expect((await api.post('/nodes/m9/forget', {})).status).toBe(404);
    await api.store.close();
  });
});

describe('health', () => {
  it('tells the version and since when', async () => {
    expect((await api.get('/health')).body).toEqual({
      parts: ['store', 'master'],
      status: 'ok',
      version: '1.2.3',
      since: at,
      store: 'sqlite',
    });
    await api.store.close();
  });
});

describe('task types', () => {
  it('are those that the server was given', async () => {
    expect((await api.get('/task-types')).body).toEqual({
      taskTypes: [{ name: 'shell' }, { name: 'node' }],
    });
    await api.store.close();
  });

  it('and those of living workers: workflows may have them, and their settings are checked', async () => {
    const schema = { type: 'object', properties: { jar: { type: 'string' } }, additionalProperties: false };
    const spark = { name: 'spark', title: 'Spark', description: 'a job', schema };
    const publish = async (settings: string) => {
      const text = `name: w\ntasks: [{name: a, type: spark, with: {${settings}}}]`;
      return JSON.stringify((await api.publish(text)).body);
    };
    expect(await publish('jar: x.jar')).toContain('has the unknown type');
    await api.hand.joinWorker(
      'w1',
      2,
      ['default'],
      JSON.stringify([{ name: 'shell', title: 'other' }, spark]),
    );
    await api.hand.joinWorker('w2', 2, ['default'], 'not JSON');
    expect((await api.get('/task-types')).body.taskTypes).toEqual([
      { name: 'shell' },
      { name: 'node' },
      spark,
    ]);
    await publish('jar: x.jar');
    expect((await api.get('/workflows/default/w')).status).toBe(200);
    expect(await publish('jarr: x.jar')).toContain('jarr');
    await api.store.close();
  });
});
