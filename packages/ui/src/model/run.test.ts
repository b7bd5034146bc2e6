import { describe, expect, it } from 'vitest';
import { criticalPath, noTasks, openingTask, type Task, timesOf, withTasks } from './run.ts';

const task = (index: number, name: string, more: Partial<Task> = {}): Task => ({
  index,
  id: `7.${name}`,
  name,
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
  ...more,
});

describe('the task runs of a run', () => {
  it('stay the same objects while their content is the same', () => {
    const first = withTasks(noTasks, [task(0, 'a'), task(1, 'b', { needs: ['a'], shards: { out: 2 } })]);
    expect(withTasks(first, [task(0, 'a'), task(1, 'b', { needs: ['a'], shards: { out: 2 } })])).toBe(first);
    const second = withTasks(first, [task(0, 'a', { state: 'running' })]);
    expect(second.tasks[0].state).toBe('running');
    expect(second.tasks[1]).toBe(first.tasks[1]);
    expect(second.links).toBe(first.links);
    expect(second.byName).toBe(first.byName);
    expect(second.counts).toEqual({ running: 1, pending: 1 });
  });

  it('are linked again when a need changes', () => {
    const first = withTasks(noTasks, [task(0, 'a'), task(1, 'b')]);
    const second = withTasks(first, [task(1, 'b', { needs: ['a'] })]);
    expect(second.links).not.toBe(first.links);
    expect(second.links.after[0]).toEqual([1]);
  });

  it('notice a shard that changed', () => {
    const first = withTasks(noTasks, [task(0, 'a', { shards: { out: 2 } })]);
    expect(withTasks(first, [task(0, 'a', { shards: { out: 1, success: 1 } })])).not.toBe(first);
  });
});

describe('the task to look at first', () => {
  const tasks = [
    task(0, 'ok', { state: 'success', since: 1 }),
    task(1, 'later', { state: 'failed', since: 9 }),
    task(2, 'first', { state: 'failed', since: 5 }),
    task(3, 'runs', { state: 'running', since: 2 }),
    task(4, 'waits', { state: 'submitted', since: 3 }),
  ];
  const opening = (rows: Task[]) =>
    openingTask(
      withTasks(
        noTasks,
        rows.map((row, index) => ({ ...row, index })),
      ),
    )?.name;

  it('is the one that failed first, then one that runs, then one that waits, else none', () => {
    expect(opening(tasks)).toBe('first');
    expect(opening(tasks.filter(({ state }) => state !== 'failed'))).toBe('runs');
    expect(opening(tasks.filter(({ name }) => name === 'waits'))).toBe('waits');
    expect(opening(tasks.slice(0, 1))).toBeUndefined();
  });
});

describe('times of a task run', () => {
  it('count on while it is open and stand still once it is over', () => {
    const times = { queuedAt: 100, startedAt: 130 };
    expect(timesOf(task(0, 'a', { state: 'running', ...times }), 200)).toEqual({ waited: 30, ran: 70 });
    expect(timesOf(task(0, 'a', { state: 'success', ...times, endedAt: 150 }), 200)).toEqual({
      waited: 30,
      ran: 20,
    });
    expect(timesOf(task(0, 'a', { state: 'submitted', queuedAt: 100 }), 200)).toEqual({
      waited: 100,
      ran: null,
    });
    expect(timesOf(task(0, 'a'), 200)).toEqual({ waited: null, ran: null });
  });
});

describe('the critical path', () => {
  it('leads from the last end back through the predecessor that ended last', () => {
    const ran = (startedAt: number, endedAt: number) => ({
      state: 'success',
      queuedAt: startedAt,
      startedAt,
      endedAt,
    });
    const run = withTasks(noTasks, [
      task(0, 'quick', ran(0, 10)),
      task(1, 'slow', ran(0, 40)),
      task(2, 'join', { needs: ['quick', 'slow'], ...ran(41, 60) }),
      task(3, 'aside', { needs: ['quick'], ...ran(11, 50) }),
      task(4, 'skipped', { needs: ['join'], state: 'skipped', since: 61 }),
    ]);
    expect(criticalPath(run)).toEqual([1, 2]);
    expect(criticalPath(noTasks)).toEqual([]);
  });

  it('leads through what no worker takes, such as a sub-workflow', () => {
    const ran = { state: 'success', queuedAt: 0, startedAt: 0, endedAt: 10 };
    const sub = { state: 'success', queuedAt: 10, startedAt: null, endedAt: 50 };
    const run = withTasks(noTasks, [
      task(0, 'first', ran),
      task(1, 'sub', { type: 'sub-workflow', needs: ['first'], ...sub }),
      task(2, 'last', { needs: ['sub'], ...ran, queuedAt: 50, startedAt: 51, endedAt: 60 }),
      task(3, 'skipped', { needs: ['last'], state: 'skipped', endedAt: 60 }),
    ]);
    expect(criticalPath(run)).toEqual([0, 1, 2]);
  });
});
