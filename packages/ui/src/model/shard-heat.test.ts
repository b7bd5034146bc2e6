import { expect, it } from 'vitest';
import { stateAt } from './grid.ts';
import { failedAt, heatGrid } from './shard-heat.ts';

it('colours each shard by what it did at each tick, and a tick by the worst of them', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const ticks = [
    { at, took: 5, succeeded: '0-2,4', failed: '', takenOver: '' },
    { at, took: 9, succeeded: '0', failed: '2', takenOver: '4' },
    { at, took: 7, succeeded: '0-2', failed: '', takenOver: '4' },
  ];
  const grid = heatGrid(ticks, [1, 2, 4], (shard) => `shard ${shard}`);
  const column = (tick: number) => grid.tasks.map((_, row) => stateAt(grid, tick, row));
  expect(grid.tasks).toEqual(['shard 1', 'shard 2', 'shard 4']);
  expect([column(0), column(1), column(2)]).toEqual([
    ['success', 'success', 'success'],
    ['absent', 'failed', 'late'],
    ['success', 'success', 'late'],
  ]);
  expect(grid.runs.map(({ state }) => state)).toEqual(['success', 'failed', 'late']);
  expect([...failedAt(ticks)]).toEqual([2]);
});
