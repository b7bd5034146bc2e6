import { started } from '@orrery/testkit/run-world';
import { dynamic, retries, subWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import { type RunRows, restore, rowsOf } from './index.ts';

/** A run that touches every kind of task. */
const every = () =>
  workflow([
    task('first', { retries: retries(2, { delay: 1_000 }), timeout: { after: 60_000, action: 'fail' } }),
    task('shards', {
      needs: ['first'],
      retries: retries(1),
      shards: { count: 3, parameters: {}, plan: 'none', strategy: 'average' },
    }),
    task('late', { needs: ['first'], delay: 30_000 }),
    task('choose', {
      type: 'switch',
      needs: ['late'],
      with: { cases: [{ when: "${n} == '1'", to: ['sub'] }], default: ['other'] },
    }),
    subWorkflow('sub', {}, { needs: ['choose'] }),
    task('other', { needs: ['choose'] }),
    dynamic('many', { parallelism: 2 }, { needs: ['shards'] }),
    task('wait', { type: 'dependent', needs: ['shards'], with: { relation: 'all', groups: [] } }),
    task('judge', {
      type: 'conditions',
      needs: ['many', 'wait', 'sub', 'other'],
      with: {
        relation: 'all',
        groups: [{ relation: 'all', items: [{ task: 'many', is: 'success' }] }],
        success: ['good'],
        failure: ['bad'],
      },
    }),
    task('good', { needs: ['judge'] }),
    task('bad', { needs: ['judge'] }),
  ]);

type World = ReturnType<typeof started>;

const script: ((world: World) => void)[] = [
  (world) => world.end('first', 'failed'),
  (world) => world.pass(1_000),
  (world) => world.end('first', 'success', { outputs: { n: '1' } }),
  (world) => world.take('shards', 'w1', { shard: 1 }),
  (world) => world.end('shards', 'failed', { shard: 0 }),
  (world) => world.control('pause'),
  (world) => world.report({ task: 1, shard: 1, number: 1 }, { state: 'success' }),
  (world) => world.deliver(),
  (world) => world.pass(10_000),
  (world) => world.control('resume'),
  (world) => world.end('shards', 'success', { shard: 0 }),
  (world) => world.end('shards', 'lost', { shard: 2 }),
  (world) => world.end('shards', 'success', { shard: 2 }),
  (world) => world.pass(20_000),
  (world) => world.end('late'),
  (world) => world.endChild('many', 'failed', 0),
  (world) => world.depend('wait'),
  (world) => world.control('stop'),
  (world) => world.deliver(),
  (world) => world.control('recover'),
  (world) => world.deliver(),
  (world) => world.endChild('sub'),
  (world) => world.endChild('many', 'success', 0),
  (world) => world.complete(),
];

/** Plays the script; the owner crashes after the steps it is told to. */
function ending(crashes: (step: number) => boolean): unknown {
  const world = started(every());
  if (crashes(-1)) world.crash();
  script.forEach((act, step) => {
    act(world);
    if (crashes(step)) world.crash();
  });
  const attempts = world.run.tasks.map(({ shards }) => shards.map(({ attempt }) => attempt));
  return {
    state: world.state,
    states: world.states(),
    attempts,
    outputs: world.run.tasks.map(({ outputs }) => outputs),
    children: [...world.children].map(([key, child]) => [
      key,
      child.world.state,
      child.world.run.fields.round,
    ]),
    now: world.now,
  };
}

describe('a run whose owner crashes', () => {
  const calm = ending(() => false);

  it('would otherwise end well', () => {
    expect(calm).toMatchObject({
      state: 'success',
      states: { other: 'skipped', bad: 'skipped', sub: 'success', many: 'success', good: 'success' },
    });
  });

  it.each([-1, ...script.keys()])('ends the same when that happens after step %i', (step) => {
    expect(ending((at) => at === step)).toEqual(calm);
  });

  it('ends the same when that happens after every step', () => {
    expect(ending(() => true)).toEqual(calm);
  });
});

describe('a run that has ended', () => {
  it('needs no timers under a new owner', () => {
    const timeout = { after: 60_000, action: 'fail' } as const;
    const world = started(workflow([task('a', { timeout })], { timeout }));
    world.end('a');
    world.crash();
    expect(world.timers).toEqual([]);
  });
});

describe('attempts that are nowhere any more after a crash', () => {
  it('are tried again, and use up no retry', () => {
    const world = started(workflow([task('a')]));
    world.tokens.clear();
    world.crash();
    expect([...world.tokens.values()].map(({ attempt }) => attempt.number)).toEqual([2]);
    world.end('a');
    expect(world.state).toBe('success');
  });

  it('are over where they had been called back', () => {
    const world = started(workflow([task('a')]));
    world.take('a');
    world.control('stop');
    world.assigned.clear();
    world.crash();
    expect([world.state, world.states().a]).toEqual(['stopped', 'killed']);
  });
});

describe('a late outcome', () => {
  it('is recorded and changes nothing', () => {
    const world = started(workflow([task('a'), task('b', { needs: ['a'] })]));
    const attempt = world.take('a');
    world.report(attempt, { state: 'success', outputs: { n: '1' } });
    const before = [...world.run.tasks];
    for (const state of ['failed', 'success', 'killed', 'lost', 'withdrawn'] as const) {
      const { changes, effects } = world.report(attempt, { state });
      expect([changes.tasks.size, changes.fields, changes.enqueue]).toEqual([0, undefined, []]);
      expect(effects).toEqual([{ type: 'late', attempt, outcome: { state } }]);
    }
    expect(world.run.tasks).toEqual(before);
  });

  it('is one of an attempt that another has followed', () => {
    const world = started(workflow([task('a', { retries: retries(1) })]));
    const first = world.take('a');
    world.report(first, { state: 'lost' });
    const { effects } = world.report(first, { state: 'success' });
    expect([effects[0].type, world.states().a]).toEqual(['late', 'submitted']);
    world.end('a');
    expect(world.task('a').shards[0].attempt).toBe(2);
  });

  it('is one that comes after its run has ended, also in the next round', () => {
    const world = started(workflow([task('a')]));
    const attempt = world.take('a');
    world.control({ type: 'force', task: 'a' });
    expect(world.report(attempt, { state: 'failed' }).effects[0].type).toBe('late');
    world.control({ type: 'rerun', scope: { kind: 'all', tasks: [] } });
    expect(world.report(attempt, { state: 'failed' }).effects[0].type).toBe('late');
    expect(world.states().a).toBe('submitted');
  });

  it('is one of an attempt, shard or task run that never was', () => {
    const world = started(workflow([task('a')]));
    const happened = { now: world.now, type: 'outcome', outcome: { state: 'success' } } as const;
    for (const attempt of [
      { task: 0, shard: -1, number: 2 },
      { task: 0, shard: 3, number: 1 },
    ]) {
      expect(world.happen({ ...happened, attempt }).effects[0].type).toBe('late');
    }
  });
});

describe('what does not fit its plan', () => {
  const world = started(workflow([task('a')]));
  const rows = rowsOf(world.run);
  const refused = (changed: Partial<RunRows>) =>
    expect(() => restore(world.plan, world.request, { ...rows, ...changed }));
  const [[, first]] = rows.tasks;

  it('is refused: a task that the workflow does not have', () => {
    refused({ tasks: [[4, first]] }).toThrow('it has a task 5, and its workflow only 1');
  });

  it.each(['toString', 'unheard-of'])('is refused: state %s', (state) => {
    refused({ tasks: [[0, { ...first, state: state as 'pending' }]] }).toThrow(
      `task "a" is in a state "${state}" that there is not`,
    );
    refused({ fields: { ...rows.fields, state: state as 'running' } }).toThrow(
      `it is in a state "${state}" that there is not`,
    );
  });
});

describe('a paused run with a killed task', () => {
  it('resumes after a crash while the tasks behind it were being skipped', () => {
    const after = ['b', 'c', 'd'].map((name) => task(name, { needs: ['a'] }));
    const world = started(workflow([task('a'), ...after]), { most: 1 });
    world.control('pause');
    world.happen({ ...world.inbox.shift()!, now: world.now });
    expect(world.state).toBe('paused');
    world.control({ type: 'kill', task: 'a' });
    expect(world.run.agenda.length).toBeGreaterThan(0);
    world.crash();
    world.control('resume');
    world.complete();
    expect(world.states()).toEqual({ a: 'killed', b: 'skipped', c: 'skipped', d: 'skipped' });
    expect(world.state).toBe('failed');
  });
});
