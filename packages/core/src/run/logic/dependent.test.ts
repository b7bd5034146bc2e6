import { started } from '@orrery/testkit/run-world';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';

const waiting = () =>
  started(
    workflow([
      task('wait', { type: 'dependent', with: { relation: 'all', groups: [] } }),
      task('b', { needs: ['wait'] }),
    ]),
  );

describe('dependent', () => {
  it('waits without a worker until what it depends on has come about', () => {
    const world = waiting();
    expect([world.states().wait, world.tokens.size, [...world.waits]]).toEqual(['waiting', 0, ['0:1']]);
    world.depend('wait');
    expect([world.states(), world.waits.size]).toEqual([{ wait: 'success', b: 'submitted' }, 0]);
  });

  it('hands on what it was given', () => {
    const world = waiting();
    world.happen({
      now: world.now,
      type: 'dependency',
      task: 0,
      round: 1,
      state: 'success',
      outputs: { rows: '5' },
    });
    expect(world.task('b').pool?.get('rows')?.value).toBe('5');
  });

  it('fails with the reason when that can no longer come about', () => {
    const world = waiting();
    world.depend('wait', 'failed', { reason: 'run 7 of daily failed' });
    expect([world.state, world.task('wait').reason]).toEqual(['failed', 'run 7 of daily failed']);
    const silent = waiting();
    silent.depend('wait', 'failed');
    expect(silent.task('wait').reason).toBe('what it depends on failed');
  });

  it('does not hear what was meant for an earlier round', () => {
    const world = waiting();
    world.depend('wait', 'failed');
    world.control('recover');
    world.happen({ now: world.now, type: 'dependency', task: 0, round: 1, state: 'success' });
    expect(world.states().wait).toBe('waiting');
    world.depend('wait');
    expect(world.states().wait).toBe('success');
  });

  it('hears an answer once', () => {
    const world = waiting();
    world.depend('wait');
    world.depend('wait', 'failed');
    expect(world.states()).toEqual({ wait: 'success', b: 'submitted' });
  });
});
