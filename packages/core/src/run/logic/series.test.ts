import { type RunWorld, started } from '@orrery/testkit/run-world';
import { backfill, dynamic, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import { said } from '../../texts/index.ts';
import { refusal } from '../controls.ts';

const given = (world: RunWorld) => [...world.children.values()].map(({ start }) => start.params);
const open = (world: RunWorld) => [...world.children.values()].filter((child) => !child.world.ended).length;
const output = { type: 'string', required: false, output: true } as const;

describe('dynamic', () => {
  it('starts a child run for every combination, the last list turning fastest', () => {
    const over = [
      { name: 'a', values: '1, 2' },
      { name: 'b', values: '["x", "y", 3]' },
    ];
    const world = started(workflow([dynamic('many', { over, parallelism: 10, params: { all: 'same' } })]));
    expect(given(world)).toEqual([
      { all: 'same', a: '1', b: 'x' },
      { all: 'same', a: '1', b: 'y' },
      { all: 'same', a: '1', b: '3' },
      { all: 'same', a: '2', b: 'x' },
      { all: 'same', a: '2', b: 'y' },
      { all: 'same', a: '2', b: '3' },
    ]);
  });

  it('leaves out combinations that contain an unwanted or empty value', () => {
    const over = [{ name: 'a', values: '1,, 2 ,3' }];
    const world = started(workflow([dynamic('many', { over, without: [' 2'], parallelism: 10 })]));
    expect(given(world)).toEqual([{ a: '1' }, { a: '3' }]);
  });

  it('reads its lists and parameters from what upstream tasks printed', () => {
    const spec = { over: [{ name: 'file', values: '${files}' }], params: { dir: '${dir}' }, parallelism: 10 };
    const world = started(workflow([task('list'), dynamic('many', spec, { needs: ['list'] })]));
    world.end('list', 'success', { outputs: { files: '["a,b", "c"]', dir: '/in' } });
    expect(given(world)).toEqual([
      { dir: '/in', file: 'a,b' },
      { dir: '/in', file: 'c' },
    ]);
  });

  it('keeps what it began with, whatever its parameters become', () => {
    const spec = { over: [{ name: 'n', values: '${list}' }], params: { mode: '${mode}' } };
    const world = started(workflow([dynamic('many', spec)]), { params: { list: '1,2,3', mode: 'old' } });
    world.control('pause');
    world.deliver();
    world.control({ type: 'set-params', params: { list: '9', mode: 'new' } });
    world.control('resume');
    world.crash();
    world.complete();
    expect(given(world)).toEqual(['1', '2', '3'].map((n) => ({ mode: 'old', n })));
  });

  it('keeps its list although a task it did not wait for prints another', () => {
    const many = dynamic(
      'many',
      { over: [{ name: 'n', values: '${list}' }] },
      { needs: ['early', 'late'], trigger: 'one-succeeded' },
    );
    const world = started(workflow([task('early'), task('late'), many]));
    world.end('early', 'success', { outputs: { list: '' } });
    expect(world.states().many).toBe('success');
    const other = started(workflow([task('early'), task('late'), many]));
    other.pass(1);
    other.end('early', 'success', { outputs: { list: '1,2' } });
    other.now -= 1;
    other.end('late', 'success', { outputs: { list: '7,8,9' } });
    other.now += 1;
    other.complete();
    expect(given(other)).toEqual([{ n: '1' }, { n: '2' }]);
  });

  it('succeeds at once when there is nothing to run over', () => {
    const world = started(workflow([dynamic('many', { over: [{ name: 'a', values: '' }] })]));
    expect([world.state, world.children.size]).toEqual(['success', 0]);
  });

  it('refuses more elements than allowed, with their number, before the first child', () => {
    const over = [
      { name: 'a', values: '1,2,3' },
      { name: 'b', values: '1,2,3,4' },
    ];
    const world = started(workflow([dynamic('many', { over, maxElements: 11 })]));
    expect([world.state, world.children.size]).toEqual(['failed', 0]);
    expect(world.task('many').reason).toBe('a series of 12 elements is more than the 11 allowed');
  });

  it('fails with the reason when a list cannot be read', () => {
    const world = started(workflow([dynamic('many', { over: [{ name: 'a', values: '[1, 2' }] })]));
    expect(world.state).toBe('failed');
    expect(world.task('many').reason).toMatch(/^a: .*not of type list/);
  });

  it('is refused where runs are nested too deep', () => {
    const world = started(workflow([dynamic('many')]), { depth: 32 });
    expect([world.state, world.children.size]).toEqual(['failed', 0]);
    expect(world.task('many').reason).toBe('child runs are nested more than 32 deep');
  });

  it('keeps at most so many open as it may, and starts the next as one ends', () => {
    const world = started(
      workflow([dynamic('many', { over: [{ name: 'a', values: '1,2,3,4,5' }], parallelism: 2 })]),
    );
    expect(open(world)).toBe(2);
    world.endChild('many', 'success', 1);
    expect([open(world), given(world).at(-1)]).toEqual([2, { a: '3' }]);
    world.complete();
    expect([world.state, world.children.size]).toEqual(['success', 5]);
  });

  it('collects what its children hand back, in the order of the elements', () => {
    const world = started(
      workflow([dynamic('many', { parallelism: 3 }), task('after', { needs: ['many'] })]),
      { child: () => workflow([task('work')], { params: { rows: output, constructor: output } }) },
    );
    world.endChild('many', 'success', 2, { rows: '30' });
    world.endChild('many', 'success', 0, { rows: '10', constructor: 'odd' });
    world.endChild('many', 'success', 1, { rows: '20' });
    expect(world.task('after').pool?.get('rows')?.value).toBe('["10","20","30"]');
    expect(world.task('after').pool?.get('constructor')?.value).toBe('["odd"]');
  });

  it('goes on after a failure, then fails saying how many', () => {
    const world = started(workflow([dynamic('many')]));
    world.endChild('many', 'failed', 0);
    world.endChild('many', 'success', 1);
    world.endChild('many', 'failed', 2);
    expect([world.state, world.task('many').reason]).toEqual(['failed', '2 of 3 runs failed']);
  });

  it('starts no more after a failure where it must stop, and waits for the open ones', () => {
    const world = started(workflow([dynamic('many', { parallelism: 2, onFailure: 'stop' })]));
    world.endChild('many', 'failed', 0);
    expect([world.state, world.children.size]).toEqual(['running', 2]);
    world.endChild('many', 'success', 1);
    expect([world.state, world.children.size, world.task('many').reason]).toEqual([
      'failed',
      2,
      '1 of 3 runs failed',
    ]);
  });

  it('recovers only the elements that failed, in the same child runs, then goes on', () => {
    const world = started(workflow([dynamic('many', { onFailure: 'stop' })]), {
      child: () => workflow([task('work')], { params: { rows: output } }),
    });
    world.endChild('many', 'success', 0, { rows: '1' });
    world.endChild('many', 'failed', 1);
    expect(world.state).toBe('failed');
    world.control('recover');
    expect(world.childControls.map(({ element, control }) => [element, control])).toEqual([[1, 'recover']]);
    world.endChild('many', 'success', 1, { rows: '2' });
    world.endChild('many', 'success', 2, { rows: '3' });
    expect([world.state, world.children.size]).toEqual(['success', 3]);
    expect(world.task('many').outputs).toEqual({ rows: '["1","2","3"]' });
    expect([0, 1, 2].map((element) => world.child('many', element).run.fields.round)).toEqual([1, 2, 1]);
  });

  it('recovers elements that a stop ended, and starts those that had not begun', () => {
    const world = started(workflow([dynamic('many', { parallelism: 2 })]));
    world.control('stop');
    world.deliver();
    expect(world.state).toBe('stopped');
    world.control('recover');
    world.complete();
    expect([world.state, world.children.size]).toEqual(['success', 3]);
  });

  it('recovers after its run was set aside, whatever became of its children meanwhile', () => {
    const world = started(workflow([dynamic('many', { parallelism: 3 })]));
    world.setAside('a bad entry');
    world.endChild('many', 'failed', 0);
    world.endChild('many', 'success', 1);
    world.control('recover');
    world.complete();
    expect([world.state, world.children.size]).toEqual(['success', 3]);
    expect([0, 1, 2].map((element) => world.child('many', element).run.fields.round)).toEqual([2, 1, 1]);
  });

  it('runs all over again when a recovery walks it after it had succeeded', () => {
    const world = started(workflow([task('a'), dynamic('many', {}, { needs: ['a'], trigger: 'all-done' })]));
    world.end('a', 'failed');
    while (!world.ended) world.endChild('many', 'success', world.children.size - 1);
    world.control('recover');
    world.complete();
    expect([world.state, world.children.size]).toEqual(['success', 6]);
  });

  it('does not hear the children of an earlier round, nor the same end twice', () => {
    const world = started(workflow([dynamic('many', { parallelism: 3 })]));
    world.complete();
    world.control({ type: 'rerun', scope: { kind: 'all', tasks: [] } });
    const end = { now: world.now, type: 'child', task: 0, element: 0, state: 'failed' } as const;
    world.happen({ ...end, round: 1 });
    expect(world.task('many').series?.failed).toEqual([]);
    world.happen({ ...end, round: 2 });
    world.happen({ ...end, round: 2 });
    expect(world.task('many').series).toMatchObject({ failed: [0], open: [1, 2] });
  });

  it('counts a child that somebody paused as open', () => {
    const world = started(workflow([dynamic('many', { parallelism: 2 })]));
    world.child('many', 0).control('pause');
    world.deliver();
    world.endChild('many', 'success', 1);
    expect(world.children.size).toBe(3);
    world.endChild('many', 'success', 2);
    expect(world.state).toBe('running');
    world.child('many', 0).control('resume');
    world.endChild('many', 'success', 0);
    expect(world.state).toBe('success');
  });
});

describe('backfill', () => {
  it('opens more at once where that is asked for, and fewer only when some have ended', () => {
    const world = started(backfill({ times: [1, 2, 3, 4, 5, 6], parallelism: 1 }));
    expect(open(world)).toBe(1);
    world.control({ type: 'set-parallel', parallel: 4 });
    expect(open(world)).toBe(4);
    world.control({ type: 'set-parallel', parallel: 2 });
    expect(open(world)).toBe(4);
    world.endChild('backfill', 'success', 0);
    world.endChild('backfill', 'success', 1);
    expect([open(world), world.children.size]).toEqual([2, 4]);
    world.complete();
    expect([world.state, world.children.size]).toEqual(['success', 6]);
    const other = started(workflow([dynamic('many')]));
    other.control({ type: 'set-parallel', parallel: 4 });
    expect(refusal(other.run, { type: 'set-parallel', parallel: 4 })).toEqual(said('control.notBackfill'));
  });

  it('starts a child run for each business time, in their order', () => {
    const world = started(backfill({ times: [30, 10, 20], parallelism: 2, params: { force: 'yes' } }));
    world.complete();
    expect([...world.children.values()].map(({ start }) => start)).toMatchObject(
      [30, 10, 20].map((businessTime, element) => ({
        element,
        businessTime,
        workflow: { name: 'daily' },
        params: { force: 'yes' },
      })),
    );
    expect(world.state).toBe('success');
  });

  it('is paused, resumed and stopped like any run', () => {
    const world = started(backfill({ times: [1, 2, 3, 4], parallelism: 2 }));
    world.control('pause');
    world.deliver();
    expect([world.state, open(world)]).toEqual(['paused', 2]);
    world.control('resume');
    world.deliver();
    world.endChild('backfill', 'success', 0);
    world.control('stop');
    world.deliver();
    expect([world.state, world.children.size, open(world)]).toEqual(['stopped', 3, 0]);
  });

  const downstream = [{ name: 'report' }, { name: 'mail' }];
  const names = (world: RunWorld) => [...world.children.values()].map(({ start }) => start.workflow.name);

  it('runs what is downstream after each business time, and counts it as open until then', () => {
    const world = started(backfill({ times: [1, 2], parallelism: 1, downstream, params: { force: 'yes' } }));
    expect(names(world)).toEqual(['daily']);
    world.endChild('backfill', 'success', 0);
    world.endChild('backfill', 'success', 1);
    expect(names(world)).toEqual(['daily', 'report', 'mail']);
    world.endChild('backfill', 'success', 2);
    world.complete();
    expect([world.state, names(world)]).toEqual([
      'success',
      ['daily', 'report', 'mail', 'daily', 'report', 'mail'],
    ]);
    const first = { element: 0, businessTime: 1, params: { force: 'yes' } };
    expect([...world.children.values()].map(({ start }) => start)).toMatchObject([
      first,
      { element: 1, businessTime: 1, params: {} },
      { element: 2, businessTime: 1, params: {} },
      { ...first, element: 3, businessTime: 2 },
      { element: 4, businessTime: 2, params: {} },
      { element: 5, businessTime: 2, params: {} },
    ]);
    expect(world.task('backfill').series?.steps).toEqual({});
  });

  it('recovers where a business time failed, and runs what is downstream of that', () => {
    const world = started(backfill({ times: [1], downstream }));
    world.endChild('backfill', 'success', 0);
    world.endChild('backfill', 'failed', 1);
    expect([world.state, names(world)]).toEqual(['failed', ['daily', 'report']]);
    world.control('recover');
    world.deliver();
    expect(world.child('backfill', 1).state).toBe('running');
    world.endChild('backfill', 'success', 1);
    world.endChild('backfill', 'success', 2);
    expect([world.state, names(world)]).toEqual(['success', ['daily', 'report', 'mail']]);
  });

  it('starts nothing downstream while it is paused', () => {
    const world = started(backfill({ times: [1], downstream }));
    const child = world.child('backfill', 0);
    const attempt = child.take('work');
    world.control('pause');
    child.report(attempt, { state: 'success', worker: 'w1' });
    world.deliver();
    expect([world.state, world.children.size]).toEqual(['paused', 1]);
    world.control('resume');
    world.deliver();
    expect(names(world)).toEqual(['daily', 'report']);
  });

  it('leaves placeholders in parameters to each run, which has a business time of its own', () => {
    const world = started(backfill({ times: [1], params: { day: '$[yyyyMMdd]' } }));
    expect(given(world)).toEqual([{ day: '$[yyyyMMdd]' }]);
  });
});
