import { testDatabases } from '@orrery/testkit/databases';
import { ServedEngine } from '@orrery/testkit/served-engine';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';

const upstream = `
name: up
deadline: '22:14'
tasks: [{name: a, type: shell}, {name: b, type: shell, needs: a}]`;
const after = `
name: after
triggers: [{name: next, after: up}]
tasks: [{name: work, type: shell}]`;
const dependent = `
name: waits
tasks:
  - name: wait
    type: dependent
    with: {all: [{workflow: up, window: today}]}`;

type Start = Parameters<ServedEngine['client']['startRun']>[0]['body'];
const some: readonly [string, Omit<Start, 'workflow'>][] = [
  ['a dry run', { dryRun: true }],
  ['a run of one task', { scope: { kind: 'only', tasks: ['a'] } }],
  ['a run up to a task', { scope: { kind: 'to', tasks: ['a'] } }],
  ['a run from a task', { scope: { kind: 'from', tasks: ['b'] } }],
];

for (const database of testDatabases())
  describe(`what counts, on ${database.name}`, () => {
    let world: ServedEngine;
    let state: 'success' | 'failed';

    beforeEach(async () => {
      state = 'success';
      world = await ServedEngine.start(await database.open(), () => ({ after: 1_000, state }));
      for (const file of [upstream, after, dependent]) await world.publish(file);
    });
    afterEach(() => world.stop());
    afterAll(() => database.close());

    const start = async (more: Omit<Start, 'workflow'> = {}) =>
      world.client.startRun({ body: { workflow: 'up', ...more } });
    const triggered = async () => (await world.client.listRuns({ workflow: 'after' })).runs.length;
    const strip = async () => {
      const { workflows } = await world.client.listWorkflows({ include: ['strip'] });
      return workflows.find(({ name }) => name === 'up')?.strip;
    };

    it.each(some)('%s says so and is left out by triggers, dependents and deadlines', async (_, asked) => {
      const waits = (await world.client.startRun({ body: { workflow: 'waits' } })).id;
      const { id, counts } = await start(asked);
      expect(counts).toBe(false);
      expect(await world.ended(id)).toBe('success');
      expect((await world.client.showRun({ id })).counted).toBe(false);
      const { why } = await world.client.explain({ id: String(id) });
      expect(why).toMatch(/; a (dry run|run of some tasks), which counts for nothing$/);
      await world.engine.pass(60_000);
      expect(await triggered()).toBe(0);
      expect((await world.client.showRun({ id: waits })).state).toBe('running');
      expect(await world.engine.store.listAlerts({ after: 0, limit: 9 })).toMatchObject([
        { kind: 'deadline' },
      ]);
      // A whole, real run is what they wait for.
      const whole = await start();
      expect(whole.counts).toBe(true);
      expect(await world.ended(whole.id)).toBe('success');
      expect(await world.ended(waits)).toBe('success');
      expect(await triggered()).toBe(1);
    });

    it('a run of some tasks counts where that was asked for', async () => {
      const { id, counts } = await start({ scope: { kind: 'only', tasks: ['a'] }, counts: true });
      expect(counts).toBe(true);
      await world.ended(id);
      await world.engine.pass(5_000);
      expect(await triggered()).toBe(1);
    });

    it('a failure of what does not count needs nobody and spoils no figure', async () => {
      state = 'failed';
      const { id } = await start({ scope: { kind: 'only', tasks: ['a'] } });
      expect(await world.ended(id)).toBe('failed');
      const failed = async () =>
        (await world.client.showOverview()).needs.filter(({ kind }) => kind === 'failed').length;
      expect(await failed()).toBe(0);
      expect(await strip()).toMatchObject({ runs: [{ id, counted: false }], successRate: null, p50: null });
      const whole = await start();
      await world.ended(whole.id);
      await world.engine.pass(3_000);
      expect(await failed()).toBe(1);
      // A success of some tasks mends nothing.
      state = 'success';
      await world.ended((await start({ scope: { kind: 'only', tasks: ['a'] } })).id);
      await world.engine.pass(3_000);
      expect(await failed()).toBe(1);
    });

    it('a recovered run took the time of its rounds', async () => {
      state = 'failed';
      const { id } = await start();
      await world.ended(id);
      await world.engine.pass(300_000);
      state = 'success';
      await world.client.recoverRun({ id });
      await world.until(async () => (await world.client.showRun({ id })).state === 'success');
      const { startedAt, endedAt, idle, rounds } = await world.client.showRun({ id });
      const took = Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '') - idle;
      const sum = rounds.reduce(
        (all, round) => all + Date.parse(round.endedAt ?? '') - Date.parse(round.startedAt ?? ''),
        0,
      );
      expect([took, idle >= 300_000]).toEqual([sum, true]);
      expect(await strip()).toMatchObject({ p50: took, p95: took, runs: [{ duration: took }] });
      const { runs } = await world.client.listRuns({ workflow: 'up', duration: '4m..' });
      expect(runs).toEqual([]);
    });
  });
