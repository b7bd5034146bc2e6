import { expect, it } from 'vitest';
import { addressOfId, runsAddress, taskAddress } from './addresses.ts';

it.each([
  ['12', '/runs/12'],
  [' 12 ', '/runs/12'],
  ['12.extract', '/task-runs/12.extract'],
  ['12.extract.2', '/task-runs/12.extract?attempt=2'],
  ['12.load:0.1', '/task-runs/12.load?attempt=1&shard=0'],
  ['etl/daily', '/workflows/etl/daily'],
  ['worker-1', null],
  ['', null],
  ['0', null],
])('the id %j leads to %s', (id, address) => {
  expect(addressOfId(id)).toBe(address);
});

it('lists of runs have the query of their request', () => {
  expect(runsAddress({ state: 'failed', workflow: 'etl/daily', from: '-24h' })).toBe(
    '/runs?state=failed&workflow=etl/daily&from=-24h',
  );
});

it('shows a task run beside its run, and a run by itself', () => {
  expect(taskAddress('12.load.orders')).toBe('/runs/12?task=load.orders');
  expect(taskAddress('12')).toBe('/runs/12');
});
