import { type RunWorld, started, type WorldGiven } from '@orrery/testkit/run-world';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import type { SwitchSpec } from '../../model/index.ts';

/** a, then a switch to b, c and d, which a join follows. */
function switched(spec: SwitchSpec, given: WorldGiven = {}): RunWorld {
  return started(
    workflow([
      task('a'),
      task('switch', { type: 'switch', needs: ['a'], with: spec, params: { local: '7' } }),
      ...['b', 'c', 'd'].map((name) => task(name, { needs: ['switch'] })),
      task('join', { needs: ['b', 'c', 'd'] }),
    ]),
    given,
  );
}

const chosen = (world: RunWorld) => ['b', 'c', 'd'].filter((name) => world.states()[name] === 'submitted');

describe('switch', () => {
  it('takes the first case that is true, and says which', () => {
    const world = switched({
      cases: [
        { when: '${n} > 10', to: ['b'] },
        { when: '${n} > 5', to: ['c', 'd'] },
        { when: 'true', to: ['b'] },
      ],
    });
    world.end('a', 'success', { outputs: { n: '7' } });
    expect([chosen(world), world.states().b]).toEqual([['c', 'd'], 'skipped']);
    expect(world.task('switch').reason).toBe('${n} > 5 is true');
  });

  it('goes the default way when no case is true, and a join after the branches runs', () => {
    const world = switched({ cases: [{ when: 'false', to: ['b'] }], default: ['d'] });
    world.end('a');
    expect(chosen(world)).toEqual(['d']);
    world.end('d');
    world.end('join');
    expect(world.state).toBe('success');
  });

  it('fails when no case is true and there is no default', () => {
    const world = switched({ cases: [{ when: 'false', to: ['b'] }] });
    world.end('a');
    expect([world.state, world.task('switch').reason]).toEqual([
      'failed',
      'no case is true and there is no default',
    ]);
    expect(world.states()).toMatchObject({ b: 'skipped', join: 'skipped' });
  });

  it.each([
    ['cannot be read', '1 +'],
    ['is not a condition', '1 + 1'],
    ['calls code', "java.lang.Runtime.getRuntime().exec('x')"],
  ])('fails with the reason when a case %s', (_, when) => {
    const world = switched({ cases: [{ when, to: ['b'] }], default: ['c'] });
    world.end('a');
    expect(world.state).toBe('failed');
    expect(world.task('switch').reason).toMatch(/\w+/);
  });

  it('reads outputs of tasks before it, local, start, workflow and project parameters', () => {
    const all = "${up} == '1' && ${local} == '7' && ${start} == '2' && ${project} == '3'";
    const world = switched(
      { cases: [{ when: all, to: ['b'] }], default: ['c'] },
      { params: { start: '2' }, given: { project: { project: '3' } } },
    );
    world.end('a', 'success', { outputs: { up: '1' } });
    expect(chosen(world)).toEqual(['b']);
  });

  it('decides again in each round', () => {
    const world = switched({ cases: [{ when: "${n} == '1'", to: ['b'] }], default: ['c'] });
    world.end('a', 'success', { outputs: { n: '1' } });
    world.end('b');
    world.end('join');
    world.control({ type: 'rerun', scope: { kind: 'all', tasks: [] } });
    world.end('a', 'success', { outputs: { n: '2' } });
    expect(chosen(world)).toEqual(['c']);
  });

  it('waits for its delay and can be held and killed meanwhile', () => {
    const tasks = [
      task('switch', { type: 'switch', delay: 1_000, with: { cases: [], default: ['b'] } }),
      task('b', { needs: ['switch'] }),
    ];
    const world = started(workflow(tasks));
    world.control('pause');
    world.pass(1_000);
    expect(world.states().switch).toBe('paused');
    world.control('resume');
    expect(world.states()).toEqual({ switch: 'success', b: 'submitted' });

    const killed = started(workflow(tasks));
    killed.control({ type: 'kill', task: 'switch' });
    expect(killed.states()).toEqual({ switch: 'killed', b: 'skipped' });
  });

  it('can be killed while a pause holds it', () => {
    const world = started(
      workflow([
        task('a'),
        task('switch', { type: 'switch', needs: ['a'], with: { cases: [], default: [] } }),
      ]),
    );
    const attempt = world.take('a');
    world.control('pause');
    world.report(attempt, { state: 'success' });
    world.control({ type: 'kill', task: 'switch' });
    expect([world.state, world.states().switch]).toEqual(['failed', 'killed']);
  });
});
