import { afterAll, afterEach, describe, expect, it } from 'vitest';
import dolphin from '../../../core/fixtures/dolphinscheduler-cases.json' with { type: 'json' };
import { testDatabases } from '../databases.ts';
import { scriptOf } from './script.ts';
import { type Acts, CaseStage } from './stage.ts';

// biome-ignore lint/suspicious/noExplicitAny: every case has a shape of its own
type Facts = any;

/** Input and expectation of a case by its id. */
const facts: ReadonlyMap<string, { readonly input: Facts; readonly expect: Facts }> = new Map(
  dolphin.suites.flatMap(({ cases }) => cases.map((one) => [one.id, one])),
);

const suites = [
  'dispatch-order',
  'standby-order',
  'dynamic',
  'switch',
  'engine-schedule',
  'engine-start-2026',
  'issue-derived',
];

/** Cases that no run of a workflow in virtual time could answer, and where they are. */
const elsewhere: Readonly<Record<string, string>> = {
  'engine-start-2026-14': 'how a task type fails for good: the worker',
  'issue-derived-09': 'processes of a task: the worker',
  'issue-derived-21': 'what a task prints: the worker',
  'issue-derived-28': 'who may speak to a worker: the wire',
};

const noon = Date.parse('2026-03-02T12:00:00Z');
const DAY = 86_400_000;
const instant = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`);
const dateOf = (text: string) => text.slice(0, 10);
const one = (name: string, more: object = {}) => ({ name, tasks: [{ name: 'work', type: 'noop' }], ...more });
const dependent = (what: object) => ({
  name: 'later',
  tasks: [{ name: 'wait', type: 'dependent', with: { all: [what] } }],
});

type Played = (facts: { readonly input: Facts; readonly expect: Facts }) => Promise<void>;

describe.each(testDatabases())('the engine, through its API, on $name', (database) => {
  let stage: CaseStage;
  const open = async (...[acts, options]: [Acts?, Parameters<typeof CaseStage.open>[2]?]) => {
    stage = await CaseStage.open(await database.open(), acts, { now: noon, ...options });
  };
  afterEach(() => stage.close());
  afterAll(() => database.close());

  const stateOf = async (id: number) => (await stage.client.showRun({ id })).state;
  const runsOf = async (workflow: string) =>
    (await stage.client.listRuns({ workflow, kind: 'normal', limit: 1_000 })).runs.toReversed();
  const count = async (workflow: string, state: string) =>
    (await runsOf(workflow)).filter((run) => run.state === state).length;

  /** Tasks of one group with one slot, which another task holds until all of them wait; the order they went in. */
  async function grouped(tasks: readonly { id?: number; name?: string }[], keys: (task: Facts) => object) {
    await open(({ taskName }) => ({ after: taskName === 'work' ? 5_000 : 10 }));
    await stage.engine.store.setLimit({ name: 'task group default/gate', slots: 1, now: noon });
    const holder = { name: 'work', type: 'noop', group: 'gate' };
    const labels = tasks.map(({ id, name }) => String(id ?? name));
    const waiting = tasks.map((task, k) => ({ name: labels[k], type: 'noop', ...keys(task) }));
    await stage.publish({ name: 'holder', tasks: [holder] }, { name: 'flow', tasks: waiting });
    await stage.start('holder');
    await stage.rest(await stage.start('flow'));
    expect(stage.given()[0]).toBe('work');
    return stage.given().slice(1);
  }

  /** A backfill of `daily` over some business times. */
  async function fill(times: readonly number[], parallelism: number) {
    await stage.publish(one('daily', { params: { day: '$[yyyy-MM-dd]' } }));
    const { id } = await stage.client.startBackfill({
      body: {
        workflow: 'daily',
        times: times.map((time) => new Date(time).toISOString()),
        parallel: parallelism,
      },
    });
    return id ?? 0;
  }

  async function noWorker({ expect: expected }: { readonly expect: Facts }, workers = {}) {
    await open(undefined, { workers });
    const task = { name: 'A', type: 'noop', workerGroup: 'nowhere', queueTimeout: '10s' };
    await stage.publish({ name: 'flow', tasks: [task] });
    const run = await stage.start('flow');
    await stage.pass(9_000 - 100);
    expect(await stateOf(run)).toBe('running');
    await stage.pass((expected.withinSeconds - 10) * 1_000);
    const { state, tasks } = await stage.see(run);
    expect([state, tasks.A.state]).toEqual(['failed', 'failed']);
  }

  const play: Record<string, Played> = {
    'dispatch-order-02': async ({ input, expect: order }) => {
      const key = ({ taskGroupPriority: priority }: Facts) => ({ group: { name: 'gate', priority } });
      expect(await grouped(input.tasks, key)).toEqual(order.map(String));
    },
    'dispatch-order-03': async ({ input, expect: order }) => {
      await open(() => ({ after: 5_000 }), { workers: { w1: { slots: 1 } } });
      await stage.publish(one('holder'), one('flow', { params: { id: 'none' } }));
      await stage.start('holder');
      const tasks = input.tasks.toSorted((a: Facts, b: Facts) => a.submit - b.submit);
      for (const { id } of tasks) await stage.client.startRun({ body: { workflow: 'flow', params: { id } } });
      await stage.pass(60_000);
      expect(stage.engine.executed.slice(1).map(({ params }) => params.id)).toEqual(order.map(String));
    },
    ...Object.fromEntries(
      ['01', '02', '03', '04'].map((number) => [
        `standby-order-${number}`,
        async ({ input, expect: first }: { readonly input: Facts; readonly expect: Facts }) => {
          const key = ({ priority, group }: Facts) => ({
            priority: priority.toLowerCase(),
            group: { name: 'gate', priority: group },
          });
          expect((await grouped(input.tasks, key))[0]).toBe(first);
        },
      ]),
    ),

    'dynamic-02': async ({ input, expect: groups }) => {
      const over = Object.fromEntries(input.params.map(({ name, value }: Facts) => [name, value]));
      await open();
      await stage.publish(one('child'), { name: 'flow', tasks: [dynamic(over)] });
      const run = await stage.start('flow');
      expect((await stage.rest(run)).state).toBe('success');
      expect((await stage.children(run)).map(({ params }) => params)).toEqual(groups);
    },
    'dynamic-05': async () => {
      const run = await openDynamic();
      expect((await stage.see(run)).tasks.each.state).toBe('waiting');
      expect(await stateOf(run)).toBe('running');
    },
    'dynamic-06': async () => {
      const run = await openDynamic();
      await stage.client.killTask({ id: run, body: { task: 'each' } });
      const { state, tasks } = await stage.rest(run);
      expect([state, tasks.each.state]).toEqual(['failed', 'killed']);
      expect((await stage.children(run)).map((child) => child.state)).toEqual(['stopped']);
    },

    'switch-02': async ({ input }) => {
      await open();
      await stage.publish(switching([{ when: input.expr, to: ['yes'] }], ['no']));
      await stage.rest(await stage.start('flow'));
      expect(stage.given()).toEqual(['yes']);
    },
    'switch-03': foreignCode,
    'switch-04': foreignCode,

    'engine-schedule-01': async ({ input, expect: { instances, scheduleTimesInOrder } }) => {
      await open();
      await stage.rest(await fill(input.backfill.map(instant), 1));
      const children = await runsOf('daily');
      expect(children).toHaveLength(instances);
      expect(children.map(({ businessTime }) => Date.parse(businessTime))).toEqual(
        scheduleTimesInOrder.map(instant),
      );
      // One after the other: each began when the one before had ended.
      children.slice(1).forEach(({ startedAt }, k) => {
        expect(Date.parse(startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(children[k].endedAt ?? ''));
      });
    },
    'engine-schedule-02': async ({ input, expect: { successfulInstancesAtLeast } }) => {
      await open();
      await stage.publish(one('flow', { schedule: input.cron }));
      await stage.pass(60_000);
      expect(await count('flow', 'success')).toBeGreaterThanOrEqual(successfulInstancesAtLeast);
      const times = (await runsOf('flow')).map(({ businessTime }) => Date.parse(businessTime));
      expect(times).toEqual(times.map((_, k) => noon + 5_000 * (k + 1)));
    },

    'engine-start-2026-02': async () => {
      const runs = await threeAtOnce('serial-wait');
      expect(await Promise.all(runs.map(stateOf))).toEqual(['running', 'waiting', 'waiting']);
      await stage.pass(20_000);
      expect(await Promise.all(runs.map(stateOf))).toEqual(['success', 'success', 'success']);
      const ends = (await runsOf('flow')).map(({ endedAt }) => Date.parse(endedAt ?? ''));
      for (const [k, end] of ends.slice(1).entries()) expect(end - ends[k]).toBeGreaterThanOrEqual(5_000);
    },
    'engine-start-2026-03': async () => {
      const runs = await threeAtOnce('serial-discard');
      await stage.pass(20_000);
      expect(await Promise.all(runs.map(stateOf))).toEqual(['success', 'stopped', 'stopped']);
    },
    'engine-start-2026-05': async () => {
      await open(({ taskName }) => (taskName === 'C' ? { state: 'failed' } : { after: 60_000 }));
      await stage.publish(scriptOf({ dag: 'A, B, C', workflow: { onFailure: 'end' } }).flow);
      const { state, tasks } = await stage.rest(await stage.start('flow'));
      expect([state, tasks.A.state, tasks.B.state, tasks.C.state]).toEqual([
        'failed',
        'killed',
        'killed',
        'failed',
      ]);
    },
    'engine-start-2026-09': async () => {
      await open();
      await stage.publish(switching([{ when: 'false', to: ['yes'] }], ['no']));
      expect((await stage.rest(await stage.start('flow'))).state).toBe('success');
      expect(stage.given()).toEqual(['no']);
    },
    'engine-start-2026-11': async ({ input }) => {
      await open(({ taskName }) => ({
        after: taskName === 'A' ? 2_000 : 10,
        state: input.fails.includes(taskName) ? 'failed' : 'success',
      }));
      await stage.publish(scriptOf({ edges: input.edges }).flow);
      const { state, tasks } = await stage.rest(await stage.start('flow'));
      expect([state, tasks.A.state, tasks.B.state, tasks.C.state]).toEqual([
        'failed',
        'success',
        'failed',
        'success',
      ]);
      expect(tasks.D.attempts).toEqual([]);
    },
    'engine-start-2026-22': noWorker,
    'engine-start-2026-23': async () => {
      await open();
      await stage.publish({ name: 'flow', tasks: [{ name: 'A', type: 'noop', workerGroup: 'nowhere' }] });
      const run = await stage.start('flow');
      await stage.pass(30_000);
      const { state, tasks } = await stage.see(run);
      expect([state, tasks.A.state]).toEqual(['running', 'submitted']);
    },
    'engine-start-2026-24': (given) => noWorker(given, {}),

    'issue-derived-04': async ({ input, expect: { maxConcurrent, instances } }) => {
      await open(() => ({ after: 5_000 }));
      await stage.rest(await fill(days(input.backfillDates), input.parallelism));
      const children = await runsOf('daily');
      expect({ instances: children.length, most: mostAtOnce(children) }).toEqual({
        instances,
        most: maxConcurrent,
      });
    },
    'issue-derived-05': async ({ input, expect: { instances, success, failure } }) => {
      await open(({ params }) => ({
        state: params.day === input.failsOn ? 'failed' : 'success',
      }));
      const run = await fill(input.backfillDates.map(Date.parse), 1);
      await stage.rest(run);
      expect((await runsOf('daily')).length).toBe(instances);
      expect([await count('daily', 'success'), await count('daily', 'failed')]).toEqual([success, failure]);
      const failed = (await runsOf('daily')).filter(({ state }) => state === 'failed');
      expect(failed.map(({ businessTime }) => dateOf(businessTime))).toEqual([input.failsOn]);
    },
    'issue-derived-06': async () => {
      await open(() => ({ after: 5_000 }));
      const run = await fill(days(4), 2);
      await stage.pass();
      const [first] = await stage.children(run);
      await stage.control(first.id, 'stop');
      await stage.rest(run);
      expect((await runsOf('daily')).map(({ state }) => state)).toEqual([
        'stopped',
        'success',
        'success',
        'success',
      ]);
    },
    'issue-derived-08': async ({ input }) => {
      await open();
      const task = { name: 'A', type: 'noop', delay: '60s' };
      await stage.publish({ name: 'flow', timezone: input.master, tasks: [task] });
      const run = await stage.start('flow');
      await stage.pass(58_000);
      expect((await stage.see(run)).tasks.A.state).toBe('delayed');
      await stage.pass(2_000);
      expect((await stage.see(run)).tasks.A.state).toBe('success');
    },
    'issue-derived-12': async () => {
      await open(() => ({ after: 60_000 }));
      await stage.publish(one('flow', { mode: 'serial-wait', timeout: '5s' }));
      const first = await stage.start('flow');
      const second = await stage.start('flow');
      expect(await stateOf(second)).toBe('waiting');
      stage.act(() => ({}));
      await stage.pass(10_000);
      expect([await stateOf(first), await stateOf(second)]).toEqual(['failed', 'success']);
    },
    'issue-derived-13': async ({ input, expect: { executed } }) => {
      await open();
      const { flow } = scriptOf({ edges: input.edges });
      const tasks = flow.tasks.map((task) =>
        (task as { name: string }).name === 'sw'
          ? { name: 'sw', type: 'switch', with: { cases: [{ when: 'true', to: ['s2'] }] } }
          : task,
      );
      await stage.publish({ ...flow, tasks });
      expect((await stage.rest(await stage.start('flow'))).state).toBe('success');
      expect(['sw', ...stage.given()]).toEqual(executed);
    },
    'issue-derived-14': async () => {
      await open();
      await stage.publish(switching([{ when: 'false', to: ['yes', 'no'] }]));
      expect((await stage.rest(await stage.start('flow'))).state).toBe('failed');
      expect(stage.given()).toEqual([]);
    },
    'issue-derived-16': async () => {
      await open();
      const forbidden = { name: 'off', type: 'noop', disabled: true };
      await stage.publish(
        { name: 'earlier', tasks: [{ name: 'on', type: 'noop' }, forbidden] },
        dependent({ workflow: 'earlier', window: 'today' }),
      );
      await stage.rest(await stage.start('earlier'));
      expect((await stage.rest(await stage.start('later'))).tasks.wait.state).toBe('success');
    },
    'issue-derived-17': async () => {
      await open();
      await stage.publish(
        {
          name: 'earlier',
          tasks: [
            { name: 'X', type: 'noop' },
            { name: 'Y', type: 'noop' },
          ],
        },
        dependent({ workflow: 'earlier', task: 'X', window: 'today' }),
      );
      const run = await stage.start('earlier', { businessTime: '2026-03-02T01:00:00Z' });
      await stage.rest(run);
      await stage.client.rerunRun({ id: run, body: { scope: { kind: 'only', tasks: ['Y'] } } });
      await stage.rest(run);
      expect(stage.given()).toEqual(['X', 'Y', 'Y']);
      expect((await stage.rest(await stage.start('later'))).tasks.wait.state).toBe('success');
    },
    'issue-derived-19': async () => {
      await open();
      const flow = dependent({ workflow: 'later', window: 'previous' });
      await stage.publish({ ...flow, schedule: '0 * * * * ?' });
      await stage.pass(90_000);
      const first = (await runsOf('later'))[0];
      expect((await stage.see(first.id)).tasks.wait.state).toBe('success');
    },
    'issue-derived-24': async ({ expect: { eachTaskExecutions } }) => {
      await open(() => ({ after: 3_000 }));
      await stage.publish(scriptOf({ dag: 'A->B' }).flow);
      const run = await stage.start('flow');
      for (let k = 0; k < 6; k++) {
        stage.engine.crashMaster();
        await stage.pass(1_500);
      }
      expect((await stage.rest(run)).state).toBe('success');
      expect(stage.given()).toEqual(['A', 'B'].flatMap((name) => Array(eachTaskExecutions).fill(name)));
    },
    'issue-derived-25': async () => {
      await open(() => ({ after: 3_000 }));
      await stage.publish(scriptOf({ dag: 'A->B' }).flow);
      const run = await stage.start('flow');
      // The next owner dies at every stage of taking over.
      for (let ms = 0; ms < 30; ms++) {
        stage.engine.crashMaster();
        await stage.pass(ms);
      }
      expect((await stage.rest(run)).state).toBe('success');
      expect(stage.given()).toEqual(['A', 'B']);
    },
    'issue-derived-26': async () => {
      await open();
      const parent = {
        name: 'parent',
        tasks: [{ name: 'SUB', type: 'sub-workflow', with: { workflow: 'child' } }],
      };
      await stage.publish({ project: 'one', ...one('child') }, { project: 'one', ...parent });
      for (const name of ['child', 'parent']) {
        const text = await stage.client.readSource({ project: 'one', name, format: 'json' });
        await stage.publish({ ...(typeof text === 'string' ? JSON.parse(text) : text), project: 'two' });
      }
      const run = await stage.start('two/parent');
      expect((await stage.rest(run)).state).toBe('success');
      expect((await stage.children(run)).map(({ project, name }) => `${project}/${name}`)).toEqual([
        'two/child',
      ]);
    },
  };

  async function openDynamic(): Promise<number> {
    await open(() => ({ after: 60_000 }));
    await stage.publish(one('child'), { name: 'flow', tasks: [dynamic({ a: '1' })] });
    return stage.start('flow');
  }

  async function threeAtOnce(mode: string): Promise<number[]> {
    await open(() => ({ after: 5_000 }));
    await stage.publish(one('flow', { mode }));
    const answers = [];
    for (let k = 0; k < 3; k++) answers.push(await stage.client.startRun({ body: { workflow: 'flow' } }));
    await stage.pass();
    return answers.map(({ id }) => id);
  }

  async function foreignCode({ input }: { readonly input: Facts }): Promise<void> {
    await open();
    const flow = { ...switching([{ when: input.expr, to: ['yes'] }], ['no']), params: input.params };
    await expect(stage.publish(flow)).rejects.toMatchObject({ status: 422 });
  }

  it.each(Object.keys(play))('%s', async (id) => {
    const found = facts.get(id);
    if (!found) throw new Error(`there is no case ${id}`);
    await play[id](found);
  });

  it('plays every case of its suites, or says where it belongs', async () => {
    await open();
    const all = dolphin.suites.flatMap(({ id, cases }) =>
      suites.includes(id) ? cases.map((one) => one.id) : [],
    );
    expect([...Object.keys(play), ...Object.keys(elsewhere)].toSorted()).toEqual(all.toSorted());
  });
});

function dynamic(over: object): object {
  return { name: 'each', type: 'dynamic', with: { workflow: 'child', over } };
}

/** A switch between `yes` and `no`. */
function switching(cases: readonly object[], otherwise?: readonly string[]): object {
  const chosen = { cases, ...(otherwise && { default: otherwise }) };
  const after = ['yes', 'no'].map((name) => ({ name, type: 'noop', needs: ['sw'] }));
  return { name: 'flow', tasks: [{ name: 'sw', type: 'switch', with: chosen }, ...after] };
}

function days(number: number): number[] {
  return Array.from({ length: number }, (_, day) => noon - (number - day) * DAY);
}

/** Most runs that were under way at one time. */
function mostAtOnce(runs: readonly { startedAt: string | null; endedAt: string | null }[]): number {
  const times = runs.map(({ startedAt, endedAt }) => [
    Date.parse(startedAt ?? ''),
    Date.parse(endedAt ?? ''),
  ]);
  return Math.max(...times.map(([at]) => times.filter(([start, end]) => start <= at && at < end).length));
}
