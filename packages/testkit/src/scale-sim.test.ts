import { expect, it } from 'vitest';
import { ScaleSim } from './scale-sim.ts';

it('counts what coordination costs: one statement a second, and one plan for each master that goes or comes', {
  timeout: 120_000,
}, async () => {
  const reports: number[] = [];
  const size = { masters: 5, workers: 20, schedules: 1_000, minutes: 2 };
  const report = await ScaleSim.play({
    ...size,
    seed: 1,
    progress: (minute) => reports.push(minute),
  });
  expect(reports).toEqual([1, 2]);
  expect(report).toMatchObject({ minutes: 2, plans: 4, operations: { fence: 2, joinNode: 2 } });
  // Idle is quiet: a beat a second beside the few operations of each plan, and pings to the registry.
  expect(report.storeOperations).toBeLessThan(1.2);
  expect(report.registryRequests).toBeLessThan(2);
  expect(report.adoptedWithin).toBeLessThanOrEqual(4_000);
});
