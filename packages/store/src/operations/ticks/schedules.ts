/** Schedules: those due soon, the outcomes of their ticks, and turning them on and off. */
import type { ScheduleSpec } from '@orrery/core/model';
import { batch, change, type Operation, row, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { audit } from '../access/audit.ts';
import { alignHolding } from '../cluster/holdings.ts';
import { appendEvents, type FeedEvent } from '../runs/feed.ts';
import { withHolidays } from './holidays.ts';
import { recordEdit } from './schedule-edits.ts';
import { withStoreTime } from './store-time.ts';

/** A schedule for the master that fires it. */
export interface ScheduleRow {
  readonly id: number;
  readonly workflow: number;
  readonly name: string;
  readonly spec: ScheduleSpec;
  readonly enabled: boolean;
  readonly version: number;
  readonly firedUntil: number;
  readonly nextDue: number | null;
}

const columns = 'id, workflow, name, body, enabled, version, fired_until, next_due';

interface Stored {
  readonly id: number;
  readonly workflow: number;
  readonly name: string;
  readonly body: string;
  readonly enabled: number;
  readonly version: number;
  readonly fired_until: number;
  readonly next_due: number | null;
}

/** A schedule's next due time and what it depends on. */
export interface DueSchedule {
  readonly id: number;
  readonly workflow: number;
  readonly name: string;
  readonly version: number;
  readonly firedUntil: number;
  readonly nextDue: number;
}

/**
 * Enabled schedules whose next tick is due by `until`, soonest first; `after` is the last of the previous
 * page.
 */
export function* dueSchedules({
  until,
  after = { due: -1, id: 0 },
  limit,
}: {
  readonly until: number;
  readonly after?: { readonly due: number; readonly id: number };
  readonly limit: number;
}): Operation<readonly DueSchedule[]> {
  return yield* rows<DueSchedule>(
    `SELECT id, workflow, name, version, fired_until AS "firedUntil", next_due AS "nextDue" FROM schedule
     WHERE enabled = 1 AND next_due IS NOT NULL AND next_due <= ?1 AND (next_due, id) > (?3, ?4)
     ORDER BY next_due, id LIMIT ?2`,
    until,
    limit,
    after.due,
    after.id,
  );
}

/** Enabled schedules overdue at `until`, the most overdue first, and the next due time after that. */
export function* lateSchedules({
  until,
  limit,
}: {
  readonly until: number;
  readonly limit: number;
}): Operation<{ readonly late: readonly DueSchedule[]; readonly next: number | null }> {
  const from = `SELECT id, workflow, name, version, fired_until AS "firedUntil", next_due AS "nextDue" FROM schedule
    WHERE enabled = 1 AND next_due IS NOT NULL`;
  const found = yield* rows<DueSchedule>(
    `SELECT * FROM (${from} AND next_due <= ?1 ORDER BY next_due, id LIMIT ?2) late
     UNION ALL SELECT * FROM (${from} AND next_due > ?1 ORDER BY next_due LIMIT 1) next`,
    until,
    limit,
  );
  const late = found.filter(({ nextDue }) => nextDue <= until);
  return { late, next: found.find(({ nextDue }) => nextDue > until)?.nextDue ?? null };
}

/** A schedule about to fire, with its workflow's live version. */
export interface FiringSchedule extends ScheduleRow {
  readonly live: number | null;
  /** Its ticks are skipped: nothing may start its workflow. */
  readonly offline: boolean;
}

/** Existing schedules by id, in no particular order. */
export function* readSchedules({ ids }: { readonly ids: readonly number[] }): Operation<FiringSchedule[]> {
  const from = `SELECT s.id, s.workflow, s.name, s.body, s.enabled, s.version, s.fired_until, s.next_due, w.project,
    w.live, w.offline_since AS offline`;
  const { rows: found } = yield* batch<
    Stored & { project: string; live: number | null; offline: number | null }
  >(
    {
      sqlite: `${from} FROM schedule s JOIN workflow w ON w.id = s.workflow WHERE s.id = ?1`,
      postgres: `${from} FROM unnest(?1::int8[]) AS k(id) JOIN schedule s ON s.id = k.id JOIN workflow w ON w.id = s.workflow`,
    },
    ['int'],
    ids.map((id) => [id]),
  );
  return yield* withHolidays(
    found.map((row) => ({
      ...read(row),
      project: row.project,
      live: row.live,
      offline: row.offline !== null,
    })),
  );
}

/** All schedules, or those of one workflow. */
export function* listSchedules({ workflow }: { readonly workflow?: number }): Operation<ScheduleRow[]> {
  const found = yield* rows<Stored & { project: string }>(
    `SELECT s.id, s.workflow, s.name, s.body, s.enabled, s.version, s.fired_until, s.next_due, w.project
     FROM schedule s JOIN workflow w ON w.id = s.workflow ${workflow === undefined ? '' : 'WHERE s.workflow = ?1'}
     ORDER BY s.id`,
    ...(workflow === undefined ? [] : [workflow]),
  );
  return yield* withHolidays(found.map((row) => ({ ...read(row), project: row.project })));
}

/**
 * Turns a schedule on or off; a tick already in a timer finds it changed. Past ticks stay fired, even if the
 * clock was set back. `now` is the store's time; a value ahead of it is capped. With `version`, only if the
 * schedule is still at it; undefined if there is no such schedule.
 */
export function* setSchedule(input: {
  readonly id: number;
  readonly enabled: boolean;
  readonly nextDue: number | null;
  readonly version?: number;
  readonly now: number;
}): Operation<ScheduleRow | undefined> {
  const { id, enabled, nextDue, version, now } = input;
  const seen = version === undefined ? '' : 'AND version = ?5';
  yield* recordEdit(id);
  const found = yield* row<Stored>(
    withStoreTime(`UPDATE schedule SET enabled = ?2, version = version + 1, next_due = ?3, ${advanceTo('?4')}
     WHERE id = ?1 ${seen} RETURNING ${columns}`),
    id,
    Number(enabled),
    nextDue,
    now,
    ...(version === undefined ? [] : [version]),
  );
  if (!found) return undefined;
  const of = yield* row<{ project: string; name: string }>(
    'SELECT project, name FROM workflow WHERE id = ?1',
    found.workflow,
  );
  const action = enabled ? 'schedule.resume' : 'schedule.pause';
  const states = { before: enabled ? 'paused' : 'on', after: enabled ? 'on' : 'paused' };
  yield* audit(
    'system',
    action,
    `${of?.project}/${of?.name} ${found.name}`,
    { schedule: id, ...states },
    now,
  );
  yield* alignHolding(id, enabled, now);
  yield* appendEvents(null, [scheduleEvent(found, 'set')], now);
  return read(found);
}

/**
 * SQL: the new `fired_until` after an edit: the given time, but never earlier than before, and never ahead of
 * the store's clock.
 */
export function advanceTo(now: string): string {
  const time = `CASE WHEN ${now} > {storeTime} THEN {storeTime} ELSE ${now} END`;
  return `fired_until = CASE WHEN fired_until > ${time} THEN fired_until ELSE ${time} END`;
}

/**
 * The feed event of a schedule that was created, edited or deleted. The event of ticks announces its firing.
 */
export function scheduleEvent(
  { id, workflow, version }: { readonly id: number; readonly workflow: number; readonly version: number },
  what: 'set' | 'removed',
): FeedEvent {
  return { topic: 'schedule', subject: id, revision: version, body: JSON.stringify({ what, workflow }) };
}

/** Ticks and skips of a schedule, newest first; `before` is the last due time of the previous page. */
export function* listTicks({
  schedule,
  before,
  limit,
}: {
  readonly schedule: number;
  readonly before?: number;
  readonly limit: number;
}): Operation<
  readonly {
    readonly due: number;
    readonly until: number;
    readonly count: number;
    readonly firedAt: number;
    readonly run: number | null;
    readonly reason: string | null;
  }[]
> {
  return yield* rows(
    `SELECT due, due AS until, 1 AS count, fired_at AS "firedAt", run, NULL AS reason FROM tick WHERE schedule = ?1 AND due < ?3
     UNION ALL SELECT first_due, last_due, count, recorded_at, NULL, reason FROM tick_skip WHERE schedule = ?1 AND first_due < ?3
     ORDER BY 1 DESC LIMIT ?2`,
    schedule,
    limit,
    before ?? Number.MAX_SAFE_INTEGER,
  );
}

/** An unreadable schedule is refused where it is used; here it must not block the others. */
function read(row: Stored): ScheduleRow {
  return {
    id: row.id,
    workflow: row.workflow,
    name: row.name,
    spec: readOr(row.body, {} as ScheduleSpec),
    enabled: row.enabled === 1,
    version: row.version,
    firedUntil: row.fired_until,
    nextDue: row.next_due,
  };
}

/**
 * Deletes ticks before one time and skips before another, a few at a time; returns how many. Includes those
 * of deleted schedules.
 */
export function* sweepTicks({
  before,
  skipsBefore = before,
  limit,
}: {
  readonly before: number;
  readonly skipsBefore?: number;
  readonly limit: number;
}): Operation<number> {
  let swept = 0;
  for (const [table, due, until] of [
    ['tick', 'due', before],
    ['tick_skip', 'first_due', skipsBefore],
  ] as const) {
    // By due time, which has an index, so that ticks of deleted schedules also expire.
    swept += yield* change(
      `DELETE FROM ${table} WHERE (schedule, ${due}) IN (
         SELECT schedule, ${due} FROM ${table} WHERE ${due} < ?1 ORDER BY ${due} LIMIT ?2)`,
      until,
      limit,
    );
  }
  return swept;
}
