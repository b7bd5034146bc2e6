import { runThrough } from '@orrery/testkit/run-through';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import type { TaskSpec } from '../model/index.ts';
import { apply, compile, createRun, decide, type Happening, type Plan, type Run } from './index.ts';

const name = (i: number) => `t${i}`;

function chain(size: number, given: (i: number) => Partial<TaskSpec> = () => ({})): Plan {
  const tasks = Array.from({ length: size }, (_, i) =>
    task(name(i), { ...given(i), needs: i === 0 ? [] : [name(i - 1)] }),
  );
  return compile(workflow(tasks));
}

/** One task, then `width` beside each other, then one that waits for all of them. */
function fan(width: number, join: Partial<TaskSpec> = {}): Plan {
  const tasks = Array.from({ length: width }, (_, i) => task(name(i), { needs: ['root'] }));
  const needs = tasks.map((one) => one.name);
  return compile(workflow([task('root'), ...tasks, task('join', { ...join, needs })]));
}

/** `deep` layers of `wide` tasks, each task needing the whole layer before it. */
function lattice(wide: number, deep: number): Plan {
  const layer = (depth: number) => Array.from({ length: wide }, (_, i) => `${depth}.${i}`);
  const tasks = Array.from({ length: deep }, (_, depth) =>
    layer(depth).map((one) => task(one, { needs: depth === 0 ? [] : layer(depth - 1) })),
  );
  return compile(workflow(tasks.flat()));
}

describe('a large run', () => {
  it('of 20,000 tasks in a row takes one decision for each, and each changes two', () => {
    const { run, decisions, mostChanged } = runThrough(chain(20_000));
    expect([run.fields.state, decisions, mostChanged]).toEqual(['success', 20_000, 2]);
  });

  it('of 100,000 tasks between one and a join takes one decision for each', () => {
    const { run, decisions } = runThrough(fan(100_000));
    expect([run.fields.state, decisions]).toEqual(['success', 100_002]);
  });

  it('of 20,000 tasks beside each other changes one task with each decision', () => {
    const apart = Array.from({ length: 20_000 }, (_, i) => task(name(i)));
    const { run, mostChanged } = runThrough(compile(workflow(apart)));
    expect([run.fields.state, mostChanged]).toEqual(['success', 1]);
  });

  it.each([
    [2, 20],
    [10, 6],
  ])(
    'of layers %i wide and %i deep takes one decision for each task, however many paths there are',
    (wide, deep) => {
      const { run, decisions, mostChanged } = runThrough(lattice(wide, deep));
      expect([run.fields.state, decisions]).toEqual(['success', wide * deep]);
      expect(mostChanged).toBe(wide + 1);
    },
  );

  const next = (i: number) => ({ cases: [{ when: 'true', to: i < 19_999 ? [name(i + 1)] : [] }] });
  const instant: [string, (i: number) => Partial<TaskSpec>, object, string][] = [
    ['disabled tasks', () => ({ disabled: true }), {}, 'passed'],
    ['a dry run', () => ({}), { dryRun: true }, 'success'],
    ['switches', (i) => ({ type: 'switch', with: next(i) }), {}, 'success'],
  ];

  it.each(instant)('of 20,000 tasks in a row ends in one decision where nothing waits: %s', (...row) => {
    const [, given, request, state] = row;
    const { run, decisions } = runThrough(chain(20_000, given), request);
    expect([run.fields.state, decisions, run.tasks.at(-1)?.state]).toEqual(['success', 0, state]);
  });

  it('spreads a failure over 20,000 tasks in one decision', () => {
    const run = startedRun(chain(20_000));
    const changes = happen(run, {
      now: 1,
      type: 'outcome',
      attempt: attempt(0),
      outcome: { state: 'failed' },
    });
    expect([run.fields.state, changes.tasks.size]).toEqual(['failed', 20_000]);
  });
});

describe('one decision', () => {
  const most = 1_000;
  const told = (run: Run, event: Happening) => {
    const { changes } = decide(run, event, { most });
    apply(run, changes);
    return changes.tasks.size;
  };
  const shapes: [string, Plan, object][] = [
    ['begins', compile(workflow(Array.from({ length: 20_000 }, (_, i) => task(name(i))))), {}],
    ['walks dry', chain(20_000), { dryRun: true }],
  ];

  it.each(shapes)('%s no more tasks than it was told to, and leaves the others to the next', (...row) => {
    const [, plan, given] = row;
    const run = createdRun(plan, given);
    const sizes = [told(run, { now: 1, type: 'start', scope: { kind: 'all', tasks: [] } })];
    while (run.agenda.length > 0) sizes.push(told(run, { now: 1, type: 'more' }));
    expect([Math.max(...sizes), sizes.length, run.tally.pending]).toEqual([most, 20, 0]);
  });

  it('skips no more after a failure either', () => {
    const run = createdRun(chain(20_000));
    told(run, { now: 1, type: 'start', scope: { kind: 'all', tasks: [] } });
    const outcome = { state: 'failed' } as const;
    const sizes = [told(run, { now: 1, type: 'outcome', attempt: attempt(0), outcome })];
    while (run.agenda.length > 0) sizes.push(told(run, { now: 1, type: 'more' }));
    expect([Math.max(...sizes), sizes.length, run.fields.state]).toEqual([most + 1, 20, 'failed']);
  });
});

describe('one outcome', () => {
  const width = 5_000;

  /** How many task runs are looked at on average, while the tasks beside each other end. */
  function looks(plan: Plan, state: (i: number) => 'success' | 'failed'): number {
    const run = startedRun(plan);
    let count = 0;
    const tasks = new Proxy(run.tasks, {
      get(target, key, receiver) {
        if (typeof key === 'string' && key !== 'length') count++;
        return Reflect.get(target, key, receiver);
      },
    });
    const watched: Run = { ...run, tasks };
    const outcome = (i: number) => ({ state: state(i), outputs: { n: String(i) } });
    happen(watched, { now: 1, type: 'outcome', attempt: attempt(0), outcome: { state: 'success' } });
    count = 0;
    for (let i = 1; i <= width; i++) {
      happen(watched, { now: 1, type: 'outcome', attempt: attempt(i), outcome: outcome(i) });
    }
    return count / width;
  }

  const joins: [string, Partial<TaskSpec>, (i: number) => 'success' | 'failed'][] = [
    ['a join that waits', {}, () => 'success'],
    ['a join that started with the first', { trigger: 'one-succeeded' }, () => 'success'],
    ['a join that was skipped with the first', {}, (i) => (i === 1 ? 'failed' : 'success')],
  ];

  it.each(joins)('looks at few tasks, however many there are: before %s', (_, join, state) => {
    expect(looks(fan(width, join), state)).toBeLessThan(30);
  });
});

function createdRun(plan: Plan, given: object = {}): Run {
  const { project, priority, onFailure, timezone } = plan.workflow;
  const request = { id: 1, project, priority, onFailure, timezone, businessTime: 0, dryRun: false, depth: 0 };
  return createRun(plan, { ...request, ...given }, {}, 0);
}

function startedRun(plan: Plan): Run {
  const run = createdRun(plan);
  happen(run, { now: 1, type: 'start', scope: { kind: 'all', tasks: [] } });
  return run;
}

function happen(run: Run, event: Happening) {
  const { changes } = decide(run, event, {});
  apply(run, changes);
  return changes;
}

function attempt(i: number) {
  return { task: i, shard: -1, number: 1 };
}
