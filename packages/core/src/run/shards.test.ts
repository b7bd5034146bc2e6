import { type RunWorld, started } from '@orrery/testkit/run-world';
import { retries, task, workflow } from '@orrery/testkit/workflows';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TaskSpec } from '../model/index.ts';

function sharded(count: number, given: Partial<TaskSpec> = {}): RunWorld {
  const shards = { count, parameters: {}, plan: 'none', strategy: 'average' } as const;
  return started(workflow([task('a', { ...given, shards }), task('b', { needs: ['a'] })]));
}

const states = (world: RunWorld) => world.task('a').shards.map(({ state }) => state);

describe('a task with shards', () => {
  it('queues one attempt for each', () => {
    const world = sharded(3);
    expect([...world.tokens.values()].map(({ attempt }) => attempt.shard)).toEqual([0, 1, 2]);
  });

  it('ends once, when all have answered, in whatever order, each in its own slot', () => {
    const anyOrder = fc
      .integer({ min: 1, max: 8 })
      .chain((count) => fc.shuffledSubarray([...Array(count).keys()], { minLength: count }))
      .chain((order) =>
        fc.record({ order: fc.constant(order), ok: fc.array(fc.boolean(), { minLength: 8 }) }),
      );
    fc.assert(
      fc.property(anyOrder, ({ order, ok }) => {
        const world = sharded(order.length);
        const attempts = new Map(order.toSorted().map((shard) => [shard, world.take('a', 'w1', { shard })]));
        let endings = 0;
        for (const shard of order) {
          const attempt = attempts.get(shard)!;
          const { changes } = world.report(attempt, { state: ok[shard] ? 'success' : 'failed' });
          if (changes.counters.has(1)) endings++;
          // A report that is repeated does not count twice.
          expect(world.report(attempt, { state: 'success' }).changes.tasks.size).toBe(0);
        }
        expect(endings).toBe(1);
        expect(states(world)).toEqual(
          order.toSorted((x, y) => x - y).map((shard) => (ok[shard] ? 'success' : 'failed')),
        );
        const good = order.every((shard) => ok[shard]);
        expect(world.states()).toEqual(
          good ? { a: 'success', b: 'submitted' } : { a: 'failed', b: 'skipped' },
        );
      }),
    );
  });

  it('is running from the first that a worker takes to the last that ends', () => {
    const world = sharded(2);
    expect(world.states().a).toBe('submitted');
    world.end('a', 'success', { shard: 1 });
    expect(world.states().a).toBe('submitted');
    world.take('a', 'w1', { shard: 0 });
    expect(world.states().a).toBe('running');
  });

  it('retries each by itself', () => {
    const world = sharded(3, { retries: retries(1) });
    world.end('a', 'failed', { shard: 0 });
    world.end('a', 'success', { shard: 1 });
    world.end('a', 'failed', { shard: 2 });
    expect(world.task('a').shards.map(({ attempt, failures }) => [attempt, failures])).toEqual([
      [2, 1],
      [1, 0],
      [2, 1],
    ]);
    world.end('a', 'success', { shard: 0 });
    world.end('a', 'failed', { shard: 2, error: 'again' });
    expect([world.states().a, world.task('a').reason]).toEqual(['failed', 'shard 2: again']);
  });

  it('lets the others run on when one has failed for good, and names the first that failed', () => {
    const world = sharded(3);
    world.end('a', 'failed', { shard: 2, error: 'late' });
    world.end('a', 'failed', { shard: 1, error: 'early' });
    expect(world.states().a).toBe('submitted');
    world.end('a', 'success', { shard: 0 });
    expect(world.task('a').reason).toBe('shard 1: early');
  });

  it('joins the outputs of all', () => {
    const world = sharded(2);
    world.end('a', 'success', { shard: 1, outputs: { y: '1', both: 'of 1' } });
    world.end('a', 'success', { shard: 0, outputs: { x: '0', both: 'of 0' } });
    expect(world.task('a').outputs).toEqual({ x: '0', y: '1', both: 'of 1' });
  });

  it('ends as killed when it is killed with some done and some waiting to retry', () => {
    const world = sharded(4, { retries: retries(1, { delay: 60_000 }) });
    world.end('a', 'success', { shard: 0 });
    world.end('a', 'failed', { shard: 1 });
    const running = world.take('a', 'w1', { shard: 2 });
    world.control({ type: 'kill', task: 'a' });
    expect(world.states().a).toBe('stopping');
    world.deliver();
    expect(states(world)).toEqual(['success', 'killed', 'out', 'killed']);
    world.report(running, { state: 'success' });
    expect([world.states().a, states(world)]).toEqual(['killed', ['success', 'killed', 'success', 'killed']]);
  });

  it('goes on where it was when a pause called some of them back', () => {
    const world = sharded(4, { retries: retries(1, { delay: 60_000 }) });
    world.end('a', 'success', { shard: 0 });
    world.end('a', 'failed', { shard: 1 });
    const running = world.take('a', 'w1', { shard: 2 });
    world.control('pause');
    world.deliver();
    expect([world.state, states(world)]).toEqual(['pausing', ['success', 'retrying', 'out', 'idle']]);
    world.report(running, { state: 'success' });
    expect([world.state, world.states().a]).toEqual(['paused', 'paused']);
    world.control('resume');
    expect([...world.tokens.values()].map(({ attempt }) => attempt)).toEqual([
      { task: 0, shard: 3, number: 2 },
    ]);
    world.pass(60_000);
    world.end('a', 'success', { shard: 1 });
    world.end('a', 'success', { shard: 3 });
    expect(world.states().a).toBe('success');
  });

  it('takes a resume before all withdrawals came in', () => {
    const world = sharded(3);
    world.end('a', 'success', { shard: 0 });
    world.control('pause');
    world.control('resume');
    world.deliver();
    expect([...world.tokens.values()].map(({ attempt }) => [attempt.shard, attempt.number])).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it('times out and retries one while the others run on', () => {
    const world = sharded(2, { timeout: { after: 60_000, action: 'fail' }, retries: retries(1) });
    const [first] = [world.take('a', 'w1', { shard: 0 })];
    world.pass(30_000);
    const second = world.take('a', 'w2', { shard: 1 });
    world.pass(40_000);
    world.report(first, { state: 'killed' });
    expect(world.task('a').shards.map(({ attempt }) => attempt)).toEqual([2, 1]);
    world.report(second, { state: 'success' });
    world.end('a', 'success', { shard: 0 });
    expect(world.states().a).toBe('success');
  });

  it('calls back by a pause what is queued beside one that is being ended', () => {
    const world = sharded(2, { timeout: { after: 60_000, action: 'fail' } });
    const slow = world.take('a', 'w1', { shard: 0 });
    world.pass(70_000);
    expect(world.states().a).toBe('stopping');
    world.control('pause');
    expect(world.tokens.size).toBe(0);
    world.deliver();
    world.report(slow, { state: 'killed' });
    expect([world.state, states(world)]).toEqual(['paused', ['failed', 'idle']]);
  });

  it('ends at once when it is forced, and what its attempts still report is late', () => {
    const world = sharded(2);
    const running = world.take('a', 'w1', { shard: 0 });
    world.control({ type: 'force', task: 'a' });
    expect(world.states()).toEqual({ a: 'success', b: 'submitted' });
    const { effects } = world.report(running, { state: 'failed' });
    expect(effects).toMatchObject([{ type: 'late' }]);
    expect(world.states()).toEqual({ a: 'success', b: 'submitted' });
  });
});

describe('a recovery of a task with shards', () => {
  const attempts = (world: RunWorld) => world.task('a').shards.map(({ attempt }) => attempt);

  it('repeats only the shards that failed, and joins their outputs with those that are kept', () => {
    const world = sharded(3);
    world.end('a', 'success', { shard: 0, outputs: { x: '0' } });
    world.end('a', 'failed', { shard: 1 });
    world.end('a', 'success', { shard: 2, outputs: { z: '2' } });
    world.control('recover');
    expect([states(world), world.states()]).toEqual([
      ['success', 'out', 'success'],
      { a: 'submitted', b: 'pending' },
    ]);
    world.crash();
    world.end('a', 'success', { shard: 1, outputs: { y: '1' } });
    expect([attempts(world), world.task('a').outputs]).toEqual([[1, 2, 1], { x: '0', y: '1', z: '2' }]);
    world.end('b');
    expect(world.state).toBe('success');
  });

  it('repeats the shards that a stop ended', () => {
    const world = sharded(3);
    world.end('a', 'success', { shard: 0 });
    const running = world.take('a', 'w1', { shard: 1 });
    world.control('stop');
    world.deliver();
    world.report(running, { state: 'killed' });
    world.control('recover');
    expect(states(world)).toEqual(['success', 'out', 'out']);
  });

  it('repeats those of a run that was set aside as broken', () => {
    const world = sharded(2);
    world.end('a', 'success', { shard: 1 });
    world.setAside('a bad entry');
    world.control('recover');
    expect(states(world)).toEqual(['out', 'success']);
  });

  it('keeps what succeeded over several rounds', () => {
    const world = sharded(3);
    world.end('a', 'success', { shard: 0 });
    world.end('a', 'failed', { shard: 1 });
    world.end('a', 'failed', { shard: 2 });
    world.control('recover');
    world.end('a', 'success', { shard: 1 });
    world.end('a', 'failed', { shard: 2 });
    world.control('recover');
    world.end('a', 'success', { shard: 2 });
    expect([world.states().a, attempts(world)]).toEqual(['success', [1, 2, 3]]);
  });

  it('repeats all of them after a task that failed too, which may hand on other values', () => {
    const shards = { count: 2, parameters: {}, plan: 'none', strategy: 'average' } as const;
    const world = started(
      workflow([
        task('first', { ignoreFailure: true }),
        task('a', { needs: ['first'], shards }),
        task('b', { needs: ['a'] }),
      ]),
    );
    world.end('first', 'failed');
    world.end('a', 'success', { shard: 0 });
    world.end('a', 'failed', { shard: 1 });
    world.control('recover');
    world.end('first');
    expect(states(world)).toEqual(['out', 'out']);
  });

  it('is not what a rerun does', () => {
    const world = sharded(2);
    world.end('a', 'success', { shard: 0 });
    world.end('a', 'failed', { shard: 1 });
    world.control({ type: 'rerun', scope: { kind: 'all', tasks: [] } });
    expect(states(world)).toEqual(['out', 'out']);
  });
});
