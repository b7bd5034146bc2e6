import { type RunWorld, started } from '@orrery/testkit/run-world';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import type { ConditionsSpec, TaskSpec } from '../../model/index.ts';

type Groups = ConditionsSpec['groups'];
const is = (name: string, how: 'success' | 'failed' = 'success') => ({ task: name, is: how });

/** a and b, judged by `judge`, which leads to `good` or `bad`. */
function judged(groups: Groups, relation: 'all' | 'any' = 'all', more: Partial<TaskSpec> = {}): RunWorld {
  const spec: ConditionsSpec = { relation, groups, success: ['good'], failure: ['bad'] };
  return started(
    workflow([
      task('a', more),
      task('b'),
      task('judge', { type: 'conditions', needs: ['a', 'b'], with: spec }),
      task('good', { needs: ['judge'] }),
      task('bad', { needs: ['judge'] }),
    ]),
  );
}

const branch = (world: RunWorld) => (world.states().good === 'submitted' ? 'good' : 'bad');

describe('conditions', () => {
  it('waits for all it judges, however they end', () => {
    const world = judged([{ relation: 'all', items: [is('a')] }]);
    world.end('a', 'failed');
    expect(world.states().judge).toBe('pending');
    world.end('b');
    expect(world.states()).toMatchObject({ judge: 'success', good: 'skipped', bad: 'submitted' });
    expect(world.task('judge').reason).toBe('the condition does not hold');
    expect(world.task('good').reason).toBe('its branch was not chosen');
  });

  it('forgives the failure of a task that only conditions follow', () => {
    const world = judged([{ relation: 'all', items: [is('a'), is('b')] }]);
    world.end('a', 'failed');
    world.end('b');
    world.end('bad');
    expect([world.state, world.states()]).toEqual([
      'success',
      { a: 'failed', b: 'success', judge: 'success', good: 'skipped', bad: 'success' },
    ]);
  });

  it.each([
    ['all', [true, true], 'good'],
    ['all', [true, false], 'bad'],
    ['any', [true, false], 'good'],
    ['any', [false, false], 'bad'],
  ] as const)('joins items by %s: %j', (relation, [a, b], expected) => {
    const world = judged([{ relation, items: [is('a'), is('b')] }]);
    world.end('a', a ? 'success' : 'failed');
    world.end('b', b ? 'success' : 'failed');
    expect(branch(world)).toBe(expected);
  });

  it.each([
    ['all', 'bad'],
    ['any', 'good'],
  ] as const)('joins groups by %s', (relation, expected) => {
    const groups: Groups = [
      { relation: 'all', items: [is('a')] },
      { relation: 'all', items: [is('b')] },
    ];
    const world = judged(groups, relation);
    world.end('a');
    world.end('b', 'failed');
    expect(branch(world)).toBe(expected);
  });

  it('can ask for a failure', () => {
    const world = judged([{ relation: 'all', items: [is('a', 'failed'), is('b')] }]);
    world.end('a', 'failed');
    world.end('b');
    expect(branch(world)).toBe('good');
  });

  it('sees a killed task as failed and a disabled one as success', () => {
    const killed = judged([{ relation: 'all', items: [is('a', 'failed')] }]);
    killed.control({ type: 'kill', task: 'a' });
    killed.deliver();
    killed.end('b');
    expect(branch(killed)).toBe('good');

    const disabled = judged([{ relation: 'all', items: [is('a')] }], 'all', { disabled: true });
    disabled.end('b');
    expect(branch(disabled)).toBe('good');
  });

  it('judges again when its round is walked again', () => {
    const world = judged([{ relation: 'all', items: [is('a')] }]);
    world.end('a', 'failed');
    world.end('b');
    world.end('bad', 'failed');
    world.control('recover');
    world.end('a');
    expect(branch(world)).toBe('good');
    world.end('good');
    expect([world.state, world.states().bad]).toEqual(['success', 'skipped']);
  });
});
