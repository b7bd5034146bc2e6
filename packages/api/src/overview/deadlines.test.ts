import { testDatabases } from '@orrery/testkit/databases';
import { ServedEngine } from '@orrery/testkit/served-engine';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../access/identity.ts';
import { readChanges } from '../live/changes.ts';
import { makeFrame } from '../live/frame.ts';
import { Metrics } from '../metrics/metrics.ts';

// An engine begins at 2023-11-14T22:13:20Z, a Tuesday.
const file = (more: string) => `name: daily\n${more}\ntasks: [{name: work, type: shell}]\n`;
const MINUTE = 60_000;

for (const database of testDatabases())
  describe(`deadlines on ${database.name}`, () => {
    let world: ServedEngine;
    let takes: number;

    beforeEach(async () => {
      takes = 10;
      world = await ServedEngine.start(await database.open(), () => ({ after: takes, state: 'success' }));
    });
    afterEach(() => world.stop());
    afterAll(() => database.close());

    const start = async () => (await world.client.startRun({ body: { workflow: 'daily' } })).id;
    const alerts = () => world.engine.store.listAlerts({ after: 0, limit: 100 });
    const needs = async () =>
      (await world.client.showOverview()).needs.filter(
        ({ kind }) => kind === 'deadline' || kind === 'overtime',
      );
    const until = (text: string) =>
      world.until(async () => world.engine.clock.now() > Date.parse(`2023-11-14T${text}Z`));

    it('raise one alert for a day whose run has not succeeded, and say which run is open', async () => {
      await world.publish(file("deadline: '22:14'"));
      takes = MINUTE;
      const id = await start();
      await until('22:14:05');
      const text = `default/daily has no successful run of 2023-11-14 by 22:14 (UTC); open: run ${id}`;
      expect(await alerts()).toMatchObject([
        { kind: 'deadline', project: 'default', name: 'daily', run: id, text },
      ]);
      expect(await needs()).toMatchObject([{ kind: 'deadline', text, count: 1, address: `/runs/${id}` }]);
      const { events } = await world.client.listRunEvents({ id });
      expect(events.filter(({ action }) => action === 'deadline-missed')).toMatchObject([
        { actor: 'deadline', text },
      ]);
      expect(await world.ended(id)).toBe('success');
      // What was late is done: nobody is needed any more.
      await world.engine.pass(2_000);
      expect(await needs()).toEqual([]);
      expect(await alerts()).toHaveLength(1);
    });

    it('raise one for a day on which nothing ran, though masters die around that moment', async () => {
      await world.publish(file("deadline: '22:14'"));
      for (let k = 0; k < 12; k++) {
        await world.engine.pass(5_000);
        world.engine.crashMaster();
      }
      await until('22:15:00');
      expect((await alerts()).map(({ text, run }) => [text, run])).toEqual([
        ['default/daily has no successful run of 2023-11-14 by 22:14 (UTC)', null],
      ]);
    });

    it('are told to those who listen and may see the project', async () => {
      const { store } = world.engine;
      const { position } = await store.readFeed({ limit: 0 });
      await world.publish(file("deadline: '22:14'"));
      await world.until(async () => (await alerts()).length > 0);
      const { changes } = await readChanges(store, position, () => false);
      const frame = await makeFrame(store, changes, new Set(['alerts']));
      expect(frame.textsFor(['alerts'], root).map((text) => JSON.parse(text))).toMatchObject([
        { kind: 'alert', patch: { kind: 'deadline', project: 'default', workflow: 'daily', run: null } },
      ]);
      expect(frame.textsFor(['alerts'], { ...root, project: 'other' })).toEqual([]);
    });

    it('are met by a run of that day that succeeded before', async () => {
      await world.publish(file("deadline: '22:14'"));
      expect(await world.ended(await start())).toBe('success');
      await until('22:14:30');
      expect(await alerts()).toEqual([]);
    });

    it('are not met by a success that came too late, nor by a run of another day', async () => {
      await world.publish(file("deadline: '22:14'"));
      await world.client.startRun({ body: { workflow: 'daily', businessTime: '2023-11-13T12:00:00Z' } });
      await until('22:13:59');
      takes = 2_000;
      const late = await start();
      expect(await world.ended(late)).toBe('success');
      await until('22:14:30');
      expect(await alerts()).toMatchObject([{ kind: 'deadline' }]);
    });

    it('are of their days alone, and go with the workflow or its next version', async () => {
      await world.publish(file("deadline: {at: '22:14', days: [wednesday]}"));
      await until('22:14:30');
      expect(await alerts()).toEqual([]);
      await world.publish(file("deadline: '22:15'"));
      await world.publish(file('description: none'));
      await world.publish(file("deadline: '22:15'"));
      await world.client.deleteWorkflow({ project: 'default', name: 'daily' });
      await until('22:15:30');
      expect(await alerts()).toEqual([]);
    });

    it('are joined by runs that take longer than they may, once for each', async () => {
      await world.publish(file('timeout: {after: 5s, action: warn}'));
      takes = MINUTE;
      const id = await start();
      await world.until(async () => (await alerts()).length > 0);
      world.engine.crashMaster();
      await world.engine.pass(20_000);
      const text = 'run of daily takes longer than its time limit';
      expect(await alerts()).toMatchObject([{ kind: 'run-timeout', run: id, text }]);
      expect(await needs()).toMatchObject([{ kind: 'overtime', text: `default/daily: ${text}` }]);
      const { events } = await world.client.listRunEvents({ id });
      expect(events.filter(({ action }) => action === 'run-timeout')).toHaveLength(1);
      await world.ended(id);
      await world.engine.pass(2_000);
      expect(await needs()).toEqual([]);
    });
  });

it('are counted', async () => {
  const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => {} }) };
  const metrics = new Metrics({ clock });
  const [sqlite] = testDatabases();
  const store = metrics.watchStore(await sqlite.open());
  const { epoch } = await store.joinNode({ id: 'm', roles: ['master'], address: 'm', info: {}, now: 0 });
  const world = await ServedEngine.start(store);
  await world.publish(file("deadline: '22:14'"));
  const [deadline] = await store.dueDeadlines({ until: Number.MAX_SAFE_INTEGER, limit: 1 });
  const self = { node: 'm', epoch };
  expect(await store.passDeadline({ self, deadline, now: deadline.due })).toEqual({ missed: true });
  expect(await store.passDeadline({ self, deadline, now: deadline.due })).toEqual({ missed: false });
  await store.routeAlerts({ self, limit: 10, now: deadline.due });
  expect(await metrics.text()).toContain('orrery_alerts_total{kind="deadline"} 1');
  await world.stop();
  await sqlite.close();
});
