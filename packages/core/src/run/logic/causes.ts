/** The decision of a conditions task, and the failures that caused it. */
import type { ConditionsSpec } from '../../model/index.ts';
import { indexOf, type Plan } from '../plan.ts';
import type { TaskRun } from '../run.ts';

interface Judgement {
  readonly holds: boolean;
  /** Failed tasks without whose failure the deciding items would have come out differently. */
  readonly failures: ReadonlySet<number>;
}

/** Whether the condition holds, given the endings of its tasks. */
export function causesOf(plan: Plan, spec: ConditionsSpec, taskAt: (i: number) => TaskRun): Judgement {
  return joined(
    spec.relation,
    spec.groups.map((group) =>
      joined(
        group.relation,
        group.items.map(({ task, is }) => {
          const i = indexOf(plan.index, task);
          const { state } = taskAt(i);
          const failed = state === 'failed' || state === 'killed';
          const holds = is === 'failed' ? failed : state === 'success' || state === 'passed';
          return { holds, failures: new Set(failed ? [i] : []) };
        }),
      ),
    ),
  );
}

/** The deciding parts are those with the result of the whole. */
function joined(relation: 'all' | 'any', parts: readonly Judgement[]): Judgement {
  const holds = relation === 'all' ? parts.every((part) => part.holds) : parts.some((part) => part.holds);
  const failures = new Set<number>();
  for (const part of parts) {
    if (part.holds === holds) for (const i of part.failures) failures.add(i);
  }
  return { holds, failures };
}
