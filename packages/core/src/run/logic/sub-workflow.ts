/** `sub-workflow`: starts a child run and waits for it. Controls on the parent reach the same child. */
import { InvalidInput } from '../../errors.ts';
import type { SubWorkflowSpec } from '../../model/index.ts';
import type { Draft } from '../draft.ts';
import type { ChildControl } from '../events.ts';
import { finish } from '../graph.ts';
import { resolveParameters } from '../parameters.ts';
import type { Logic } from './logic.ts';

/** Deeper nesting is refused: it is a workflow that contains itself. */
const MAX_DEPTH = 32;

export const subWorkflow: Logic = {
  onReady(draft, i) {
    const { request, plan } = draft.run;
    const { child } = draft.task(i);
    if (request.dryRun) finish(draft, i, 'succeed', { reason: 'dry run' });
    else if (
      child &&
      draft.fields.roundKind === 'recover' &&
      (child.state === 'failed' || child.state === 'stopped')
    ) {
      draft.move(i, 'wait', { child: { ...child, state: 'open' } });
      tell(draft, i, child.round, 'recover');
    } else if (request.depth >= MAX_DEPTH) {
      finish(draft, i, 'fail', { reason: `sub-workflows are nested more than ${MAX_DEPTH} deep` });
    } else {
      const spec = plan.tasks[i].spec.with as SubWorkflowSpec;
      const { round } = draft.fields;
      try {
        const params = resolveParameters(draft, i, spec.params);
        draft.children.push({
          task: i,
          round,
          element: 0,
          workflow: spec.workflow,
          params,
          businessTime: request.businessTime,
          depth: request.depth + 1,
        });
        draft.move(i, 'wait', { child: { round, state: 'open' } });
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        finish(draft, i, 'fail', { reason: error.message });
      }
    }
  },

  onEvent(draft, i, event) {
    const { child, state } = draft.task(i);
    if (event.type !== 'child' || child?.round !== event.round) return;
    const paused = draft.fields.state === 'pausing' || draft.fields.state === 'paused';
    switch (event.state) {
      case 'running':
        draft.patch(i, { child: { ...child, state: 'open' } });
        break;
      case 'paused':
        draft.patch(i, { child: { ...child, state: 'paused' } });
        if (paused && state === 'waiting') draft.move(i, 'hold');
        break;
      case 'success':
        finish(draft, i, 'succeed', { child: { ...child, state: 'success' }, outputs: event.outputs });
        break;
      case 'failed':
        finish(draft, i, 'fail', { child: { ...child, state: 'failed' }, reason: 'its run failed' });
        break;
      case 'stopped':
        finish(draft, i, 'kill', {
          child: { ...child, state: 'stopped' },
          reason: draft.task(i).reason ?? 'its run was stopped',
        });
        break;
    }
  },

  onPause(draft, i) {
    const { child } = draft.task(i);
    if (!child) return;
    if (child.state === 'paused') draft.move(i, 'hold');
    else tell(draft, i, child.round, 'pause');
  },

  onResume(draft, i) {
    const { child } = draft.task(i);
    if (!child) return;
    if (draft.task(i).state === 'paused') draft.move(i, 'wait', { child: { ...child, state: 'open' } });
    tell(draft, i, child.round, 'resume');
  },

  onStop(draft, i, reason) {
    const { child, state } = draft.task(i);
    if (!child || (child.state !== 'open' && child.state !== 'paused')) finish(draft, i, 'kill', { reason });
    else if (state !== 'stopping') {
      draft.move(i, 'stop', { reason });
      tell(draft, i, child.round, 'stop');
    }
  },
};

function tell(draft: Draft, i: number, round: number, control: ChildControl['control']): void {
  draft.childControls.push({ task: i, round, element: 0, control });
}
