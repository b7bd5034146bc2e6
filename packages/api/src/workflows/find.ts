/** Finds workflows by the name people use: `project/name`, or `name` alone in the project `default`. */

import { hintFor } from '@orrery/core/model';
import { type Said, said } from '@orrery/core/texts';
import { type Store, type WorkflowVersion, whyOffline } from '@orrery/store';
import { Hinted, Refusal } from '../problem.ts';

/** A workflow's name in two parts. */
export interface WorkflowName {
  readonly project: string;
  readonly name: string;
}

/** Reads a written name. */
export function workflowName(written: string): WorkflowName {
  const cut = written.indexOf('/');
  if (cut < 0) return { project: 'default', name: written };
  return { project: written.slice(0, cut), name: written.slice(cut + 1) };
}

/** The live or a given version; an unknown one is refused with the nearest name. */
export async function findWorkflow(
  store: Store,
  { project, name }: WorkflowName,
  kind: 'not-found' | 'not-accepted',
  version?: number,
): Promise<WorkflowVersion> {
  const found = await store.readWorkflow({ project, name, version });
  if (found) return found;
  const all = await store.listWorkflows({});
  const known = all.map((row) => `${row.project}/${row.name}`);
  const wanted = `${project}/${name}`;
  if (version !== undefined && known.includes(wanted))
    throw new Refusal(kind, said('none.version', { workflow: wanted, version }));
  const elsewhere = known.find((each) => each.endsWith(`/${name}`));
  const hint = elsewhere ? said('hint.meant', { name: elsewhere }) : nearTo({ project, name }, all);
  throw new Hinted(kind, said('none.workflow', { workflow: wanted }), hint);
}

/** Compares only the names within a project: a shared project does not make two names more similar. */
function nearTo({ project, name }: WorkflowName, all: readonly WorkflowName[]): Said | '' {
  const beside = all.filter((row) => row.project === project).map((row) => row.name);
  if (beside.length === 0)
    return hintFor(
      `${project}/${name}`,
      all.map((row) => `${row.project}/${row.name}`),
    );
  const hint = hintFor(name, beside);
  return hint === '' ? '' : said('hint.meant', { name: `${project}/${hint.fields.name}` });
}

/** The same of one that is to be started: while it is offline nothing starts it. */
export async function findStartable(
  store: Store,
  name: WorkflowName,
  kind: 'not-found' | 'not-accepted',
  version?: number,
): Promise<WorkflowVersion> {
  const found = await findWorkflow(store, name, kind, version);
  if (found.offlineSince !== undefined) throw new Refusal('conflict', whyOffline(name.project, name.name));
  return found;
}
