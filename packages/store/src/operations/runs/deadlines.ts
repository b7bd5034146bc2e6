/**
 * Deadlines of workflows: the next one, and the single compare-and-set that passes it. One transaction passes
 * the deadline, checks whether it was met and raises the alert, so the alert is raised once.
 */
import type { DeadlineSpec, Workflow } from '@orrery/core/model';
import { type DeadlineDay, nextDeadline } from '@orrery/core/model/deadline';
import { change, type Operation, row, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { raise } from '../alerting/alerts.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { remember } from '../lists/history.ts';

/** The next deadline of a workflow. */
export interface DueDeadline {
  readonly workflow: number;
  readonly spec: DeadlineSpec;
  readonly due: number;
}

/** Records the next deadline of a version that becomes live; an unchanged deadline continues. */
export function* alignDeadline(
  id: number,
  { deadline }: Pick<Workflow, 'deadline'>,
  now: number,
): Operation<void> {
  if (!deadline) {
    yield* change('DELETE FROM deadline WHERE workflow = ?1', id);
    return;
  }
  yield* change(
    `INSERT INTO deadline (workflow, body, due) VALUES (?1, ?2, ?3)
     ON CONFLICT (workflow) DO UPDATE SET body = excluded.body, due = excluded.due WHERE deadline.body <> excluded.body`,
    id,
    JSON.stringify(deadline),
    nextDeadline(deadline, now).at,
  );
}

/** Due deadlines, earliest first. */
export function* dueDeadlines(input: {
  readonly until: number;
  readonly limit: number;
}): Operation<DueDeadline[]> {
  const found = yield* rows<{ workflow: number; body: string; due: number }>(
    'SELECT workflow, body, due FROM deadline WHERE due <= ?1 ORDER BY due LIMIT ?2',
    input.until,
    input.limit,
  );
  // An unreadable deadline is refused where it is used; here it must not block the others.
  return found.map(({ workflow, body, due }) => ({
    workflow,
    due,
    spec: readOr(body, {} as DeadlineSpec),
  }));
}

/** Limit of a day's runs that are named in an alert and get a message. */
const MOST_NAMED = 20;

/**
 * Passes a deadline, unless another master did; returns whether it was missed: no run of that business day
 * had succeeded.
 */
export function* passDeadline(input: {
  readonly self: Self;
  readonly deadline: DueDeadline;
  readonly now: number;
}): Operation<{ readonly missed: boolean }> {
  const { self, deadline, now } = input;
  const { workflow, due, spec } = deadline;
  yield* checkSelf(self);
  const passed = yield* change(
    'UPDATE deadline SET due = ?4 WHERE workflow = ?1 AND due = ?2 AND body = ?3',
    workflow,
    due,
    JSON.stringify(spec),
    nextDeadline(spec, due).at,
  );
  if (passed === 0) return { missed: false };
  const day = nextDeadline(spec, due - 1);
  const met = yield* row(
    `SELECT 1 AS met FROM fact WHERE workflow = ?1 AND business_time >= ?2 AND business_time < ?3 AND state = 'success' AND counts = 1
       AND ended_at <= ?4 LIMIT 1`,
    workflow,
    day.from,
    day.to,
    due,
  );
  const named = yield* row<{ project: string; name: string }>(
    // An offline workflow is not meant to run.
    'SELECT project, name FROM workflow WHERE id = ?1 AND offline_since IS NULL',
    workflow,
  );
  if (met || !named) return { missed: false };
  yield* tellMissed(self, { workflow, ...named }, spec, day, now);
  return { missed: true };
}

function* tellMissed(
  self: Self,
  about: { readonly workflow: number; readonly project: string; readonly name: string },
  { at, timezone }: DeadlineSpec,
  { day, from, to }: DeadlineDay,
  now: number,
): Operation<void> {
  const open = yield* rows<{ id: number }>(
    `SELECT id FROM run WHERE standing = 0 AND +workflow = ?1 AND business_time >= ?2 AND business_time < ?3
       AND kind = 'normal' ORDER BY id LIMIT ?4`,
    about.workflow,
    from,
    to,
    MOST_NAMED,
  );
  const under = open.length === 0 ? '' : `; open: run ${open.map(({ id }) => id).join(', ')}`;
  const text = `${about.project}/${about.name} has no successful run of ${day} by ${at} (${timezone})${under}`;
  yield* raise(self, [{ kind: 'deadline', ...about, run: open.at(-1)?.id ?? null, text, from, to }], now);
  yield* remember(
    open.map(({ id }) => ({
      actor: 'deadline',
      kind: 'run',
      subject: String(id),
      action: 'deadline-missed',
      body: { reason: text },
    })),
    now,
  );
}
