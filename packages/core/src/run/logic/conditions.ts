/** `conditions`: goes the success or the failure way by how upstream tasks ended. */
import type { ConditionsSpec } from '../../model/index.ts';
import { finish } from '../graph.ts';
import { indexOf } from '../plan.ts';
import { decidedAtOnce } from './decided.ts';

export const conditions = decidedAtOnce((draft, i) => {
  const { plan } = draft.run;
  const spec = plan.tasks[i].spec.with as ConditionsSpec;
  const holds = joined(
    spec.relation,
    spec.groups.map((group) =>
      joined(
        group.relation,
        group.items.map(({ task, is }) => {
          const { state } = draft.task(indexOf(plan.index, task));
          return is === 'success'
            ? state === 'success' || state === 'passed'
            : state === 'failed' || state === 'killed';
        }),
      ),
    ),
  );
  const branch = (holds ? spec.success : spec.failure).map((name) => indexOf(plan.index, name));
  finish(draft, i, 'succeed', {
    branch,
    reason: holds ? 'the condition holds' : 'the condition does not hold',
  });
});

function joined(relation: 'all' | 'any', results: readonly boolean[]): boolean {
  return relation === 'all' ? results.every(Boolean) : results.some(Boolean);
}
