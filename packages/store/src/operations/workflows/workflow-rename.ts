/** Renames a workflow or moves it to another project; its versions, schedules and runs stay with it. */
import { said } from '@orrery/core/texts';
import { Conflict } from '../../errors.ts';
import { change, type Operation, row } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { appendEvents } from '../runs/feed.ts';
import { alignDueOf } from './calendars.ts';
import { refuseUsed } from './workflow-delete.ts';
import { lockWorkflow, publishWorkflow } from './workflows.ts';

interface FullName {
  readonly project: string;
  readonly name: string;
}

/**
 * Renames a workflow and publishes it under its new name. Refused while others use it, if the new name is or
 * was another workflow's, and while it has open runs under a limit, which counts by name. `renameRuns`
 * follows.
 */
export function* renameWorkflow(input: {
  readonly from: FullName;
  /** The live version under the new name; `base` is the version it was made from. */
  readonly version: Omit<Parameters<typeof publishWorkflow>[0], 'due' | 'now' | 'base'> & {
    readonly base: number;
  };
  /** The draft's text under the new name, if there is a draft. */
  readonly draft?: string;
  readonly now: number;
}): Operation<{ readonly id: number; readonly version: number }> {
  const { from, version, draft, now } = input;
  const { project, name } = version.workflow;
  const { id } = yield* lockWorkflow(from.project, from.name, now);
  yield* refuseUsed(from);
  const taken = yield* row<{ deleted: number | null }>(
    'SELECT deleted_at AS deleted FROM workflow WHERE project = ?1 AND name = ?2',
    project,
    name,
  );
  if (taken)
    throw new Conflict(
      taken.deleted === null
        ? said('rename.taken', { workflow: `${project}/${name}` })
        : said('rename.takenBefore', { workflow: `${project}/${name}` }),
    );
  const limit = `workflow ${from.project}/${from.name}`;
  if (yield* isHeld(id, limit))
    throw new Conflict(said('rename.openRuns', { workflow: `${from.project}/${from.name}` }));
  yield* change('DELETE FROM limit_size WHERE name = ?1', limit);
  yield* change(
    `INSERT INTO project (name, params, revision, created_at) VALUES (?1, '{}', 0, ?2) ON CONFLICT DO NOTHING`,
    project,
    now,
  );
  yield* change('UPDATE workflow SET project = ?2, name = ?3 WHERE id = ?1', id, project, name);
  yield* change(
    {
      sqlite: `UPDATE command SET body = json_set(body, '$.project', ?2, '$.name', ?3) WHERE workflow = ?1`,
      postgres: `UPDATE command SET body = jsonb_set(jsonb_set(body::jsonb, '{project}', to_jsonb(?2::text)), '{name}',
        to_jsonb(?3::text))::text WHERE workflow = ?1`,
    },
    id,
    project,
    name,
  );
  if (draft !== undefined)
    yield* change('UPDATE draft SET body = ?2, revision = revision + 1 WHERE workflow = ?1', id, draft);
  // Its schedules are unchanged, so their due times are not needed.
  const published = yield* publishWorkflow({ ...version, due: {}, now });
  // But a calendar of the same name may have other days there.
  if (project !== from.project) yield* appendEvents(null, yield* alignDueOf(id), now);
  yield* audit(
    version.author,
    'workflow.rename',
    `${from.project}/${from.name}`,
    { to: `${project}/${name}` },
    now,
  );
  return { id, version: published.version };
}

/** Gives at most `limit` runs of a workflow its current name; returns how many had another. */
export function* renameRuns(input: { readonly workflow: number; readonly limit: number }): Operation<number> {
  return yield* change(
    `UPDATE run SET project = (SELECT w.project FROM workflow w WHERE w.id = run.workflow),
       name = (SELECT w.name FROM workflow w WHERE w.id = run.workflow)
     WHERE id IN (SELECT r.id FROM run r JOIN workflow w ON w.id = r.workflow
       WHERE r.workflow = ?1 AND (r.project <> w.project OR r.name <> w.name) LIMIT ?2)`,
    input.workflow,
    input.limit,
  );
}

/** Whether open runs hold or await slots under the workflow's name. */
function* isHeld(workflow: number, limit: string): Operation<boolean> {
  const held = yield* row(
    `SELECT 1 FROM limit_slot WHERE name = ?2 UNION ALL SELECT 1 FROM limit_wait WHERE name = ?2
     UNION ALL SELECT 1 FROM command WHERE workflow = ?1 AND limited = 1 LIMIT 1`,
    workflow,
    limit,
  );
  return held !== undefined;
}
