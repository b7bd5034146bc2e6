/** What a run hands back to the one that started it. */
import { successors } from '../dag/index.ts';
import type { Parameters } from '../model/index.ts';
import { joined } from './pool.ts';
import type { Run } from './run.ts';

/** The parameters that the workflow declares as outputs, by what its last tasks hand on; the rest is left out. */
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
