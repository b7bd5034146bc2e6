import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '@orrery/store';
import { fireTick } from '@orrery/testkit/fire-tick';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApi } from '../server.ts';
import { type TestApi, testApi } from '../testing.ts';
import { Metrics } from './metrics.ts';

const page = readFileSync(
  join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'operate', 'metrics.md'),
  'utf8',
);

let api: TestApi;
let metrics: Metrics;
beforeEach(async () => {
  const clock = {
    now: () => api.now,
    monotonic: () => api.now,
    setTimer: () => ({ cancel: () => undefined }),
  };
  metrics = new Metrics({ clock });
  const store = await openSqlite(':memory:', { now: () => api.now });
  api = await testApi({ metrics, store: metrics.watchStore(store) });
  await api.publish('name: w\ntasks: [{name: a, type: shell}, {name: b, type: shell}]');
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

/** The value of a line of the answer. */
async function value(line: string): Promise<number | undefined> {
  const text = (await api.app.inject('/metrics')).body;
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

describe('metrics', () => {
  it('are named in the documentation, and no others are', () => {
    const listed = [...page.matchAll(/^\| `(orrery_\w+)` \| (\w+) \|/gm)].map(([, name]) => name);
    expect([...listed].sort()).toEqual([...metrics.names].sort());
  });

  it('count runs and attempts by how they ended', async () => {
    const { id } = (await api.post('/runs', { workflow: 'w' })).body;
    expect(await value('orrery_runs_queued_total{trigger="api"}')).toBe(1);
    expect(await value('orrery_commands')).toBe(1);
    await api.hand.claim();
    await api.hand.joinWorker('w1', 4);
    await api.hand.enqueue(id, 0);
    api.now += 5_000;
    expect(await value('orrery_queue_attempts{group="default"}')).toBe(1);
    expect(await value('orrery_queue_oldest_seconds{group="default"}')).toBe(5);
    await api.hand.take();
    expect(await value('orrery_queue_attempts{group="default"}')).toBeUndefined();
    expect(await value('orrery_take_attempts_sum')).toBe(1);
    expect(await value('orrery_worker_slots')).toBe(4);
    expect(await value('orrery_worker_slots_used')).toBe(1);
    await api.hand.end(id, 0, { state: 'failed' }, api.hand.task('failed'));
    await api.hand.change(id, { state: 'failed', endedAt: api.now });
    expect(await value('orrery_attempts_ended_total{state="failed"}')).toBe(1);
    expect(await value('orrery_runs_ended_total{state="failed"}')).toBe(1);
    expect(await value('orrery_runs_started_total')).toBe(1);
    expect(await value('orrery_commit_runs_count')).toBe(3);
  });

  it('count workers that were given up', async () => {
    await api.hand.joinWorker('w1');
    const [{ epoch, beat }] = await api.store.listWorkers();
    const lose = { self: await api.hand.join(), worker: 'w1', epoch, now: api.now };
    await api.store.loseWorker({ ...lose, beat: beat + 1 });
    expect(await value('orrery_workers_lost_total')).toBe(0);
    await api.store.loseWorker({ ...lose, beat });
    expect(await value('orrery_workers_lost_total')).toBe(1);
  });

  it('count alerts of every origin once, and tries to send messages about them', async () => {
    await api.put('/alert-channels/*/ops', { kind: 'slack', settings: { url: '${secret.slack}' } });
    await api.put('/alert-rules/*/lost', {
      name: 'lost',
      match: { kinds: ['worker-lost'] },
      channels: ['ops'],
    });
    await api.hand.joinWorker('w1');
    const self = await api.hand.join();
    const [{ epoch, beat }] = await api.store.listWorkers();
    await api.store.loseWorker({ self, worker: 'w1', epoch, beat, now: api.now });
    for (let k = 0; k < 2; k++) await api.store.routeAlerts({ self, limit: 10, now: api.now });
    expect(await value('orrery_alerts_total{kind="worker-lost"}')).toBe(1);
    await api.store.passAlertGroups({ self, limit: 10, now: api.now });
    const lease = { self, limit: 10, until: api.now + 1, now: api.now };
    const [{ id, tries, channel }] = await api.store.leaseDeliveries(lease);
    const result = { id, number: tries, channel, state: 'sent', answer: '200', took: 1 } as const;
    await api.store.recordTries({ self, results: [result], now: api.now });
    expect(await value('orrery_deliveries_total{channel="ops",result="sent"}')).toBe(1);
  });

  it('tell how late ticks fired, and what failed', async () => {
    await api.publish('name: t\nschedules: [{name: s, every: 1h}]\ntasks: [{name: a, type: shell}]');
    const [schedule] = await api.store.listSchedules({});
    await api.post('/runs', { workflow: 't' });
    const [{ command }] = await api.store.listCommands({ limit: 1 });
    const self = await api.hand.join();
    const due = schedule.firedUntil + 1_000;
    const fire = { self, schedule: schedule.id, version: schedule.version, seen: schedule.firedUntil };
    const ticks = [{ due, command }];
    api.now = due + 20;
    await fireTick(api.store, { ...fire, firedUntil: due, nextDue: null, ticks, now: due + 20 });
    expect(await value('orrery_tick_lateness_seconds_bucket{le="0.01"}')).toBe(0);
    expect(await value('orrery_tick_lateness_seconds_bucket{le="0.025"}')).toBe(1);
    expect(await value('orrery_ticks_total{result="run"}')).toBe(1);
    const stranger = { node: 'm9', epoch: 9 };
    await expect(api.store.claimWork({ self: stranger, orphans: 1, starts: 1, now: 1 })).rejects.toThrow();
    expect(await value('orrery_store_errors_total{operation="claimWork"}')).toBe(1);
  });

  it('tell what masters hold that claim, what they may hold, and what moved', async () => {
    const schedules = [1, 2, 3].map((k) => `{name: s${k}, every: 1h}`);
    await api.publish(`name: t\nschedules: [${schedules}]\ntasks: [{name: a, type: shell}]`);
    expect(await value('orrery_schedules')).toBe(3);
    expect(await value('orrery_ownership_mode{mode="scope"}')).toBe(1);
    expect(await value('orrery_schedules_free')).toBe(0);
    await api.put('/ownership', { mode: 'claim', alarmAbove: 2 });
    const self = await api.hand.join();
    const master = `{master="${self.node}"}`;
    expect(await value('orrery_schedules_free')).toBe(3);
    const claim = (upTo: 'share' | 'limit', most: number) =>
      api.store.claimSchedules({ self, upTo, most, now: api.now });
    const route = () => api.store.routeAlerts({ self, limit: 10, now: api.now });
    await claim('limit', 2);
    await route();
    expect(await value('orrery_alerts_total{kind="claim-alarm"}')).toBeUndefined();
    await claim('limit', 1);
    await route();
    await route();
    expect(await value('orrery_alerts_total{kind="claim-alarm"}')).toBe(1);
    expect(await value('orrery_schedules_claimed_total')).toBe(3);
    expect(await value(`orrery_schedules_held${master}`)).toBe(3);
    expect(await value(`orrery_schedules_limit${master}`)).toBe(4);
    expect(await value(`orrery_schedules_alarm_above${master}`)).toBe(2);
    expect(await value('orrery_ownership_mode{mode="claim"}')).toBe(1);
    expect(await value('orrery_ownership_mode{mode="scope"}')).toBeUndefined();
    const join = (id: string) =>
      api.store.joinNode({ id, roles: ['master'], address: '', info: {}, now: api.now });
    const others = [await join('m8'), await join('m9')];
    await api.store.shedSchedules({ self, most: 9, now: api.now });
    expect(await value('orrery_schedules_shed_total')).toBe(1);
    expect((await claim('limit', 9)).refused).toBeDefined();
    expect(await value('orrery_claims_refused_total')).toBe(1);
    await api.post('/nodes/m8/drain', {});
    expect(await value('orrery_drains_total')).toBe(1);
    await api.store.fence({ self, peer: { id: 'm9', epoch: others[1].epoch, beat: 0 }, now: api.now });
    expect(await value('orrery_failovers_total')).toBe(1);
  });

  it('tell the newest plan, who wrote it, and who does not follow it', async () => {
    const self = await api.hand.join();
    const body = { mode: 'scope', strategy: 'range', reason: 'm1 joined', body: '{}', schedules: 9 };
    const plan = (number: number, moved: number) =>
      api.store.recordPlan({
        self,
        plan: { ...body, number, hash: `h${number}`, leader: self.node, moved, writtenAt: api.now },
      });
    await plan(6, 4);
    await plan(7, 2);
    expect(await value('orrery_plan_number')).toBe(7);
    expect(await value(`orrery_leader{master="${self.node}"}`)).toBe(1);
    expect(await value('orrery_reshards_total')).toBe(2);
    expect(await value('orrery_schedules_moved_total')).toBe(6);
  });

  it('tell whether the session in the registry is good, where there is one', async () => {
    expect(await metrics.text()).not.toContain('orrery_registry_session{');
    let isGood = true;
    const own = new Metrics({ clock: metrics.clock, registry: () => isGood });
    expect(await own.text()).toContain('orrery_registry_session{state="good"} 1');
    isGood = false;
    expect(await own.text()).toContain('orrery_registry_session{state="away"} 1');
  });

  it('time requests by operation and status', async () => {
    await api.get('/nodes');
    await api.get('/runs/999999');
    expect(await value('orrery_api_request_seconds_count{operation="listNodes",status="200"}')).toBe(1);
    expect(await value('orrery_api_request_seconds_count{operation="showRun",status="404"}')).toBe(1);
  });

  it('have the delay of the event loop among them', async () => {
    expect(await value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
  });

  it('want a token for all projects where tokens are wanted', async () => {
    const app = createApi({ ...api.options, token: 'secret' });
    const ask = (token?: string) =>
      app.inject({
        url: '/metrics',
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
    expect((await ask()).statusCode).toBe(401);
    expect((await ask('secret')).statusCode).toBe(200);
    const made = await app.inject({
      method: 'POST',
      url: '/api/v1/tokens',
      headers: { authorization: 'Bearer secret' },
      payload: { name: 'x', role: 'admin', project: 'etl' },
    });
    expect((await ask(made.json().token)).statusCode).toBe(403);
    await app.close();
  });

  it('of a worker alone tell its slots', async () => {
    const clock = api.options.clock;
    const own = new Metrics({ clock, worker: () => ({ slots: 8, used: 3 }) });
    const text = await own.text();
    expect(text).toContain('orrery_worker_slots 8');
    expect(text).toContain('orrery_worker_slots_used 3');
  });

  it('count masters only as masters', async () => {
    await api.store.joinNode({ id: 'api', roles: ['api'], address: '', info: {}, now: api.now });
    expect(await value('orrery_masters{state="alive"}')).toBeUndefined();
    await api.hand.join();
    expect(await value('orrery_masters{state="alive"}')).toBe(1);
  });

  it('are told while the store is away, with the last values', async () => {
    await api.hand.join();
    const store = await openSqlite(':memory:');
    await store.joinNode({ id: 'm1', roles: ['master'], address: '', info: {}, now: api.now });
    metrics.watchStore(store);
    expect(await value('orrery_store_up')).toBe(1);
    await store.close();
    expect(await value('orrery_store_up')).toBe(0);
    expect(await value('orrery_masters{state="alive"}')).toBe(1);
  });
});
