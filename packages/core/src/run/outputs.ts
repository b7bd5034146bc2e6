/** Outputs that a run returns to its parent. */
import { successors } from '../dag/index.ts';
import type { Parameters } from '../model/index.ts';
import { joined } from './pool.ts';
import type { Run } from './run.ts';

/**
 * The declared output parameters of the workflow, from the outputs of its last tasks; others are left out.
 */
export function outputsOf(run: Run): Parameters {
  const { dag, workflow } = run.plan;
  const names = Object.keys(workflow.params).filter((name) => workflow.params[name].output);
  if (names.length === 0) return {};
  const pool = joined(run.tasks.filter((_, i) => successors(dag, i).length === 0));
  return Object.fromEntries(
    names.flatMap((name) => {
      const handed = pool.get(name);
      return handed ? [[name, handed.value]] : [];
    }),
  );
}
