import { expect, it } from 'vitest';
import { BAR_STEP, placeOf, runAt, STRIP_BARS, STRIP_HEIGHT, stripPaths } from './strip.ts';

const runs = [
  { id: 1, state: 'success', duration: 100 },
  { id: 2, state: 'failed', duration: 5 },
  { id: 3, state: 'running', duration: null },
];

it('the newest run is at the right end', () => {
  expect(placeOf(2, 3)).toBe((STRIP_BARS - 1) * BAR_STEP);
});

it('finds the run under the pointer', () => {
  const found = runs.map((_, index) => runAt(placeOf(index, runs.length) + 2, runs));
  expect(found).toEqual([0, 1, 2]);
  expect(runAt(0, runs)).toBeNull();
  expect(runAt(STRIP_BARS * BAR_STEP, runs)).toBeNull();
});

it('draws each outcome in a form of its own, the longest over the whole height', () => {
  const paths = stripPaths(runs);
  expect(paths.map(({ family }) => family)).toEqual(['success', 'failed', 'running']);
  expect(paths[0].filled).toContain(`v${STRIP_HEIGHT}h`);
  expect(paths[1].filled.match(/M/g)).toHaveLength(2);
  expect(paths[2]).toMatchObject({ filled: '', outlined: expect.stringContaining('M') });
});

it('has nothing to draw without runs', () => {
  expect(stripPaths([])).toEqual([]);
});
