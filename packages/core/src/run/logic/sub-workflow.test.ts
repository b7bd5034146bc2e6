import { type RunWorld, started } from '@orrery/testkit/run-world';
import { edges, retries, subWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';

const controls = (world: RunWorld) => world.childControls.map(({ control }) => control);

describe('sub-workflow', () => {
  it('starts a child run of its own workflow and business time, and waits without a worker', () => {
    const world = started(workflow([subWorkflow('sub')]), { businessTime: 86_400_000 });
    expect([...world.children.values()].map(({ start }) => start)).toEqual([
      {
        task: 0,
        round: 1,
        element: 0,
        workflow: { name: 'child' },
        params: {},
        businessTime: 86_400_000,
        depth: 1,
      },
    ]);
    expect([world.states().sub, world.tokens.size]).toEqual(['waiting', 0]);
  });

  it('hands parameters in, resolved, and outputs back', () => {
    const declared = { type: 'string', required: false, output: true } as const;
    const world = started(
      workflow([
        task('a'),
        subWorkflow('sub', { day: '$[yyyyMMdd]', from: '${file}' }, { needs: ['a'] }),
        task('b', { needs: ['sub'] }),
      ]),
      { child: () => workflow([task('work')], { params: { rows: declared } }) },
    );
    world.end('a', 'success', { outputs: { file: 'x.csv' } });
    expect(world.child('sub').run.fields.params).toEqual({ day: '19700101', from: 'x.csv' });
    world.endChild('sub', 'success', 0, { rows: '5', secret: '1' });
    expect(world.task('sub').outputs).toEqual({ rows: '5' });
    expect(world.task('b').pool?.get('rows')?.value).toBe('5');
  });

  it('fails with the reason when a parameter cannot be resolved', () => {
    const world = started(workflow([subWorkflow('sub', { x: '$[yyyy+oops]' })]));
    expect([world.state, world.children.size]).toEqual(['failed', 0]);
    expect(world.task('sub').reason).toMatch(/parameter "x"/);
  });

  it('fails with its child, and is not retried', () => {
    const world = started(workflow([subWorkflow('sub', {}, { retries: retries(3) })]));
    world.endChild('sub', 'failed');
    expect([world.state, world.states().sub, world.task('sub').reason]).toEqual([
      'failed',
      'failed',
      'its run failed',
    ]);
    expect(world.children.size).toBe(1);
  });

  it('is killed when somebody stops its child', () => {
    const world = started(workflow([subWorkflow('sub')]));
    world.child('sub').control('stop');
    world.deliver();
    expect([world.states().sub, world.task('sub').reason]).toEqual(['killed', 'its run was stopped']);
  });

  it('waits on when somebody pauses its child, and pauses with it at once', () => {
    const world = started(workflow([subWorkflow('sub')]));
    world.child('sub').control('pause');
    world.deliver();
    expect([world.state, world.states().sub]).toEqual(['running', 'waiting']);
    world.control('pause');
    expect([world.state, controls(world)]).toEqual(['paused', []]);
    world.control('resume');
    world.deliver();
    expect([world.child('sub').state, controls(world)]).toEqual(['running', ['resume']]);
  });

  it('ends with its child although somebody resumed that alone', () => {
    const world = started(workflow([subWorkflow('sub'), task('b', { needs: ['sub'] })]));
    world.control('pause');
    world.deliver();
    expect(world.state).toBe('paused');
    world.child('sub').control('resume');
    world.endChild('sub');
    expect([world.state, world.states()]).toEqual(['paused', { sub: 'success', b: 'paused' }]);
  });

  it('reaches the same child with pause, resume, stop and recover', () => {
    const world = started(workflow([subWorkflow('sub')]), { child: () => edges([['one', 'two']]) });
    world.child('sub').end('one');
    world.control('pause');
    world.deliver();
    world.control('resume');
    world.deliver();
    world.control('stop');
    world.deliver();
    expect([world.state, world.child('sub').state]).toEqual(['stopped', 'stopped']);
    world.control('recover');
    world.deliver();
    expect(world.child('sub').states()).toEqual({ one: 'success', two: 'submitted' });
    world.child('sub').end('two');
    world.deliver();
    expect([world.state, world.children.size]).toEqual(['success', 1]);
    expect(controls(world)).toEqual(['pause', 'resume', 'stop', 'recover']);
  });

  it('stops a child that rests, and ends when that has', () => {
    const world = started(workflow([subWorkflow('sub')]));
    world.control('pause');
    world.deliver();
    world.control('stop');
    expect([world.state, world.states().sub]).toEqual(['stopping', 'stopping']);
    world.deliver();
    expect([world.state, world.child('sub').state]).toEqual(['stopped', 'stopped']);
  });

  it('recovers a child that failed, over several rounds', () => {
    const world = started(workflow([subWorkflow('sub')]));
    for (let round = 1; round <= 3; round++) {
      world.endChild('sub', 'failed');
      expect(world.state).toBe('failed');
      world.control('recover');
    }
    world.endChild('sub');
    expect([world.state, world.children.size, world.child('sub').run.fields.round]).toEqual([
      'success',
      1,
      4,
    ]);
  });

  it('learns that its child was recovered behind its back', () => {
    const world = started(workflow([subWorkflow('sub')]));
    world.endChild('sub', 'failed');
    world.child('sub').control('recover');
    world.child('sub').end('work');
    world.deliver();
    expect(world.state).toBe('failed');
    world.control('recover');
    world.deliver();
    expect(world.state).toBe('success');
  });

  it('keeps its child to recover when its turn does not come in a round', () => {
    const world = started(
      workflow([task('a', { ignoreFailure: true }), subWorkflow('sub', {}, { needs: ['a'] })]),
    );
    world.end('a', 'failed');
    world.endChild('sub', 'failed');
    world.control('recover');
    world.control('stop');
    world.deliver();
    expect(world.states()).toEqual({ a: 'killed', sub: 'pending' });
    world.control('recover');
    world.end('a');
    world.endChild('sub');
    expect([world.state, world.children.size]).toEqual(['success', 1]);
  });

  it('starts another child in a rerun, and in a recovery after it had succeeded', () => {
    const world = started(
      workflow([task('a'), subWorkflow('sub', {}, { needs: ['a'], trigger: 'all-done' })]),
    );
    world.end('a', 'failed');
    world.endChild('sub');
    world.control('recover');
    world.end('a');
    world.endChild('sub');
    expect([world.state, world.children.size]).toEqual(['success', 2]);
    world.control({ type: 'rerun', scope: { kind: 'only', tasks: ['sub'] } });
    expect([...world.children.values()].map(({ start }) => start.round)).toEqual([1, 2, 3]);
  });

  it('does not hear the child of an earlier round', () => {
    const world = started(workflow([subWorkflow('sub')]));
    world.endChild('sub');
    world.control({ type: 'rerun', scope: { kind: 'all', tasks: [] } });
    world.happen({ now: world.now, type: 'child', task: 0, round: 1, element: 0, state: 'failed' });
    expect(world.states().sub).toBe('waiting');
  });

  it('hears the end of its child once', () => {
    const world = started(workflow([subWorkflow('sub'), task('b', { needs: ['sub'] })]));
    world.endChild('sub');
    world.happen({ now: world.now, type: 'child', task: 0, round: 1, element: 0, state: 'failed' });
    expect(world.states()).toEqual({ sub: 'success', b: 'submitted' });
  });

  it('is refused where runs are nested too deep', () => {
    const allowed = started(workflow([subWorkflow('sub')]), { depth: 31 });
    expect(allowed.states().sub).toBe('waiting');
    const refused = started(workflow([subWorkflow('sub')]), { depth: 32 });
    expect([refused.state, refused.task('sub').reason]).toEqual([
      'failed',
      'child runs are nested more than 32 deep',
    ]);
  });

  it('nests: four levels end as one, each waiting without a slot', () => {
    const world = started(workflow([subWorkflow('sub')]), {
      child: ({ depth }) => workflow([depth < 4 ? subWorkflow('sub') : task('work')]),
    });
    let level = world;
    for (let depth = 0; depth < 4; depth++) {
      expect([level.request.depth, level.tokens.size]).toEqual([depth, 0]);
      level = level.child('sub');
    }
    expect([...level.tokens.values()]).toHaveLength(1);
    world.complete();
    expect(world.state).toBe('success');
  });
});
