import { expect, it } from 'vitest';
import { nearNames } from './near-names.ts';

const names = ['report', 'load_orders', 'extract', 'load'];

it.each([
  ['extrcat', 'extract'],
  ['LoadOrders', 'load_orders'],
  ['orders', 'load_orders'],
  ['lod', 'load'],
])('%s is nearest to %s', (wanted, nearest) => {
  expect(nearNames(wanted, names, 1)).toEqual([nearest]);
});

it('as many come as are asked for', () => {
  expect(nearNames('x', names, 3)).toHaveLength(3);
  expect(nearNames('x', [], 3)).toEqual([]);
});
