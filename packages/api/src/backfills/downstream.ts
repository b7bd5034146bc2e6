/** The workflows downstream of one: those that wait for it or are started by its end, of them, and so on. */

import type { WorkflowUse } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import type { Store } from '@orrery/store';
import { Refusal } from '../problem.ts';
import type { WorkflowName } from '../workflows/find.ts';

/** Workflows that one backfill can run for each business time. */
const MOST = 100;

/** All of them, each after those that it depends on; where they depend on each other in a circle, nearest first. */
export async function downstreamOf(store: Store, root: WorkflowName): Promise<WorkflowName[]> {
  const seen = new Set([keyOf(root)]);
  const ended: WorkflowName[] = [];
  const visit = async (workflow: WorkflowName): Promise<void> => {
    for (const user of await store.listUsers({ ...workflow, limit: MOST + 1 })) {
      if (!isDownstream(user) || seen.has(keyOf(user))) continue;
      seen.add(keyOf(user));
      if (seen.size > MOST)
        throw new Refusal('not-accepted', said('backfill.downstream', { most: MOST, workflow: keyOf(root) }));
      await visit(user);
      ended.push({ project: user.project, name: user.name });
    }
  };
  await visit(root);
  return ended.reverse();
}

/** Whether a use means that one comes after the other. */
function isDownstream({ as }: WorkflowUse): boolean {
  return as === 'dependent' || as === 'trigger';
}

/** A workflow as people write it. */
export function keyOf({ project, name }: WorkflowName): string {
  return `${project}/${name}`;
}
