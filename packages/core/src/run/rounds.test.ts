import { RunWorld, started } from '@orrery/testkit/run-world';
import { edges, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import type { Scope } from './index.ts';

/** a -> b -> d, a -> c -> d, and e apart. */
const diamond = () => {
  const { tasks } = edges([
    ['a', 'b'],
    ['a', 'c'],
    ['b', 'd'],
    ['c', 'd'],
  ]);
  return workflow([...tasks, task('e')]);
};
const attempts = (world: RunWorld) =>
  Object.fromEntries(
    Object.keys(world.states()).map((name) => [name, world.task(name).shards[0]?.attempt ?? 0]),
  );
const scope = (kind: Scope['kind'], ...tasks: string[]): Scope => ({ kind, tasks });

function ended(): RunWorld {
  const world = started(diamond());
  world.complete();
  return world;
}

describe('a part of the graph at the start', () => {
  it.each([
    [scope('from', 'b'), ['b', 'd']],
    [scope('from', 'b', 'e'), ['b', 'd', 'e']],
    [scope('to', 'b'), ['a', 'b']],
    [scope('only', 'b', 'd'), ['b', 'd']],
    [scope('only', 'd'), ['d']],
  ])('%j walks only that', (asked, walked) => {
    const world = started(diamond(), {}, asked);
    world.complete();
    expect(world.state).toBe('success');
    for (const [name, state] of Object.entries(world.states())) {
      expect([name, state]).toEqual([name, walked.includes(name) ? 'success' : 'excluded']);
    }
  });

  it('keeps the order inside the part', () => {
    const world = started(diamond(), {}, scope('only', 'b', 'd'));
    expect(world.states()).toMatchObject({ b: 'submitted', d: 'pending' });
    world.end('b', 'failed');
    expect([world.state, world.states().d]).toEqual(['failed', 'skipped']);
  });

  it('starts a task that was picked in spite of its trigger rule', () => {
    const tasks = [task('a'), task('alarm', { needs: ['a'], trigger: 'one-failed' })];
    const world = started(workflow(tasks), {}, scope('only', 'alarm'));
    expect(world.states()).toEqual({ a: 'excluded', alarm: 'submitted' });
  });

  it('is what a rerun of all walks again', () => {
    const world = started(diamond(), {}, scope('from', 'b'));
    world.complete();
    world.control({ type: 'rerun', scope: scope('all') });
    world.complete();
    expect(attempts(world)).toEqual({ a: 0, b: 2, c: 0, d: 2, e: 0 });
  });

  it('refuses a task that does not exist', () => {
    expect(() => started(diamond(), {}, scope('from', 'x'))).toThrow('the workflow has no task "x"');
  });
});

describe('rerun', () => {
  it.each([
    [scope('all'), { a: 2, b: 2, c: 2, d: 2, e: 2 }],
    [scope('from', 'b'), { a: 1, b: 2, c: 1, d: 2, e: 1 }],
    [scope('to', 'b'), { a: 2, b: 2, c: 1, d: 1, e: 1 }],
    [scope('only', 'd'), { a: 1, b: 1, c: 1, d: 2, e: 1 }],
  ])('%j walks that part again as another round of the same run', (asked, expected) => {
    const world = ended();
    world.control({ type: 'rerun', scope: asked });
    expect([world.state, world.run.fields.round]).toEqual(['running', 2]);
    world.complete();
    expect([world.state, attempts(world)]).toEqual(['success', expected]);
  });

  it('reaches tasks that the run was not asked to walk before', () => {
    const world = started(diamond(), {}, scope('only', 'b'));
    world.complete();
    world.control({ type: 'rerun', scope: scope('from', 'c') });
    world.complete();
    expect(world.states()).toEqual({
      a: 'excluded',
      b: 'success',
      c: 'success',
      d: 'success',
      e: 'excluded',
    });
  });

  it('starts from a picked task although what came before it failed', () => {
    const world = started(diamond());
    world.end('a', 'failed');
    world.end('e');
    expect(world.states()).toMatchObject({ b: 'skipped', d: 'skipped' });
    world.control({ type: 'rerun', scope: scope('from', 'b') });
    world.end('b');
    world.end('d');
    expect([world.state, world.states()]).toEqual([
      'failed',
      { a: 'failed', b: 'success', c: 'skipped', d: 'success', e: 'success' },
    ]);
  });

  it('settles each round by itself', () => {
    const world = ended();
    world.control({ type: 'rerun', scope: scope('only', 'e') });
    const attempt = world.take('e');
    const { changes } = world.report(attempt, { state: 'failed' });
    expect(changes.settled).toEqual({ round: 2, state: 'failed' });
  });
});

describe('recover', () => {
  it('runs what failed and what follows, and leaves what succeeded', () => {
    const world = started(diamond());
    for (const name of ['a', 'c', 'e']) world.end(name);
    world.end('b', 'failed');
    expect([world.state, world.states().d]).toEqual(['failed', 'skipped']);
    world.control('recover');
    expect(world.states()).toEqual({
      a: 'success',
      b: 'submitted',
      c: 'success',
      d: 'pending',
      e: 'success',
    });
    world.complete();
    expect([world.state, attempts(world)]).toEqual(['success', { a: 1, b: 2, c: 1, d: 1, e: 1 }]);
  });

  it('runs a task again that succeeded after the failed one', () => {
    const world = started(workflow([task('a'), task('report', { needs: ['a'], trigger: 'all-done' })]));
    world.end('a', 'failed');
    world.end('report');
    world.control('recover');
    world.complete();
    expect(attempts(world)).toEqual({ a: 2, report: 2 });
  });

  it('goes on with a run that was stopped', () => {
    const world = started(diamond());
    world.end('a');
    world.control('stop');
    world.deliver();
    expect(world.states()).toEqual({ a: 'success', b: 'killed', c: 'killed', d: 'pending', e: 'killed' });
    world.control('recover');
    world.complete();
    expect([world.state, attempts(world)]).toEqual(['success', { a: 1, b: 2, c: 2, d: 1, e: 2 }]);
  });

  it('starts a run that was stopped before it began', () => {
    const world = new RunWorld(diamond());
    world.control('stop');
    world.control('recover');
    world.complete();
    expect([world.state, world.run.fields.round]).toEqual(['success', 2]);
  });

  it('takes up a run that was set aside as broken, with the tasks it had left', () => {
    const world = started(diamond());
    world.end('a');
    const attempt = world.take('b');
    world.setAside('a bad entry');
    expect([world.state, world.run.fields.reason]).toEqual(['broken', 'a bad entry']);
    expect(world.task('b')).toMatchObject({
      state: 'killed',
      reason: 'a bad entry',
      shards: [{ state: 'killed' }],
    });
    world.report(attempt, { state: 'killed' });
    world.control('recover');
    expect(world.run.fields.reason).toBeUndefined();
    world.complete();
    expect(world.state).toBe('success');
  });

  it('can fail and be repeated', () => {
    const world = started(edges([['a', 'b']]));
    for (let round = 1; round <= 3; round++) {
      world.end('a', 'failed');
      expect([world.state, world.run.fields.round]).toEqual(['failed', round]);
      world.control('recover');
    }
    world.complete();
    expect(attempts(world)).toEqual({ a: 4, b: 1 });
  });
});
