import { started } from '@orrery/testkit/run-world';
import { task, workflow } from '@orrery/testkit/workflows';
import { expect, it } from 'vitest';
import { errorOf, failureOf, fingerprint } from './failure.ts';

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
  const world = started(workflow([task('a'), task('b'), task('c')]));
  world.end('a');
  world.end('c', 'failed', { error: 'exit code 2\nsecond line' });
  world.pass(1_000);
  world.end('b', 'failed', { error: 'later' });
  expect(failureOf(world.run)).toBe('exit code 2');
});

it('of a run is that of a task whose failure nothing forgave', () => {
  const world = started(
    workflow([
      task('ignored', { ignoreFailure: true }),
      task('a'),
      task('alarm', { needs: ['a'], trigger: 'one-failed' }),
      task('b'),
    ]),
  );
  world.end('ignored', 'failed', { error: 'ignored' });
  world.end('a', 'failed', { error: 'handled' });
  world.end('alarm');
  world.pass(1_000);
  world.end('b', 'failed', { error: 'the reason' });
  expect([world.state, failureOf(world.run)]).toEqual(['failed', 'the reason']);
});

it('of a run in which no task failed is its own', () => {
  const { run } = started(workflow([task('a')]));
  expect(failureOf(run)).toBeNull();
  expect(failureOf({ ...run, fields: { ...run.fields, reason: 'took too long' } })).toBe('took too long');
  expect(errorOf(undefined)).toBeNull();
});
