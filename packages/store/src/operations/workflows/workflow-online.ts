/** Workflows online and offline: nothing starts an offline workflow, and its open runs continue. */
import { english, said } from '@orrery/core/texts';
import { batch, type Operation, row, rows } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { appendEvents } from '../runs/feed.ts';
import { recordEdit } from '../ticks/schedule-edits.ts';
import { scheduleEvent } from '../ticks/schedules.ts';

/** Why an offline workflow does not start. */
export function whyOffline(project: string, name: string): string {
  return english(said('start.offline', { workflow: `${project}/${name}` }));
}

/**
 * Puts a workflow online or offline; undefined if it does not exist, no change if it is already so. Its
 * schedules get a new version, so that a master with a prepared tick finds it changed.
 */
export function* setWorkflowOnline(input: {
  readonly project: string;
  readonly name: string;
  readonly online: boolean;
  readonly by: string;
  readonly now: number;
}): Operation<{ readonly id: number; readonly offlineSince: number | null } | undefined> {
  const { project, name, online, by, now } = input;
  const schedules = yield* rows<{ id: number }>(
    `SELECT s.id FROM schedule s JOIN workflow w ON w.id = s.workflow WHERE w.project = ?1 AND w.name = ?2 ORDER BY s.id`,
    project,
    name,
  );
  for (const { id } of schedules) yield* recordEdit(id);
  const changed = yield* row<{ id: number; live: number | null }>(
    `UPDATE workflow SET offline_since = ?3 WHERE project = ?1 AND name = ?2 AND deleted_at IS NULL AND live IS NOT NULL
       AND (offline_since IS NULL) <> (CAST(?3 AS BIGINT) IS NULL) RETURNING id, live`,
    project,
    name,
    online ? null : now,
  );
  if (!changed) return yield* standing(project, name);
  const edited = yield* rows<{ id: number; workflow: number; version: number }>(
    'UPDATE schedule SET version = version + 1 WHERE workflow = ?1 RETURNING id, workflow, version',
    changed.id,
  );
  yield* audit(by, online ? 'workflow.online' : 'workflow.offline', `${project}/${name}`, {}, now);
  const body = JSON.stringify({ project, name });
  yield* appendEvents(
    null,
    [
      { topic: 'workflow', subject: changed.id, revision: changed.live ?? 0, body },
      ...edited.map((schedule) => scheduleEvent(schedule, 'set')),
    ],
    now,
  );
  return { id: changed.id, offlineSince: online ? null : now };
}

/**
 * Those of the workflows that are offline, with the reason. The others stay online until the caller's
 * transaction ends: taking one offline waits for it, so no start decided earlier is written later.
 */
export function* offlineAmong(workflows: readonly number[]): Operation<ReadonlyMap<number, string>> {
  const ids = [...new Set(workflows)];
  if (ids.length === 0) return new Map();
  const found = 'SELECT id, project, name, offline_since AS "offlineSince" FROM workflow WHERE id';
  // Reads all of them: a condition on more than the id would leave online ones unlocked.
  const { rows: locked } = yield* batch<{
    id: number;
    project: string;
    name: string;
    offlineSince: number | null;
  }>(
    { sqlite: `${found} = ?1`, postgres: `${found} = ANY (?1::int8[]) ORDER BY id FOR SHARE` },
    ['int'],
    ids.map((id) => [id]),
  );
  const offline = locked.filter(({ offlineSince }) => offlineSince !== null);
  return new Map(offline.map(({ id, project, name }) => [id, whyOffline(project, name)]));
}

function* standing(project: string, name: string) {
  return yield* row<{ id: number; offlineSince: number | null }>(
    `SELECT id, offline_since AS "offlineSince" FROM workflow
     WHERE project = ?1 AND name = ?2 AND deleted_at IS NULL AND live IS NOT NULL`,
    project,
    name,
  );
}
