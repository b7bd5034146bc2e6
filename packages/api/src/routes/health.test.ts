import { StoreAway } from '@orrery/store';
import { describe, expect, it } from 'vitest';
import { testApi } from '../testing.ts';

describe('health', () => {
  it('says that the store is away while the beat of an embedded one is overdue', async () => {
    const api = await testApi();
    const self = await api.hand.join();
    expect((await api.get('/health')).status).toBe(200);
    api.now += 5_001;
    const { status, headers, body } = await api.get('/health');
    expect({ status, retry: headers['retry-after'] }).toEqual({ status: 503, retry: '1' });
    expect(body).toMatchObject({
      type: 'urn:orrery:problem:store-away',
      detail: expect.stringContaining('not been written'),
    });
    await api.store.beat({ self, now: api.now });
    expect((await api.get('/health')).status).toBe(200);
    expect(api.defects).toEqual([]);
    await api.app.close();
    await api.store.close();
  });

  it('says that the store is away when it cannot be read', async () => {
    const { options, app, store } = await testApi();
    const listNodes = () => Promise.reject(new StoreAway('the database does not answer', false));
    const api = await testApi({ store: { ...options.store, listNodes } });
    expect(await api.get('/health')).toMatchObject({
      status: 503,
      body: { detail: 'the database does not answer' },
    });
    await Promise.all([app.close(), api.app.close()]);
    await store.close();
  });

  it('names every part that does not work; readiness leaves the master to others', async () => {
    let problem: string | undefined;
    const own = async () => [{ name: 'disk' as const, problem }];
    const api = await testApi({
      health: { node: 'api', lastError: () => 'attempt to write a readonly database', own },
    });
    const { epoch } = await api.store.joinNode({
      id: 'api',
      roles: ['api'],
      address: '',
      info: {},
      now: api.now,
    });
    // An api beats too, and is no master.
    expect(await api.get('/health')).toMatchObject({
      status: 503,
      body: {
        type: 'urn:orrery:problem:unhealthy',
        problems: [{ path: ['master'], message: 'no master is alive' }],
      },
    });
    expect(await api.get('/ready')).toMatchObject({ status: 200, body: { parts: ['store', 'disk'] } });
    const master = await api.hand.join();
    expect(await api.get('/health')).toMatchObject({
      status: 200,
      body: { parts: ['store', 'master', 'disk'] },
    });
    problem = 'no space left';
    expect(await api.get('/ready')).toMatchObject({ status: 503, body: { detail: 'no space left' } });
    problem = undefined;
    api.now += 5_001;
    await api.store.beat({ self: master, now: api.now });
    expect(await api.get('/ready')).toMatchObject({
      status: 503,
      body: { type: 'urn:orrery:problem:store-away', detail: expect.stringContaining('readonly') },
    });
    await api.store.beat({ self: { node: 'api', epoch }, now: api.now });
    expect((await api.get('/ready')).status).toBe(200);
    await api.app.close();
    await api.store.close();
  });
});
