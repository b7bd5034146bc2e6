/**
 * Fires ticks: one compare-and-set per schedule, many schedules per transaction, with the commands and
 * records of the winners. Nothing commits before its due time by the store's clock, whatever the caller's
 * clock shows.
 */
import { InvalidInput } from '@orrery/core/errors';
import { batch, dialect, type Operation, together } from '../../operation.ts';
import { insert, insertRows, type Row, unnest } from '../../table.ts';
import { commandTable, tickSkipTable, tickTable } from '../../tables.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { claimPeriod, whyTaken } from '../limits/periods.ts';
import type { StartRow } from '../runs/commands.ts';
import { appendEvents } from '../runs/feed.ts';
import { newNumbers } from '../runs/numbers.ts';
import { readTime, withStoreTime } from './store-time.ts';
import { raiseTicks } from './tick-alerts.ts';
import { ticksEvent } from './ticks-event.ts';

/** Due ticks of one schedule, and the schedule's state as read: it fires only if that has not changed. */
export interface ScheduleTicks {
  readonly schedule: number;
  readonly workflow: number;
  readonly version: number;
  /** `fired_until` as read, and its new value. */
  readonly seen: number;
  readonly firedUntil: number;
  readonly nextDue: number | null;
  /** The version its commands start: fires only while that is live. Absent: any version. */
  readonly live?: number;
  readonly ticks: readonly { readonly due: number; readonly start: StartRow }[];
  readonly skipped?: {
    readonly from: number;
    readonly to: number;
    readonly count: number;
    readonly reason: string;
  };
}

/**
 * Result for the ticks of one schedule. Lost: another master fired them, or the schedule or its workflow was
 * edited; read it again. Early: they are not due by the store's clock.
 */
export type TickOutcome =
  | { readonly outcome: 'fired'; readonly runs: readonly number[] }
  | { readonly outcome: 'lost' | 'early' };

const types = ['int', 'int', 'int', 'int', 'int', 'int'] as const;

/**
 * PostgreSQL returns the losers, which are rare; SQLite runs it per schedule and returns the winner. Rejected
 * for PostgreSQL: returning the winners (a row for each tick that the master has to read); reading the clock
 * for each row (1.2 ms of 12 for 1,000); a separate table for what a tick changes (6 instead of 10 ms for
 * 1,000, but masters of the previous version could not fire). Locking the rows by id first is not needed: the
 * caller passes them in that order, and writers join by nested loops.
 */
const advance = withStoreTime({
  sqlite: `UPDATE schedule SET fired_until = ?4, next_due = ?5
    WHERE id = ?1 AND version = ?2 AND fired_until = ?3 AND enabled = 1 AND (?4 = ?3 OR ?4 <= {storeTime})
      AND (?6 IS NULL OR ?6 = (SELECT w.live FROM workflow w WHERE w.id = schedule.workflow)) RETURNING id`,
  postgres: `WITH won AS (UPDATE schedule s SET fired_until = k.until, next_due = k.due
    FROM ${unnest(types)} AS k(id, version, seen, until, due, live)
    WHERE s.id = k.id AND s.version = k.version AND s.fired_until = k.seen AND s.enabled = 1
      AND (k.until = k.seen OR k.until <= (SELECT {storeTime}))
      AND (k.live IS NULL OR k.live = (SELECT w.live FROM workflow w WHERE w.id = s.workflow)) RETURNING s.id)
    SELECT id FROM unnest(?1::int8[]) AS k(id) WHERE id NOT IN (SELECT id FROM won)`,
});

/** Advances schedules that are unchanged since they were read; returns the ids of the others. */
function* advanceAll(schedules: readonly ScheduleTicks[]): Operation<ReadonlySet<number>> {
  const isPostgres = (yield* dialect()) === 'postgres';
  const { rows } = yield* batch<{ id: number }>(
    advance,
    types,
    schedules.map(({ schedule, version, seen, firedUntil, nextDue, live = null }) => [
      schedule,
      version,
      seen,
      firedUntil,
      nextDue,
      live,
    ]),
  );
  const ids = new Set(rows.map(({ id }) => id));
  if (isPostgres || ids.size === schedules.length) return isPostgres ? ids : NONE;
  return new Set(schedules.map(({ schedule }) => schedule).filter((id) => !ids.has(id)));
}

const NONE: ReadonlySet<number> = new Set();

/**
 * Fires due ticks of many schedules; results in input order. A schedule with neither ticks nor skips only
 * gets its next due time: the clock may have been set back since that was written.
 */
export function* fireTicks(input: {
  readonly self: Self;
  readonly schedules: readonly ScheduleTicks[];
  readonly now: number;
}): Operation<{ readonly storeTime: number; readonly outcomes: readonly TickOutcome[] }> {
  const { self, now } = input;
  const schedules = input.schedules.toSorted((a, b) => a.schedule - b.schedule);
  check(schedules);
  const count = schedules.reduce((sum, { ticks }) => sum + ticks.length, 0);
  const [, storeTime, lost, numbers] = yield* together(
    checkSelf(self),
    readTime(),
    advanceAll(schedules),
    // The ids of losing schedules are never used.
    newNumbers(count),
  );
  const fired = schedules.filter(
    ({ schedule, seen, firedUntil }) => firedUntil > seen && !lost.has(schedule),
  );
  let given = 0;
  const all = fired.flatMap(({ schedule, ticks }) =>
    ticks.map(({ due, start }) => ({ schedule, due, start, run: numbers[given++] })),
  );
  const taken = yield* claimPeriods(all);
  const starts = all.filter((start) => !taken.has(start));
  const byId = Map.groupBy(starts, ({ schedule }) => schedule);
  const runsOf = (schedule: number) => (byId.get(schedule) ?? []).map(({ run }) => run);
  const skips = [
    ...fired.flatMap(({ schedule, skipped }) => (skipped ? [{ schedule, ...skipped }] : [])),
    ...[...taken].map(([{ schedule, due }, by]) => {
      return { schedule, from: due, to: due, count: 1, reason: whyTaken(by) };
    }),
  ];
  yield* together(
    insertRows(
      commandTable,
      starts.map(({ run, start }) => commandRow(run, start, now)),
    ),
    insertRows(
      tickTable,
      starts.map(({ schedule, due, run }) => [schedule, due, now, run]),
    ),
    insert(
      tickSkipTable,
      skips.map(({ schedule, from, to, count, reason }) => ({
        schedule,
        first_due: from,
        last_due: to,
        count,
        reason,
        recorded_at: now,
      })),
    ),
    appendEvents(
      self,
      ticksEvent(
        fired.map(({ schedule, version, workflow }) => ({
          schedule,
          version,
          workflow,
          runs: runsOf(schedule),
        })),
      ),
      now,
    ),
    raiseTicks(self, fired, skips, now),
  );
  const outcomes = input.schedules.map(({ schedule, seen, firedUntil }): TickOutcome => {
    if (!lost.has(schedule)) return { outcome: 'fired', runs: runsOf(schedule) };
    return { outcome: firedUntil > seen && firedUntil > storeTime ? 'early' : 'lost' };
  });
  return { storeTime, outcomes };
}

/** The row of a command, in its table's column order. */
function commandRow(run: number, start: StartRow, now: number): Row {
  const { priority, workflow, limited, replay_of, parent, parent_task, parent_round, parent_element, body } =
    start;
  return [
    run,
    priority,
    workflow,
    limited,
    replay_of,
    parent,
    parent_task,
    parent_round,
    parent_element,
    body,
    now,
    start.impatient,
  ];
}

/** A tick with the run it starts. */
interface TickStart {
  readonly schedule: number;
  readonly due: number;
  readonly start: StartRow;
  readonly run: number;
}

/** Open runs that have the business times of ticks that need theirs exclusively. */
function* claimPeriods(starts: readonly TickStart[]): Operation<Map<TickStart, number>> {
  const taken = new Map<TickStart, number>();
  const limited = starts.flatMap((tick) => {
    const { workflow, period } = tick.start;
    return period === null ? [] : [{ tick, workflow, businessTime: period, run: tick.run }];
  });
  // Rows are locked in this one order by all callers.
  limited.sort((a, b) => a.workflow - b.workflow || a.businessTime - b.businessTime || a.run - b.run);
  for (const { tick, ...period } of limited) {
    const by = yield* claimPeriod(period);
    if (by !== undefined) taken.set(tick, by);
  }
  return taken;
}

/** Refuses ticks that cannot belong to their schedule. */
function check(schedules: readonly ScheduleTicks[]): void {
  schedules.forEach(({ schedule, seen, firedUntil, ticks, skipped }, k) => {
    if (schedules[k - 1]?.schedule === schedule)
      throw new InvalidInput(`schedule ${schedule} is named twice among those that fire`);
    const bad = ticks.some(({ due }) => due <= seen || due > firedUntil);
    if (firedUntil < seen || bad || (skipped !== undefined && skipped.to > firedUntil))
      throw new InvalidInput(`ticks of schedule ${schedule} must lie after ${seen} and up to ${firedUntil}`);
  });
}
