import { type RunWorld, started } from '@orrery/testkit/run-world';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import type { ApprovalSpec, TaskSpec } from '../../model/index.ts';
import { said } from '../../texts/index.ts';
import { refusal } from '../controls.ts';

const declared = { type: 'integer', required: false, output: false } as const;

function asked(more: Partial<ApprovalSpec> = {}, spec: Partial<TaskSpec> = {}): RunWorld {
  const settings: ApprovalSpec = {
    message: 'deliver ${rows} rows?',
    fields: { most: { ...declared, default: '${rows}' } },
    onNo: 'fail',
    ...more,
  };
  const world = started(
    workflow([
      task('count'),
      task('ask', { type: 'approval', needs: ['count'], with: settings, ...spec }),
      task('deliver', { needs: ['ask'] }),
    ]),
  );
  world.end('count', 'success', { outputs: { rows: '7' } });
  return world;
}

describe('approval', () => {
  it('asks without a worker, and goes on with what the person said and filled in', () => {
    const world = asked();
    expect([world.states().ask, world.tokens.size, [...world.approvals]]).toEqual(['waiting', 0, ['1:1']]);
    expect(world.task('ask').question).toEqual({ message: 'deliver 7 rows?', defaults: { most: '7' } });
    world.answer('ask', 'yes', { values: { most: '5' }, comment: 'today only' });
    expect([world.states().deliver, world.approvals.size]).toEqual(['submitted', 0]);
    expect(world.task('ask')).toMatchObject({
      reason: 'approved by ann: today only',
      outputs: { most: '5', answer: 'yes', answeredBy: 'ann', comment: 'today only' },
    });
  });

  it('takes the default of what nobody filled in', () => {
    const world = asked();
    world.answer('ask');
    expect(world.task('deliver').pool?.get('most')?.value).toBe('7');
  });

  it('fails by a no, or hands it on', () => {
    const world = asked();
    world.answer('ask', 'no', { comment: 'not today' });
    expect([world.state, world.task('ask').reason]).toEqual(['failed', 'rejected by ann: not today']);
    const other = asked({ onNo: 'continue' });
    other.answer('ask', 'no');
    expect([other.states().deliver, other.task('ask').outputs?.answer]).toEqual(['submitted', 'no']);
  });

  it('counts an answer once, and none after its end, of another round or for another task', () => {
    const world = asked();
    const answer = { type: 'answer', task: 'ask', round: 1, answer: 'yes', values: {}, by: 'ann' } as const;
    expect(refusal(world.run, { ...answer, round: 2 })).toEqual(said('control.noAnswer'));
    expect(refusal(world.run, { ...answer, task: 'deliver' })).toEqual(said('control.notApproval'));
    world.answer('ask', 'no');
    expect(refusal(world.run, answer)).toEqual(said('control.ended'));
    world.control('recover');
    expect(world.states().ask).toBe('waiting');
    expect(refusal(world.run, answer)).toEqual(said('control.noAnswer'));
    expect(refusal(world.run, { ...answer, round: 2 })).toBeUndefined();
    world.answer('ask');
    expect(refusal(world.run, { ...answer, round: 2 })).toEqual(said('control.noAnswer'));
  });

  it('can be answered while the run is paused, and what follows waits for the resume', () => {
    const world = asked();
    world.control('pause');
    expect([world.state, world.states().ask, world.approvals.size]).toEqual(['paused', 'paused', 1]);
    world.answer('ask');
    expect([world.state, world.states()]).toMatchObject(['paused', { ask: 'success', deliver: 'paused' }]);
    world.control('resume');
    expect(world.states().deliver).toBe('submitted');
  });

  it('times out', () => {
    const world = asked({}, { timeout: { after: 1_000, action: 'fail' } });
    world.control('pause');
    world.pass(500);
    world.control('resume');
    world.pass(999);
    expect(world.states().ask).toBe('waiting');
    world.pass(1);
    expect([world.state, world.task('ask').reason, world.approvals.size]).toEqual([
      'failed',
      'waited longer than its time limit',
      0,
    ]);
  });

  it('ends with a stop, a kill and a force', () => {
    for (const control of ['stop', 'kill', 'force'] as const) {
      const world = asked();
      world.control(control === 'stop' ? 'stop' : { type: control, task: 'ask' });
      expect([control, world.approvals.size]).toEqual([control, 0]);
    }
  });

  it('fails where its question names what nobody gave', () => {
    expect(asked({ message: '${nothing}?' }).task('ask')).toMatchObject({ state: 'failed' });
  });
});
