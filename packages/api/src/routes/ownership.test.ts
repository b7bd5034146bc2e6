import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, describe, expect, it } from 'vitest';
import { testApi } from '../testing.ts';

describe.each(testDatabases())('on $name', ({ open, close }) => {
  afterAll(close);

  it('who fires what is shown, changed and followed in claim mode', async () => {
    const api = await testApi({ store: await open() });
    const { store } = api;
    const schedules = [1, 2, 3].map((k) => `{name: s${k}, every: 1h}`);
    await api.publish(`name: w\nschedules: [${schedules}]\ntasks: [{name: a, type: shell}]`);
    expect((await api.get('/ownership')).body).toMatchObject({
      revision: 0,
      settings: { mode: 'scope', tolerance: 1, alarmAbove: 10_000, sweepEvery: 30_000, masters: {} },
      schedules: 3,
      free: 3,
      warnings: [],
    });
    const settings = { mode: 'claim', alarmAbove: 1, masters: { m7: { weight: 3, tolerance: 2 } } };
    const set = await api.put('/ownership', settings, { 'if-match': '"0"' });
    expect(set).toMatchObject({ status: 200, body: { revision: 1, settings } });
    const { epoch } = await store.joinNode({
      id: 'm7',
      roles: ['master'],
      address: '',
      info: {},
      now: api.now,
    });
    const self = { node: 'm7', epoch };
    await store.claimSchedules({ self, upTo: 'limit', most: 2, now: api.now });
    const { body } = await api.get('/ownership');
    expect(body).toMatchObject({
      free: 1,
      masters: [{ id: 'm7', state: 'working', held: 2, limit: 4, alarmAbove: 1, tolerance: 2, weight: 3 }],
      warnings: ['1 masters run; with fewer than 3 a failure leaves none to spare'],
    });
    const page = (await api.get('/ownership/schedules?limit=2')).body;
    expect(page.holdings).toMatchObject([
      { project: 'default', workflow: 'w', name: 's1', holder: 'm7' },
      { name: 's2', holder: 'm7' },
    ]);
    expect((await api.get(`/ownership/schedules?after=${page.holdings[1].schedule}`)).body).toMatchObject({
      holdings: [{ name: 's3', holder: null }],
      next: null,
    });
    expect((await api.get('/ownership/schedules?holder=nobody')).body.holdings).toEqual([]);
    expect((await api.post('/ownership/claim')).body).toEqual({ repaired: 0, free: 1 });
    await store.leaveNode({ self, now: api.now });
    expect((await api.get('/ownership')).body.masters).toMatchObject([{ id: 'm7', state: 'dead', held: 0 }]);
    expect((await api.put('/ownership', {}, { 'if-match': '"0"' })).body).toMatchObject({
      current: { revision: 1 },
    });
    const { entries } = (await api.get('/audit')).body as { entries: { action: string }[] };
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['ownership.claim', 'ownership.set']),
    );
    expect(api.defects).toEqual([]);
    await api.app.close();
  });

  it('refuses settings that cannot be meant, with what is accepted', async () => {
    const api = await testApi({ store: await open() });
    const refused = async (settings: object) => {
      const { status, body } = await api.put('/ownership', settings);
      return `${status} ${JSON.stringify(body.errors ?? body.detail)}`;
    };
    expect(await refused({ tolerance: 0 })).toMatch(
      /^4\d\d .*a cluster tolerates the loss of at least 1 master/,
    );
    expect(await refused({ mode: 'both' })).toMatch(/^4\d\d .*scope/);
    expect(await refused({ sweepEvery: 1 })).toMatch(/^4\d\d .*1000/);
    expect(await refused({ masters: { a: { n: 1 } } })).toMatch(/^4\d\d/);
    expect((await api.get('/ownership')).body.revision).toBe(0);
    await api.app.close();
  });
});
