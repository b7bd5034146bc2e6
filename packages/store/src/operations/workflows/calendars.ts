/** Calendars: named sets of days of a project on which schedules that refer to them do not fire. */

import type { ScheduleSpec } from '@orrery/core/model';
import { timingOf } from '@orrery/core/model/timing';
import { said } from '@orrery/core/texts';
import { nextTick } from '@orrery/core/time';
import { Conflict } from '../../errors.ts';
import { change, type Operation, row, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { audit } from '../access/audit.ts';
import { appendEvents, type FeedEvent } from '../runs/feed.ts';
import { type CalendarBody, type CalendarKey, withHolidays } from '../ticks/holidays.ts';
import { recordEdit } from '../ticks/schedule-edits.ts';
import { scheduleEvent } from '../ticks/schedules.ts';
import { publishAlone } from './start-cycles.ts';
import { refuseNeeded } from './workflow-uses.ts';

/** A calendar; `revision` increases with each change. */
export interface CalendarRow extends CalendarKey, CalendarBody {
  readonly revision: number;
  readonly changedAt: number;
  /** Number of schedules that exclude its days. */
  readonly schedules: number;
}

interface Stored extends CalendarKey {
  readonly body: string;
  readonly revision: number;
  readonly changedAt: number;
}

const columns = 'project, name, body, revision, changed_at AS "changedAt"';

/** Calendars of one project or all, by project and name; or a single one. */
export function* listCalendars({ project, name }: Partial<CalendarKey>): Operation<CalendarRow[]> {
  const found = yield* rows<Stored>(
    `SELECT ${columns} FROM calendar WHERE (CAST(?1 AS TEXT) IS NULL OR project = ?1) AND (CAST(?2 AS TEXT) IS NULL OR name = ?2)
     ORDER BY project, name`,
    project ?? null,
    name ?? null,
  );
  const counts = new Map<string, number>();
  for (const schedule of yield* schedulesUsing({ project, name })) {
    const key = `${schedule.project}/${schedule.spec.calendar}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return found.map(({ body, ...rest }) => ({
    ...rest,
    ...(JSON.parse(body) as CalendarBody),
    schedules: counts.get(`${rest.project}/${rest.name}`) ?? 0,
  }));
}

/** A schedule whose next due time moves with a change of its calendar. */
export interface MovedSchedule {
  readonly id: number;
  readonly project: string;
  readonly workflow: string;
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
}

/**
 * Creates or replaces a calendar. With a revision, only if it has not changed since; 0: only if it is new.
 * The schedules that refer to it get their next due times in the same transaction; past ticks stay fired. A
 * dry run writes nothing and returns the same.
 */
export function* setCalendar(
  input: CalendarKey & {
    readonly calendar: CalendarBody;
    readonly revision?: number;
    readonly dryRun?: boolean;
    readonly by: string;
    readonly now: number;
  },
): Operation<{ readonly calendar: CalendarRow; readonly moved: readonly MovedSchedule[] }> {
  const { project, name, calendar, revision, dryRun = false, by, now } = input;
  yield* publishAlone();
  const present = yield* row<{ revision: number }>(
    'SELECT revision FROM calendar WHERE project = ?1 AND name = ?2',
    project,
    name,
  );
  const before = present?.revision ?? 0;
  if (revision !== undefined && revision !== before) throw new Conflict(said('changed.calendar', { name }));
  const { description: _, ...holidays } = calendar;
  const using = (yield* schedulesUsing({ project, name })).map((schedule) => ({
    ...schedule,
    spec: { ...schedule.spec, holidays },
  }));
  const next = new Map(using.map((schedule) => [schedule.id, dueOf(schedule)]));
  if (!dryRun) {
    yield* change(
      `INSERT INTO calendar (project, name, body, revision, changed_at) VALUES (?1, ?2, ?3, 1, ?4)
       ON CONFLICT (project, name) DO UPDATE SET body = excluded.body, revision = calendar.revision + 1,
         changed_at = excluded.changed_at`,
      project,
      name,
      JSON.stringify(calendar),
      now,
    );
    yield* appendEvents(null, yield* alignDue(using), now);
    const counts = Object.fromEntries(Object.entries(holidays).map(([kind, days]) => [kind, days.length]));
    const told = { before, after: before + 1, ...counts, schedules: using.length };
    yield* audit(by, 'calendar.set', `${project}/${name}`, told, now);
  }
  return {
    calendar: {
      project,
      name,
      ...calendar,
      revision: before + 1,
      changedAt: now,
      schedules: using.length,
    },
    moved: using
      .map(({ id, project, workflowName, spec, nextDue }) => ({
        ...{ id, project, workflow: workflowName, name: spec.name },
        before: nextDue,
        after: next.get(id) ?? null,
      }))
      .filter((each) => each.before !== each.after),
  };
}

/** Deletes a calendar; false if it does not exist. Refused while schedules of live versions refer to it. */
export function* deleteCalendar(
  input: CalendarKey & { readonly by: string; readonly now: number },
): Operation<boolean> {
  const { project, name, by, now } = input;
  yield* publishAlone();
  yield* refuseNeeded({ kind: 'calendar', project, name });
  const gone = yield* row<{ revision: number; body: string }>(
    'DELETE FROM calendar WHERE project = ?1 AND name = ?2 RETURNING revision, body',
    project,
    name,
  );
  if (!gone) return false;
  const before = { revision: gone.revision, days: readOr<object>(gone.body, {}) };
  yield* audit(by, 'calendar.delete', `${project}/${name}`, { before }, now);
  return true;
}

interface UsingSchedule {
  readonly id: number;
  readonly workflow: number;
  readonly project: string;
  readonly spec: ScheduleSpec;
  readonly workflowName: string;
  readonly enabled: number;
  readonly firedUntil: number;
  readonly nextDue: number | null;
}

/** Schedules that refer to one calendar of a project, or to any. */
function* schedulesUsing({ project, name }: Partial<CalendarKey>): Operation<UsingSchedule[]> {
  const found = yield* rows<Omit<UsingSchedule, 'spec'> & { body: string }>(
    `SELECT s.id, s.workflow, w.project, s.body, s.enabled, s.fired_until AS "firedUntil", s.next_due AS "nextDue", w.name AS "workflowName"
     FROM schedule s JOIN workflow w ON w.id = s.workflow
     WHERE s.workflow IN (SELECT workflow FROM workflow_need
       WHERE kind = 'calendar' AND (CAST(?1 AS TEXT) IS NULL OR project = ?1) AND (CAST(?2 AS TEXT) IS NULL OR name = ?2)) ORDER BY s.id`,
    project ?? null,
    name ?? null,
  );
  return found
    .map(({ body, ...rest }) => ({ ...rest, spec: JSON.parse(body) as ScheduleSpec }))
    .filter(({ spec }) => spec.calendar !== undefined && (name === undefined || spec.calendar === name));
}

/**
 * Updates the due times of a workflow's schedules after a move to another project, by that project's
 * calendars.
 */
export function* alignDueOf(workflow: number): Operation<FeedEvent[]> {
  const all = yield* schedulesUsing({});
  return yield* alignDue(yield* withHolidays(all.filter((schedule) => schedule.workflow === workflow)));
}

/**
 * Recomputes due times of schedules from what they have fired: an overdue tick stays due. A tick prepared
 * with the old days finds another version and is read again; what was fired meanwhile is not due again.
 */
function* alignDue(schedules: readonly UsingSchedule[]): Operation<FeedEvent[]> {
  const events: FeedEvent[] = [];
  const select = 'SELECT enabled, fired_until AS "firedUntil" FROM schedule WHERE id = ?1';
  for (const schedule of schedules) {
    const { id, workflow } = schedule;
    yield* recordEdit(id);
    const locked = yield* row<Pick<UsingSchedule, 'enabled' | 'firedUntil'>>(
      { sqlite: select, postgres: `${select} FOR UPDATE` },
      id,
    );
    if (!locked) continue;
    const edited = yield* row<{ version: number }>(
      'UPDATE schedule SET next_due = ?2, version = version + 1 WHERE id = ?1 RETURNING version',
      id,
      dueOf({ ...schedule, ...locked }),
    );
    if (edited) events.push(scheduleEvent({ id, workflow, version: edited.version }, 'set'));
  }
  return events;
}

function dueOf({ spec, enabled, firedUntil }: UsingSchedule): number | null {
  return enabled === 1 ? (nextTick(timingOf(spec), firedUntil) ?? null) : null;
}
