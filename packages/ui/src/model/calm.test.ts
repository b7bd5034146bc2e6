import { expect, it } from 'vitest';
import { drawnIds, inOrder } from './calm.ts';

const row = (id: string, count = 1) => ({ id, count });

it('keeps the order that is drawn, takes in what changed, and lets what is new wait', () => {
  const newest = [row('new', 9), row('b', 5), row('a', 2)];
  expect(inOrder(['a', 'gone', 'b'], newest, ({ id }) => id)).toEqual({
    rows: [row('a', 2), row('b', 5)],
    waiting: 1,
  });
});

it('draws what another page brings, and lets what comes in between wait', () => {
  const drawn = new Set(['a', 'c']);
  expect(drawnIds(drawn, ['a', 'b', 'c', 'd'], false)).toBe(drawn);
  expect([...drawnIds(drawn, ['a', 'b', 'c', 'd', 'e'], true)]).toEqual(['a', 'c', 'd', 'e']);
  expect([...drawnIds(new Set(), ['x', 'y'], false)]).toEqual(['x', 'y']);
  expect([...drawnIds(new Set(['gone']), ['x'], false)]).toEqual(['gone', 'x']);
});
