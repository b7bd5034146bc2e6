import { type RunWorld, started } from '@orrery/testkit/run-world';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import type { ConditionsSpec, TaskSpec } from '../model/index.ts';
import type { Scope } from './events.ts';

const way = (spec: Partial<ConditionsSpec>, ...items: (string | [string, 'success' | 'failed'])[]) => ({
  relation: 'all',
  groups: [
    {
      relation: 'all',
      items: items.map((item) =>
        typeof item === 'string' ? { task: item, is: 'success' } : { task: item[0], is: item[1] },
      ),
    },
  ],
  success: [],
  failure: [],
  ...spec,
});

/** a, then b, a conditions task that leads to c or d; `more` are tasks beside them. */
function judged(b: Partial<TaskSpec>, more: TaskSpec[] = [], start?: Scope, given = {}): RunWorld {
  return started(
    workflow([
      task('a'),
      ...more,
      task('b', {
        type: 'conditions',
        needs: ['a'],
        with: way({ success: ['c'], failure: ['d'] }, 'a'),
        ...b,
      }),
      task('c', { needs: ['b'] }),
      task('d', { needs: ['b'] }),
    ]),
    given,
    start,
  );
}

/** a, then an alarm that asks for its failure; `more` are tasks beside them. */
function alarmed(alarm: Partial<TaskSpec> = {}, more: TaskSpec[] = [], given = {}): RunWorld {
  const asks = task('alarm', { needs: ['a'], trigger: 'one-failed', ...alarm });
  return started(workflow([task('a'), ...more, asks]), given);
}

describe('a failure fails the run', () => {
  it.each(['only', 'to'] as const)('when the scope is %s the task that failed', (kind) => {
    const world = judged({}, [], { kind, tasks: ['a'] });
    world.end('a', 'failed');
    expect([world.state, world.states().b]).toEqual(['failed', 'excluded']);
  });

  it('when the scope ends before the way that was taken', () => {
    const world = judged({}, [], { kind: 'to', tasks: ['b'] });
    world.end('a', 'failed');
    expect([world.state, world.states()]).toEqual([
      'failed',
      { a: 'failed', b: 'success', c: 'excluded', d: 'excluded' },
    ]);
  });

  it('when the conditions task is disabled', () => {
    const world = judged({ disabled: true });
    world.end('a', 'failed');
    expect([world.state, world.states().b]).toEqual(['failed', 'passed']);
  });

  it('when the trigger rule of the conditions task skips it', () => {
    const world = judged({ trigger: 'all-succeeded' });
    world.end('a', 'failed');
    expect([world.state, world.states().b]).toEqual(['failed', 'skipped']);
  });

  it('when a switch skips the conditions task', () => {
    const cases = [{ when: '1 == 1', to: ['other'] }];
    const more = [
      task('choose', { type: 'switch', with: { cases, default: ['b'] } }),
      task('other', { needs: ['choose'] }),
    ];
    const world = judged({ needs: ['a', 'choose'], trigger: 'none-failed' }, more);
    world.end('a', 'failed');
    world.end('other');
    expect([world.state, world.states().b]).toEqual(['failed', 'skipped']);
  });

  it('when the conditions task asks about others only', () => {
    const more = [task('x')];
    const spec = way({ success: ['c'], failure: ['d'] }, 'x');
    const world = judged({ needs: ['a', 'x'], with: spec }, more);
    world.end('a', 'failed');
    world.end('x');
    world.end('c');
    expect([world.state, world.states().b]).toEqual(['failed', 'success']);
  });

  it('when others sent the conditions task its failure way', () => {
    const spec: ConditionsSpec = {
      relation: 'all',
      groups: [
        {
          relation: 'any',
          items: [
            { task: 'a', is: 'success' },
            { task: 'y', is: 'success' },
          ],
        },
        { relation: 'all', items: [{ task: 'x', is: 'success' }] },
      ],
      success: ['c'],
      failure: ['d'],
    };
    const world = judged({ needs: ['a', 'x', 'y'], with: spec }, [
      task('x', { ignoreFailure: true }),
      task('y'),
    ]);
    world.end('y');
    world.end('a', 'failed');
    world.end('x', 'failed');
    world.end('d');
    expect(world.state).toBe('failed');
  });

  it('when the conditions task has no failure way', () => {
    const world = judged({ with: way({ success: ['c', 'd'] }, 'a') });
    world.end('a', 'failed');
    expect([world.state, world.states()]).toEqual([
      'failed',
      { a: 'failed', b: 'success', c: 'skipped', d: 'skipped' },
    ]);
  });

  it('when it was no reason for the way that was taken', () => {
    const { groups, ...rest } = way({ success: ['c'], failure: ['d'] }, 'a', 'x');
    const spec = { ...rest, groups: [{ ...groups[0], relation: 'any' }] };
    const world = judged({ needs: ['a', 'x'], with: spec }, [task('x')]);
    world.end('x');
    world.end('a', 'failed');
    world.end('c');
    expect([world.state, world.states().d]).toEqual(['failed', 'skipped']);
  });

  it('when another task that needs it was skipped', () => {
    const world = judged({}, [task('plain', { needs: ['a'] })]);
    world.end('a', 'failed');
    world.end('d');
    expect([world.state, world.states().plain]).toEqual(['failed', 'skipped']);
  });

  it('when only it is walked again, whatever an earlier failure led to', () => {
    const world = judged({});
    world.end('a', 'failed');
    world.end('d');
    expect(world.state).toBe('success');
    world.control({ type: 'rerun', scope: { kind: 'only', tasks: ['a'] } });
    world.end('a', 'failed');
    expect(world.state).toBe('failed');
  });

  it('when a clean-up that runs in any case went well', () => {
    const world = started(workflow([task('a'), task('tell', { needs: ['a'], trigger: 'all-done' })]));
    world.end('a', 'failed');
    world.end('tell');
    expect(world.state).toBe('failed');
  });

  it('when the task that asks for it is disabled', () => {
    const world = alarmed({ disabled: true });
    world.end('a', 'failed');
    expect([world.state, world.states().alarm]).toEqual(['failed', 'passed']);
  });

  it('when the task that asks for it was killed', () => {
    const world = alarmed({ ignoreFailure: true });
    world.end('a', 'failed');
    world.control({ type: 'kill', task: 'alarm' });
    world.deliver();
    expect([world.state, world.states().alarm]).toEqual(['failed', 'killed']);
  });

  it('when the task that asks for it failed', () => {
    const world = alarmed();
    world.end('a', 'failed');
    world.end('alarm', 'failed');
    expect(world.state).toBe('failed');
  });

  it('when it skipped another task beside the one that asks for it', () => {
    const world = alarmed({}, [task('plain', { needs: ['a'] })]);
    world.end('a', 'failed');
    world.end('alarm');
    expect([world.state, world.states().plain]).toEqual(['failed', 'skipped']);
  });

  it('when the task that asks for it had started because of another', () => {
    const world = alarmed({ needs: ['a', 'x'] }, [task('x')]);
    world.end('a', 'failed');
    world.pass(1_000);
    world.end('x', 'failed');
    world.end('alarm');
    expect(world.state).toBe('failed');
  });

  it('in a sub-workflow, and so in its parent', () => {
    const inner = workflow([
      task('a'),
      task('b', { type: 'conditions', needs: ['a'], with: way({ success: ['c'] }, 'a') }),
      task('c', { needs: ['b'] }),
    ]);
    const world = started(
      workflow([
        task('sub', { type: 'sub-workflow', with: { workflow: { name: 'w', project: 'p' }, params: {} } }),
      ]),
      { child: () => inner },
    );
    world.child('sub').end('a', 'failed');
    world.deliver();
    expect([world.child('sub').state, world.state]).toEqual(['failed', 'failed']);
  });
});

describe('a failure is forgiven', () => {
  it('by a conditions task that took its failure way', () => {
    const world = judged({});
    world.end('a', 'failed');
    expect(world.state).toBe('running');
    world.end('d');
    expect(world.state).toBe('success');
  });

  it('by a conditions task that asked for it', () => {
    const world = judged({ with: way({ success: ['d'] }, ['a', 'failed']) });
    world.end('a', 'failed');
    world.end('d');
    expect(world.state).toBe('success');
  });

  it('by a conditions task whose trigger rule asks for it', () => {
    const world = judged({ trigger: 'one-failed', needs: ['a', 'x'] }, [task('x')]);
    world.end('a', 'failed');
    world.end('d');
    world.end('x');
    expect(world.state).toBe('success');
  });

  it('by a task that asks for it', () => {
    const world = alarmed();
    world.end('a', 'failed');
    expect(world.state).toBe('running');
    world.end('alarm');
    expect(world.state).toBe('success');
  });

  it('by a task that asks for it and is run again after it failed itself', () => {
    const world = alarmed();
    world.end('a', 'failed');
    world.end('alarm', 'failed');
    expect(world.state).toBe('failed');
    world.control({ type: 'rerun', scope: { kind: 'only', tasks: ['alarm'] } });
    world.crash();
    world.end('alarm');
    expect(world.state).toBe('success');
  });

  it('by one of several conditions tasks', () => {
    const other = task('other', { type: 'conditions', needs: ['a'], with: way({}, 'a') });
    const world = judged({}, [other]);
    world.end('a', 'failed');
    world.end('d');
    expect([world.state, world.states().other]).toEqual(['success', 'success']);
  });

  it('if it was killed by hand', () => {
    const world = judged({});
    world.control({ type: 'kill', task: 'a' });
    world.deliver();
    world.end('d');
    expect([world.state, world.states().a]).toEqual(['success', 'killed']);
  });

  it('by its own ignoreFailure, whatever follows', () => {
    const world = started(workflow([task('a', { ignoreFailure: true }), task('b', { needs: ['a'] })]));
    world.end('a', 'failed');
    world.end('b');
    expect(world.state).toBe('success');
  });

  it('in a later round that walks only the rest of the failure way', () => {
    const world = judged({});
    world.end('a', 'failed');
    world.end('d', 'failed');
    expect(world.state).toBe('failed');
    world.control({ type: 'rerun', scope: { kind: 'only', tasks: ['d'] } });
    world.crash();
    world.end('d');
    expect(world.state).toBe('success');
  });

  it('in a round that judges it again, and not by the round before', () => {
    const world = judged({});
    world.end('a', 'failed');
    world.end('d', 'failed');
    world.control('recover');
    world.end('a', 'failed');
    world.end('d');
    expect(world.state).toBe('success');
  });
});

describe('failure strategy end', () => {
  const beside = [task('beside')];

  it('waits for the conditions task that may forgive a failure', () => {
    const world = judged({ needs: ['a', 'x'] }, [task('x'), ...beside], undefined, { onFailure: 'end' });
    world.end('a', 'failed');
    expect(world.state).toBe('running');
    world.end('x');
    expect([world.state, world.states().d]).toEqual(['running', 'submitted']);
    world.end('d');
    world.end('beside');
    expect(world.state).toBe('success');
  });

  it('waits for a task that asks for a failure, and forgives it', () => {
    const world = alarmed({}, beside, { onFailure: 'end' });
    world.end('a', 'failed');
    world.end('alarm');
    expect(world.state).toBe('running');
    world.end('beside');
    expect(world.state).toBe('success');
  });

  it('cuts the run when the task that asked for a failure fails', () => {
    const world = alarmed({}, beside, { onFailure: 'end' });
    world.end('a', 'failed');
    world.end('alarm', 'failed');
    expect([world.state, world.run.fields.reason]).toEqual(['failing', 'task alarm failed']);
  });

  it('cuts the run when the last task that could forgive a failure did not', () => {
    const spec = way({ success: ['c', 'd'] }, 'a');
    const world = judged({ with: spec }, beside, undefined, { onFailure: 'end' });
    world.end('a', 'failed');
    expect([world.state, world.run.fields.reason]).toEqual(['failing', 'task a failed']);
    world.deliver();
    expect([world.state, world.states().beside]).toEqual(['failed', 'killed']);
  });

  it('cuts the run at once where nothing in its scope judges the failure', () => {
    const start: Scope = { kind: 'only', tasks: ['a', 'beside'] };
    const world = judged({}, beside, start, { onFailure: 'end' });
    world.end('a', 'failed');
    expect(world.state).toBe('failing');
  });
});
