import { ownershipSchema } from '@orrery/core/balance/schema';
import { fireTick } from '@orrery/testkit/fire-tick';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { START, type TestApi, testApi } from '../testing.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
  await api.publish(`
project: etl
name: daily
schedules: [{name: hourly, every: 1h}]
tasks: [{name: extract, type: shell}, {name: load, type: shell, needs: extract}]
`);
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

/** As seen a little later: what was read is kept for a moment. */
const overview = async (query = '') => {
  api.now += 1_001;
  return (await api.get(`/overview${query}`)).body;
};
const needs = async (query = '') => (await overview(query)).needs;
const iso = (ms: number) => new Date(START + ms).toISOString();
const alive = async () => {
  await api.store.beat({ self: await api.hand.join(), now: api.now });
};
const start = async () => {
  const { id } = (await api.post('/runs', { workflow: 'etl/daily' })).body;
  await api.hand.claim();
  return id as number;
};
const fail = (run: number, error: string) =>
  api.hand.change(run, {
    state: 'failed',
    endedAt: api.now,
    tasks: [[1, api.hand.task('failed', { reason: error })]],
  });

describe('what needs people', () => {
  it('is nothing at first', async () => {
    expect(await overview()).toMatchObject({ needs: [], moreNeeds: 0, lastFailure: null });
  });

  it('is that no master is alive', async () => {
    await api.post('/runs', { workflow: 'etl/daily' });
    expect(await needs()).toMatchObject([
      { kind: 'no-master', count: 1, command: 'orrery dev', muted: null },
    ]);
    await alive();
    expect(await needs()).toEqual([]);
  });

  it('is a clock that is far off, or that its node does not trust', async () => {
    const self = await api.hand.join();
    const beat = (offset: number, fault: string | null) =>
      api.store.beat({ self, clock: { offset, fault }, now: api.now });
    await beat(-1_500, null);
    expect(await needs()).toEqual([]);
    await beat(-90_000, null);
    const text = `the clock of ${self.node} is 90000 ms ahead of the database`;
    expect(await needs()).toMatchObject([{ kind: 'wrong-clock', text, examples: [self.node] }]);
    await beat(0, 'it was set back by 3000 ms, or the machine slept');
    expect(await needs()).toMatchObject([
      { kind: 'wrong-clock', text: expect.stringMatching(/is not trusted: it was set back/) },
    ]);
    const { masters } = (await api.get('/nodes')).body;
    expect(masters).toMatchObject([{ clockOffset: 0, clockFault: expect.stringMatching(/set back/) }]);
  });

  it('is a master that holds more schedules than its threshold, while masters claim', async () => {
    for (const name of ['a', 'b'])
      await api.publish(
        `name: ${name}\nschedules: [{ name: s, every: 1h }]\ntasks: [{ name: x, type: shell }]`,
      );
    const self = await api.hand.join();
    await api.store.beat({ self, state: 'acting', now: api.now });
    const set = (mode: 'claim' | 'scope', alarmAbove: number) =>
      api.store.setOwnership({
        settings: ownershipSchema.parse({ mode, alarmAbove }),
        by: 'somebody',
        now: api.now,
      });
    await set('claim', 3);
    await api.store.claimSchedules({ self, most: 10, upTo: 'limit', now: api.now });
    expect(await needs()).toEqual([]);
    await set('claim', 2);
    const text = `${self.node} holds 3 schedules, the alarm is above 2`;
    expect(await needs()).toMatchObject([
      { kind: 'claim-alarm', text, count: 1, command: 'orrery ownership show' },
    ]);
    await set('scope', 2);
    expect(await needs()).toEqual([]);
  });

  it('is a failure, once for all runs that failed alike, until it is mended', async () => {
    const runs = [await start(), await start(), await start()];
    await fail(runs[0], 'connection refused db-3:5432');
    api.now += 60_000;
    await fail(runs[1], 'connection refused db-4:5433');
    await fail(runs[2], 'no such table');
    await alive();
    const found = await needs();
    expect(found).toMatchObject([
      {
        kind: 'failed',
        text: 'etl/daily: load failed 2 times: connection refused db-4:5433',
        since: iso(0),
        count: 2,
        examples: [String(runs[1]), String(runs[0])],
        address: `/runs/${runs[1]}?task=load`,
        action: { name: 'recover', ids: [runs[1], runs[0]] },
        command: `orrery runs recover ${runs[1]} ${runs[0]}`,
      },
      { kind: 'failed', count: 1, fields: { workflow: 'etl/daily', task: 'load', error: 'no such table' } },
    ]);
    expect((await overview()).lastFailure).toBe(iso(60_000));
    await api.hand.change(runs[2], { state: 'success', endedAt: api.now });
    expect(await needs()).toEqual([]);
    expect(await needs('?project=other')).toEqual([]);
  });

  it('is hidden once somebody has seen it, until there is more of it', async () => {
    const first = await start();
    await fail(first, 'exit 1');
    await alive();
    const [{ id }] = await needs();
    const { status, body } = await api.post(`/needs/${id}/mute`, { reason: 'known' });
    expect([status, body]).toMatchObject([200, { id, muted: true, by: 'admin', until: null }]);
    expect(await needs()).toEqual([]);
    expect(await overview('?muted=true')).toMatchObject({
      needs: [
        {
          id,
          muted: { by: 'admin', reason: 'known' },
          actions: [
            { name: 'recover', allowed: true },
            { name: 'unmute', allowed: true },
          ],
        },
      ],
      mutedNeeds: 1,
    });
    await fail(await start(), 'exit 2');
    await alive();
    expect(await needs()).toMatchObject([{ id, count: 2, muted: null }]);
    await api.post(`/needs/${id}/mute`, { until: '+1h' });
    await fail(await start(), 'exit 3');
    await alive();
    expect(await needs()).toEqual([]);
    await api.post(`/needs/${id}/mute`, { off: true });
    expect(await needs()).toMatchObject([{ id, count: 3 }]);
    await api.post(`/needs/${id}/mute`, { until: '+1h' });
    api.now += 3_600_000;
    await alive();
    expect((await needs()).find((need: { kind: string }) => need.kind === 'failed')).toMatchObject({ id });
    const changes = (await overview()).changes.filter(({ kind }: { kind: string }) => kind === 'need');
    const about = (times: string) => `etl/daily: load failed${times}: exit `;
    expect(
      changes.map(({ action, subject }: Record<string, string>) => [action, subject.slice(0, -1)]),
    ).toEqual([
      ['mute', about(' 3 times')],
      ['unmute', about(' 3 times')],
      ['mute', about(' 2 times')],
      ['mute', about('')],
    ]);
    expect(changes[0]).toMatchObject({ address: '/', count: null });
  });

  it.each([
    ['failed-0123456789abcdef', {}, 404],
    ['nonsense', {}, 400],
    ['failed-0123456789abcdef', { until: 'soon' }, 422],
  ])('is not hidden as %s with %j: %i', async (id, body, status) => {
    expect((await api.post(`/needs/${id}/mute`, body)).status).toBe(status);
  });

  it('is a queue that no worker serves, or that free workers leave alone', async () => {
    const run = await start();
    await api.hand.change(run, { state: 'running', startedAt: START });
    await api.hand.enqueue(run, 0, { workerGroup: 'gpu' });
    expect(await needs()).toMatchObject([
      {
        kind: 'no-worker',
        count: 1,
        text: 'worker group gpu has no live worker: 1 attempts wait, none has ever joined',
        fields: { group: 'gpu', waiting: '1', last: null },
        since: iso(0),
        command: 'orrery server --role worker --group gpu --join m1:1',
      },
    ]);
    await api.hand.joinWorker('w1', 2, ['gpu']);
    expect(await needs()).toEqual([]);
    api.now += 60_000;
    await alive();
    await api.hand.joinWorker('w1', 2, ['gpu']);
    expect(await needs()).toMatchObject([
      { kind: 'not-taken', examples: ['w1'], count: 1, command: 'orrery nodes list' },
    ]);
    const heard = new Date(api.now - 1_001).toISOString();
    api.now += 31_000;
    await alive();
    expect((await needs())[0].text).toBe(
      `worker group gpu has no live worker: 1 attempts wait, none is alive since ${heard}`,
    );
  });

  it('is a limit that stays full', async () => {
    const run = await start();
    const limits = { needs: [{ name: 'warehouse', slots: 1 }] };
    await api.hand.joinWorker();
    await api.hand.enqueue(run, 0, { limits });
    await api.hand.take();
    await api.hand.enqueue(run, 1, { limits });
    expect(await needs()).toEqual([]);
    api.now += 600_000;
    await alive();
    const found = await needs();
    expect(found.find(({ kind }: { kind: string }) => kind === 'limit-full')).toMatchObject({
      fields: { limit: 'warehouse', held: 1, slots: 1, waiting: '1' },
      command: 'orrery limits show',
    });
  });

  it('is a schedule that did not fire, or skipped ticks', async () => {
    await alive();
    api.now += 3_600_000;
    await alive();
    expect(await needs()).toEqual([]);
    api.now += 20_000;
    const [schedule] = await api.store.listSchedules({});
    await alive();
    const due = iso(3_600_000);
    const late = `schedule hourly was due at ${due} and has not fired: `;
    expect(await needs()).toMatchObject([
      {
        kind: 'late-tick',
        count: 1,
        text: `${late}masters are alive, but behind`,
        examples: [String(schedule.id)],
        command: `orrery schedules ticks ${schedule.id}`,
      },
    ]);
    const heard = new Date(api.now).toISOString();
    api.now += 20_000;
    expect((await needs()).find(({ kind }: { kind: string }) => kind === 'late-tick')).toMatchObject({
      text: expect.stringMatching(new RegExp(`^${late}no master is alive since ${heard.slice(0, 17)}`)),
      command: 'orrery nodes list',
    });
    await alive();
    let seen = schedule.firedUntil;
    const skip = async (reason: string) => {
      api.now += 10;
      await fireTick(api.store, {
        self: await api.hand.join(),
        schedule: schedule.id,
        version: schedule.version,
        seen,
        firedUntil: api.now,
        nextDue: api.now + 3_600_000,
        ticks: [],
        skipped: { from: api.now - 9, to: api.now, count: 1, reason },
        now: api.now,
      });
      seen = api.now;
    };
    // What the misfire policy asks for needs nobody.
    await skip('missed by more than 60000 ms; the misfire policy is "skip"');
    await skip('missed while no master could fire; the latest missed tick fired for them');
    expect(await needs()).toEqual([]);
    const unasked = 'missed by more than 60000 ms; the misfire policy is "fire-all"';
    await skip(unasked);
    expect(await needs()).toMatchObject([
      {
        kind: 'skipped-ticks',
        text: `schedule hourly of etl/daily skipped 1 tick: ${unasked}`,
        command: expect.stringMatching(
          /^orrery backfill etl\/daily --schedule hourly --from \S+Z --to \S+Z$/,
        ),
      },
    ]);
  });

  it('is a node that is silent or was lost', async () => {
    await alive();
    const self = await api.hand.join();
    const { epoch } = await api.store.joinNode({
      id: 'm2',
      roles: ['master'],
      address: 'm2:1',
      info: {},
      now: api.now,
    });
    api.now += 11_000;
    await alive();
    expect(await needs()).toMatchObject([{ kind: 'node-missing', examples: ['m2'], since: iso(0) }]);
    await api.store.fence({ self, peer: { id: 'm2', epoch, beat: 0 }, now: api.now });
    expect(await needs()).toMatchObject([{ kind: 'node-missing', fields: { state: 'gone' } }]);
    await api.store.joinNode({ id: 'm2', roles: ['master'], address: 'm2:1', info: {}, now: api.now });
    expect(await needs()).toEqual([]);
  });
});

describe('what was done', () => {
  it('tells a bulk once, with a link, and not each of its runs', async () => {
    const ids = [await start(), await start(), await start()];
    for (const id of ids) await api.hand.change(id, { state: 'running', startedAt: START });
    const { body } = await api.post('/bulks', { action: 'stop', ids });
    const drain = (node: string) =>
      api.store.drainNode({
        node,
        drain: true,
        timeout: 0,
        silentAfter: 10_000,
        actor: 'ops',
        now: api.now,
      });
    await drain('nobody');
    await api.hand.joinWorker('w1', 1);
    await api.hand.joinWorker('w2', 1);
    await drain('w1');
    const { changes } = await overview();
    expect(changes.filter(({ kind }: { kind: string }) => kind !== 'workflow')).toMatchObject([
      { kind: 'worker', subject: 'w1', action: 'drain', actor: 'ops', address: '/cluster/nodes/w1' },
      {
        kind: 'bulk',
        subject: String(body.bulk.id),
        action: 'stop',
        count: 3,
        address: `/runs?bulk=${body.bulk.id}`,
      },
    ]);
  });
});

describe('how much is going on', () => {
  it('is told of one project, and whether anything ever ran', async () => {
    expect(await overview()).toMatchObject({ everRun: false, dueSchedules: { value: 1, more: false } });
    const running = await start();
    await api.hand.change(running, { state: 'running', startedAt: START });
    await api.hand.enqueue(running, 0);
    await fail(await start(), 'exit 1');
    await api.post('/runs', { workflow: 'etl/daily' });
    const counted = (value: number) => ({ value, more: false });
    expect(await overview('?project=etl')).toMatchObject({
      everRun: true,
      lastFailure: expect.any(String),
      counters: { running: counted(1), queued: counted(1), ready: counted(1), oldestWait: iso(1_001) },
    });
    expect(await overview('?project=other')).toMatchObject({
      everRun: true,
      lastFailure: null,
      dueSchedules: counted(0),
      counters: { running: counted(0), queued: counted(0), ready: counted(0), oldestWait: null },
    });
  });

  it('is counted', async () => {
    const running = await start();
    await api.hand.change(running, { state: 'running', startedAt: START });
    await api.hand.joinWorker('w1', 4);
    await api.hand.enqueue(running, 0);
    await api.hand.take();
    await api.hand.enqueue(running, 1);
    await api.post('/runs', { workflow: 'etl/daily' });
    const page = await overview();
    expect(page.counters).toEqual({
      running: { value: 1, more: false },
      queued: { value: 1, more: false },
      ready: { value: 1, more: false },
      waiting: { value: 0, more: false },
      oldestWait: iso(0),
      startP95: null,
      ticksNextHour: { value: 1, more: false },
      slots: { used: 1, total: 4 },
      masters: { alive: 1, total: 1 },
      workers: { alive: 1, total: 1 },
    });
    expect(page.runs.open.at(-1)).toBe(2);
    expect(page.nextTicks).toMatchObject([{ workflow: 'daily', name: 'hourly' }]);
    expect(page.changes).toMatchObject([{ kind: 'workflow', subject: 'etl/daily', action: 'publish v1' }]);
  });

  it('is read once a second, however many ask', async () => {
    let reads = 0;
    const { store } = api;
    const readLoad = () => {
      reads++;
      return store.readLoad();
    };
    const other = await testApi({ store: { ...store, readLoad } });
    await Promise.all(Array.from({ length: 20 }, () => other.get('/overview')));
    const first = reads;
    other.now += 1_000;
    await other.get('/overview');
    expect(reads).toBe(2 * first);
    await other.app.close();
  });
});
