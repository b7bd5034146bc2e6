/**
 * Schedules edited since a master last looked. One counter numbers the edits, and each edit locks it until
 * its commit, so a reader that has seen a number has seen all smaller ones.
 */
import { change, type Operation, row, rows } from '../../operation.ts';

/** The document whose revision is the number of the last edit. */
const EDITS = 'schedules';

/** SQL: the number of the last edit. */
export const lastEdit = `COALESCE((SELECT revision FROM cluster_setting WHERE name = '${EDITS}'), 0)`;

/**
 * Numbers an edit of a schedule. Call it before locking the schedule, so that everyone locks in the same
 * order.
 */
export function* recordEdit(schedule: number): Operation<void> {
  const counted = yield* row<{ revision: number }>(
    `INSERT INTO cluster_setting (name, body, revision) VALUES ('${EDITS}', '{}', 1)
     ON CONFLICT (name) DO UPDATE SET revision = cluster_setting.revision + 1 RETURNING revision`,
  );
  yield* change(
    `INSERT INTO schedule_edit (schedule, revision) VALUES (?1, ?2)
     ON CONFLICT (schedule) DO UPDATE SET revision = excluded.revision`,
    schedule,
    counted?.revision ?? 0,
  );
}

/** Deletes the edits of a deleted schedule: a master that still has it finds nothing to fire. */
export function* forgetEdits(schedule: number): Operation<void> {
  yield* change('DELETE FROM schedule_edit WHERE schedule = ?1', schedule);
}

/** Schedules edited after a revision, each with the revision of its last edit, in that order. */
export function* editedSchedules(input: {
  readonly after: number;
  readonly limit: number;
}): Operation<readonly { readonly id: number; readonly revision: number }[]> {
  return yield* rows(
    'SELECT schedule AS id, revision FROM schedule_edit WHERE revision > ?1 ORDER BY revision LIMIT ?2',
    input.after,
    input.limit,
  );
}
