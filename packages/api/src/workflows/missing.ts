/**
 * Workflows that are used but do not exist: a warning, not an error, since files may be published one by one.
 */
import { usesOf, type Workflow, type WorkflowUse } from '@orrery/core/model';
import type { Identity } from '../access/identity.ts';
import type { Context } from '../context.ts';

/** Uses that are looked up for one file. */
const LOOKED_UP = 100;

/** Used workflows that are neither live nor among these, in projects that the caller can see. */
export async function missingUses(
  { store }: Context,
  workflows: readonly Workflow[],
  { project: only }: Identity,
): Promise<readonly WorkflowUse[]> {
  const own = new Set(workflows.map(({ project, name }) => `${project}/${name}`));
  const uses = workflows
    .flatMap(usesOf)
    .filter(({ project, name }) => !own.has(`${project}/${name}`) && project === (only ?? project))
    .slice(0, LOOKED_UP);
  const found = await Promise.all(uses.map(({ project, name }) => store.readWorkflow({ project, name })));
  return uses.filter((_, k) => found[k] === undefined);
}
