import { expect, it } from 'vitest';
import { queueWaits, waitKind } from './wait.ts';

it.each([
  ['retrying', 'shell', undefined, 'retry'],
  ['delayed', 'shell', 'slots', 'delay'],
  ['paused', 'shell', undefined, 'paused'],
  ['waiting', 'dependent', undefined, 'dependency'],
  ['waiting', 'dynamic', undefined, 'sub-run'],
  ['waiting', 'approval', undefined, 'person'],
  ['submitted', 'shell', 'task-group', 'task-group'],
  ['submitted', 'shell', undefined, 'queue'],
] as const)('in state %s a task of type %s with %s waits for: %s', (state, type, queued, kind) => {
  expect(waitKind(state, type, queued)).toBe(kind);
});

it('knows what each task waits for', () => {
  const waits = queueWaits([
    { code: 'no-worker', tasks: [3] },
    { code: 'slots', tasks: [1, 2] },
  ]);
  expect([1, 2, 3, 4].map((task) => waits.get(task))).toEqual(['slots', 'slots', 'no-worker', undefined]);
});
