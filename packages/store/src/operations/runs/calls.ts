/**
 * Calls between projects: a workflow may start, await or be triggered by one of another project only if that
 * workflow or its project allows it (`callableFrom`). Checked when a reference is published and whenever it
 * is used.
 */
import { InvalidInput } from '@orrery/core/errors';
import type { Workflow } from '@orrery/core/model';
import { usesOf, type WorkflowUse } from '@orrery/core/model/uses';
import { type Operation, row, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';

/** Stands for all projects. */
const EVERY = '*';

/** Full name of a workflow. */
interface FullName {
  readonly project: string;
  readonly name: string;
}

/**
 * Whether workflows of the project `from` may call a workflow; if that does not exist, its project decides.
 */
export function* isCallable(input: FullName & { readonly from: string }): Operation<boolean> {
  const { from, project, name } = input;
  if (from === project) return true;
  const live = yield* row<{ body: string }>(
    `SELECT v.body FROM workflow w JOIN workflow_version v ON v.workflow = w.id AND v.version = w.live
     WHERE w.project = ?1 AND w.name = ?2 AND w.deleted_at IS NULL`,
    project,
    name,
  );
  if (live && allows(readOr<Partial<Workflow>>(live.body, {}).callableFrom, from)) return true;
  const home = yield* row<{ callableFrom: string }>(
    'SELECT callable_from AS "callableFrom" FROM project WHERE name = ?1',
    project,
  );
  return home !== undefined && allows(JSON.parse(home.callableFrom), from);
}

/**
 * Refuses workflows that call others without permission. These workflows count as given, all others as
 * published.
 */
export function* refuseCalls({ workflows }: { readonly workflows: readonly Workflow[] }): Operation<void> {
  for (const workflow of workflows) yield* refuseCallsOf(workflow, workflows);
}

/** The same check for one of them. */
export function* refuseCallsOf(workflow: Workflow, beside: readonly Workflow[]): Operation<void> {
  const { project: from } = workflow;
  for (const { project, name } of usesOf(workflow)) {
    if (project === from) continue;
    const given = beside.find((one) => one.project === project && one.name === name);
    if (given && allows(given.callableFrom, from)) continue;
    if (yield* isCallable({ from, project, name })) continue;
    throw new InvalidInput(
      `${from}/${workflow.name} may not call ${project}/${name}: neither that workflow nor its project has ${from} in "callableFrom"; nothing was changed`,
    );
  }
}

/** A reference of a live version that its target does not allow. */
export interface RefusedCall extends WorkflowUse {
  readonly from: FullName;
}

/** References of live versions to other projects that would be refused at use, by name. */
export function* listRefusedCalls(): Operation<RefusedCall[]> {
  const uses = yield* rows<WorkflowUse & { from: string; fromName: string }>(
    `SELECT w.project AS "from", w.name AS "fromName", u.project, u.name, u.used_as AS "as"
     FROM workflow_use u JOIN workflow w ON w.id = u.workflow
     WHERE w.project <> u.project AND w.deleted_at IS NULL ORDER BY w.project, w.name, u.project, u.name LIMIT 1000`,
  );
  const refused: RefusedCall[] = [];
  for (const { from, fromName, project, name, as } of uses) {
    if (yield* isCallable({ from, project, name })) continue;
    refused.push({ from: { project: from, name: fromName }, project, name, as });
  }
  return refused;
}

function allows(list: readonly string[] | undefined, from: string): boolean {
  return list !== undefined && (list.includes(from) || list.includes(EVERY));
}
