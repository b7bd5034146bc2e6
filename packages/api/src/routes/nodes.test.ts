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
        { id: 'm1', state: 'alive', roles: ['master'], address: 'm1:1', epoch: 1, joinedAt: at, beatAt: at },
      ],
      workers: [
        {
          id: 'w1',
          state: 'alive',
          groups: ['default', 'gpu'],
          address: 'w1:1',
          epoch: 1,
          slots: 4,
          used: 1,
          beatAt: at,
        },
      ],
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

describe('health', () => {
  it('tells the version and since when', async () => {
    expect((await api.get('/health')).body).toEqual({
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
    expect((await api.get('/task-types')).body).toEqual({ taskTypes: [{ name: 'shell' }, { name: 'node' }] });
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
