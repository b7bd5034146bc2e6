/** `dependent`: waits until runs of other workflows in its windows have ended as required. */
import { finish } from '../finish.ts';
import type { Logic } from './logic.ts';

export const dependent: Logic = {
  onReady(draft, i) {
    if (draft.run.request.dryRun) finish(draft, i, 'succeed', { reason: 'dry run' });
    else {
      draft.move(i, 'wait');
      draft.waits.push({ task: i, round: draft.fields.round, open: true });
    }
  },
  onEvent(draft, i, event) {
    if (event.type !== 'dependency' || draft.task(i).state !== 'waiting') return;
    draft.waits.push({ task: i, round: draft.fields.round, open: false });
    if (event.state === 'success')
      finish(draft, i, 'succeed', { outputs: event.outputs, reason: event.reason });
    else finish(draft, i, 'fail', { reason: event.reason ?? 'what it depends on failed' });
  },
  onPause(draft, i) {
    draft.waits.push({ task: i, round: draft.fields.round, open: false });
    draft.move(i, 'hold');
  },
  onResume(draft, i) {
    dependent.onReady(draft, i);
  },
  onStop(draft, i, reason) {
    if (draft.task(i).state === 'waiting')
      draft.waits.push({ task: i, round: draft.fields.round, open: false });
    finish(draft, i, 'kill', { reason });
  },
};
