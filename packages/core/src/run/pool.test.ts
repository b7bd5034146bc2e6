import { type RunWorld, started } from '@orrery/testkit/run-world';
import { edges, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import { outputsOf } from './outputs.ts';
import { parametersOf } from './parameters.ts';

const sees = (world: RunWorld, name: string) =>
  Object.fromEntries([...(world.task(name).pool ?? [])].map(([key, { value }]) => [key, value]));

/** Ends a task a second after the one before it. */
function give(world: RunWorld, name: string, outputs: Record<string, string>): void {
  world.pass(1_000);
  world.end(name, 'success', { outputs });
}

describe('what upstream tasks hand on', () => {
  it('reaches every task after them, and only those', () => {
    const world = started(
      edges([
        ['a', 'b'],
        ['b', 'c'],
        ['x', 'y'],
      ]),
    );
    give(world, 'a', { n: '1' });
    give(world, 'b', {});
    give(world, 'x', {});
    expect([sees(world, 'c'), sees(world, 'y')]).toEqual([{ n: '1' }, {}]);
  });

  it('is the later value along a path', () => {
    const world = started(
      edges([
        ['a', 'b'],
        ['b', 'c'],
      ]),
    );
    give(world, 'a', { n: 'early', keep: 'a' });
    give(world, 'b', { n: 'late' });
    expect(sees(world, 'c')).toEqual({ n: 'late', keep: 'a' });
  });

  it('is the earliest value between branches', () => {
    const world = started(
      edges([
        ['a', 'c'],
        ['b', 'c'],
      ]),
    );
    give(world, 'b', { n: 'of b' });
    give(world, 'a', { n: 'of a' });
    expect(sees(world, 'c')).toEqual({ n: 'of b' });
  });

  it('is a value that is not empty, before an earlier one that is', () => {
    const world = started(
      edges([
        ['a', 'c'],
        ['b', 'c'],
      ]),
    );
    give(world, 'a', { n: '' });
    give(world, 'b', { n: 'of b' });
    expect(sees(world, 'c')).toEqual({ n: 'of b' });
  });

  it('is that of the task listed first, between branches that ended together', () => {
    const world = started(
      edges([
        ['a', 'c'],
        ['b', 'c'],
      ]),
    );
    world.end('b', 'success', { outputs: { n: 'of b' } });
    world.end('a', 'success', { outputs: { n: 'of a' } });
    expect(sees(world, 'c')).toEqual({ n: 'of a' });
  });

  it('passes through tasks that failed, were skipped or are disabled, but not what they printed', () => {
    const world = started(
      workflow([
        task('a'),
        task('fails', { needs: ['a'] }),
        task('skipped', { needs: ['fails'] }),
        task('disabled', { needs: ['skipped'], trigger: 'all-done', disabled: true }),
        task('last', { needs: ['disabled'], trigger: 'all-done' }),
      ]),
    );
    give(world, 'a', { n: '1' });
    world.end('fails', 'failed', { outputs: { m: '2' } });
    expect([world.states().disabled, sees(world, 'last')]).toEqual(['passed', { n: '1' }]);
  });

  it('is seen by a task that did not wait for it, and by those after it, however late it comes', () => {
    const world = started(
      workflow([
        task('slow'),
        task('fast'),
        task('early', { needs: ['slow', 'fast'], trigger: 'one-succeeded' }),
        task('next', { needs: ['early'] }),
      ]),
    );
    give(world, 'fast', { n: 'fast' });
    give(world, 'early', { own: 'mine' });
    expect(sees(world, 'next')).toEqual({ n: 'fast', own: 'mine' });
    give(world, 'slow', { m: 'slow', n: 'too late', own: 'not mine' });
    expect(sees(world, 'next')).toEqual({ n: 'fast', own: 'mine', m: 'slow' });
  });

  it('is the same after a crash', () => {
    const world = started(
      edges([
        ['a', 'c'],
        ['b', 'c'],
        ['c', 'd'],
        ['b', 'd'],
      ]),
    );
    give(world, 'b', { n: 'of b', m: '' });
    give(world, 'a', { n: 'of a', m: 'full' });
    world.crash();
    expect(sees(world, 'c')).toEqual({ n: 'of b', m: 'full' });
    give(world, 'c', { n: 'of c' });
    world.crash();
    // The edge from b is a branch of its own, and b ended before c.
    expect(sees(world, 'd')).toEqual({ n: 'of b', m: 'full' });
  });

  it('is forgotten where a new round walks again', () => {
    const world = started(
      edges([
        ['a', 'b'],
        ['b', 'c'],
      ]),
    );
    give(world, 'a', { n: '1' });
    give(world, 'b', { m: '1' });
    world.end('c', 'failed');
    world.control({ type: 'rerun', scope: { kind: 'from', tasks: ['b'] } });
    expect(sees(world, 'b')).toEqual({ n: '1' });
    give(world, 'b', {});
    expect(sees(world, 'c')).toEqual({ n: '1' });
  });

  it('yields to local and startup parameters, and beats those of workflow and project', () => {
    const declared = { type: 'string', required: false, output: false } as const;
    const params = {
      local: { ...declared, default: 'workflow' },
      startup: declared,
      given: { ...declared, default: 'workflow' },
      plain: { ...declared, default: 'workflow' },
    };
    const world = started(
      workflow([task('a'), task('b', { needs: ['a'], params: { local: 'local', other: '${given}!' } })], {
        params,
      }),
      { params: { startup: 'startup' } },
    );
    give(world, 'a', { local: 'up', startup: 'up', given: 'up' });
    const seen = parametersOf(world.run, 1, world.task('b').pool, {
      ...world.run.fields,
      given: { project: { given: 'project', project: 'project' }, cluster: { project: 'all', all: 'all' } },
    });
    expect(Object.fromEntries([...seen].map(([name, { value }]) => [name, value]))).toMatchObject({
      local: 'local',
      startup: 'startup',
      given: 'up',
      other: 'up!',
      plain: 'workflow',
      project: 'project',
      all: 'all',
    });
  });
});

describe('what a run hands back', () => {
  it('is what its last tasks hand on, of the parameters declared as outputs', () => {
    const declared = (output: boolean) => ({ type: 'string', required: false, output }) as const;
    const { tasks } = edges([
      ['a', 'b'],
      ['a', 'c'],
    ]);
    const params = { rows: declared(true), missing: declared(true), inner: declared(false) };
    const world = started(workflow(tasks, { params }));
    give(world, 'a', { rows: '1', inner: 'x', undeclared: 'y' });
    give(world, 'b', { rows: '2' });
    give(world, 'c', {});
    expect(outputsOf(world.run)).toEqual({ rows: '1' });
  });

  it('is nothing where no parameter is declared as an output', () => {
    const world = started(workflow([task('a')]));
    give(world, 'a', { rows: '1' });
    expect(outputsOf(world.run)).toEqual({});
  });
});
