import { describe, expect, it } from 'vitest';
import { noTasks, type Task, withTasks } from './run.ts';
import { changedTasks, type TaskPage, tasksOfPages } from './run-read.ts';

const known = withTasks(noTasks, [
  {
    index: 0,
    id: '7.a',
    name: 'a',
    type: 'shell',
    needs: [],
    state: 'pending',
    since: null,
    round: 1,
    attempt: 0,
    workers: [],
    reason: null,
    due: null,
    forced: false,
    shards: null,
    queuedAt: null,
    startedAt: null,
    endedAt: null,
  },
]);
const text = (second: number) => `2026-03-01T08:00:0${second}.000Z`;
const change = (
  state: string,
  second: number,
  more: {
    round?: number;
    index?: number;
    queued?: number;
    started?: number;
    shards?: Record<string, number>;
  } = {},
) => ({
  index: [more.index ?? 0],
  state: [state],
  since: [text(second)],
  queued: [more.queued === undefined ? null : text(more.queued)],
  started: [more.started === undefined ? null : text(more.started)],
  round: [more.round ?? 1],
  attempt: [1],
  workers: [['w1']],
  reason: [null],
  due: [null],
  forced: [false],
  shards: [more.shards ?? { out: 1 }],
});
const at = (second: number) => Date.parse(text(second));
const after = (...changes: ReturnType<typeof change>[]): Task =>
  changes.reduce((run, one) => withTasks(run, changedTasks(run, one)), known).tasks[0];

describe('a live change of task runs', () => {
  it('says when one queued, began and ended, also if it was too quick to be seen running', () => {
    expect(after(change('success', 7, { queued: 1, started: 3 }))).toMatchObject({
      state: 'success',
      queuedAt: at(1),
      startedAt: at(3),
      endedAt: at(7),
      workers: ['w1'],
    });
  });

  it('forgets in another round how the one before went', () => {
    const failed = change('failed', 4, { queued: 1, started: 2 });
    const again = change('submitted', 6, { round: 2, queued: 6 });
    expect(after(failed, again)).toMatchObject({ queuedAt: at(6), startedAt: null, endedAt: null });
  });

  it('counts the shards of a task that has them', () => {
    const sharded = withTasks(noTasks, [{ ...known.tasks[0], shards: {} }]);
    const [changed] = changedTasks(sharded, change('running', 2, { shards: { out: 2, success: 1 } }));
    expect(changed.shards).toEqual({ out: 2, success: 1 });
    expect(after(change('running', 2)).shards).toBeNull();
  });

  it('of a task that is not known is left out', () => {
    expect(changedTasks(known, change('running', 1, { index: 5 }))).toEqual([]);
  });
});

describe('pages of task runs', () => {
  const page = (from: number, name: string, more: Partial<TaskPage> = {}): TaskPage => ({
    run: 7,
    total: 2,
    from,
    base: '2026-03-01T08:00:00.000Z',
    states: ['success', 'running'],
    types: ['shell'],
    workers: [null, 'w1'],
    reasons: [null, 'exit 1'],
    columns: {
      name: [name],
      type: [0],
      state: [1],
      since: [3_000],
      queued: [1_000],
      started: [3_000],
      ended: [null],
      round: [1],
      attempt: [2],
      worker: [1],
      reason: [1],
    },
    due: {},
    forced: [],
    shards: {},
    next: null,
    ...more,
  });

  it('are read into tasks, needs by name also over pages', () => {
    const [, second] = tasksOfPages([
      page(0, 'a', { needs: [[]] }),
      page(1, 'b', { needs: [[0]], due: { 0: 9_000 }, forced: [0], shards: { 0: { out: 2 } } }),
    ]);
    expect(second).toEqual({
      index: 1,
      id: '7.b',
      name: 'b',
      type: 'shell',
      needs: ['a'],
      state: 'running',
      since: at(3),
      round: 1,
      attempt: 2,
      workers: ['w1'],
      reason: 'exit 1',
      due: at(9),
      forced: true,
      shards: { out: 2 },
      queuedAt: at(1),
      startedAt: at(3),
      endedAt: null,
    });
  });
});
