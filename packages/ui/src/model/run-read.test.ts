import { describe, expect, it } from 'vitest';
import { noTasks, type Task, withTasks } from './run.ts';
import { changedTasks } from './run-read.ts';

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
const change = (state: string, second: number, more: Partial<Record<'round' | 'index', number>> = {}) => ({
  index: [more.index ?? 0],
  state: [state],
  since: [`2026-03-01T08:00:0${second}.000Z`],
  round: [more.round ?? 1],
  attempt: [1],
  workers: [['w1']],
  reason: [null],
  due: [null],
  forced: [false],
});
const at = (second: number) => Date.parse(`2026-03-01T08:00:0${second}.000Z`);
const after = (...changes: ReturnType<typeof change>[]): Task =>
  changes.reduce((run, one) => withTasks(run, changedTasks(run, one)), known).tasks[0];

describe('a live change of task runs', () => {
  it('says when one queued, began and ended', () => {
    const ended = after(change('submitted', 1), change('running', 3), change('success', 7));
    expect(ended).toMatchObject({
      state: 'success',
      queuedAt: at(1),
      startedAt: at(3),
      endedAt: at(7),
      workers: ['w1'],
    });
  });

  it('keeps the first start over retries of one round, and forgets it in the next', () => {
    const tried = [
      change('submitted', 1),
      change('running', 2),
      change('retrying', 3),
      change('submitted', 4),
    ];
    expect(after(...tried)).toMatchObject({ queuedAt: at(1), startedAt: at(2), endedAt: null });
    expect(after(...tried, change('submitted', 6, { round: 2 }))).toMatchObject({
      queuedAt: at(6),
      startedAt: null,
    });
  });

  it('of a task that is not known is left out', () => {
    expect(changedTasks(known, change('running', 1, { index: 5 }))).toEqual([]);
  });
});
