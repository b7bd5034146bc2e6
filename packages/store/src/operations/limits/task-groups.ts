/** Task groups: how many attempts of their tasks run at once across all workflows of a project. */
import { limitOfGroup } from '@orrery/core/admit';
import { type Operation, row, rows } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import type { Holder } from '../lists/why-reads.ts';
import { refuseNeeded } from '../workflows/workflow-uses.ts';
import { setLimit } from './limits.ts';

/** A task group with its holders and waiters; waiters are counted up to about ten thousand. */
export interface TaskGroupRow {
  readonly project: string;
  readonly name: string;
  readonly slots: number;
  readonly held: number;
  readonly waiting: number;
}

/** An attempt that waits for a slot, in list order. */
export interface GroupWaiter extends Holder {
  readonly shard: number;
  readonly number: number;
  readonly since: number;
}

const MOST_COUNTED = 10_000;
const PREFIX = limitOfGroup('', '').replace('/', '');

/** The task groups of one project or all. */
export function* listTaskGroups({ project }: { readonly project?: string }): Operation<TaskGroupRow[]> {
  const first = project === undefined ? PREFIX : limitOfGroup(project, '');
  const found = yield* rows<Omit<TaskGroupRow, 'project'>>(
    `SELECT l.name, l.slots, l.held,
       (SELECT count(*) FROM (SELECT 1 FROM limit_wait w WHERE w.name = l.name LIMIT ${MOST_COUNTED}) c) AS waiting
     FROM limit_size l WHERE l.name >= ?1 AND l.name < ?2 ORDER BY l.name`,
    first,
    `${first}\u{10FFFF}`,
  );
  return found.map(({ name, ...counts }) => ({ ...groupOfLimit(name), ...counts }));
}

/** Sets the size of a group and admits waiters that now fit; attempts above the size run to their end. */
export function* setTaskGroup(input: {
  readonly project: string;
  readonly name: string;
  readonly slots: number;
  readonly by: string;
  readonly now: number;
}): Operation<void> {
  const { project, name, slots, by, now } = input;
  const limit = limitOfGroup(project, name);
  const before = yield* row<{ slots: number }>('SELECT slots FROM limit_size WHERE name = ?1', limit);
  yield* setLimit({ name: limit, slots, now });
  yield* audit(
    by,
    'task-group.set',
    `${project}/${name}`,
    { before: before?.slots ?? null, after: slots },
    now,
  );
}

/**
 * Deletes a group and admits all its waiters; false if it does not exist. Refused while a workflow needs it.
 */
export function* deleteTaskGroup(input: {
  readonly project: string;
  readonly name: string;
  readonly by: string;
  readonly now: number;
}): Operation<boolean> {
  const { project, name, by, now } = input;
  const limit = limitOfGroup(project, name);
  const found = yield* row<{ slots: number }>('SELECT slots FROM limit_size WHERE name = ?1', limit);
  if (!found) return false;
  yield* refuseNeeded({ kind: 'task-group', project, name });
  yield* setLimit({ name: limit, slots: null, now });
  yield* audit(by, 'task-group.delete', `${project}/${name}`, { before: found.slots }, now);
  return true;
}

/** The first waiters for a slot, in admission order. */
export function* listGroupWaiters(input: {
  readonly project: string;
  readonly name: string;
  readonly limit: number;
}): Operation<readonly GroupWaiter[]> {
  return yield* rows<GroupWaiter>(
    `SELECT w.run, w.task, w.shard, w.number, w.since, r.workflow, r.version, r.project
     FROM limit_wait w JOIN run r ON r.id = w.run WHERE w.name = ?1 ORDER BY w.priority, w.seq LIMIT ?2`,
    limitOfGroup(input.project, input.name),
    input.limit,
  );
}

/** The group of a limit. */
export function groupOfLimit(limit: string): { project: string; name: string } {
  const [project, name] = limit.slice(PREFIX.length).split('/');
  return { project, name };
}
