import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { testDatabases } from '../databases.ts';
import { casesOf, notUnderstood, says, wordsOf } from './recorded.ts';
import { millis, scriptOf, switchOf } from './script.ts';
import { type Acts, CaseStage } from './stage.ts';
import { stateOf } from './words.ts';

const noon = Date.parse('2026-03-02T12:00:00Z');
const instant = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`);
const one = (name: string, more: object = {}) => ({ name, tasks: [{ name: 'work', type: 'noop' }], ...more });

describe.each(testDatabases())('the engine, through its API, on $name', (database) => {
  let stage: CaseStage;
  const open = async (...[acts, options]: [Acts?, Parameters<typeof CaseStage.open>[2]?]) => {
    stage = await CaseStage.open(await database.open(), acts, { now: noon, ...options });
  };
  afterEach(() => stage.close());
  afterAll(() => database.close());

  const runsOf = async (workflow: string) =>
    (await stage.client.listRuns({ workflow, kind: 'normal', limit: 1_000 })).runs.toReversed();

  describe('order of tasks', () => {
    interface Task {
      readonly id?: number;
      readonly name?: string;
      readonly workflowPriority?: string;
      readonly priority?: string;
      readonly taskPriority?: string;
      readonly taskGroupPriority?: number;
      readonly group?: number;
      readonly submit?: number;
    }
    const words = [
      ...[
        'id',
        'name',
        'workflowPriority',
        'priority',
        'taskPriority',
        'taskGroupPriority',
        'group',
        'submit',
      ],
    ];
    const labelOf = ({ id, name }: Task) => String(id ?? name);
    const priorityOf = ({ priority, taskPriority = priority }: Task) =>
      taskPriority && { priority: taskPriority.toLowerCase() };
    const groupOf = ({ group, taskGroupPriority = group }: Task) =>
      taskGroupPriority !== undefined && { group: { name: 'gate', priority: taskGroupPriority } };
    const fileOf = (task: Task) => ({
      name: labelOf(task),
      type: 'noop',
      ...priorityOf(task),
      ...groupOf(task),
    });

    it.each(['dispatch-order', 'standby-order'].flatMap(casesOf))('$id', async (one) => {
      const { tasks } = wordsOf<{ tasks: unknown[] }>(one.input, ['tasks']);
      const order = await served(tasks.map((task) => wordsOf<Task>(task, words)));
      if (Array.isArray(one.expect)) expect(order).toEqual(one.expect.map(String));
      else expect(order[0]).toBe(String(one.expect));
    });

    /** The order in which tasks start that all wait for one slot, in a run of their own where they were submitted apart. */
    async function served(tasks: readonly Task[]): Promise<string[]> {
      await open(({ taskName }) => ({ after: taskName === 'holder' ? 5_000 : 10 }), {
        workers: { w1: { slots: 1 } },
      });
      const grouped = tasks.some((task) => groupOf(task));
      if (grouped)
        await stage.engine.store.setLimit({ name: 'task group default/gate', slots: 1, now: noon });
      const holder = { name: 'holder', type: 'noop', ...(grouped && { group: 'gate' }) };
      await stage.publish({ name: 'holder', tasks: [holder] });
      await stage.start('holder');
      const apart = tasks.some(({ submit, workflowPriority }) => submit !== undefined || workflowPriority);
      const files = apart
        ? tasks
            .toSorted((a, b) => (a.submit ?? 0) - (b.submit ?? 0))
            .map((task) => ({ flow: one(labelOf(task), { tasks: [fileOf(task)] }), task }))
        : [{ flow: { name: 'flow', tasks: tasks.map(fileOf) }, task: undefined }];
      for (const { flow, task } of files) {
        await stage.publish(flow);
        await stage.client.startRun({
          body: {
            workflow: flow.name,
            ...(task?.workflowPriority && { priority: task.workflowPriority.toLowerCase() as 'high' }),
          },
        });
      }
      await stage.pass(60_000);
      expect(stage.given()[0]).toBe('holder');
      return stage.given().slice(1);
    }
  });

  describe('dynamic tasks', () => {
    interface Input {
      readonly params?: readonly { name: string; value: string; separator?: string }[];
      readonly filter?: string;
      readonly children?: readonly string[];
      readonly cancelled?: boolean;
    }
    const endings: Readonly<Record<string, Partial<ReturnType<Acts>>>> = {
      RUNNING: { after: 3_600_000 },
      SUCCESS: {},
      FAILED: { state: 'failed' },
      FAILURE: { state: 'failed' },
    };

    it.each(casesOf('dynamic'))('$id', async (one) => {
      const input = wordsOf<Input>(one.input, ['params', 'filter', 'children', 'cancelled']);
      if (input.params) expect(await groupsOf(input)).toEqual(one.expect);
      else if (input.children && typeof one.expect === 'string')
        expect(await stateWith(input.children, input.cancelled ?? false)).toBe(stateOf(one.expect));
      else throw notUnderstood(one);
    });

    const dynamic = (over: object, more: object = {}) => ({
      name: 'flow',
      tasks: [{ name: 'each', type: 'dynamic', with: { workflow: 'child', over, ...more } }],
    });

    async function groupsOf({ params = [], filter = '' }: Input) {
      const over = params.map(({ name, value, separator = ',' }) => [name, value.split(separator)]);
      const without = filter.split(',').filter((value) => value.trim() !== '');
      await open();
      await stage.publish(one('child'), dynamic(Object.fromEntries(over), { without }));
      const run = await stage.start('flow');
      expect((await stage.rest(run)).state).toBe('success');
      return (await stage.children(run)).map((child) => child.params);
    }

    /** The task's state with children in these; a task of which somebody has cancelled the children failed. */
    async function stateWith(children: readonly string[], cancelled: boolean): Promise<string> {
      await open(({ params }) => {
        const state = children[Number(params.n)];
        if (!Object.hasOwn(endings, state)) throw notUnderstood(state);
        return endings[state];
      });
      const n = children.map((_, k) => String(k));
      await stage.publish(one('child'), dynamic({ n }, { parallelism: children.length }));
      const run = await stage.start('flow');
      if (cancelled) await stage.client.killTask({ id: run, body: { task: 'each' } });
      await stage.pass(10_000);
      const { state, tasks } = await stage.see(run);
      const shown = tasks.each.state === 'waiting' ? 'running' : tasks.each.state;
      expect(state).toBe(shown === 'killed' ? 'failed' : shown);
      if (cancelled) for (const child of await stage.children(run)) expect(child.state).not.toBe('running');
      return shown === 'killed' ? 'failed' : shown;
    }
  });

  describe('switches', () => {
    it.each(casesOf('switch'))('$id', async ({ input, expect: expected }) => {
      const { expr, params = {} } = wordsOf<{ expr: string; params?: Record<string, string> }>(input, [
        'expr',
        'params',
      ]);
      await open();
      const ways = ['yes', 'no'].map((name) => ({ name, type: 'noop', needs: ['sw'] }));
      const tasks = [{ name: 'sw', ...switchOf([{ when: expr, to: ['yes'] }], ['no']) }, ...ways];
      const published = stage.publish({ name: 'flow', params, tasks });
      if (typeof expected !== 'boolean') {
        expect(wordsOf(expected, ['error', 'mustNotExecute'])).toMatchObject({ error: true });
        await expect(published).rejects.toMatchObject({ status: 422 });
        return;
      }
      await published;
      await stage.rest(await stage.start('flow'));
      expect(stage.given()).toEqual([expected ? 'yes' : 'no']);
    });
  });

  /** There, a key says whether a task is answered from a table of earlier results; here every task runs. */
  describe('cached results', () => {
    const changes: Readonly<Record<string, { start?: object; task?: object }>> = {
      'a parameter the task reads': { start: { params: { c: 'changed' } } },
      'a parameter the task does not read': { start: { params: { unread: 'changed' } } },
      'the version of the task': { task: { description: 'changed' } },
      'the task': { task: { name: 'other' } },
    };

    it.each(casesOf('task-cache').filter((one) => says(one, 'change')))('$id', async (one) => {
      const { change } = wordsOf<{ change: string }>(one.input, ['change']);
      wordsOf(one.expect, ['keyChanges']);
      if (!Object.hasOwn(changes, change)) throw notUnderstood(change);
      const { start, task } = changes[change];
      await open();
      const work = { name: 'work', type: 'noop', params: { c: '${c}', d: '${d}' } };
      const flow = { name: 'flow', params: { c: '1', d: '2', unread: '3' } };
      await stage.publish({ ...flow, tasks: [work] });
      await stage.rest(await stage.start('flow'));
      await stage.publish({ ...flow, tasks: [{ ...work, ...task }] });
      await stage.rest(await stage.start('flow', start));
      expect(stage.given()).toHaveLength(2);
    });

    it('have no other words than these', () => {
      const known = casesOf('task-cache').filter((one) => says(one, 'script', 'change'));
      // A tag joins a task and its key in that table, and is taken apart again.
      const tags = casesOf('task-cache').filter((one) => says(one, 'tag', 'revert'));
      expect(known.length + tags.length).toBe(casesOf('task-cache').length);
    });
  });

  describe('schedules', () => {
    interface Input {
      readonly backfill?: readonly string[];
      readonly mode?: string;
      readonly cron?: string;
      readonly run?: string;
    }
    interface Expected {
      readonly instances?: number;
      readonly scheduleTimesInOrder?: readonly string[];
      readonly successfulInstancesAtLeast?: number;
    }

    it.each(casesOf('engine-schedule'))('$id', async (recorded) => {
      const { backfill, mode, cron, run } = wordsOf<Input>(recorded.input, [
        'backfill',
        'mode',
        'cron',
        'run',
      ]);
      const expected = wordsOf<Expected>(recorded.expect, [
        ...['instances', 'scheduleTimesInOrder', 'successfulInstancesAtLeast'],
      ]);
      await open();
      await stage.publish(one('flow', cron === undefined ? {} : { schedule: cron }));
      if (cron !== undefined && run !== undefined) await stage.pass(millis(run));
      else if (backfill) await fill(backfill, mode);
      else throw notUnderstood(recorded.input);
      const runs = await runsOf('flow');
      if (expected.instances !== undefined) expect(runs).toHaveLength(expected.instances);
      if (expected.scheduleTimesInOrder)
        expect(runs.map(({ businessTime }) => Date.parse(businessTime))).toEqual(
          expected.scheduleTimesInOrder.map(instant),
        );
      if (expected.successfulInstancesAtLeast !== undefined)
        expect(runs.filter(({ state }) => state === 'success').length).toBeGreaterThanOrEqual(
          expected.successfulInstancesAtLeast,
        );
      // One after the other: each began when the one before had ended.
      if (mode?.startsWith('serial'))
        runs.slice(1).forEach(({ startedAt }, k) => {
          expect(Date.parse(startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(runs[k].endedAt ?? ''));
        });
    });

    async function fill(times: readonly string[], mode = 'serial asc'): Promise<void> {
      const [, how, order = 'asc'] = /^(serial|parallel)(?: (asc|desc))?$/.exec(mode) ?? [];
      if (how === undefined) throw notUnderstood(mode);
      const { id } = await stage.client.startBackfill({
        body: {
          workflow: 'flow',
          times: times.map((time) => new Date(instant(time)).toISOString()),
          ...(order === 'desc' && { order: 'newest' as const }),
          parallel: how === 'serial' ? 1 : times.length,
        },
      });
      await stage.rest(id ?? 0);
    }
  });
});

it('reads graphs, and refuses what it does not know', () => {
  expect(scriptOf({ dag: 'S(A)->SUB(child: F(x)), finished FAILURE, A now ok' })).toMatchObject({
    at: 'finished',
    mended: true,
    flow: { tasks: [{ name: 'A' }, { name: 'SUB', needs: ['A'], type: 'sub-workflow' }] },
    child: { flow: { tasks: [{ name: 'x' }] } },
  });
  expect(scriptOf({ dag: 'A->(B, F(C))->D' }).flow.tasks).toMatchObject([
    { name: 'A', needs: [] },
    { name: 'B', needs: ['A'] },
    { name: 'C', needs: ['A'] },
    { name: 'D', needs: ['B', 'C'] },
  ]);
  expect(() => scriptOf({ dag: 'A whistles' })).toThrow('"A whistles", which is not understood');
  expect(() => scriptOf({ dag: 'SUB(two of them)' })).toThrow('not understood');
  expect(() => scriptOf({ dag: 'A, B', fails: ['C'] })).toThrow('not understood');
  expect(() => wordsOf({ dag: 'A', surprise: 1 }, ['dag'])).toThrow('"surprise", which is not understood');
});
