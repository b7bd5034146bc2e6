import { describe, expect, it } from 'vitest';
import { noTasks, type Task, withTasks } from './run.ts';
import {
  type ChildRun,
  childrenKey,
  folded,
  MOST_CHILDREN,
  MOST_OPENED,
  nestedRows,
  openedParents,
  readOpened,
  timelineOrder,
} from './timeline-children.ts';

const task = (run: number, index: number, name: string, more: Partial<Task> = {}): Task => ({
  index,
  id: `${run}.${name}`,
  name,
  type: 'shell',
  needs: [],
  state: 'success',
  since: 20,
  round: 1,
  attempt: 1,
  workers: [],
  reason: null,
  due: null,
  forced: false,
  shards: null,
  queuedAt: 10,
  startedAt: 10,
  endedAt: 20,
  ...more,
});
const child = (id: number, ...tasks: Task[]): ChildRun => ({
  id,
  state: 'success',
  tasks: withTasks(noTasks, tasks),
});
const shown = (rows: ReturnType<typeof nestedRows>) => rows.map(({ key, depth }) => `${depth} ${key}`);

describe('what folds out', () => {
  it('is a task that starts runs, once its turn came', () => {
    expect(childrenKey(task(1, 0, 'sub', { type: 'sub-workflow' }))).toBe('children:1.sub');
    expect(childrenKey(task(1, 0, 'many', { type: 'dynamic' }))).toBe('children:1.many');
    expect(childrenKey(task(1, 0, 'sub', { type: 'sub-workflow', queuedAt: null }))).toBeNull();
    expect(childrenKey(task(1, 0, 'work'))).toBeNull();
  });

  it('is asked for by the task run', () => {
    expect(openedParents(new Set(['children:1.sub', 'run:7', 'shards:1.load']))).toEqual(['1.sub']);
  });
});

describe('rows below a task', () => {
  const last = task(7, 0, 'last', { needs: ['first'] });
  const one = child(7, last, task(7, 1, 'first'));

  it('are the tasks of the run that it started, in the order of its graph', () => {
    expect(timelineOrder(one.tasks.links)).toEqual([1, 0]);
    const rows = nestedRows(1, '1.sub', new Set(), new Map([['1.sub', [one]]]));
    expect(shown(rows)).toEqual(['1 7.first', '1 7.last']);
    expect(rows[0]).toMatchObject({ kind: 'task', run: 7, foldKey: null });
  });

  it('are its runs where there are several, each with its tasks when folded out', () => {
    const known = new Map([['1.many', [one, child(8, task(8, 0, 'only', { startedAt: 12 }))]]]);
    const rows = nestedRows(1, '1.many', new Set(['run:8']), known);
    expect(shown(rows)).toEqual(['1 run:7', '1 run:8', '2 8.only']);
    expect(rows[1]).toMatchObject({ kind: 'run', span: { from: 10, to: 20, state: 'success' } });
  });

  it('go on below a task that started runs itself', () => {
    const outer = child(7, task(7, 0, 'inner', { type: 'sub-workflow', endedAt: null, state: 'waiting' }));
    const known = new Map([
      ['1.sub', [outer]],
      ['7.inner', [child(9, task(9, 0, 'deep'))]],
    ]);
    expect(shown(nestedRows(1, '1.sub', new Set(['children:7.inner']), known))).toEqual([
      '1 7.inner',
      '2 9.deep',
    ]);
  });

  it('lead to the list where the server names no more', () => {
    const many = Array.from({ length: MOST_CHILDREN }, (_, k) => child(10 + k, task(10 + k, 0, 'a')));
    const rows = nestedRows(1, '1.many', new Set(), new Map([['1.many', many]]));
    expect(rows).toHaveLength(MOST_CHILDREN + 1);
    expect(rows.at(-1)).toMatchObject({ kind: 'more', run: 1 });
  });

  it('are none before they are known', () => {
    expect(nestedRows(1, '1.sub', new Set(), new Map())).toEqual([]);
  });
});

describe('the rows that are folded out', () => {
  it.each(['shards:7.load', 'children:7.sub,run:8', 'children:7.出 库'])('are read from %s', (text) => {
    expect(readOpened(text)).toEqual(text.split(','));
  });

  it.each(['', 'load', 'shards:load', 'run:x', 'run:8,', 'other:7.load'])(
    'are not read from "%s"',
    (text) => {
      expect(readOpened(text)).toBeUndefined();
    },
  );

  it('are one more or one fewer after a press', () => {
    expect(folded([], 'run:8')).toEqual(['run:8']);
    expect(folded(['run:8', 'run:9'], 'run:8')).toEqual(['run:9']);
  });

  it('are no more than an address takes: what was folded out first goes', () => {
    const many = Array.from({ length: MOST_OPENED }, (_, k) => `run:${k + 1}`);
    const next = folded(many, 'run:999');
    expect(next).toHaveLength(MOST_OPENED);
    expect([next[0], next.at(-1)]).toEqual(['run:2', 'run:999']);
    expect(readOpened(next.join())).toEqual(next);
    expect(readOpened([...next, 'run:1'].join())).toBeUndefined();
  });
});
