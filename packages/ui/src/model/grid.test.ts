import { expect, it } from 'vitest';
import { flaky, slowest, stateAt, timeOf, unpackGrid } from './grid.ts';

const run = (id: number) => ({ id, version: 1, state: 'success', startedAt: null, duration: 5 });
const grid = unpackGrid({
  tasks: ['a', 'b'],
  runs: [run(1), run(2)],
  states: ['absent', 'success', 'failed'],
  cells: btoa(String.fromCharCode(1, 2, 1, 0)),
  took: btoa(String.fromCharCode(80, 0, 0, 0)),
  waited: btoa('\0\0\0\0'),
  figures: { took: [300, 100], waited: [0, 0], ran: [2, 1], retried: [0, 1], failed: [0, 1] },
});

it('has a state and a time for each cell, column after column', () => {
  expect([stateAt(grid, 0, 0), stateAt(grid, 0, 1), stateAt(grid, 1, 0), stateAt(grid, 1, 1)]).toEqual([
    'success',
    'failed',
    'success',
    'absent',
  ]);
  expect([timeOf(0), timeOf(80), timeOf(8)]).toEqual([null, 1_024, 2]);
});

it('names what takes the time and what is retried', () => {
  expect(slowest(grid, 1)).toEqual([{ task: 'a', count: 300, share: 0.75 }]);
  expect(flaky(grid, 3)).toEqual([{ task: 'b', count: 1, share: 1 }]);
});
