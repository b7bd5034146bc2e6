import { testDatabases } from '@orrery/testkit/databases';
import { ServedEngine } from '@orrery/testkit/served-engine';
import type { Assignment } from '@orrery/wire/frames';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';

const daily = `name: daily
timezone: Asia/Shanghai
schedule: {cron: 0 2 * * *, params: {table: orders}}
params: {table: none, day: '$[yyyy-MM-dd]'}
tasks: [{name: load, type: shell, with: {script: 'load \${table} \${day}'}}]
`;
const range = { workflow: 'daily', from: '2026-01-01', to: '2026-01-05' } as const;

for (const database of testDatabases())
  describe(`a backfill on ${database.name}`, () => {
    let world: ServedEngine;
    let fails: (assignment: Assignment) => boolean;
    let slow: number;

    beforeEach(async () => {
      fails = () => false;
      slow = 10;
      world = await ServedEngine.start(await database.open(), (assignment) => ({
        after: slow,
        state: fails(assignment) ? 'failed' : 'success',
      }));
      await world.publish(daily);
    });
    afterEach(() => world.stop());
    afterAll(() => database.close());

    const start = async (body: object): Promise<number> => {
      const { id } = await world.client.startBackfill({ body: { ...range, ...body } });
      return id ?? 0;
    };
    const businessTimes = async (workflow = 'daily') =>
      (await world.runsOf(workflow)).map(({ businessTime }) => businessTime);
    const scripts = () =>
      world.engine.executed.map(({ with: settings }) => (settings as { script: string }).script);

    it('runs each tick of the schedule once, oldest first, as the schedule would have', async () => {
      const id = await start({});
      expect(await world.ended(id)).toBe('success');
      const days = ['2025-12-31', '2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'];
      expect(await businessTimes()).toEqual(days.map((day) => `${day}T18:00:00.000Z`));
      expect(await world.engine.store.listAlerts({ after: 0, limit: 9 })).toMatchObject([
        { kind: 'backfill-done', run: id, text: 'success' },
      ]);
      expect(scripts()).toEqual(
        ['01', '02', '03', '04', '05'].map((day) => `load \${ORRERY_VALUE_table} 2026-01-${day}`),
      );
      const runs = await world.runsOf('daily');
      expect(new Set(runs.map(({ trigger, parent }) => `${trigger} ${parent}`))).toEqual(
        new Set([`backfill ${id}`]),
      );
      const shown = await world.client.showRun({ id });
      expect(shown).toMatchObject({
        kind: 'backfill',
        backfill: { total: 5, done: 5, failed: 0, open: 0, next: null, workflows: ['default/daily'] },
      });
    });

    it('goes on after the master died in the middle, and starts no business time twice', async () => {
      const id = await start({ parallel: 2 });
      await world.until(async () => ((await world.client.showRun({ id })).backfill?.done ?? 0) >= 2);
      world.engine.crashMaster();
      expect(await world.ended(id)).toBe('success');
      expect(new Set(await businessTimes()).size).toBe(5);
      expect(await world.runsOf('daily')).toHaveLength(5);
    });

    it('keeps to the limit of its workflow, however many business times are open', async () => {
      await world.publish(daily.replace('schedule:', 'limit: 3\nschedule:'));
      slow = 50;
      const id = await start({ to: '2026-04-10', parallel: 100 });
      expect(await world.ended(id)).toBe('success');
      const runs = await world.runsOf('daily');
      expect(runs).toHaveLength(100);
      const open = (at: string | null) =>
        runs.filter(
          ({ startedAt, endedAt }) => (startedAt ?? '') <= (at ?? '') && (at ?? '') < (endedAt ?? ''),
        ).length;
      expect(Math.max(...runs.map(({ startedAt }) => open(startedAt)))).toBe(3);
    });

    it('keeps the versions of its start whatever is published meanwhile, unless the latest is asked for', async () => {
      const report = `name: report
tasks:
  - {name: wait, type: dependent, with: {all: [{workflow: daily, window: today}]}}
  - {name: tell, type: shell, needs: wait, with: {script: 'tell one'}}
`;
      await world.publish(report);
      for (const version of ['start', 'latest'] as const) {
        world.engine.executed.length = 0;
        await world.publish(daily);
        await world.publish(report);
        slow = 1_000;
        const id = await start({ to: '2026-01-03', includeDownstream: true, version });
        await world.until(async () => world.engine.executed.length > 0);
        await world.publish(daily.replace("'load ", "'other "));
        await world.publish(report.replace('tell one', 'tell two'));
        slow = 10;
        const live = (await world.client.showWorkflow({ project: 'default', name: 'daily' })).version;
        expect((await world.client.showRun({ id })).backfill?.version).toBe(
          version === 'start' ? live - 1 : null,
        );
        expect(await world.ended(id)).toBe('success');
        const words = scripts().map((script) =>
          script
            .split(' ')
            .slice(0, script.startsWith('tell') ? 2 : 1)
            .join(' '),
        );
        const later = version === 'start' ? ['load', 'tell one'] : ['other', 'tell two'];
        const first = version === 'start' ? 'tell one' : 'tell two';
        expect(words).toEqual(['load', first, ...later, ...later]);
      }
    });

    it('goes on after a failure, tells how many failed, and recovers only those', async () => {
      fails = ({ with: settings }) => JSON.stringify(settings).includes('2026-01-03');
      const id = await start({});
      expect(await world.ended(id)).toBe('failed');
      expect(await world.client.showRun({ id })).toMatchObject({ backfill: { done: 4, failed: 1, open: 0 } });
      const [row] = await world.runsOf('daily', { kind: 'backfill' });
      expect(row).toMatchObject({
        counts: { failed: 1 },
        failed: { task: 'backfill', taskRun: `${id}.backfill` },
      });
      // A run by hand that succeeds does not mend it.
      const { id: other } = await world.client.startRun({ body: { workflow: 'daily' } });
      expect(await world.ended(other)).toBe('success');
      const { needs } = await world.client.showOverview();
      expect(needs.map(({ text }) => text)).toContain('default/daily: backfill failed: 1 of 5 runs failed');
      fails = () => false;
      await world.client.recoverRun({ id });
      await world.until(async () => (await world.client.showRun({ id })).state === 'success');
      expect(await world.runsOf('daily')).toHaveLength(6);
      expect(scripts().filter((script) => script.endsWith('2026-01-03'))).toHaveLength(2);
    });

    it('starts nothing more after a failure where that is asked for', async () => {
      fails = ({ with: settings }) => JSON.stringify(settings).includes('2026-01-03');
      const id = await start({ onFailure: 'stop', order: 'newest' });
      expect(await world.ended(id)).toBe('failed');
      expect(await world.client.showRun({ id })).toMatchObject({
        backfill: { done: 2, failed: 1, open: 0, next: '2026-01-01T18:00:00.000Z' },
      });
    });

    it('is paused, resumed and stopped as a run', async () => {
      slow = 1_000;
      const id = await start({});
      await world.until(async () => (await world.runsOf('daily')).some(({ state }) => state === 'running'));
      await world.client.pauseRun({ id });
      await world.until(async () => (await world.client.showRun({ id })).state === 'paused');
      await world.engine.pass(5_000);
      expect((await world.runsOf('daily')).length).toBe(1);
      await world.client.resumeRun({ id });
      await world.until(async () => (await world.runsOf('daily')).length === 3);
      await world.client.stopRun({ id });
      expect(await world.ended(id)).toBe('stopped');
      await world.engine.pass(5_000);
      expect(await world.runsOf('daily')).toHaveLength(3);
    });

    it('runs what depends on a workflow after it, for each business time', async () => {
      const dependent = (name: string, on: string) => `name: ${name}
timezone: Asia/Shanghai
tasks:
  - {name: wait, type: dependent, with: {all: [{workflow: ${on}, window: today}]}}
  - {name: ${name}, type: shell, needs: wait}
`;
      await world.publish(dependent('report', 'daily'));
      await world.publish(dependent('mail', 'report'));
      const id = await start({ to: '2026-01-02', parallel: 2, includeDownstream: true });
      expect(await world.ended(id)).toBe('success');
      const order = ['default/daily', 'default/report', 'default/mail'];
      expect((await world.client.showRun({ id })).backfill).toMatchObject({
        total: 2,
        done: 2,
        workflows: order,
      });
      for (const name of ['daily', 'report', 'mail']) expect(await businessTimes(name)).toHaveLength(2);
      const ends = async (name: string) =>
        new Map((await world.runsOf(name)).map((run) => [run.businessTime, run]));
      const [first, second, third] = [await ends('daily'), await ends('report'), await ends('mail')];
      for (const [time, run] of first) {
        expect((run.endedAt ?? '') <= (second.get(time)?.createdAt ?? '')).toBe(true);
        expect((second.get(time)?.endedAt ?? '') <= (third.get(time)?.createdAt ?? '')).toBe(true);
      }
    });

    it('is no end of its workflow for those who wait for that', async () => {
      const id = await start({ to: '2026-01-01', times: undefined });
      expect(await world.ended(id)).toBe('success');
      const { rounds, businessTime } = await world.client.showRun({ id });
      expect(rounds).toMatchObject([{ state: 'success', endedAt: expect.any(String) }]);
      const time = Date.parse(businessTime);
      const [workflow] = (await world.engine.store.listWorkflows({})).filter(({ name }) => name === 'daily');
      const wanted = [{ workflow: workflow.id, from: time, to: time + 1 }];
      expect(await world.engine.store.readFacts({ wanted })).toEqual([]);
    });
  });
