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

    it('a test run of a draft runs the draft, leaves the live version alone and counts for nothing', async () => {
      const name = { project: 'default', name: 'up' };
      const text = upstream
        .replace('name: b', 'name: b2')
        .replace("deadline: '22:14'", 'mode: serial-discard');
      await world.client.saveDraft({ ...name, body: { text } });
      const waits = (await world.client.startRun({ body: { workflow: 'waits' } })).id;
      const { id, counts } = await world.client.testDraft({ ...name, ifMatch: '"1"', body: {} });
      expect(counts).toBe(false);
      // It takes no place from runs of the live version, and the same content is the same draft.
      const whole = await start();
      const again = await world.client.testDraft({ ...name, body: {} });
      for (const one of [id, again.id, whole.id]) expect(await world.ended(one)).toBe('success');
      const shown = await world.client.showRun({ id });
      expect(shown).toMatchObject({ version: -1, counted: false });
      expect((await world.client.showRun({ id: again.id })).version).toBe(-1);
      expect((await world.client.showWorkflow({ ...name, version: -1 })).workflow.tasks[1].name).toBe('b2');
      const { why } = await world.client.explain({ id: String(id) });
      expect(why).toMatch(/; a test run of a draft, which counts for nothing$/);
      expect(await world.ended(waits)).toBe('success');
      await world.engine.pass(5_000);
      expect(await triggered()).toBe(1);
      expect((await world.client.listVersions(name)).versions.map(({ version }) => version)).toEqual([1]);
      // A replay of it stays a test; what is published next is version 2.
      const replayed = await world.client.replayRun({ id, body: { counts: true } });
      expect(replayed.counts).toBe(false);
      expect(await world.ended(replayed.id)).toBe('success');
      expect((await world.client.publishDraft({ ...name, body: {} })).version).toBe(2);
    });

    it('a draft is tested only as it could be published, and by those who may publish it', async () => {
      const name = { project: 'default', name: 'fresh' };
      const test = (more = {}) => world.client.testDraft({ ...name, body: {}, ...more });
      await expect(test()).rejects.toMatchObject({ status: 404 });
      await world.client.saveDraft({ ...name, body: { text: 'name: fresh\ntasks: [{name: a}]' } });
      await expect(test()).rejects.toMatchObject({ status: 422 });
      const text = 'name: fresh\nparams: {day: {}}\ntasks: [{name: a, type: shell}]';
      await world.client.saveDraft({ ...name, ifMatch: '"1"', body: { text } });
      await expect(test({ ifMatch: '"1"' })).rejects.toMatchObject({ status: 412 });
      await expect(test({ body: { params: { dya: 1 } } })).rejects.toMatchObject({ status: 422 });
      await expect(test({ body: { version: 1 } })).rejects.toMatchObject({ status: 422 });
      await expect(world.client.startRun({ body: { workflow: 'fresh', version: -1 } })).rejects.toMatchObject(
        { status: 422 },
      );
      // One that was never published can be tried too, and is then not published either.
      const { id } = await test({ body: { params: { day: 'monday' } } });
      expect(await world.ended(id)).toBe('success');
      await expect(world.client.startRun({ body: { workflow: 'fresh' } })).rejects.toMatchObject({
        status: 422,
      });
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
