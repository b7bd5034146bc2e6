import { describe, expect, it } from 'vitest';
import { pastWaits } from './past-waits.ts';
import type { Task } from './run.ts';
import type { Attempt } from './timeline.ts';

const task = (more: Partial<Task>) =>
  ({
    type: 'shell',
    state: 'running',
    since: null,
    shards: null,
    queuedAt: 100,
    startedAt: null,
    endedAt: null,
    attempt: 1,
    ...more,
  }) as Task;
const attempt = (number: number, queuedAt: number, startedAt: number | null, endedAt: number | null) =>
  ({ shard: null, number, round: 1, state: 'failed', queuedAt, startedAt, endedAt }) satisfies Attempt;

describe('what a task run has waited for', () => {
  it('is its queue, and before that a slot of its task group', () => {
    const tries = [attempt(1, 38_100, 38_105, 40_000)];
    expect(pastWaits(task({ startedAt: 38_105 }), tries, true)).toEqual([
      { kind: 'task-group', time: 38_000 },
      { kind: 'queue', time: 5 },
    ]);
    expect(pastWaits(task({ startedAt: 38_105 }), tries, false)).toEqual([{ kind: 'queue', time: 38_005 }]);
    const inQueue = { ...attempt(1, 38_100, null, null), state: 'queued' };
    expect(pastWaits(task({ state: 'submitted' }), [inQueue], true)).toEqual([
      { kind: 'task-group', time: 38_000 },
    ]);
  });

  it('is no task group where a slot was free', () => {
    expect(pastWaits(task({}), [attempt(1, 103, 105, null)], true)).toEqual([{ kind: 'queue', time: 5 }]);
  });

  it('is put together over its attempts, and is what is over', () => {
    const tries = [attempt(2, 500, 520, 600), attempt(1, 100, 110, 200), attempt(3, 900, null, null)];
    expect(pastWaits(task({ state: 'submitted' }), tries, false)).toEqual([
      { kind: 'queue', time: 30 },
      { kind: 'retry', time: 600 },
    ]);
  });

  it('is nothing while the first wait lasts, whatever that is for', () => {
    const waiting = { ...attempt(1, 130, null, null), state: 'queued' };
    expect(pastWaits(task({ state: 'submitted' }), [waiting], true)).toEqual([]);
    expect(pastWaits(task({ state: 'pending', queuedAt: null }), [], true)).toEqual([]);
  });

  it('is of the present round', () => {
    const tries = [attempt(1, 10, 20, 30), attempt(2, 100, 107, 200)];
    expect(pastWaits(task({ startedAt: 107 }), tries, false)).toEqual([{ kind: 'queue', time: 7 }]);
  });

  it('is told by the task itself where it has shards, or no worker took it', () => {
    const shards = { success: 2 };
    const tries = [attempt(1, 100, 150, 200)];
    expect(pastWaits(task({ state: 'success', startedAt: 130, shards }), tries, false)).toEqual([
      { kind: 'queue', time: 30 },
    ]);
    const ended = (type: string, state: string) =>
      pastWaits(task({ type, state, endedAt: 400, since: 400 }), [], false);
    expect(ended('sub-workflow', 'success')).toEqual([{ kind: 'sub-run', time: 300 }]);
    expect(ended('sub-workflow', 'failed')).toEqual([{ kind: 'sub-run', time: 300 }]);
    expect(ended('dependent', 'failed')).toEqual([{ kind: 'dependency', time: 300 }]);
    expect(ended('switch', 'success')).toEqual([]);
  });
});
