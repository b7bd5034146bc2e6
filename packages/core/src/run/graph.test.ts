import { started } from '@orrery/testkit/run-world';
import { edges, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import { compile } from './plan.ts';

describe('the walk', () => {
  it('starts a join when the last of its branches has ended, whatever their length', () => {
    const world = started(
      edges([
        ['a', 'b'],
        ['b', 'd'],
        ['c', 'd'],
      ]),
    );
    world.end('c');
    world.end('a');
    expect(world.states()).toEqual({ a: 'success', b: 'submitted', d: 'pending', c: 'success' });
    world.end('b');
    expect(world.states().d).toBe('submitted');
  });

  it('lets independent branches go on after a failure, and says why a task was skipped', () => {
    const world = started(
      edges([
        ['a', 'b'],
        ['b', 'c'],
        ['x', 'y'],
      ]),
    );
    world.end('a', 'failed');
    expect(world.states()).toEqual({ a: 'failed', b: 'skipped', c: 'skipped', x: 'submitted', y: 'pending' });
    expect(world.task('c').reason).toBe('a task before it failed');
    world.end('x');
    world.end('y');
    expect(world.state).toBe('failed');
  });

  it('ends a run without tasks at once', () => {
    expect(started(workflow([])).state).toBe('success');
  });
});

describe('failure strategy end', () => {
  const tasks = [
    task('fails'),
    task('running'),
    task('queued'),
    task('later', { delay: 60_000 }),
    task('after', { needs: ['running'] }),
    task('clean', { needs: ['after', 'fails'], trigger: 'all-done' }),
    task('alarm', { needs: ['fails'], trigger: 'one-failed' }),
    task('next', { needs: ['clean'] }),
  ];

  it('calls back what is under way, cleans up, and fails with the reason', () => {
    const world = started(workflow(tasks, { onFailure: 'end' }));
    const attempt = world.take('running');
    world.end('fails', 'failed');
    expect([world.state, world.run.fields.reason]).toEqual(['failing', 'task fails failed']);
    expect(world.states()).toMatchObject({ later: 'killed', alarm: 'submitted', clean: 'pending' });
    world.deliver();
    world.report(attempt, { state: 'killed' });
    expect(world.states()).toMatchObject({ after: 'skipped', clean: 'submitted' });
    world.end('alarm');
    world.end('clean');
    expect(world.states()).toEqual({
      fails: 'failed',
      running: 'killed',
      queued: 'killed',
      later: 'killed',
      after: 'skipped',
      clean: 'success',
      alarm: 'success',
      next: 'skipped',
    });
    expect([world.state, world.task('next').reason]).toEqual(['failed', 'task fails failed']);
  });

  it('lets a clean-up task that is under way go on, and retry', () => {
    const clean = task('clean', {
      needs: ['a'],
      trigger: 'all-done',
      retries: { limit: 1, delay: 1_000, backoff: 1, maxDelay: 1_000, on: 'any' },
    });
    const world = started(workflow([task('a'), clean, task('b')], { onFailure: 'end' }));
    world.end('a');
    world.end('clean', 'failed');
    world.end('b', 'failed');
    expect([world.state, world.states().clean]).toEqual(['failing', 'retrying']);
    world.pass(1_000);
    world.end('clean');
    expect([world.state, world.states().clean]).toEqual(['failed', 'success']);
  });

  it('takes clean-up tasks out of a pause', () => {
    const clean = task('clean', { needs: ['a'], trigger: 'all-done' });
    const world = started(workflow([task('a'), clean, task('b'), task('c')], { onFailure: 'end' }));
    const attempt = world.take('b');
    world.end('a');
    world.control('pause');
    world.deliver();
    expect(world.states()).toMatchObject({ clean: 'paused', b: 'running', c: 'paused' });
    world.report(attempt, { state: 'failed' });
    expect([world.state, world.states()]).toEqual([
      'failing',
      { a: 'success', clean: 'submitted', b: 'failed', c: 'killed' },
    ]);
  });

  it('skips what a pause had held before it began', () => {
    const world = started(workflow([...edges([['a', 'b']]).tasks, task('c')], { onFailure: 'end' }));
    const attempts = [world.take('a'), world.take('c')];
    world.control('pause');
    world.report(attempts[0], { state: 'success' });
    expect(world.states().b).toBe('paused');
    world.report(attempts[1], { state: 'failed' });
    expect([world.state, world.states().b]).toEqual(['failed', 'skipped']);
  });
});

describe('a task whose failure is ignored', () => {
  it('counts as success for those after it and for the run', () => {
    const world = started(
      workflow([task('a', { ignoreFailure: true }), task('b', { needs: ['a'] })], { onFailure: 'end' }),
    );
    world.end('a', 'failed');
    expect(world.states()).toEqual({ a: 'failed', b: 'submitted' });
    world.end('b');
    expect(world.state).toBe('success');
  });
});

describe('a disabled task', () => {
  it('is passed over and its successors go on', () => {
    const world = started(
      workflow([
        task('a'),
        task('off', { needs: ['a'], disabled: true, delay: 60_000 }),
        task('b', { needs: ['off'] }),
      ]),
    );
    world.end('a');
    expect(world.states()).toEqual({ a: 'success', off: 'passed', b: 'submitted' });
    world.end('b');
    expect(world.state).toBe('success');
  });

  it('stands for all its predecessors: it waits for them and hands on how they ended', () => {
    const off = task('off', { needs: ['a', 'b'], disabled: true, trigger: 'one-succeeded' });
    const tasks = [task('a'), task('b'), off, task('c', { needs: ['off'] })];
    const world = started(workflow(tasks));
    world.end('a');
    expect(world.states().off).toBe('pending');
    world.end('b', 'failed');
    expect(world.states()).toMatchObject({ off: 'passed', c: 'skipped' });
  });

  it('is held by a pause like any other', () => {
    const world = started(workflow([task('a'), task('off', { needs: ['a'], disabled: true })]));
    const attempt = world.take('a');
    world.control('pause');
    world.report(attempt, { state: 'success' });
    expect([world.state, world.states().off]).toEqual(['paused', 'paused']);
    world.control('resume');
    expect([world.state, world.states().off]).toEqual(['success', 'passed']);
  });
});

describe('a dry run', () => {
  it('walks every task and executes nothing', () => {
    const cases = [{ when: "${missing} == '1'", to: ['b'] }];
    const tasks = [
      task('a', { delay: 60_000 }),
      task('sub', { type: 'sub-workflow', needs: ['a'], with: { workflow: { name: 'x' }, params: {} } }),
      task('wait', { type: 'dependent', needs: ['a'], with: { relation: 'all', groups: [] } }),
      task('many', { type: 'dynamic', needs: ['a'], with: {} }),
      task('choose', { type: 'switch', needs: ['sub', 'wait', 'many'], with: { cases, default: ['c'] } }),
      task('b', { needs: ['choose'] }),
      task('c', { needs: ['choose'] }),
    ];
    const world = started(workflow(tasks), { dryRun: true });
    expect(world.states()).toEqual({
      a: 'success',
      sub: 'success',
      wait: 'success',
      many: 'success',
      choose: 'success',
      b: 'skipped',
      c: 'success',
    });
    expect([world.state, world.children.size, world.effects]).toEqual(['success', 0, []]);
  });
});

describe('compile', () => {
  it('refuses two tasks of one name and a need that does not exist', () => {
    expect(() => compile(workflow([task('a'), task('a')]))).toThrow('two tasks are named "a"');
    expect(() => compile(workflow([task('a', { needs: ['x'] })]))).toThrow('the workflow has no task "x"');
  });
});
