/** What a conditions task decides, and which failures decided it. */
import type { ConditionsSpec } from '../../model/index.ts';
import { indexOf, type Plan } from '../plan.ts';
import type { TaskRun } from '../run.ts';

interface Judgement {
  readonly holds: boolean;
  /** Failed tasks without whose failure the items that led to this would have been otherwise. */
  readonly failures: ReadonlySet<number>;
}

/** Whether the condition holds, by how the tasks it asks about ended. */
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

/** The parts that came out as the whole did are those that decided it. */
function joined(relation: 'all' | 'any', parts: readonly Judgement[]): Judgement {
  const holds = relation === 'all' ? parts.every((part) => part.holds) : parts.some((part) => part.holds);
  const failures = new Set<number>();
  for (const part of parts) {
    if (part.holds === holds) for (const i of part.failures) failures.add(i);
  }
  return { holds, failures };
}
