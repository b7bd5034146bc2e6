import { expect, it } from 'vitest';
import { errorOf, failureOf, fingerprint } from './failure.ts';
import type { Run, TaskRun } from './run.ts';

it.each([
  ['connection refused db-3:5432', 'connection refused db-12:5433'],
  ['exit 1', 'exit 137'],
  ['no row 0b54cb47-6f44-41c6-97a2-9b6f1d5c8f01', 'no row 11111111-2222-3333-4444-555555555555'],
  ['commit deadbeef01 is gone', 'commit cafebabe23 is gone'],
  ['disk full\nat line 3', 'Disk  full\nat line 99'],
])('is the same for "%s" and "%s"', (a, b) => {
  expect(fingerprint(a)).toBe(fingerprint(b));
});

it('differs where errors do', () => {
  expect(fingerprint('connection refused')).not.toBe(fingerprint('permission denied'));
  expect(fingerprint('bad facade')).toBe('bad facade');
  expect(fingerprint(null)).toBe('');
});

it('of a run is that of the task that failed first, in one line', () => {
  const task = (state: string, since: number, more: object = {}) =>
    ({ state, since, round: 1, shards: [], ...more }) as unknown as TaskRun;
  const run = (tasks: readonly TaskRun[], reason?: string) =>
    ({ tasks, fields: { reason } }) as unknown as Run;
  const tasks = [
    task('success', 1),
    task('failed', 9, { reason: 'later' }),
    task('failed', 5, { shards: [{}, { error: 'exit code 2\nsecond line' }] }),
  ];
  expect(failureOf(run(tasks))).toBe('exit code 2');
  expect(failureOf(run([task('success', 1)], 'took too long'))).toBe('took too long');
  expect(failureOf(run([task('success', 1)]))).toBeNull();
  expect(errorOf(undefined)).toBeNull();
});
