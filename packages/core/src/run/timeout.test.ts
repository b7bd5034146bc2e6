import { type RunWorld, started } from '@orrery/testkit/run-world';
import { dynamic, retries, subWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import type { TimeoutAction } from '../model/index.ts';
import { type Alarm, TIMEOUT_GRACE } from './index.ts';

const limit = (action: TimeoutAction) => ({ timeout: { after: 60_000, action } });

describe('the time limit of an attempt', () => {
  it('warns once and lets it run where it only warns', () => {
    const world = started(workflow([task('a', limit('warn'))]));
    const attempt = world.take('a');
    world.pass(59_999);
    expect(world.alerts()).toEqual([]);
    world.pass(1);
    expect(world.alerts()).toEqual(['task a runs longer than its time limit']);
    world.pass(600_000);
    expect(world.alerts()).toHaveLength(1);
    world.report(attempt, { state: 'success' });
    expect(world.state).toBe('success');
  });

  it.each([
    ['fail', []],
    ['both', ['task a runs longer than its time limit']],
  ] as const)('%s: ends an attempt whose worker is silent, after a grace', (action, alerts) => {
    const world = started(workflow([task('a', limit(action))]));
    const attempt = world.take('a');
    world.pass(60_000 + TIMEOUT_GRACE - 1);
    expect(world.states()).toEqual({ a: 'running' });
    world.pass(1);
    expect([world.states().a, world.alerts()]).toEqual(['stopping', alerts]);
    expect([...world.assigned.values()]).toMatchObject([{ kill: true }]);
    world.report(attempt, { state: 'killed' });
    expect([world.state, world.task('a').reason]).toEqual(['failed', 'ran longer than its time limit']);
    expect(world.alerts()).toEqual(alerts);
  });

  it.each([
    ['fail', []],
    ['both', ['task a runs longer than its time limit']],
  ] as const)('%s: believes the worker that ended it in time', (action, alerts) => {
    const world = started(workflow([task('a', limit(action))]));
    const attempt = world.take('a');
    world.pass(60_000);
    world.report(attempt, { state: 'timed-out' });
    expect([world.state, world.task('a').reason]).toEqual(['failed', 'ran longer than its time limit']);
    expect(world.alerts()).toEqual(alerts);
  });

  it('counts for each attempt again, and a timeout is retried like a failure', () => {
    const world = started(workflow([task('a', { ...limit('fail'), retries: retries(1) })]));
    const first = world.take('a');
    world.pass(30_000 + TIMEOUT_GRACE);
    world.report(first, { state: 'failed' });
    const second = world.take('a');
    world.pass(60_000 + TIMEOUT_GRACE - 1);
    expect(world.states()).toEqual({ a: 'running' });
    world.pass(1);
    world.report(second, { state: 'killed' });
    expect(world.state).toBe('failed');
  });

  it('goes on counting while the run is paused and after it is resumed', () => {
    const world = started(workflow([task('a', limit('both'))]));
    world.take('a');
    world.control('pause');
    world.pass(10_000);
    world.control('resume');
    world.pass(50_000 + TIMEOUT_GRACE);
    expect([world.states().a, world.alerts()]).toEqual([
      'stopping',
      ['task a runs longer than its time limit'],
    ]);
  });

  it('counts from when the owner first heard that a worker took it', () => {
    const world = started(workflow([task('a', limit('warn'))]));
    const attempt = world.take('a');
    world.pass(30_000);
    world.happen({ now: world.now, type: 'begun', attempt, worker: 'w1' });
    world.crash();
    world.pass(30_000);
    expect(world.alerts()).toHaveLength(1);
  });

  it('leaves an attempt that waits in the queue alone', () => {
    const world = started(workflow([task('a', limit('fail'))]));
    world.pass(3_600_000);
    expect(world.states()).toEqual({ a: 'submitted' });
  });

  it('counts from when the worker took it, however often the owner changes', () => {
    const world = started(workflow([task('a', limit('fail'))]));
    world.pass(100_000);
    const attempt = world.take('a');
    world.pass(40_000);
    world.crash();
    world.pass(20_000);
    world.crash();
    world.pass(TIMEOUT_GRACE - 1);
    expect(world.states()).toEqual({ a: 'running' });
    world.pass(1);
    world.report(attempt, { state: 'lost' });
    expect(world.task('a').reason).toBe('ran longer than its time limit');
  });
});

describe('the wait for a worker', () => {
  const queued = { queueTimeout: 30_000 };

  it('fails the attempt when no worker took it in time', () => {
    const world = started(workflow([task('a', queued)]));
    world.pass(30_000);
    expect(world.tokens.size).toBe(0);
    world.deliver();
    expect([world.state, world.task('a').reason]).toEqual(['failed', 'no worker took it in time']);
  });

  it('is a failure that is retried', () => {
    const world = started(workflow([task('a', { ...queued, retries: retries(1) })]));
    world.pass(30_000);
    world.deliver();
    world.end('a');
    expect([world.state, world.task('a').shards[0].attempt]).toEqual(['success', 2]);
  });

  it('does not call back what a worker has, though the owner did not hear of it', () => {
    const world = started(workflow([task('a', { ...queued, ...limit('fail') })]));
    const attempt = world.take('a', 'w1', { told: false });
    world.pass(30_000);
    world.deliver();
    expect([...world.assigned.values()]).toMatchObject([{ kill: false }]);
    world.happen({ now: world.now, type: 'begun', attempt, worker: 'w1' });
    expect(world.states()).toEqual({ a: 'running' });
    world.pass(60_000 + TIMEOUT_GRACE);
    expect(world.states()).toEqual({ a: 'stopping' });
  });

  it('ends when a worker takes the attempt', () => {
    const world = started(workflow([task('a', queued)]));
    const attempt = world.take('a');
    world.pass(30_000);
    world.deliver();
    world.report(attempt, { state: 'success' });
    expect(world.state).toBe('success');
  });

  it('counts from when it was queued, also under a new owner', () => {
    const world = started(workflow([task('a', queued)]));
    world.pass(20_000);
    world.crash();
    world.pass(10_000);
    world.deliver();
    expect(world.state).toBe('failed');
  });
});

describe('the time limit of a logic task', () => {
  it('warns and lets it wait where it only warns', () => {
    const world = started(workflow([subWorkflow('a', {}, limit('warn'))]));
    world.pass(60_000);
    expect([world.states().a, world.alerts()]).toEqual([
      'waiting',
      ['task a waits longer than its time limit'],
    ]);
    world.endChild('a');
    expect(world.state).toBe('success');
  });

  it.each([
    ['fail', []],
    ['both', ['task a waits longer than its time limit']],
  ] as const)('%s: stops the child run and ends as killed, with the reason', (action, alerts) => {
    const world = started(workflow([subWorkflow('a', {}, limit(action))]));
    world.pass(60_000);
    expect(world.states()).toEqual({ a: 'stopping' });
    world.deliver();
    expect([world.child('a').state, world.states().a]).toEqual(['stopped', 'killed']);
    expect([world.state, world.task('a').reason]).toEqual(['failed', 'waited longer than its time limit']);
    expect(world.alerts()).toEqual(alerts);
  });

  it('ends the wait for a dependency', () => {
    const spec = { type: 'dependent', with: { relation: 'all', groups: [] }, ...limit('fail') };
    const world = started(workflow([task('a', spec)]));
    world.pass(60_000);
    expect([world.states().a, world.waits.size]).toEqual(['killed', 0]);
  });

  it('stops every open run of a series', () => {
    const world = started(workflow([dynamic('a', { parallelism: 2 }, limit('fail'))]));
    world.pass(60_000);
    world.deliver();
    expect([0, 1].map((element) => world.child('a', element).state)).toEqual(['stopped', 'stopped']);
    expect([world.states().a, world.children.size]).toEqual(['killed', 2]);
  });

  it.each([300_000, 30_000])('counts from the end of a delay of %i ms, also under a new owner', (delay) => {
    const world = started(workflow([subWorkflow('a', {}, { ...limit('fail'), delay })]));
    world.crash();
    world.control('pause');
    world.crash();
    world.control('resume');
    world.pass(delay + 59_999);
    expect(world.states()).toEqual({ a: 'waiting' });
    world.pass(1);
    expect(world.states()).toEqual({ a: 'stopping' });
  });

  it.each([false, true])('stands still while the run is paused, also under a new owner: %s', (crash) => {
    const world = started(workflow([subWorkflow('a', {}, limit('fail'))]));
    const next = () => {
      if (crash) world.crash();
    };
    world.pass(30_000);
    world.control('pause');
    world.deliver();
    next();
    world.pass(3_600_000);
    expect([world.state, world.states().a]).toEqual(['paused', 'paused']);
    world.control('resume');
    world.deliver();
    next();
    world.pass(29_999);
    expect(world.states()).toEqual({ a: 'waiting' });
    world.pass(1);
    expect(world.states()).toEqual({ a: 'stopping' });
  });

  it('counts on when the owner changes during the wait', () => {
    const world = started(workflow([subWorkflow('a', {}, { ...limit('fail'), delay: 300_000 })]));
    world.pass(301_000);
    world.crash();
    world.pass(58_999);
    expect(world.states()).toEqual({ a: 'waiting' });
    world.pass(1);
    expect(world.states()).toEqual({ a: 'stopping' });
  });
});

describe('the time limit of a run', () => {
  it('warns and lets it go on where it only warns', () => {
    const world = started(workflow([task('a')], limit('warn')));
    world.pass(60_000);
    expect(world.alerts()).toEqual(['run of sample takes longer than its time limit']);
    world.end('a');
    expect(world.state).toBe('success');
  });

  it.each([
    ['fail', []],
    ['both', ['run of sample takes longer than its time limit']],
  ] as const)('%s: cuts the run, which cleans up and ends as failed', (action, alerts) => {
    const world = started(
      workflow(
        [task('a'), task('b', { needs: ['a'] }), task('clean', { needs: ['b'], trigger: 'all-done' })],
        {
          ...limit(action),
        },
      ),
    );
    const attempt = world.take('a');
    world.pass(60_000);
    expect([world.state, world.alerts()]).toEqual(['failing', alerts]);
    world.report(attempt, { state: 'killed' });
    world.end('clean');
    expect(world.states()).toEqual({ a: 'killed', b: 'skipped', clean: 'success' });
    expect([world.state, world.run.fields.reason]).toEqual([
      'failed',
      'the run took longer than its time limit',
    ]);
  });

  it.each([false, true])('stands still while the run is paused, also under a new owner: %s', (crash) => {
    const world = started(workflow([task('a')], limit('fail')));
    const next = () => {
      if (crash) world.crash();
    };
    world.pass(20_000);
    for (let pause = 0; pause < 2; pause++) {
      world.control('pause');
      world.deliver();
      next();
      world.pass(3_600_000);
      expect([world.state, world.states().a]).toEqual(['paused', 'paused']);
      world.control('resume');
      next();
      world.pass(10_000);
    }
    world.pass(19_999);
    expect(world.state).toBe('running');
    world.pass(1);
    expect(world.state).toBe('failing');
  });

  it('stands still from when a pause is asked for, whatever still runs', () => {
    const world = started(workflow([task('a'), task('b', { needs: ['a'] })], limit('fail')));
    const attempt = world.take('a');
    world.pass(50_000);
    world.control('pause');
    world.pass(100_000);
    expect(world.state).toBe('pausing');
    world.report(attempt, { state: 'success' });
    expect(world.state).toBe('paused');
    world.control('resume');
    world.pass(9_999);
    expect(world.state).toBe('running');
    world.pass(1);
    expect(world.state).toBe('failing');
  });

  it('leaves pauses of an earlier round out of account', () => {
    const world = started(workflow([task('a')], limit('fail')));
    world.control('pause');
    world.deliver();
    world.pass(100_000);
    world.control('resume');
    world.end('a', 'failed');
    world.control('recover');
    world.pass(60_000);
    expect(world.state).toBe('failing');
  });

  it('starts again with each round', () => {
    const world = started(workflow([task('a')], limit('fail')));
    world.end('a', 'failed');
    world.pass(50_000);
    world.control('recover');
    world.pass(59_999);
    expect(world.state).toBe('running');
    world.pass(1);
    expect(world.state).toBe('failing');
  });

  it('is kept by a new owner', () => {
    const world = started(workflow([task('a')], limit('fail')));
    world.pass(50_000);
    world.crash();
    world.pass(10_000);
    expect(world.state).toBe('failing');
  });
});

describe('a warning', () => {
  const dependent = { type: 'dependent', with: { relation: 'all', groups: [] }, ...limit('warn') };

  it('is given once, however often the owner changes', () => {
    const world = started(workflow([task('a', limit('warn')), task('b', dependent)], limit('warn')));
    world.take('a');
    world.pass(60_000);
    for (let i = 0; i < 3; i++) {
      world.crash();
      world.pass(60_000);
    }
    expect(world.alerts().toSorted()).toEqual([
      'run of sample takes longer than its time limit',
      'task a runs longer than its time limit',
      'task b waits longer than its time limit',
    ]);
  });

  it('that came due while there was no owner is given by the next', () => {
    const world = started(workflow([task('a', limit('warn')), task('b', dependent)], limit('warn')));
    world.take('a');
    world.timers = [];
    world.now += 90_000;
    world.crash();
    world.pass(0);
    expect(world.alerts()).toHaveLength(3);
  });

  it('is given again for the next attempt and the next round', () => {
    const world = started(
      workflow([task('a', { ...limit('warn'), retries: retries(1) }), task('b', dependent)], limit('warn')),
    );
    const first = world.take('a');
    world.pass(60_000);
    world.report(first, { state: 'failed' });
    world.take('a');
    world.crash();
    world.pass(60_000);
    expect(world.alerts()).toHaveLength(4);
    world.control('stop');
    world.report([...world.assigned.values()][0].attempt, { state: 'killed' });
    world.control('recover');
    world.take('a');
    world.crash();
    world.pass(60_000);
    expect(world.alerts()).toHaveLength(7);
  });
});

describe('a timer whose subject has moved on', () => {
  const stale = (world: RunWorld) =>
    world.effects.flatMap((effect) => (effect.type === 'timer' ? [effect.alarm] : []));

  function expectNothing(world: RunWorld, alarms: readonly Alarm[]): void {
    for (const alarm of alarms) {
      const { changes, effects } = world.happen({ now: world.now, type: 'due', alarm });
      expect([alarm.what, changes.tasks.size, changes.fields]).toEqual([alarm.what, 0, undefined]);
      expect(effects).toEqual([]);
    }
  }

  it('does nothing in a later round', () => {
    const spec = {
      ...limit('both'),
      queueTimeout: 5_000,
      retries: retries(3, { delay: 1_000 }),
      delay: 1_000,
    };
    const world = started(workflow([task('a', spec), subWorkflow('s', {}, limit('both'))], limit('both')));
    world.pass(1_000);
    world.end('a', 'failed');
    world.pass(1_000);
    const attempt = world.take('a');
    world.control('stop');
    world.report(attempt, { state: 'killed' });
    world.deliver();
    const alarms = stale(world);
    expect([...new Set(alarms.map(({ what }) => what))].sort()).toEqual([
      'delay',
      'logic-timeout',
      'queue',
      'retry',
      'run-timeout',
      'timeout',
    ]);
    world.control('recover');
    expect(world.states()).toEqual({ a: 'delayed', s: 'waiting' });
    expectNothing(world, alarms);
    world.pass(1_000);
    expectNothing(world, alarms);
    world.take('a');
    expectNothing(world, alarms);
  });

  it('does nothing to a later wait of the same task', () => {
    const world = started(workflow([task('a', { retries: retries(3, { delay: 60_000 }) })]));
    world.end('a', 'failed');
    const alarms = stale(world);
    world.pass(10_000);
    world.control({ type: 'start-now', task: 'a' });
    world.end('a', 'failed');
    expect(world.states()).toEqual({ a: 'retrying' });
    expectNothing(world, alarms);
  });
});
