/** Deletes a workflow: nothing starts it any more, while open runs continue and history stays. */

import type { WorkflowUse } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import { Conflict } from '../../errors.ts';
import { change, type Operation, row } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { alignDeadline } from '../runs/deadlines.ts';
import { appendEvents } from '../runs/feed.ts';
import { forgetUses, listUsers } from './workflow-uses.ts';
import { alignSchedules, lockWorkflow } from './workflows.ts';

/**
 * Deletes a workflow: nothing starts it any more, by hand, by schedule or from another workflow. Its runs and
 * versions stay. Refused while live versions of other workflows use it.
 */
export function* deleteWorkflow(input: {
  readonly project: string;
  readonly name: string;
  readonly now: number;
}): Operation<{ readonly id: number } | undefined> {
  const { project, name, now } = input;
  const found = yield* row<{ id: number; live: number | null }>(
    'SELECT id, live FROM workflow WHERE project = ?1 AND name = ?2 AND deleted_at IS NULL',
    project,
    name,
  );
  if (!found) return undefined;
  yield* lockWorkflow(project, name, now);
  yield* refuseUsed(input);
  const { id, live } = found;
  // Without a live version, the same content can be published again.
  yield* change(
    'UPDATE workflow SET live = NULL, deleted_at = ?2, offline_since = NULL WHERE id = ?1',
    id,
    now,
  );
  yield* change('DELETE FROM draft WHERE workflow = ?1', id);
  yield* forgetUses(id);
  yield* alignDeadline(id, {}, now);
  yield* change('DELETE FROM trigger_mark WHERE workflow = ?1', id);
  const gone = yield* alignSchedules(id, [], {}, now);
  const body = JSON.stringify({ project, name });
  yield* appendEvents(null, [{ topic: 'workflow', subject: id, revision: live ?? 0, body }, ...gone], now);
  yield* audit('system', 'workflow.delete', `${project}/${name}`, { before: live }, now);
  return { id };
}

const SHOWN_USERS = 5;

/** Refuses to delete a name used by live versions of other workflows, and names them. */
export function* refuseUsed({
  project,
  name,
}: {
  readonly project: string;
  readonly name: string;
}): Operation<void> {
  const users = yield* listUsers({ project, name, limit: SHOWN_USERS + 1 });
  if (users.length > 0)
    throw new Conflict(
      said('delete.used', { workflow: `${project}/${name}`, users: usersText(users, project) }),
    );
}

/** Other projects' workflows are counted, not named: their names are not for everybody. */
function usersText(users: readonly WorkflowUse[], own: string): string {
  const texts = users
    .slice(0, SHOWN_USERS)
    .map(({ project, name, as }) => (project === own ? `${project}/${name} (${as})` : 'another project'));
  const shown = [...new Set(texts)];
  return `${shown.join(', ')}${users.length > SHOWN_USERS ? ' and others' : ''}; change those first`;
}
