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
});
