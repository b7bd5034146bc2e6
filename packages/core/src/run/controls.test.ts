import { RunWorld, started } from '@orrery/testkit/run-world';
import { dynamic, edges, retries, subWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import { type RunState, runMachine } from '../state/index.ts';
import { english } from '../texts/index.ts';
import { type Control, controlsIn, refusal } from './index.ts';

const dependent = (name: string) => task(name, { type: 'dependent', with: { relation: 'all', groups: [] } });

/** A run in each state; `a` is its task that runs or has ended. */
const inState: Record<RunState, () => RunWorld> = {
  waiting: () => new RunWorld(edges([['a', 'b']])),
  running: () => started(edges([['a', 'b']])),
  pausing() {
    const world = started(edges([['a', 'b']]));
    world.take('a');
    world.control('pause');
    return world;
  },
  paused() {
    const world = started(edges([['a', 'b']]));
    world.control('pause');
    world.deliver();
    return world;
  },
  stopping() {
    const world = started(edges([['a', 'b']]));
    world.take('a');
    world.control('stop');
    return world;
  },
  failing() {
    const world = started(workflow([task('a'), task('f')], { onFailure: 'end' }));
    world.take('a');
    world.end('f', 'failed');
    return world;
  },
  success() {
    const world = started(workflow([task('a')]));
    world.end('a');
    return world;
  },
  failed() {
    const world = started(edges([['a', 'b']]));
    world.end('a', 'failed');
    return world;
  },
  stopped() {
    const world = started(edges([['a', 'b']]));
    world.control('stop');
    world.deliver();
    return world;
  },
  broken() {
    const world = started(edges([['a', 'b']]));
    world.setAside('a bad entry');
    return world;
  },
};

const all = { kind: 'all', tasks: [] } as const;
/** Controls that any run may be asked for. */
type Asked = Exclude<Control['type'], 'set-parallel' | 'answer'>;

const asked: Record<Asked, Control> = {
  pause: { type: 'pause' },
  resume: { type: 'resume' },
  stop: { type: 'stop' },
  recover: { type: 'recover' },
  rerun: { type: 'rerun', scope: all },
  force: { type: 'force', task: 'a' },
  kill: { type: 'kill', task: 'a' },
  'start-now': { type: 'start-now', task: 'a' },
  'set-params': { type: 'set-params', params: { p: '1' } },
};

const yes = 'allowed';
const over = 'the run has ended';
const again = 'the run has ended; recover or rerun it';
const stopping = 'the run is being stopped';
const failing = 'the run is ending after a failure';
const unstarted = 'the run has not started';
const broken = 'the run is broken; recover or stop it';

const states = [
  'waiting',
  'running',
  'pausing',
  'paused',
  'stopping',
  'failing',
  'success',
  'failed',
  'stopped',
  'broken',
] as const;
/** Control x state, in the order of `states`: allowed, or the exact reason. */
const table: Record<Asked, readonly string[]> = {
  pause: [
    yes,
    yes,
    'the run is already pausing',
    'the run is already paused',
    stopping,
    failing,
    over,
    over,
    over,
    broken,
  ],
  resume: [
    'the run is not paused',
    'the run is not paused',
    yes,
    yes,
    stopping,
    failing,
    again,
    again,
    again,
    broken,
  ],
  stop: [yes, yes, yes, yes, 'the run is already being stopped', yes, over, over, over, yes],
  recover: [
    'the run has not started; stop it first',
    'the run is still running; stop it first',
    'the run is still pausing; stop it first',
    'the run is paused; resume or stop it first',
    'the run is still being stopped',
    'the run is still ending',
    'the run succeeded; there is nothing to recover',
    yes,
    yes,
    yes,
  ],
  rerun: [
    'the run has not started; stop it first',
    'the run is still running; stop it first',
    'the run is still pausing; stop it first',
    'the run is paused; resume or stop it first',
    'the run is still being stopped',
    'the run is still ending',
    yes,
    yes,
    yes,
    yes,
  ],
  force: [unstarted, yes, yes, yes, stopping, failing, yes, yes, yes, broken],
  kill: [unstarted, yes, yes, yes, stopping, failing, over, over, over, broken],
  'start-now': [
    unstarted,
    yes,
    'the run is pausing',
    'the run is paused',
    stopping,
    failing,
    over,
    over,
    over,
    broken,
  ],
  'set-params': [
    yes,
    'the run is running; pause it first',
    'the run is still pausing',
    yes,
    stopping,
    failing,
    over,
    over,
    over,
    broken,
  ],
};

describe('controls of a run', () => {
  it('has a column for every state', () => {
    expect([...states].sort()).toEqual(Object.keys(runMachine.transitions).sort());
    for (const state of states) expect(inState[state]().state).toBe(state);
  });

  it.each(states)('are allowed or refused with the reason: %s', (state) => {
    const world = inState[state]();
    const said = controlsIn(world.run.fields.state).map(({ name, why }) => [name, why ? english(why) : yes]);
    expect(said).toEqual(Object.entries(table).map(([name, row]) => [name, row[states.indexOf(state)]]));
  });

  it.each(states)('do what the table says: %s', (state) => {
    for (const [name, row] of Object.entries(table)) {
      const verdict = row[states.indexOf(state)];
      const world = inState[state]();
      const refused = refusal(world.run, asked[name as Asked]);
      const foretold = refused && english(refused);
      const before = [world.run.fields, [...world.run.tasks]];
      const reason = world.control(asked[name as Asked]);
      expect([name, reason]).toEqual([name, foretold]);
      // A control of one task may also be refused because of that task.
      if (verdict !== yes) expect([name, reason]).toEqual([name, verdict]);
      if (reason !== undefined) expect([world.run.fields, world.run.tasks]).toEqual(before);
    }
  });

  it('names a task that does not exist', () => {
    const world = inState.failed();
    expect(world.control({ type: 'force', task: 'x' })).toBe('the workflow has no task "x"');
    const scope = { kind: 'from', tasks: ['a', 'y'] } as const;
    expect(world.control({ type: 'rerun', scope })).toBe('the workflow has no task "y"');
    expect(world.control({ type: 'rerun', scope: { kind: 'only', tasks: [] } })).toBe(
      'name at least one task',
    );
  });
});

describe('pause', () => {
  it('lets running attempts end, and holds what would come after them', () => {
    const world = started(edges([['a', 'b']]));
    const attempt = world.take('a');
    world.control('pause');
    expect(world.state).toBe('pausing');
    world.report(attempt, { state: 'success' });
    expect([world.state, world.states()]).toEqual(['paused', { a: 'success', b: 'paused' }]);
    world.control('resume');
    expect(world.states()).toEqual({ a: 'success', b: 'submitted' });
  });

  it('calls back what is queued; it is queued again by resume, as another attempt', () => {
    const world = started(workflow([task('a')]));
    world.control('pause');
    expect(world.tokens.size).toBe(0);
    world.deliver();
    expect([world.state, world.states().a]).toEqual(['paused', 'paused']);
    world.control('resume');
    world.end('a');
    expect([world.state, world.task('a').shards[0].attempt]).toEqual(['success', 2]);
  });

  it('does not interrupt what a worker took before the owner knew', () => {
    const world = started(workflow([task('a')]));
    const attempt = world.take('a', 'w1', { told: false });
    world.control('pause');
    world.deliver();
    expect([...world.assigned.values()]).toMatchObject([{ kill: false }]);
    world.report(attempt, { state: 'success' });
    expect(world.state).toBe('success');
  });

  it('keeps the end of a delay: resumed before, it waits on; resumed after, it starts', () => {
    const spec = workflow([task('a', { delay: 60_000 })]);
    const early = started(spec);
    early.control('pause');
    expect(early.state).toBe('paused');
    early.pass(20_000);
    early.control('resume');
    expect(early.states().a).toBe('delayed');
    early.pass(40_000);
    expect(early.states().a).toBe('submitted');

    const late = started(spec);
    late.control('pause');
    late.pass(120_000);
    expect(late.states().a).toBe('paused');
    late.control('resume');
    expect(late.states().a).toBe('submitted');
  });

  it('keeps the end of a wait to retry', () => {
    const world = started(workflow([task('a', { retries: retries(1, { delay: 60_000 }) })]));
    world.end('a', 'failed');
    world.control('pause');
    expect([world.state, world.states().a]).toEqual(['paused', 'paused']);
    world.pass(10_000);
    world.control('resume');
    expect(world.states().a).toBe('retrying');
    world.pass(50_000);
    expect(world.states().a).toBe('submitted');
  });

  it('lets an attempt fail and keeps its retry for later', () => {
    const world = started(workflow([task('a', { retries: retries(1) })]));
    const attempt = world.take('a');
    world.control('pause');
    world.report(attempt, { state: 'failed' });
    expect([world.state, world.states().a, world.tokens.size]).toEqual(['paused', 'paused', 0]);
    world.control('resume');
    world.end('a');
    expect(world.state).toBe('success');
  });

  it('pauses the child run of a sub-workflow, and rests when the child does', () => {
    const world = started(workflow([subWorkflow('a')]));
    const attempt = world.child('a').take('work');
    world.control('pause');
    world.deliver();
    expect([world.state, world.child('a').state]).toEqual(['pausing', 'pausing']);
    world.control('resume');
    world.deliver();
    expect([world.state, world.child('a').state]).toEqual(['running', 'running']);
    world.child('a').report(attempt, { state: 'success' });
    world.deliver();
    expect(world.state).toBe('success');
  });

  it('takes a dependent out of the wait and puts it back', () => {
    const world = started(workflow([dependent('a')]));
    world.control('pause');
    expect([world.state, world.waits.size]).toEqual(['paused', 0]);
    world.depend('a');
    expect(world.states().a).toBe('paused');
    world.control('resume');
    expect([world.states().a, world.waits.size]).toEqual(['waiting', 1]);
    world.depend('a');
    expect(world.state).toBe('success');
  });

  it('pauses the open runs of a series and starts no others', () => {
    const world = started(workflow([dynamic('a', { parallelism: 2 })]));
    const attempt = world.child('a', 0).take('work');
    world.control('pause');
    world.deliver();
    expect([world.state, world.child('a', 1).state]).toEqual(['pausing', 'paused']);
    world.child('a', 0).report(attempt, { state: 'success' });
    world.deliver();
    expect([world.state, world.children.size]).toEqual(['paused', 2]);
    world.control('resume');
    world.deliver();
    expect(world.children.size).toBe(3);
    world.complete();
    expect(world.state).toBe('success');
  });

  it('is over at once where nothing is under way, and the run ends where nothing is left', () => {
    const world = started(edges([['a', 'b']]));
    const attempt = world.take('a');
    world.control('pause');
    world.report(attempt, { state: 'failed' });
    expect([world.state, world.states()]).toEqual(['failed', { a: 'failed', b: 'skipped' }]);
  });
});

describe('a run that waits for its turn', () => {
  const control = (world: RunWorld, type: 'pause' | 'resume' | 'stop') =>
    world.happen({ now: world.now, type: 'control', control: { type } }).changes.settled?.state;

  it('is paused at once, and waits again when it is resumed', () => {
    const world = inState.waiting();
    expect(control(world, 'pause')).toBe('paused');
    expect([world.state, world.states()]).toEqual(['paused', { a: 'pending', b: 'pending' }]);
    expect(control(world, 'resume')).toBeUndefined();
    expect([world.state, world.run.fields.unstarted]).toEqual(['waiting', undefined]);
    world.start();
    for (const name of ['a', 'b']) {
      world.end(name, 'success');
      world.deliver();
    }
    expect(world.state).toBe('success');
  });

  it('is stopped at once also when it is paused', () => {
    const world = inState.waiting();
    control(world, 'pause');
    expect(control(world, 'stop')).toBe('stopped');
    expect(world.run.fields.unstarted).toBeUndefined();
  });
});

describe('stop', () => {
  it('ends a run that has not started', () => {
    const world = inState.waiting();
    const { changes } = world.happen({ now: world.now, type: 'control', control: { type: 'stop' } });
    expect([world.state, changes.settled]).toEqual(['stopped', { round: 1, state: 'stopped' }]);
  });

  it.each([
    ['delayed', { delay: 60_000 }, () => {}],
    ['queued', {}, () => {}],
    ['retrying', { retries: retries(1, { delay: 60_000 }) }, (world: RunWorld) => world.end('a', 'failed')],
    ['paused', {}, (world: RunWorld) => world.control('pause')],
  ] as const)('ends a %s task without a worker', (_, spec, prepare) => {
    const world = started(workflow([task('a', spec), task('b', { needs: ['a'] })]));
    prepare(world);
    world.deliver();
    world.control('stop');
    world.deliver();
    expect([world.state, world.states()]).toEqual(['stopped', { a: 'killed', b: 'pending' }]);
    expect(world.task('a').reason).toBe('the run was stopped');
    expect(world.tokens.size).toBe(0);
  });

  it('waits until the worker has killed the attempt', () => {
    const world = started(workflow([task('a')]));
    const attempt = world.take('a');
    world.control('stop');
    expect([world.state, world.states().a]).toEqual(['stopping', 'stopping']);
    expect([...world.assigned.values()]).toMatchObject([{ kill: true }]);
    world.report(attempt, { state: 'lost' });
    expect([world.state, world.states().a]).toEqual(['stopped', 'killed']);
  });

  it('comes too late for a run whose last task succeeds all the same', () => {
    const world = started(workflow([task('a')]));
    const attempt = world.take('a');
    world.control('stop');
    world.report(attempt, { state: 'success' });
    expect(world.state).toBe('success');
  });

  it('starts nothing after a task that succeeds all the same', () => {
    const world = started(edges([['a', 'b']]));
    const attempt = world.take('a');
    world.control('stop');
    world.report(attempt, { state: 'success' });
    expect([world.state, world.states()]).toEqual(['stopped', { a: 'success', b: 'pending' }]);
  });

  it('overrides a pause that is under way', () => {
    const world = started(workflow([task('a')]));
    const attempt = world.take('a');
    world.control('pause');
    world.control('stop');
    expect([...world.assigned.values()]).toMatchObject([{ kill: true }]);
    world.report(attempt, { state: 'killed' });
    expect(world.state).toBe('stopped');
  });

  it('stops waits, child runs and series, and runs no clean-up', () => {
    const clean = task('clean', { needs: ['s', 'd', 'n'], trigger: 'all-done' });
    const world = started(
      workflow([subWorkflow('s'), dependent('d'), dynamic('n', { parallelism: 2 }), clean]),
    );
    world.control('stop');
    expect(world.waits.size).toBe(0);
    world.deliver();
    expect([...world.children.values()].map((child) => child.world.state)).toEqual(Array(3).fill('stopped'));
    expect([world.state, world.states()]).toEqual([
      'stopped',
      { s: 'killed', d: 'killed', n: 'killed', clean: 'pending' },
    ]);
  });

  it('cuts a clean-up short', () => {
    const world = started(
      workflow([task('a'), task('clean', { needs: ['a'], trigger: 'all-done' })], { onFailure: 'end' }),
    );
    world.end('a', 'failed');
    world.control('stop');
    world.deliver();
    expect([world.state, world.states()]).toEqual(['stopped', { a: 'failed', clean: 'killed' }]);
  });

  it('puts a broken run away', () => {
    const world = inState.broken();
    world.control('stop');
    expect(world.state).toBe('stopped');
  });
});

describe('force', () => {
  it.each([
    ['delayed', { delay: 60_000 }, () => {}],
    ['queued', {}, () => {}],
    ['running', {}, (world: RunWorld) => world.take('a')],
    ['retrying', { retries: retries(1, { delay: 60_000 }) }, (world: RunWorld) => world.end('a', 'failed')],
  ] as const)('ends a %s task as success; the run goes on', (_, spec, prepare) => {
    const world = started(workflow([task('a', spec), task('b', { needs: ['a'] })]));
    prepare(world);
    world.control({ type: 'force', task: 'a', reason: 'known good' });
    world.deliver();
    expect(world.states()).toEqual({ a: 'success', b: 'submitted' });
    expect(world.task('a')).toMatchObject({ forced: true, reason: 'known good' });
    for (const { kill } of world.assigned.values()) expect(kill).toBe(true);
  });

  it('lets go of the children and the wait of a logic task', () => {
    const world = started(workflow([subWorkflow('s'), dependent('d'), dynamic('n', { parallelism: 2 })]));
    for (const name of ['s', 'd', 'n']) world.control({ type: 'force', task: name });
    expect([world.state, world.waits.size]).toEqual(['success', 0]);
    expect([...world.children.values()].map((child) => child.world.state)).toEqual(Array(3).fill('stopping'));
    world.deliver();
    expect(world.states()).toEqual({ s: 'success', d: 'success', n: 'success' });
  });

  it('holds what comes after it while the run is paused', () => {
    const world = inState.paused();
    world.control({ type: 'force', task: 'a' });
    expect(world.states()).toEqual({ a: 'success', b: 'paused' });
    world.control({ type: 'force', task: 'b' });
    expect(world.state).toBe('success');
  });

  it('mends a task of a run that has ended, and a recovery goes on from there', () => {
    const world = inState.failed();
    world.control({ type: 'force', task: 'a' });
    expect([world.state, world.states()]).toEqual(['failed', { a: 'success', b: 'skipped' }]);
    world.control('recover');
    expect(world.states()).toEqual({ a: 'success', b: 'submitted' });
    world.end('b');
    expect([world.state, world.task('a').shards[0].attempt]).toEqual(['success', 1]);
  });

  it('is refused where it makes no sense', () => {
    const running = started(workflow([task('a'), task('b'), task('c', { needs: ['b'] })]));
    running.end('a');
    expect(running.control({ type: 'force', task: 'a' })).toBe(
      'the task has ended; force it once the run has ended, then recover',
    );
    expect(running.control({ type: 'force', task: 'c' })).toBe('the task has not started');
    running.end('b', 'failed');
    expect(running.control({ type: 'force', task: 'a' })).toBe('the task did not fail');
    expect(running.control({ type: 'force', task: 'c' })).toBe('the task did not fail');
  });
});

describe('kill', () => {
  it('ends one task; the others go on and the run fails', () => {
    const world = started(workflow([task('a'), task('b'), task('after', { needs: ['a'] })]));
    const attempt = world.take('a');
    world.control({ type: 'kill', task: 'a', reason: 'hangs' });
    expect(world.states()).toEqual({ a: 'stopping', b: 'submitted', after: 'pending' });
    world.report(attempt, { state: 'killed' });
    expect(world.task('a')).toMatchObject({ state: 'killed', reason: 'hangs' });
    world.end('b');
    expect([world.state, world.states().after]).toEqual(['failed', 'skipped']);
  });

  it('forgets the reason of a kill that came too late', () => {
    const world = started(workflow([task('a')]));
    const attempt = world.take('a');
    world.control({ type: 'kill', task: 'a' });
    world.report(attempt, { state: 'success' });
    expect(world.task('a')).toMatchObject({ state: 'success', reason: undefined });
  });

  it('cuts a run whose failure strategy is end, also while it is paused', () => {
    const world = started(workflow([task('a'), task('b')], { onFailure: 'end' }));
    world.control('pause');
    world.deliver();
    world.control({ type: 'kill', task: 'a' });
    expect([world.state, world.states()]).toEqual(['failed', { a: 'killed', b: 'killed' }]);
  });

  it('is refused before the task starts and after it has ended', () => {
    const world = started(
      edges([
        ['a', 'b'],
        ['b', 'c'],
      ]),
    );
    expect(world.control({ type: 'kill', task: 'b' })).toBe('the task has not started');
    world.end('a');
    expect(world.control({ type: 'kill', task: 'a' })).toBe('the task has ended');
  });
});

describe('start-now', () => {
  it('ends a delay and a wait to retry', () => {
    const world = started(workflow([task('a', { delay: 60_000, retries: retries(1, { delay: 60_000 }) })]));
    world.control({ type: 'start-now', task: 'a' });
    world.end('a', 'failed');
    world.control({ type: 'start-now', task: 'a' });
    world.end('a');
    expect(world.state).toBe('success');
    expect(world.now).toBe(1_000_000);
  });

  it('is refused for a task that waits for something else', () => {
    const world = started(edges([['a', 'b']]));
    const reason = 'the task is not delayed and not waiting to retry or for a slot of its task group';
    expect(world.control({ type: 'start-now', task: 'a' })).toBe(reason);
    expect(world.control({ type: 'start-now', task: 'b' })).toBe(reason);
  });
});

describe('set-params', () => {
  it('adds to what the run was started with, for tasks that start later', () => {
    const choose = {
      type: 'switch',
      needs: ['a'],
      with: { cases: [{ when: "${mode} == 'fast'", to: ['b'] }], default: ['c'] },
    };
    const world = started(
      workflow([
        task('a'),
        task('choose', choose),
        task('b', { needs: ['choose'] }),
        task('c', { needs: ['choose'] }),
      ]),
      { params: { mode: 'slow', keep: '1' } },
    );
    const attempt = world.take('a');
    world.control('pause');
    world.report(attempt, { state: 'success' });
    world.control({ type: 'set-params', params: { mode: 'fast' } });
    expect(world.run.fields.params).toEqual({ mode: 'fast', keep: '1' });
    world.control('resume');
    expect(world.states()).toMatchObject({ b: 'submitted', c: 'skipped' });
  });
});
