/** `sub-workflow`: starts a child run and waits for it. Controls on the parent reach the same child. */
import type { SubWorkflowSpec } from '../../model/index.ts';
import { finish } from '../finish.ts';
import { resolveParameters } from '../parameters.ts';
import { childDepth, failOnBadInput, tell } from './children.ts';
import type { Logic } from './logic.ts';

export const subWorkflow: Logic = {
  onReady(draft, i) {
    const { request, plan } = draft.run;
    const { child } = draft.task(i);
    if (request.dryRun) finish(draft, i, 'succeed', { reason: 'dry run' });
    else if (child) {
      draft.move(i, 'wait', { child: { ...child, state: 'open' } });
      tell(draft, i, child.round, 0, 'recover');
    } else {
      failOnBadInput(draft, i, () => {
        const spec = plan.tasks[i].spec.with as SubWorkflowSpec;
        const { round } = draft.fields;
        draft.children.push({
          task: i,
          round,
          element: 0,
          workflow: spec.workflow,
          params: resolveParameters(draft, i, spec.params),
          businessTime: request.businessTime,
          depth: childDepth(draft),
        });
        draft.move(i, 'wait', { child: { round, state: 'open' } });
      });
    }
  },

  onEvent(draft, i, event) {
    const { child, state, reason } = draft.task(i);
    if (event.type !== 'child' || child?.round !== event.round) return;
    const held = draft.fields.state === 'pausing' || draft.fields.state === 'paused';
    switch (event.state) {
      case 'running':
        draft.patch(i, { child: { ...child, state: 'open' } });
        break;
      case 'paused':
        draft.patch(i, { child: { ...child, state: 'paused' } });
        if (held && state === 'waiting') draft.move(i, 'hold');
        break;
      case 'success':
        finish(draft, i, 'succeed', { child: { ...child, state: 'success' }, outputs: event.outputs });
        break;
      case 'failed':
        finish(draft, i, 'fail', {
          child: { ...child, state: 'failed' },
          reason: event.reason ?? 'its run failed',
        });
        break;
      case 'stopped':
        finish(draft, i, 'kill', {
          child: { ...child, state: 'stopped' },
          reason: reason ?? 'its run was stopped',
        });
        break;
    }
  },

  onPause(draft, i) {
    const { child } = draft.task(i);
    if (child?.state === 'paused') draft.move(i, 'hold');
    else if (child) tell(draft, i, child.round, 0, 'pause');
  },

  onResume(draft, i) {
    const { child, state } = draft.task(i);
    if (!child) return;
    if (state === 'paused') draft.move(i, 'wait', { child: { ...child, state: 'open' } });
    tell(draft, i, child.round, 0, 'resume');
  },

  onStop(draft, i, reason) {
    const { child, state } = draft.task(i);
    if (child?.state !== 'open' && child?.state !== 'paused') finish(draft, i, 'kill', { reason });
    else if (state !== 'stopping') {
      draft.move(i, 'stop', { reason });
      tell(draft, i, child.round, 0, 'stop');
    }
  },
};
