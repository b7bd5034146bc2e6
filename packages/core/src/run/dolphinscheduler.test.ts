import { type RunWorld, started, type WorldGiven } from '@orrery/testkit/run-world';
import { backfill, dynamic, edges, retries, subWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import dolphin from '../../fixtures/dolphinscheduler-cases.json' with { type: 'json' };
import type { TaskSpec } from '../model/index.ts';
import type { Outcome } from './index.ts';
import { parametersOf } from './parameters.ts';

const suites = [
  'engine-start',
  'engine-start-2026',
  'engine-control',
  'engine-failover',
  'dynamic',
  'issue-derived',
];

interface Expected {
  readonly workflow: string;
  readonly tasks: Record<string, string>;
  readonly sub: { readonly workflow: string; readonly tasks: Record<string, string> | string[] };
  readonly taskInstances: string[];
  readonly neverStarted: string[];
  readonly taskCount: number;
  readonly attempts: number;
  readonly runTimes: number;
  readonly maxConcurrent: number;
  readonly instances: number;
  readonly executed: string[];
}

interface Case {
  readonly id: string;
  readonly input: {
    readonly edges: [string, string][];
    readonly fails: string[];
    readonly running: string[];
    readonly globalParams: Record<string, string>;
    readonly startParams: Record<string, string>;
    readonly params: { name: string; value: string }[];
    readonly backfillDates: number | string[];
    readonly parallelism: number;
    readonly failsOn: string;
  };
  readonly expect: Expected;
}

const cases = dolphin.suites
  .filter(({ id }) => suites.includes(id))
  .flatMap((suite) => suite.cases as unknown as Case[]);

/** Their names of states in ours. */
const stateNames: Record<string, string> = {
  RUNNING_EXECUTION: 'running',
  SUCCESS: 'success',
  FAILURE: 'failed',
  STOP: 'stopped',
  PAUSE: 'paused',
  KILL: 'killed',
  SUBMITTED_SUCCESS: 'submitted',
};

/** What needs more than one run, or more than its rules. */
const elsewhere: Record<string, string> = {
  'engine-start-2026-02': 'several runs at once: admission',
  'engine-start-2026-03': 'several runs at once: admission',
  'issue-derived-09': 'processes: the worker',
  'issue-derived-12': 'several runs at once: admission',
  'issue-derived-16': 'what a dependent accepts: dependencies',
  'issue-derived-17': 'what a dependent accepts: dependencies',
  'issue-derived-19': 'what a dependent accepts: dependencies',
  'issue-derived-21': 'what a task prints: parameters',
  'issue-derived-26': 'names of workflows: the model',
  'issue-derived-28': 'who may speak to a worker: the wire',
};

/** There a task that a worker was given is tried again when the owner dies; here that attempt goes on. */
const different = ['engine-failover-03', 'engine-failover-07', 'engine-failover-12'];

const play: Record<string, (one: Case) => void> = {
  'engine-start-01': (one) => {
    const world = started(workflow([task('A')]));
    world.end('A');
    expectStates(world, one.expect);
  },
  'engine-start-02': (one) => {
    const world = started(workflow([task('A')]), { dryRun: true });
    expectStates(world, one.expect);
    expect(world.task('A').shards).toEqual([]);
  },
  'engine-start-04': (one) => {
    const world = started(workflow([subWorkflow('SUB')]), { dryRun: true });
    expectStates(world, one.expect);
    expect(world.children.size).toBe(0);
  },
  'engine-start-05': (one) => {
    const world = started(workflow([subWorkflow('SUB')]), { child: () => workflow([task('fake')]) });
    world.child('SUB').end('fake', 'failed');
    world.deliver();
    expectStates(world, one.expect);
    expectStates(world.child('SUB'), one.expect.sub);
  },
  'engine-start-07': (one) => {
    const { globalParams, startParams } = one.input;
    const params = {
      name: { type: 'string', required: false, output: false, default: globalParams.name },
    } as const;
    const world = started(workflow([task('A'), task('B')], { params }), { params: startParams });
    const wanted = { A: globalParams.name, B: startParams.name };
    for (const [i, name] of (['A', 'B'] as const).entries()) {
      const seen = parametersOf(world.run, i, world.task(name).pool, world.run.fields).get('name');
      world.end(name, seen === wanted[name] ? 'success' : 'failed');
    }
    expectStates(world, one.expect);
  },
  'engine-start-09': (one) => {
    const world = started(workflow([task('A', { retries: retries(1, { delay: 60_000 }) })]));
    world.end('A', 'failed');
    expect(world.states()).toEqual({ A: 'retrying' });
    world.pass(60_000);
    world.end('A', 'failed');
    expect(world.state).toBe(stateNames[one.expect.workflow]);
    expect(world.task('A').shards[0].attempt).toBe(one.expect.attempts);
  },
  'engine-start-10': (one) => {
    const world = started(edges([['A', 'B']]));
    world.end('A');
    world.end('B');
    expectStates(world, one.expect);
  },
  'engine-start-11': (one) => {
    const world = started(edges([['A', 'B']]));
    world.end('A', 'failed');
    expectStates(world, one.expect);
  },
  'engine-start-13': (one) => {
    const world = started(workflow([task('A'), task('B')]));
    world.end('A', 'failed');
    world.end('B', 'failed');
    expectStates(world, one.expect);
  },
  'engine-start-14': (one) => {
    const world = started(edges(one.input.edges));
    world.complete();
    expectStates(world, one.expect);
  },
  'engine-start-2026-05': (one) => {
    const world = started(workflow([task('A'), task('B'), task('C')], { onFailure: 'end' }));
    const running = [world.take('A'), world.take('B')];
    world.end('C', 'failed');
    expect([...world.assigned.values()].map(({ kill }) => kill)).toEqual([true, true]);
    for (const attempt of running) world.report(attempt, { state: 'killed' });
    expectStates(world, one.expect);
  },
  'engine-start-2026-09': (one) => {
    const cases = [{ when: 'false', to: ['success_branch'] }];
    const world = started(
      workflow([
        task('switch_task', { type: 'switch', with: { cases, default: ['default_branch'] } }),
        task('success_branch', { needs: ['switch_task'] }),
        task('default_branch', { needs: ['switch_task'] }),
      ]),
    );
    world.end('default_branch');
    expectStates(world, one.expect);
    expect(startedTasks(world)).toHaveLength(one.expect.taskCount);
  },
  'engine-start-2026-11': (one) => {
    const world = started(edges(one.input.edges));
    world.end('C');
    world.end('A');
    world.end('B', 'failed');
    expectStates(world, one.expect);
  },
  'engine-start-2026-14': (one) => {
    const world = started(workflow([task('A', { retries: retries(5) })]));
    world.end('A', 'failed', { fatal: true });
    expectStates(world, one.expect);
  },
  'engine-start-2026-22': noWorker,
  'engine-start-2026-23': (one) => {
    const world = started(workflow([task('A', { workerGroup: 'nowhere' })]));
    world.pass(30_000);
    expectStates(world, one.expect);
  },
  'engine-start-2026-24': noWorker,
  'engine-control-01': (one) => {
    const world = started(workflow([task('A')]));
    const attempt = world.take('A');
    world.control('pause');
    world.report(attempt, { state: 'success' });
    expectStates(world, one.expect);
  },
  'engine-control-03': (one) => {
    const world = started(edges(one.input.edges));
    const running = one.input.running.map((name) => world.take(name));
    world.control('pause');
    for (const attempt of running) world.report(attempt, { state: 'success' });
    expectStates(world, one.expect);
    const touched = Object.values(world.states()).filter((state) => state !== 'pending');
    expect(touched).toHaveLength(one.expect.taskCount);
  },
  'engine-control-04': (one) => {
    const world = pausedParent();
    expectStates(world, one.expect);
    expect(world.child('SUB').state).toBe(stateNames[one.expect.sub.workflow]);
    expect(Object.values(world.child('SUB').states())).toEqual(names(one.expect.sub.tasks));
  },
  'engine-control-06': (one) => {
    const world = started(workflow([task('A')]));
    const attempt = world.take('A');
    world.control('stop');
    world.report(attempt, { state: 'killed' });
    expectStates(world, one.expect);
  },
  'engine-control-08': (one) => {
    const world = started(workflow([subWorkflow('SUB')]));
    const attempt = world.child('SUB').take('work');
    world.control('stop');
    expect(world.states()).toEqual({ SUB: 'stopping' });
    world.child('SUB').report(attempt, { state: 'killed' });
    world.deliver();
    expectStates(world, one.expect);
    expect(world.child('SUB').state).toBe(stateNames[one.expect.sub.workflow]);
    expect(Object.values(world.child('SUB').states())).toEqual(names(one.expect.sub.tasks));
  },
  'engine-control-09': (one) => {
    const world = started(edges([['A', 'B']]));
    world.end('A', 'failed');
    world.control('recover');
    world.end('A');
    world.end('B');
    expect(world.state).toBe(stateNames[one.expect.workflow]);
    expect(world.run.fields.round).toBe(one.expect.runTimes);
    expect(attempts(world, 'A') + attempts(world, 'B')).toBe(one.expect.taskCount);
  },
  'engine-control-10': (one) => {
    const world = pausedParent();
    world.control('resume');
    world.child('SUB').end('second');
    world.deliver();
    expectStates(world, one.expect);
    expect(Object.values(world.child('SUB').states())).toEqual(names(one.expect.sub.tasks));
    expect(world.children.size).toBe(1);
  },
  'engine-control-12': rerun('success'),
  'engine-control-13': rerun('failed'),
  'engine-failover-01': failover((world) => {
    world.crash();
    world.end('A');
  }),
  'engine-failover-04': failover((world) => {
    world.record(world.take('A'), { state: 'success' });
    world.crash();
  }),
  'engine-failover-05': failover((world) => {
    world.record(world.take('A'), { state: 'failed' });
    world.crash();
  }),
  'engine-failover-06': failover((world) => {
    world.control('pause');
    world.crash();
  }),
  'engine-failover-13': stopAndFailover('success'),
  'engine-failover-14': stopAndFailover('failed'),
  'engine-failover-15': stopAndFailover('killed'),
  'dynamic-02': (one) => {
    const over = one.input.params.map(({ name, value }) => ({ name, values: value }));
    const world = started(workflow([dynamic('dynamic', { over, parallelism: 10 })]));
    expect([...world.children.values()].map(({ start }) => start.params)).toEqual(one.expect);
  },
  'dynamic-05': () => {
    const world = started(workflow([dynamic('dynamic')]));
    world.child('dynamic').take('work');
    expect([world.state, world.states()]).toEqual(['running', { dynamic: 'waiting' }]);
  },
  'dynamic-06': () => {
    const world = started(workflow([dynamic('dynamic')]));
    const attempt = world.child('dynamic').take('work');
    world.control({ type: 'kill', task: 'dynamic' });
    world.child('dynamic').report(attempt, { state: 'killed' });
    world.deliver();
    expect([world.state, world.states()]).toEqual(['failed', { dynamic: 'killed' }]);
  },
  'issue-derived-04': (one) => {
    const times = Array.from({ length: Number(one.input.backfillDates) }, (_, day) => day);
    const world = started(backfill({ times, parallelism: one.input.parallelism }));
    let most = 0;
    while (!world.ended) {
      const open = [...world.children.values()].filter((child) => !child.world.ended);
      most = Math.max(most, open.length);
      open[0].world.end('work');
      world.deliver();
    }
    expect({ maxConcurrent: most, instances: world.children.size }).toEqual(one.expect);
  },
  'issue-derived-05': (one) => {
    const dates = one.input.backfillDates as string[];
    const world = started(backfill({ times: dates.map(Date.parse), parallelism: 1 }));
    const ends = dates.map((date, element) => {
      world.endChild('backfill', date === one.input.failsOn ? 'failed' : 'success', element);
      return world.child('backfill', element).state;
    });
    expect({
      instances: world.children.size,
      success: ends.filter((state) => state === 'success').length,
      failure: ends.filter((state) => state === 'failed').length,
    }).toEqual(one.expect);
    expect(world.task('backfill').reason).toBe('1 of 3 runs failed');
  },
  'issue-derived-06': () => {
    const world = started(backfill({ times: [1, 2, 3, 4], parallelism: 2 }));
    world.child('backfill', 0).control('stop');
    world.deliver();
    world.complete();
    expect(world.children.size).toBe(4);
    expect(world.task('backfill').reason).toBe('1 of 4 runs failed');
  },
  'issue-derived-08': () => {
    const world = started(workflow([task('A', { delay: 60_000 })]), { timezone: 'Asia/Shanghai' });
    world.pass(59_999);
    expect(world.states()).toEqual({ A: 'delayed' });
    world.pass(1);
    expect(world.states()).toEqual({ A: 'submitted' });
  },
  'issue-derived-13': (one) => {
    const tasks = edges(one.input.edges).tasks.map((spec): TaskSpec => {
      const chosen = { cases: [{ when: 'true', to: ['s2'] }] };
      return spec.name === 'sw' ? task('sw', { type: 'switch', with: chosen }) : spec;
    });
    const world = started(workflow(tasks));
    for (const name of ['s2', 's1', 's3']) world.end(name);
    expect(world.state).toBe('success');
    expect(startedTasks(world).sort()).toEqual([...one.expect.executed].sort());
  },
  'issue-derived-14': (one) => {
    const cases = [{ when: 'false', to: ['next'] }];
    const world = started(
      workflow([task('switch', { type: 'switch', with: { cases } }), task('next', { needs: ['switch'] })]),
    );
    expect(world.state).toBe(stateNames[one.expect.workflow]);
  },
  'issue-derived-24': () => {
    const world = started(edges([['A', 'B']]));
    const attempt = world.take('A');
    world.crash();
    world.report(attempt, { state: 'success' });
    world.report(attempt, { state: 'success' });
    world.crash();
    world.complete();
    expect([attempts(world, 'A'), attempts(world, 'B')]).toEqual([1, 1]);
  },
  'issue-derived-25': () => {
    const world = started(edges([['A', 'B']]));
    world.take('A');
    world.crash();
    world.crash();
    world.complete();
    expect(world.state).toBe('success');
  },
};

describe('DolphinScheduler: the life of a run', () => {
  it.each(cases.filter(({ id }) => id in play))('$id', (one) => play[one.id](one));

  it('engine-failover-03: the attempt that a worker runs goes on under the new owner', () => {
    const world = started(workflow([task('A')]));
    const attempt = world.take('A');
    world.crash();
    world.report(attempt, { state: 'success' });
    expect([world.state, attempts(world, 'A')]).toEqual(['success', 1]);
  });

  it('engine-failover-07: a pause lets the attempt end that a worker was given', () => {
    const world = started(workflow([task('A')]));
    const attempt = world.take('A', 'w1', { told: false });
    world.control('pause');
    world.crash();
    world.report(attempt, { state: 'success' });
    expect([world.state, attempts(world, 'A')]).toEqual(['success', 1]);
  });

  it('engine-failover-12: a stop kills the attempt that a worker was given, and there is no other', () => {
    const world = started(workflow([task('A')]));
    const attempt = world.take('A', 'w1', { told: false });
    world.control('stop');
    world.crash();
    world.report(attempt, { state: 'killed' });
    expect([world.state, world.states().A, attempts(world, 'A')]).toEqual(['stopped', 'killed', 1]);
  });

  it('plays every case, or says where it belongs', () => {
    const known = [...Object.keys(play), ...Object.keys(elsewhere), ...different];
    expect(known.toSorted()).toEqual(cases.map(({ id }) => id).toSorted());
  });
});

function expectStates(
  world: RunWorld,
  expected: Pick<Expected['sub'], 'workflow' | 'tasks'> & { neverStarted?: readonly string[] },
): void {
  expect(world.state).toBe(stateNames[expected.workflow]);
  for (const [name, state] of Object.entries(expected.tasks)) {
    expect({ [name]: world.states()[name] }).toEqual({ [name]: stateNames[state] });
  }
  for (const name of expected.neverStarted ?? []) expect(world.task(name).started).toBeUndefined();
}

function names(states: Expected['sub']['tasks']): string[] {
  return Object.values(states).map((state) => stateNames[state]);
}

function attempts(world: RunWorld, name: string): number {
  return world.task(name).shards[0].attempt;
}

function startedTasks(world: RunWorld): string[] {
  return Object.keys(world.states()).filter((name) => world.task(name).started !== undefined);
}

function noWorker(one: Case): void {
  const world = started(workflow([task('A', { workerGroup: 'nowhere', queueTimeout: 10_000 })]));
  world.pass(9_999);
  expect(world.state).toBe('running');
  world.pass(1);
  world.deliver();
  expectStates(world, one.expect);
}

/** A parent whose child of two tasks in a row was paused during the first. */
function pausedParent(): RunWorld {
  const given: WorldGiven = { child: () => edges([['first', 'second']]) };
  const world = started(workflow([subWorkflow('SUB')]), given);
  const attempt = world.child('SUB').take('first');
  world.control('pause');
  world.child('SUB').report(attempt, { state: 'success' });
  world.deliver();
  return world;
}

function rerun(first: 'success' | 'failed'): (one: Case) => void {
  return (one) => {
    const world = started(workflow([task('A')]));
    world.end('A', first);
    world.control({ type: 'rerun', scope: { kind: 'all', tasks: [] } });
    world.end('A');
    expect(world.state).toBe(stateNames[one.expect.workflow]);
    expect(world.run.fields.round).toBe(one.expect.runTimes);
    expect(attempts(world, 'A')).toBe(Object.keys(one.expect.tasks).length);
  };
}

function failover(act: (world: RunWorld) => void): (one: Case) => void {
  return (one) => {
    const world = started(workflow([task('A')]));
    act(world);
    world.deliver();
    expect(world.state).toBe(stateNames[one.expect.workflow]);
    expect([world.states().A]).toEqual(names(one.expect.taskInstances));
    expect(attempts(world, 'A')).toBe(1);
  };
}

/** The owner dies with the run being stopped and the outcome of its task recorded but not yet applied. */
function stopAndFailover(state: Outcome['state']): (one: Case) => void {
  return failover((world) => {
    const attempt = world.take('A');
    world.control('stop');
    world.record(attempt, { state });
    world.crash();
  });
}
