import { expect, it } from 'vitest';
import { nearest, placesOf } from './scatter.ts';

const scatter = { width: 1_000, at: [0, 500, 1_000], took: [10, 100, 1_000] };

it('places durations by their magnitude', () => {
  expect(placesOf(scatter)).toEqual([
    [0, 0],
    [0.5, 0.5],
    [1, 1],
  ]);
  expect(placesOf({ width: 10, at: [5], took: [0] })).toEqual([[0.5, 0]]);
  expect(placesOf({ width: 10, at: [], took: [] })).toEqual([]);
});

it('finds the point that is near, and none where none is', () => {
  const places = placesOf(scatter);
  const size = { width: 200, height: 100 };
  expect(nearest(places, size, { x: 103, y: 48 }, 8)).toBe(1);
  expect(nearest(places, size, { x: 198, y: 3 }, 8)).toBe(2);
  expect(nearest(places, size, { x: 150, y: 90 }, 8)).toBe(-1);
});
