/** What a run needs before it may start, derived from its workflow. */
import type { RunMode, Workflow } from '../model/index.ts';
import { limitsOfRun } from './limits.ts';

/** Required slots, the workflow's own first, and the run's mode while earlier runs are open. */
export interface RunAdmission {
  readonly mode: RunMode;
  readonly needs: readonly { readonly name: string; readonly slots: number }[];
}

/** The admission of a run; undefined if any number of runs may be open at once. */
export function admissionOf(
  workflow: Pick<Workflow, 'project' | 'name' | 'tenant' | 'mode' | 'limit'>,
  child: boolean,
): RunAdmission | undefined {
  const { project, name, tenant, mode, limit } = workflow;
  const slots = mode === 'parallel' ? limit : 1;
  if (slots === undefined) return undefined;
  const [own] = limitsOfRun({ project, workflow: name, tenant, child });
  return { mode, needs: [{ name: own, slots }] };
}
