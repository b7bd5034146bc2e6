/** `conditions`: takes the success or the failure branch by the endings of upstream tasks. */
import type { ConditionsSpec } from '../../model/index.ts';
import { finish } from '../finish.ts';
import { indexOf } from '../plan.ts';
import { causesOf } from './causes.ts';
import { decidedAtOnce } from './decided.ts';

export const conditions = decidedAtOnce((draft, i) => {
  const { plan } = draft.run;
  const spec = plan.tasks[i].spec.with as ConditionsSpec;
  const { holds } = causesOf(plan, spec, draft.task);
  const branch = (holds ? spec.success : spec.failure).map((name) => indexOf(plan.index, name));
  finish(draft, i, 'succeed', {
    branch,
    reason: holds ? 'the condition holds' : 'the condition does not hold',
  });
});
