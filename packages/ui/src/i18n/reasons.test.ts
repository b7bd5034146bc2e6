import { expect, it } from 'vitest';
import { chineseReason } from './reasons.zh.ts';

it('reasons say what the fields say', () => {
  const place = { group: 'gpu', attempt: 2, ahead: 3, higher: 1 };
  expect(chineseReason('no-worker', place)).toEqual([
    '第 2 次尝试在工作组 gpu 的队列中，前面有 3 个，其中 1 个优先级更高，且没有存活的 worker 节点服务该工作组',
    '为工作组 gpu 启动一个 worker 节点',
  ]);
  expect(chineseReason('task-waits', { task: 'load', reason: { code: 'held' } })).toEqual([
    '没有任务在执行：load 因运行暂停而挂起',
    '恢复运行',
  ]);
});

it('they say which holder of a slot ends first, where that is known', () => {
  const full = { limit: 'task group etl/a', held: 1, slots: 1, holders: ['7.a'], ahead: 0 };
  expect(chineseReason('limit-full', full)?.[1]).toBe('占用者之一结束');
  const first = { id: '7.a', usual: 124_700 };
  expect(chineseReason('limit-full', { ...full, first })?.[1]).toBe('7.a 结束，通常需要 2 分 04 秒');
});

it('a reason of a newer server is left to its own words', () => {
  expect(chineseReason('teleported', {})).toBeUndefined();
  expect(chineseReason('constructor', {})).toBeUndefined();
});
