import type { Workflow } from '@orrery/core/model';
import { testDatabases } from '@orrery/testkit/databases';
import { fireTick } from '@orrery/testkit/fire-tick';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Conflict, type Store } from '../../index.ts';
import {
  changeOf,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  NOW,
  publish,
  scheduleOf,
  startRuns,
  workflowOf,
} from '../../testing.ts';

describe.each(testDatabases())('lists of workflows on $name', ({ open, close }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  const names = async (input: Partial<Parameters<Store['pageWorkflows']>[0]> = {}) =>
    (await store.pageWorkflows({ limit: 10, ...input })).map(({ name }) => name);

  const saveDraft = (name: string) =>
    store.saveDraft({
      project: 'default',
      name,
      body: 'text',
      base: null,
      revision: 0,
      author: 'someone',
      now: NOW,
    });

  const publishUsing = (name: string, child: string) =>
    store.publishWorkflow({
      workflow: {
        ...workflowOf(name),
        tasks: [{ name: 'a', type: 'sub-workflow', with: { workflow: { name: child }, params: {} } }],
      } as unknown as Workflow,
      hash: `${name} uses ${child}`,
      source: '',
      note: '',
      author: 'someone',
      due: {},
      now: NOW,
    });

  it('go by name, page by page, and have drafts of what was never published', async () => {
    for (const name of ['c', 'a', 'b']) await publish(store, name);
    await saveDraft('a');
    await saveDraft('d');
    expect(await names()).toEqual(['a', 'b', 'c', 'd']);
    expect(await names({ limit: 2 })).toEqual(['a', 'b']);
    expect(await names({ limit: 2, after: { project: 'default', name: 'b' } })).toEqual(['c', 'd']);
    expect(await names({ project: 'other' })).toEqual([]);
    const [a, b, , d] = await store.pageWorkflows({ limit: 4 });
    expect(a).toMatchObject({ live: 1, publishedAt: NOW, draftRevision: 1, draftAuthor: 'someone' });
    expect(b).toMatchObject({ live: 1, draftRevision: null, draftSavedAt: null });
    expect(d).toMatchObject({ live: null, publishedAt: null, draftRevision: 1, draftBase: null });
  });

  it('are filtered by letters in their order, whatever stands between, and never by a pattern', async () => {
    for (const name of ['Daily-Orders', 'daily_report', 'hourly']) await publish(store, name);
    expect(await names({ words: ['dlyord'] })).toEqual(['Daily-Orders']);
    expect((await names({ words: ['LY'] })).length).toBe(3);
    expect(await names({ words: ['report', 'daily'] })).toEqual(['daily_report']);
    expect(await names({ words: ['default/h'] })).toEqual(['hourly']);
    expect(await names({ words: ['y_r'] })).toEqual(['daily_report']);
    await publish(store, 'Äpfel');
    expect(await names({ words: ['Äpf'] })).toEqual(['Äpfel']);
    expect(await names({ words: ['%%'] })).toEqual([]);
    expect(await names({ words: ['!'] })).toEqual([]);
    expect(await names({ words: ["'; DROP TABLE workflow"] })).toEqual([]);
  });

  it('come with the last runs of each', async () => {
    const self = await joinMaster(store);
    const [many, few] = [await publish(store, 'many'), await publish(store, 'few')];
    const runs = await startRuns(store, self, 4, { workflow: many });
    const [last] = await startRuns(store, self, 1, { workflow: few, version: 7 });
    await commit(store, self, changeOf(runs[3], { fields: { ...fieldsOf('failed'), since: NOW } }));
    const strips = await store.readStrips({ workflows: [many, few, 4711], limit: 3 });
    const of = (workflow: number) => strips.filter((run) => run.workflow === workflow).map(({ id }) => id);
    expect(of(many)).toEqual([runs[3], runs[2], runs[1]]);
    expect(strips.find(({ id }) => id === runs[3])).toMatchObject({ state: 'failed', version: 1 });
    expect(strips.filter(({ workflow }) => workflow === few)).toMatchObject([{ id: last, version: 7 }]);
  });

  it('are filtered by tag, owner, state of the last run, schedules and exact names', async () => {
    const self = await joinMaster(store);
    const base = { source: '', note: '', due: {}, now: NOW };
    const tagged = { ...workflowOf('tagged'), tags: ['nightly', 'a "b", c'] };
    const { id } = await store.publishWorkflow({ ...base, author: 'lw', workflow: tagged, hash: 't' });
    const failing = await publish(store, 'failing', [scheduleOf('x')]);
    const idle = await publish(store, 'idle', [scheduleOf('y', false)]);
    await saveDraft('only-draft');
    const [first, last] = await startRuns(store, self, 2, { workflow: failing });
    await commit(store, self, changeOf(first, { fields: fieldsOf('success'), endedAt: NOW }));
    await commit(store, self, changeOf(last, { fields: fieldsOf('failed'), endedAt: NOW }));
    await store.submitCommands({ commands: [commandOf(idle)], now: NOW });
    const found = async (filter: Parameters<Store['pageWorkflows']>[0] | object) =>
      (await store.pageWorkflows({ limit: 50, ...filter })).map(({ name }) => name);
    expect(await found({ tags: ['nightly'] })).toEqual(['tagged']);
    expect(await found({ tags: ['a "b", c', 'nightly'] })).toEqual(['tagged']);
    expect(await found({ tags: ['night'] })).toEqual([]);
    expect(await found({ tags: ['Nightly'] })).toEqual([]);
    expect(await found({ owner: 'lw' })).toEqual(['tagged']);
    expect(await found({ owner: 'someone' })).toEqual(['failing', 'idle', 'only-draft']);
    expect(await found({ states: ['failed'] })).toEqual(['failing']);
    expect(await found({ states: ['success'] })).toEqual([]);
    expect(await found({ states: ['queued'] })).toEqual(['idle']);
    expect(await found({ states: ['queued', 'failed'] })).toEqual(['failing', 'idle']);
    expect(await found({ schedule: 'on' })).toEqual(['failing']);
    expect(await found({ schedule: 'paused' })).toEqual(['idle']);
    expect(await found({ schedule: 'none' })).toEqual(['only-draft', 'tagged']);
    const named = (name: string) => ({ project: 'default', name });
    expect(await found({ names: [named('idle'), named('idl'), named('tagged')] })).toEqual([
      'idle',
      'tagged',
    ]);
    expect(await found({ names: [] })).toEqual([]);
    expect(await store.pageWorkflows({ limit: 1, names: [named('tagged')] })).toMatchObject([
      { id, author: 'lw', tags: JSON.stringify(tagged.tags) },
    ]);
  });

  it('come with the schedules of each', async () => {
    const [a, b] = [
      await publish(store, 'a', [scheduleOf('y'), scheduleOf('x'), scheduleOf('z')]),
      await publish(store, 'b', [scheduleOf('only', false)]),
    ];
    const heads = await store.readScheduleHeads({ workflows: [a, b], limit: 2 });
    const of = (workflow: number) => heads.filter((one) => one.workflow === workflow);
    expect(of(a).map(({ name, workflowName }) => [name, workflowName])).toEqual([
      ['x', 'a'],
      ['y', 'a'],
    ]);
    expect(of(b)).toMatchObject([{ name: 'only', enabled: false, version: 1 }]);
  });

  it('of versions say how many runs are on each', async () => {
    const self = await joinMaster(store);
    const id = await publish(store, 'flow');
    const base = { source: '', note: '', author: 'someone', due: {}, now: NOW };
    await store.publishWorkflow({ ...base, workflow: workflowOf('flow'), hash: 'b', origin: 'editor' });
    await startRuns(store, self, 2, { workflow: id });
    const [newest] = (await startRuns(store, self, 1, { workflow: id, version: 2 })).slice(-1);
    expect(await store.listVersions({ workflow: id, limit: 5 })).toMatchObject([
      { version: 2, origin: 'editor', runs: 1, lastRun: newest },
      { version: 1, origin: 'api', runs: 2, lastRun: expect.any(Number) },
    ]);
  });

  it('know who uses whom, by live versions alone', async () => {
    await publish(store, 'child');
    await publishUsing('parent', 'child');
    const users = () => store.listUsers({ project: 'default', name: 'child', limit: 5 });
    expect(await users()).toEqual([{ project: 'default', name: 'parent', as: 'sub-workflow' }]);
    await publishUsing('parent', 'other');
    expect(await users()).toEqual([]);
  });

  it('lose a workflow that is deleted, while its runs go on', async () => {
    const self = await joinMaster(store);
    const id = await publish(store, 'flow', [scheduleOf()]);
    await saveDraft('flow');
    await startRuns(store, self, 1, { workflow: id });
    expect(await store.deleteWorkflow({ project: 'default', name: 'flow', now: NOW })).toEqual({ id });
    expect(await names()).toEqual([]);
    expect(await store.readWorkflow({ project: 'default', name: 'flow' })).toBeUndefined();
    expect(await store.readWorkflow({ project: 'default', name: 'flow', version: 1 })).toBeUndefined();
    expect(await store.readWorkflow({ id, version: 1 })).toMatchObject({ version: 1 });
    expect(await store.readDraft({ project: 'default', name: 'flow' })).toBeUndefined();
    expect(await store.listSchedules({ workflow: id })).toEqual([]);
    expect(await store.deleteWorkflow({ project: 'default', name: 'flow', now: NOW })).toBeUndefined();
    await publish(store, 'flow', [scheduleOf()]);
    expect((await store.readWorkflow({ id }))?.version).toBe(2);
  });

  it('keep a workflow that others use', async () => {
    await publish(store, 'child');
    await publishUsing('parent', 'child');
    const remove = (name: string) => store.deleteWorkflow({ project: 'default', name, now: NOW });
    await expect(remove('child')).rejects.toThrow(Conflict);
    await expect(remove('child')).rejects.toThrow(
      'is used by default/parent (sub-workflow); change those first',
    );
    await remove('parent');
    await remove('child');
    expect(await names()).toEqual([]);
  });

  it('give back a deleted workflow with a new draft', async () => {
    await publish(store, 'flow');
    await store.deleteWorkflow({ project: 'default', name: 'flow', now: NOW });
    await saveDraft('flow');
    expect(await store.pageWorkflows({ limit: 5 })).toMatchObject([{ name: 'flow', live: null }]);
  });

  it('show the last runs by task', async () => {
    const self = await joinMaster(store);
    const id = await publish(store, 'flow');
    const [first, second] = await startRuns(store, self, 2, { workflow: id });
    const task = (state: 'success' | 'pending', round = 1) => ({ state, round, since: NOW, shards: [] });
    await commit(
      store,
      self,
      changeOf(first, {
        tasks: [
          [0, task('success')],
          [2, task('pending')],
        ],
      }),
      changeOf(second, { fields: { ...fieldsOf('running'), round: 2 }, tasks: [[1, task('pending')]] }),
    );
    const grid = await store.readGrid({ workflow: id, limit: 5 });
    expect(grid.map(({ id, round, cells }) => [id, round, cells.split(' ').sort()])).toEqual([
      [second, 2, ['1:excluded:0']],
      [first, 1, ['0:success:0', '2:pending:0']],
    ]);
    expect(await store.readGrid({ workflow: id, limit: 1 })).toHaveLength(1);
  });
});

describe.each(testDatabases())('lists of ticks on $name', ({ open, close }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  it('go by due time over all schedules, fired and skipped, page by page', async () => {
    const self = await joinMaster(store);
    const a = await publish(store, 'a', [scheduleOf('x')]);
    const b = await publish(store, 'b', [scheduleOf('y')]);
    const [x, y] = await store.listSchedules({});
    const fire = (schedule: typeof x, workflow: number, dues: number[], skipped?: number) =>
      fireTick(store, {
        self,
        schedule: schedule.id,
        version: schedule.version,
        seen: schedule.firedUntil,
        firedUntil: NOW + 9_000,
        nextDue: NOW + 10_000,
        ticks: dues.map((due) => ({ due, command: commandOf(workflow) })),
        skipped:
          skipped === undefined
            ? undefined
            : { from: skipped, to: skipped + 500, count: 2, reason: 'missed' },
        now: NOW + 20_000,
      });
    await fire(x, a, [NOW + 1_000, NOW + 3_000], NOW + 1_500);
    await fire(y, b, [NOW + 1_000, NOW + 9_000]);
    const range = { from: NOW, to: NOW + 9_000, limit: 10 };
    const ticks = await store.pageTicks(range);
    expect(ticks.map(({ name, due, reason }) => [name, due - NOW, reason])).toEqual([
      ['x', 1_000, null],
      ['y', 1_000, null],
      ['x', 1_500, 'missed'],
      ['x', 3_000, null],
    ]);
    expect(ticks[2]).toMatchObject({ until: NOW + 2_000, count: 2, run: null, workflow: 'a' });
    const after = { due: ticks[1].due, schedule: ticks[1].schedule };
    expect(await store.pageTicks({ ...range, after, limit: 1 })).toEqual([ticks[2]]);
    expect(await store.pageTicks({ ...range, workflow: b })).toHaveLength(1);
    expect(await store.pageTicks({ ...range, project: 'other' })).toEqual([]);
    expect(await store.countTicks({ ...range, step: 2_000 })).toEqual([
      { at: 0, fired: 2, skipped: 2 },
      { at: 1, fired: 1, skipped: 0 },
    ]);
    expect(await store.countTicks({ ...range, step: 2_000, project: 'other' })).toEqual([]);
    const recent = await store.recentTicks({ schedules: [x.id, y.id, 4711], since: NOW });
    expect(recent.map(({ schedule, drifts, due, skipped }) => [schedule, drifts, due, skipped])).toEqual([
      [x.id, '17000,19000', NOW + 3_000, 2],
      [y.id, '11000,19000', NOW + 9_000, 0],
      [4711, null, null, 0],
    ]);
    const due = await store.schedulesDueBefore({ from: 0, to: NOW + 10_001, limit: 5 });
    expect(due.map(({ name }) => name)).toEqual(['x', 'y']);
    expect(await store.schedulesDueBefore({ from: 0, to: NOW + 10_000, limit: 5 })).toEqual([]);
  });

  it('and schedules are changed only at the version that was seen', async () => {
    await publish(store, 'a', [scheduleOf('x')]);
    const [{ id, version }] = await store.listSchedules({});
    const set = (seen: number | undefined) =>
      store.setSchedule({ id, enabled: false, nextDue: null, version: seen, now: NOW });
    expect(await set(version + 1)).toBeUndefined();
    expect((await store.readSchedule({ id }))?.enabled).toBe(true);
    expect(await set(version)).toMatchObject({ enabled: false, version: version + 1 });
    expect(await set(undefined)).toMatchObject({ version: version + 2 });
    const page = (input: object) => store.pageSchedules({ limit: 5, ...input });
    expect(await page({ enabled: true })).toEqual([]);
    expect(await page({ enabled: false, project: 'default' })).toHaveLength(1);
    expect(await page({ project: 'other' })).toEqual([]);
  });
});
