import { type RunWorld, started } from '@orrery/testkit/run-world';
import { retries, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import type { Retries, TaskSpec } from '../model/index.ts';

const one = (limit: number, given: Partial<Retries> = {}, spec: Partial<TaskSpec> = {}) =>
  started(workflow([task('a', { ...spec, retries: retries(limit, given) })]));
const line = (world: RunWorld) => world.task('a').shards[0];
const ticket = (world: RunWorld) => [...world.tokens.values()][0];

describe('a failed attempt', () => {
  it('is tried again at once where no delay is given, until the limit', () => {
    const world = one(2);
    world.end('a', 'failed', { error: 'first' });
    world.end('a', 'failed', { error: 'second' });
    expect(world.states()).toEqual({ a: 'submitted' });
    world.end('a', 'failed', { error: 'third' });
    expect([world.state, world.states().a, world.task('a').reason]).toEqual(['failed', 'failed', 'third']);
    expect(line(world).attempt).toBe(3);
  });

  it('waits for its delay, which grows by the back-off up to the longest', () => {
    const world = one(9, { delay: 1_000, backoff: 2, maxDelay: 3_000 });
    for (const wait of [1_000, 2_000, 3_000, 3_000]) {
      world.end('a', 'failed');
      expect(world.states()).toEqual({ a: 'retrying' });
      world.pass(wait - 1);
      expect(world.states()).toEqual({ a: 'retrying' });
      world.pass(1);
      expect(world.states()).toEqual({ a: 'submitted' });
    }
  });

  it('ends the task at once when it is fatal', () => {
    const world = one(9);
    world.end('a', 'failed', { fatal: true, error: 'no such script' });
    expect([world.state, world.task('a').reason]).toEqual(['failed', 'no such script']);
    expect(world.tokens.size).toBe(0);
  });

  it.each([
    ['any', undefined, undefined],
    ['same', 'w2', undefined],
    ['other', undefined, 'w2'],
  ] as const)('goes to a worker by choice: on %s', (on, target, avoid) => {
    const world = one(1, { on });
    expect(ticket(world)).toMatchObject({ target: undefined, avoid: undefined });
    world.end('a', 'failed', { worker: 'w2' });
    expect([ticket(world).target, ticket(world).avoid]).toEqual([target, avoid]);
  });

  it('goes on elsewhere after some retries on the same worker', () => {
    const world = one(5, { on: 'same', later: { on: 'other', after: 3 } });
    const places: unknown[] = [];
    for (const worker of ['w1', 'w1', 'w1', 'w1', 'w2']) {
      world.end('a', 'failed', { worker });
      const { target, avoid } = ticket(world);
      places.push(target === undefined ? `not ${avoid}` : target);
    }
    expect(places).toEqual(['w1', 'w1', 'w1', 'not w1', 'not w2']);
    world.end('a', 'failed');
    expect(world.states().a).toBe('failed');
  });

  it('keeps its choice of worker over the wait and over a pause', () => {
    const world = one(1, { on: 'same', delay: 5_000 });
    world.end('a', 'failed', { worker: 'w2' });
    world.control('pause');
    expect(world.state).toBe('paused');
    world.control('resume');
    world.pass(5_000);
    expect(ticket(world).target).toBe('w2');
  });

  it('counts one that timed out or was killed on its worker as failed', () => {
    const world = one(2);
    world.end('a', 'timed-out');
    world.end('a', 'killed');
    expect([line(world).attempt, line(world).failures]).toEqual([3, 2]);
    world.end('a', 'killed', { error: 'out of memory' });
    expect(world.task('a').reason).toBe('out of memory');
  });

  it('shows why the last attempt failed while it waits for the next', () => {
    const world = one(1, { delay: 1_000 });
    world.end('a', 'failed', { error: 'disk full' });
    expect(line(world).error).toBe('disk full');
    world.pass(1_000);
    expect(line(world).error).toBeUndefined();
  });
});

describe('a lost attempt', () => {
  it('is tried again elsewhere three times, whatever the limit of retries', () => {
    const world = one(0);
    for (const worker of ['w1', 'w2', 'w3']) {
      world.end('a', 'lost', { worker });
      expect([world.states().a, ticket(world).avoid]).toEqual(['submitted', worker]);
    }
    world.end('a', 'lost', { worker: 'w4' });
    expect([world.state, world.task('a').reason]).toEqual(['failed', 'lost 4 times: worker w4 was lost']);
  });

  it('uses up no retry, and a retry no loss', () => {
    const world = one(1);
    for (let i = 0; i < 3; i++) world.end('a', 'lost');
    world.end('a', 'failed');
    expect([line(world).failures, line(world).lost, world.states().a]).toEqual([1, 3, 'submitted']);
    world.end('a');
    expect([world.state, line(world).attempt]).toEqual(['success', 5]);
  });

  it('does not wait for the delay of retries', () => {
    const world = one(1, { delay: 60_000 });
    world.end('a', 'lost');
    expect(world.states()).toEqual({ a: 'submitted' });
  });

  it('avoids the lost worker even where retries stay on theirs, but only for the next attempt', () => {
    const world = one(2, { on: 'same' });
    world.end('a', 'lost', { worker: 'w1' });
    expect([ticket(world).target, ticket(world).avoid]).toEqual([undefined, 'w1']);
    world.end('a', 'failed', { worker: 'w2' });
    expect([ticket(world).target, ticket(world).avoid]).toEqual(['w2', undefined]);
  });

  it('is taken elsewhere also when the run rests in between', () => {
    const world = one(0);
    const attempt = world.take('a', 'w1');
    world.control('pause');
    world.report(attempt, { state: 'lost' });
    expect(world.state).toBe('paused');
    world.control('resume');
    expect(ticket(world).avoid).toBe('w1');
  });
});

describe('rounds', () => {
  it('number attempts on and count retries and losses afresh', () => {
    const world = one(1);
    world.end('a', 'lost');
    world.end('a', 'failed');
    world.end('a', 'failed');
    expect(world.state).toBe('failed');
    world.control('recover');
    expect(line(world)).toMatchObject({ attempt: 4, failures: 0, lost: 0 });
    expect([ticket(world).target, ticket(world).avoid]).toEqual([undefined, undefined]);
    world.end('a', 'failed');
    world.end('a');
    expect([world.state, line(world).attempt]).toEqual(['success', 5]);
  });
});

describe('what was called off', () => {
  const retry = { retries: retries(5) };

  it.each(['failed', 'killed', 'timed-out', 'lost'] as const)(
    'is not tried again after a kill, when its attempt ends as %s',
    (state) => {
      const world = one(5);
      const attempt = world.take('a');
      world.control({ type: 'kill', task: 'a' });
      world.report(attempt, { state });
      expect([world.state, world.tokens.size]).toEqual(['failed', 0]);
    },
  );

  it('is not tried again when the failure of another task cut the run', () => {
    const world = started(workflow([task('a', retry), task('b')], { onFailure: 'end' }));
    const attempt = world.take('a');
    world.end('b', 'failed');
    world.report(attempt, { state: 'failed' });
    expect([world.state, world.states()]).toEqual(['failed', { a: 'failed', b: 'failed' }]);
  });

  it('is not tried again after a stop', () => {
    const world = one(5);
    const attempt = world.take('a');
    world.control('stop');
    world.report(attempt, { state: 'failed', error: 'exit 143' });
    expect([world.state, world.task('a').reason]).toEqual(['failed', 'exit 143']);
  });
});
