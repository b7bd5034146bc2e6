/** Shared code of logic tasks that start child runs. */
import { InvalidInput } from '../../errors.ts';
import { said } from '../../texts/index.ts';
import type { Draft } from '../draft.ts';
import type { ChildControl } from '../events.ts';
import { finish } from '../finish.ts';

/** Deeper nesting is refused: it means a workflow that contains itself. */
const MAX_DEPTH = 32;

/** Nesting depth for child runs of this run; refused if too deep. */
export function childDepth(draft: Draft): number {
  const { depth } = draft.run.request;
  if (depth >= MAX_DEPTH) throw new InvalidInput(said('run.tooDeep', { most: MAX_DEPTH }));
  return depth + 1;
}

/** Sends a control to one child run. */
export function tell(
  draft: Draft,
  task: number,
  round: number,
  element: number,
  control: ChildControl['control'],
): void {
  draft.childControls.push({ task, round, element, control });
}

/** Starts a task; unusable input fails it with the reason. */
export function failOnBadInput(draft: Draft, i: number, begin: () => void): void {
  try {
    begin();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    finish(draft, i, 'fail', { reason: error.message });
  }
}
