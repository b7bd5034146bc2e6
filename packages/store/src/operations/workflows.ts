/** Workflows: publishing makes a new immutable version; schedules follow what is published. */
import type { ScheduleSpec, Workflow } from '@orrery/core/model';
import { change, type Operation, row, rows } from '../operation.ts';
import { newNumbers } from './numbers.ts';

/** A published version with the ids it goes by. */
export interface WorkflowVersion {
  readonly id: number;
  readonly version: number;
  readonly workflow: Workflow;
}

/** A workflow in a list. */
export interface WorkflowRow {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly version: number;
  readonly createdAt: number;
}

/** Publishes a workflow; the same content again changes nothing. `due` gives each schedule's next due time. */
export function* publishWorkflow(input: {
  readonly workflow: Workflow;
  readonly hash: string;
  readonly source: string;
  readonly note: string;
  readonly author: string;
  readonly due: Readonly<Record<string, number | null>>;
  readonly now: number;
}): Operation<{ id: number; version: number; changed: boolean }> {
  const { workflow, hash, source, note, author, due, now } = input;
  const known = yield* row<{ id: number; live: number | null }>(
    {
      sqlite: 'SELECT id, live FROM workflow WHERE project = ?1 AND name = ?2',
      postgres: 'SELECT id, live FROM workflow WHERE project = ?1 AND name = ?2 FOR UPDATE',
    },
    workflow.project,
    workflow.name,
  );
  const id = known?.id ?? (yield* newNumbers(1))[0];
  if (!known) {
    yield* change(
      'INSERT INTO workflow (id, project, name, live, created_at) VALUES (?1, ?2, ?3, NULL, ?4)',
      id,
      workflow.project,
      workflow.name,
      now,
    );
  }
  const live = yield* row<{ hash: string }>(
    'SELECT hash FROM workflow_version WHERE workflow = ?1 AND version = ?2',
    id,
    known?.live ?? 0,
  );
  if (known?.live && live?.hash === hash) return { id, version: known.live, changed: false };
  const newest = yield* row<{ version: number | null }>(
    'SELECT max(version) AS version FROM workflow_version WHERE workflow = ?1',
    id,
  );
  const version = (newest?.version ?? 0) + 1;
  yield* change(
    `INSERT INTO workflow_version (workflow, version, body, hash, source, note, author, created_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
    id,
    version,
    JSON.stringify(workflow),
    hash,
    source,
    note,
    author,
    now,
  );
  yield* change('UPDATE workflow SET live = ?2, deleted_at = NULL WHERE id = ?1', id, version);
  yield* alignSchedules(id, workflow.schedules, due, now);
  return { id, version, changed: true };
}

/** One version of a workflow; without a number, the live one. */
export function* readWorkflow(input: {
  readonly project?: string;
  readonly name?: string;
  readonly id?: number;
  readonly version?: number;
}): Operation<WorkflowVersion | undefined> {
  const found = yield* row<{ id: number; version: number; body: string }>(
    `SELECT w.id, v.version, v.body FROM workflow w
     JOIN workflow_version v ON v.workflow = w.id AND v.version = COALESCE(?4, w.live)
     WHERE (w.id = ?3 OR (w.project = ?1 AND w.name = ?2)) AND w.deleted_at IS NULL`,
    input.project ?? null,
    input.name ?? null,
    input.id ?? null,
    input.version ?? null,
  );
  return found && { id: found.id, version: found.version, workflow: JSON.parse(found.body) };
}

/** Workflows that have a live version, by name. */
export function* listWorkflows({
  project,
}: {
  readonly project?: string;
}): Operation<readonly WorkflowRow[]> {
  return yield* rows<WorkflowRow>(
    `SELECT id, project, name, live AS version, created_at AS "createdAt" FROM workflow
     WHERE deleted_at IS NULL AND live IS NOT NULL AND (?1 IS NULL OR project = ?1) ORDER BY project, name`,
    project ?? null,
  );
}

/** Adds, changes and removes schedules; one that did not change goes on without missing a tick. */
function* alignSchedules(
  workflow: number,
  specs: readonly ScheduleSpec[],
  due: Readonly<Record<string, number | null>>,
  now: number,
): Operation<void> {
  const stored = yield* rows<{ id: number; name: string; body: string }>(
    'SELECT id, name, body FROM schedule WHERE workflow = ?1',
    workflow,
  );
  for (const { id, name } of stored) {
    if (!specs.some((spec) => spec.name === name)) yield* change('DELETE FROM schedule WHERE id = ?1', id);
  }
  for (const spec of specs) {
    const body = JSON.stringify(spec);
    const before = stored.find(({ name }) => name === spec.name);
    if (before?.body === body) continue;
    if (before) {
      yield* change(
        `UPDATE schedule SET body = ?2, enabled = ?3, version = version + 1, fired_until = ?4, next_due = ?5 WHERE id = ?1`,
        before.id,
        body,
        Number(spec.enabled),
        now,
        due[spec.name] ?? null,
      );
    } else {
      const [id] = yield* newNumbers(1);
      yield* change(
        `INSERT INTO schedule (id, workflow, name, body, enabled, version, fired_until, next_due)
         VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7)`,
        id,
        workflow,
        spec.name,
        body,
        Number(spec.enabled),
        now,
        due[spec.name] ?? null,
      );
    }
  }
}
