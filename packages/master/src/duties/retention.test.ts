import { Duties, type Gate, openGate, StoreClock } from '@orrery/cluster';
import type { Workflow } from '@orrery/core/model';
import { VirtualClock } from '@orrery/core/timing';
import { openSqlite, type Store } from '@orrery/store';
import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { subWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';
import { masterDefaults } from '../ports.ts';
import { Retention, retentionDefaults } from './retention.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Beats are not what is tested here. */
const calm = { beatEvery: MINUTE, sessionTimeout: 10 * MINUTE, lease: HOUR, leaseGrace: HOUR };

describe.each(testDatabases())('what is over on $name', (database) => {
  afterAll(() => database.close());

  const start = async (retention: Partial<typeof retentionDefaults>, after = 10): Promise<Engine> =>
    Engine.start(
      ({ taskName }) => ({ after: taskName === 'long' ? 86_400_000 : after, state: 'success' }),
      { ...calm, retention: { ...retentionDefaults, ...retention } },
      { store: await database.open() },
    );
  const one = (name = 'sample', more: Partial<Workflow> = {}) => workflow([task('a')], { name, ...more });
  const left = async (engine: Engine) =>
    (await engine.store.listRuns({ limit: 100 })).map(({ id }) => id).toReversed();
  const healthy = async ({ store }: Engine) => {
    const { counts, orphans } = await store.checkStore();
    expect(Object.values(orphans).every((number) => number === 0)).toBe(true);
    return counts;
  };

  it('goes by age: runs with their tasks and attempts, facts, history, events, bulks, keys and mutes', async () => {
    const age = 2 * HOUR;
    const engine = await start({ runs: age, facts: age, history: age, events: age, bulks: age, keys: age });
    const { store, clock } = engine;
    await store.claimKey({ key: 'k', claim: 'old', before: 0, now: clock.now() });
    for (const [id, until] of [
      ['ended', clock.now() + HOUR],
      ['forgotten', null],
      ['lasting', clock.now() + 9 * HOUR],
    ] as const)
      await store.muteNeed({ id, actor: 'me', until, seen: 0, reason: '', at: clock.now() });
    const old = await engine.submit(one());
    await engine.pass(MINUTE);
    await engine.control(old, { type: 'pause' });
    const choice = { ids: [old] };
    await store.createBulk({ action: 'pause', choice, project: null, by: 'me', now: clock.now() });
    await engine.pass(2.5 * HOUR);
    const young = await engine.submit(one());
    await engine.pass(HOUR);
    expect(await left(engine)).toEqual([young]);
    const counts = await healthy(engine);
    expect([counts.run, counts.task_run, counts.attempt]).toEqual([1, 1, 1]);
    const wanted = [{ workflow: 1, from: 0, to: Number.MAX_SAFE_INTEGER }];
    expect((await store.readFacts({ wanted })).length).toBeLessThanOrEqual(1);
    expect(await store.listHistory({ of: { kind: 'run', subject: String(old) }, limit: 9 })).toEqual([]);
    const key = await store.claimKey({ key: 'k', claim: 'young', before: 0, now: clock.now() });
    expect(key).toEqual({ claim: 'young' });
    expect(await store.listBulks({ limit: 9 })).toEqual([]);
    expect((await store.listMutes()).map(({ id }) => id)).toEqual(['lasting']);
  });

  it('goes by age: masters and workers that are gone', async () => {
    const engine = await start({ nodes: 2 * HOUR });
    const { store, clock } = engine;
    const { epoch } = await store.joinNode({
      id: 'm2',
      roles: ['master'],
      address: '',
      info: {},
      now: clock.now(),
    });
    const self = { node: 'm2', epoch };
    const worker = { worker: 'w2', address: '', slots: 1, groups: ['default'] };
    const joined = await store.joinWorker({ self, ...worker, now: clock.now() });
    await store.leaveWorker({ self, worker: 'w2', epoch: joined.epoch, now: clock.now() });
    await store.leaveNode({ self, now: clock.now() });
    const names = async () =>
      [...(await store.listNodes()), ...(await store.listWorkers())].map(({ id }) => id);
    await engine.pass(HOUR);
    expect(await names()).toEqual(['m1', 'm2', 'w1', 'w2']);
    await engine.pass(3 * HOUR);
    expect(await names()).toEqual(['m1', 'w1']);
  });

  it('stays while it is open, or its parent is', async () => {
    const engine = await start({ runs: MINUTE });
    await engine.publish(one('child'));
    const parent = await engine.submit(
      workflow([subWorkflow('sub'), task('long', { needs: ['sub'] })], { name: 'parent' }),
    );
    const over = await engine.submit(one('other'));
    await engine.pass(2 * HOUR);
    const kept = await left(engine);
    expect(kept).toContain(parent);
    expect(kept).toHaveLength(2);
    expect(kept).not.toContain(over);
    expect((await engine.states(parent)).tasks).toEqual({ sub: 'success', long: 'running' });
    await engine.control(parent, { type: 'stop' });
    await engine.pass(2 * HOUR);
    expect(await left(engine)).toEqual([]);
    await healthy(engine);
  });

  it('goes by number, the oldest first', async () => {
    const engine = await start({ maxRuns: 3 });
    const runs: number[] = [];
    for (let k = 0; k < 8; k++) runs.push(await engine.submit(one()));
    await engine.pass(HOUR);
    expect(await left(engine)).toEqual(runs.slice(-3));
    await healthy(engine);
  });

  it('goes by number: ticks, skips, keys and the log of access, the oldest first', async () => {
    const engine = await start({ maxTicks: 2, maxKeys: 3, maxHistory: 4 });
    const { store, clock } = engine;
    const every = 10 * MINUTE;
    const misfire = { policy: 'fire-all', threshold: HOUR } as const;
    const often = { name: 'often', every, timezone: 'UTC', misfire, params: {} };
    const { id } = await engine.publish(one('sample', { schedules: [often] }), {
      often: clock.now() + every,
    });
    for (let k = 0; k < 6; k++) {
      await store.claimKey({ key: `k${k}`, claim: 'old', before: 0, now: clock.now() + k });
      const caps = { runs: 10 + k, tenants: {} };
      await store.setRunCaps({ caps, by: 'someone', now: clock.now() + k });
    }
    await engine.pass(3 * HOUR + MINUTE);
    const [schedule] = await store.listSchedules({ workflow: id });
    await store.setSchedule({ id: schedule.id, enabled: false, nextDue: null, now: clock.now() });
    await engine.pass(2 * HOUR);
    const ticks = await store.listTicks({ schedule: schedule.id, limit: 99 });
    expect(ticks.map(({ due }) => due)).toEqual([schedule.firedUntil, schedule.firedUntil - every]);
    const claimAgain = (k: number) =>
      store.claimKey({ key: `k${k}`, claim: 'young', before: 0, now: clock.now() });
    const claims = await Promise.all([2, 3, 5].map(claimAgain));
    expect(claims.map((state) => 'claim' in state && state.claim)).toEqual(['young', 'old', 'old']);
    const audit = await store.listAudit({ limit: 99 });
    expect(audit).toHaveLength(4);
    expect(audit[0]).toMatchObject({ action: 'schedule.pause', detail: { after: 'paused' } });
  });

  it('goes in steps, also where one run has more rows than a step deletes', async () => {
    const engine = await start({ runs: HOUR });
    const wide = Array.from({ length: 1_200 }, (_, k) => task(`t${k}`));
    await engine.submit(workflow(wide, { name: 'wide' }));
    await engine.pass(2 * MINUTE);
    expect((await healthy(engine)).task_run).toBe(1_200);
    await engine.pass(3 * HOUR);
    const counts = await healthy(engine);
    expect([counts.run, counts.task_run, counts.attempt]).toEqual([0, 0, 0]);
  });
});

describe('a sweep', () => {
  /** The sweeps that each of these masters asks for in three minutes of work. */
  async function asked(masters: readonly string[], gate: Gate = openGate): Promise<string[][]> {
    const clock = new VirtualClock(1_000_000);
    const store = await openSqlite(':memory:');
    const sweeps = masters.map((id) => {
      const names: string[] = [];
      const watched = new Proxy(store, {
        get: (target, name) => {
          if (String(name).startsWith('sweep')) names.push(String(name));
          return Reflect.get(target, name);
        },
      }) as Store;
      const config = { ...masterDefaults, id, address: id };
      const duties = new Duties(id);
      duties.learn(masters.filter((other) => other !== id));
      const self = { node: id, epoch: 1 };
      const retention = new Retention(
        {
          clock: StoreClock.unmeasured(clock),
          store: watched,
          log: () => {},
          report: () => {},
          config,
          self,
          gate,
        },
        duties,
      );
      return { names, retention };
    });
    for (let second = 0; second < 180; second++) {
      for (const { retention } of sweeps) retention.beat(second);
      await clock.advanceAsync(1_000, () => new Promise<void>((resolve) => setImmediate(resolve)));
    }
    await store.close();
    return sweeps.map(({ names }) => [...new Set(names)]);
  }

  it("is divided among the masters by key: each part is one master's, whatever its name", async () => {
    const [all] = await asked(['m2']);
    const parts = await asked(['m1', 'm2', 'm3']);
    const limits = 'sweepLimits';
    const unique = (list: readonly string[]) => list.filter((name) => name !== limits).sort();
    expect(parts.flatMap(unique).sort()).toEqual(unique(all));
    expect(parts.filter((names) => names.length > 0).length).toBeGreaterThan(1);
  });

  it('is not made while the gate refuses it', async () => {
    const closed: Gate = { refusal: () => 'm2 is draining' };
    expect(await asked(['m2'], closed)).toEqual([[]]);
  });
});
