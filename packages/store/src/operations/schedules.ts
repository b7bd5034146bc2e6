/** Schedules: which are due soon, and the one compare-and-set that makes a tick a run. */
import { InvalidInput } from '@orrery/core/errors';
import type { ScheduleSpec } from '@orrery/core/model';
import { change, type Operation, row, rows, together } from '../operation.ts';
import { readOr } from '../stored.ts';
import { insert } from '../table.ts';
import { tickTable } from '../tables.ts';
import { type Command, queueCommands } from './commands.ts';
import { appendEvents, type FeedEvent } from './feed.ts';
import { whyTaken } from './periods.ts';
import { checkSelf, type Self } from './self.ts';

/** A schedule as the one who fires it needs it. */
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

/** Enabled schedules whose next tick is due by `until`, soonest first. */
export function* dueSchedules({
  until,
  limit,
}: {
  readonly until: number;
  readonly limit: number;
}): Operation<ScheduleRow[]> {
  const found = yield* rows<Stored>(
    `SELECT ${columns} FROM schedule WHERE enabled = 1 AND next_due IS NOT NULL AND next_due <= ?1 ORDER BY next_due LIMIT ?2`,
    until,
    limit,
  );
  return found.map(read);
}

/** All schedules, or those of one workflow. */
export function* listSchedules({ workflow }: { readonly workflow?: number }): Operation<ScheduleRow[]> {
  const found =
    workflow === undefined
      ? yield* rows<Stored>(`SELECT ${columns} FROM schedule ORDER BY id`)
      : yield* rows<Stored>(`SELECT ${columns} FROM schedule WHERE workflow = ?1 ORDER BY id`, workflow);
  return found.map(read);
}

/**
 * Fires ticks of one schedule: nothing happens unless it stands exactly as it was seen (`firedUntil`, version,
 * enabled). False means that another fired them or that it was edited: read it again. Without any, it only says when
 * the next is due: the clock may have been set back since that was written.
 */
export function* fireTicks(input: {
  readonly self: Self;
  readonly schedule: number;
  readonly version: number;
  readonly seen: number;
  readonly firedUntil: number;
  readonly nextDue: number | null;
  readonly ticks: readonly { readonly due: number; readonly command: Command }[];
  readonly skipped?: {
    readonly from: number;
    readonly to: number;
    readonly count: number;
    readonly reason: string;
  };
  readonly now: number;
}): Operation<{ fired: boolean; runs: readonly number[] }> {
  const { self, schedule, version, seen, firedUntil, nextDue, ticks, skipped, now } = input;
  if (firedUntil < seen || ticks.some(({ due }) => due <= seen || due > firedUntil)) {
    throw new InvalidInput(`ticks of schedule ${schedule} must lie after ${seen} and up to ${firedUntil}`);
  }
  yield* checkSelf(self);
  const fired = yield* row<{ workflow: number }>(
    `UPDATE schedule SET fired_until = ?4, next_due = ?5
     WHERE id = ?1 AND version = ?2 AND fired_until = ?3 AND enabled = 1 RETURNING workflow`,
    schedule,
    version,
    seen,
    firedUntil,
    nextDue,
  );
  if (!fired) return { fired: false, runs: [] };
  if (firedUntil === seen) return { fired: true, runs: [] };
  const queued = yield* queueCommands(
    self,
    ticks.map(({ command }) => command),
    now,
  );
  const started = ticks.flatMap(({ due }, k) =>
    queued[k].taken === undefined ? [{ due, run: queued[k].run }] : [],
  );
  yield* together(
    insert(
      tickTable,
      started.map(({ due, run }) => ({ schedule, due, fired_at: now, run })),
    ),
    appendEvents(self, [scheduleEvent({ id: schedule, version, workflow: fired.workflow }, 'fired')], now),
  );
  const skips = [
    ...(skipped ? [skipped] : []),
    ...ticks.flatMap(({ due }, k) => {
      const { taken } = queued[k];
      return taken === undefined ? [] : [{ from: due, to: due, count: 1, reason: whyTaken(taken) }];
    }),
  ];
  for (const { from, to, count, reason } of skips)
    yield* change(
      `INSERT INTO tick_skip (schedule, first_due, last_due, count, reason, recorded_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
      schedule,
      from,
      to,
      count,
      reason,
      now,
    );
  return { fired: true, runs: started.map(({ run }) => run) };
}

/**
 * Turns a schedule on or off; a tick that is already in a timer will find it changed. What it fired stays fired, also
 * when the clock was set back. With `version` only one that is still at it; undefined where there is none such.
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
  const found = yield* row<Stored>(
    `UPDATE schedule SET enabled = ?2, version = version + 1, next_due = ?3,
       fired_until = CASE WHEN fired_until > ?4 THEN fired_until ELSE ?4 END
     WHERE id = ?1 ${seen} RETURNING ${columns}`,
    id,
    Number(enabled),
    nextDue,
    now,
    ...(version === undefined ? [] : [version]),
  );
  if (!found) return undefined;
  yield* appendEvents(null, [scheduleEvent(found, 'set')], now);
  return read(found);
}

/** What watchers hear of a schedule: it was made or edited, it fired or skipped ticks, or it is gone. */
export function scheduleEvent(
  { id, workflow, version }: { readonly id: number; readonly workflow: number; readonly version: number },
  what: 'set' | 'fired' | 'removed',
): FeedEvent {
  return { topic: 'schedule', subject: id, revision: version, body: JSON.stringify({ what, workflow }) };
}

/** Ticks and skips of a schedule, newest first; `before` is the last due time of the page before. */
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

/** One that cannot be read says nothing, and is refused where it is used: it must not hold up the others. */
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

/** Drops ticks before a time and skips before another, a little at a time; how many went. Those of deleted schedules go too. */
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
    // By due time, for which there is an index: ticks of schedules that are no more go by age as well.
    swept += yield* change(
      `DELETE FROM ${table} WHERE (schedule, ${due}) IN (
         SELECT schedule, ${due} FROM ${table} WHERE ${due} < ?1 ORDER BY ${due} LIMIT ?2)`,
      until,
      limit,
    );
  }
  return swept;
}
