/**
 * Which workflows start or await others: stored with the live version of each workflow, so that nothing in
 * use is deleted.
 */

import type { Workflow } from '@orrery/core/model';
import { needsOf, usesOf, type WorkflowNeed, type WorkflowUse } from '@orrery/core/model/uses';
import { said } from '@orrery/core/texts';
import { Conflict } from '../../errors.ts';
import { change, type Operation, rows } from '../../operation.ts';
import { insert } from '../../table.ts';
import { workflowNeedTable, workflowUseTable } from '../../tables.ts';

/** Records what a workflow's new live version uses, replacing the previous record. */
export function* recordUses(workflow: number, body: Workflow): Operation<void> {
  yield* forgetUses(workflow);
  const uses = usesOf(body).map(({ project, name, as }) => ({ project, name, workflow, used_as: as }));
  yield* insert(workflowUseTable, uses);
  yield* insert(
    workflowNeedTable,
    needsOf(body).map((need) => ({ ...need, workflow })),
  );
}

/** Deletes the uses of a deleted workflow. */
export function* forgetUses(workflow: number): Operation<void> {
  yield* change('DELETE FROM workflow_use WHERE workflow = ?1', workflow);
  yield* change('DELETE FROM workflow_need WHERE workflow = ?1', workflow);
}

/** The other workflows whose live versions use this one, by name. */
export function* listUsers(input: {
  readonly project: string;
  readonly name: string;
  readonly limit: number;
}): Operation<readonly WorkflowUse[]> {
  const { project, name, limit } = input;
  return yield* rows<WorkflowUse>(
    `SELECT w.project, w.name, u.used_as AS "as" FROM workflow_use u JOIN workflow w ON w.id = u.workflow
     WHERE u.project = ?1 AND u.name = ?2 AND NOT (w.project = ?1 AND w.name = ?2)
     ORDER BY w.project, w.name, u.used_as LIMIT ?3`,
    project,
    name,
    limit,
  );
}

/** A thing that live versions of workflows need, with its users. */
export interface NeedUse {
  readonly kind: 'environment' | 'connection' | 'secret';
  readonly project: string;
  readonly name: string;
  /** How many, and the first by name. */
  readonly workflows: number;
  readonly workflow: string;
  /** When a run of one of them was last started. */
  readonly lastRun: number | null;
}

/** Environments, connections and secrets that live versions of workflows need, of one project or all. */
export function* listNeedUses({ project }: { readonly project?: string }): Operation<readonly NeedUse[]> {
  return yield* rows<NeedUse>(
    `SELECT kind, project, name, count(*) AS workflows, min(workflow) AS workflow, max(last_run) AS "lastRun" FROM (
       SELECT n.kind, n.project, n.name, w.project || '/' || w.name AS workflow,
         (SELECT r.created_at FROM run r WHERE r.workflow = w.id ORDER BY r.id DESC LIMIT 1) AS last_run
       FROM workflow_need n JOIN workflow w ON w.id = n.workflow
       WHERE n.kind IN ('environment', 'connection', 'secret') AND (?1 = '' OR w.project = ?1)) u
     GROUP BY kind, project, name ORDER BY kind, project, name`,
    project ?? '',
  );
}

const SHOWN = 5;

/** Refuses to delete something that live versions of workflows need, and names them. */
export function* refuseNeeded({ kind, project, name }: WorkflowNeed): Operation<void> {
  const users = yield* rows<{ project: string; name: string }>(
    `SELECT w.project, w.name FROM workflow_need n JOIN workflow w ON w.id = n.workflow
     WHERE n.kind = ?1 AND n.project = ?2 AND n.name = ?3 ORDER BY w.project, w.name LIMIT ?4`,
    kind,
    project,
    name,
    SHOWN + 1,
  );
  if (users.length === 0) return;
  const shown = users.slice(0, SHOWN).map((user) => `${user.project}/${user.name}`);
  const more = users.length > SHOWN ? ' and others' : '';
  throw new Conflict(said('uses.used', { name, users: `${shown.join(', ')}${more}` }));
}
