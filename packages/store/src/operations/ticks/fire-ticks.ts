/**
 * Firing ticks: one compare-and-set a schedule, for many schedules in one transaction, with the commands and records of
 * those that won. Nothing is committed before its due time by the store's clock, whatever the caller's clock shows.
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

/** Due ticks of one schedule, and how the schedule was seen: it fires only if it still stands like that. */
export interface ScheduleTicks {
  readonly schedule: number;
  readonly workflow: number;
  readonly version: number;
  /** `fired_until` as it was seen, and as it will be. */
  readonly seen: number;
  readonly firedUntil: number;
  readonly nextDue: number | null;
  /** The version of its workflow that the commands start: fires only while that is live. Any if not given. */
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
 * What became of the ticks of one schedule. Lost: another fired them, or the schedule or its workflow was edited; read
 * it again. Early: they are not due by the store's clock.
 */
export type TickOutcome =
  | { readonly outcome: 'fired'; readonly runs: readonly number[] }
  | { readonly outcome: 'lost' | 'early' };

const types = ['int', 'int', 'int', 'int', 'int', 'int'] as const;

/**
 * PostgreSQL gives those that lost, which are rare; SQLite runs it for each, so it gives those that won. Rejected for
 * PostgreSQL: to give the winners, a row for each tick that its master has to read. To read the clock for each row
 * (1.2 ms of 12 for 1,000). A table of its own for what a tick changes: 6 instead of 10 ms for 1,000, but masters of the
 * version before could not fire. Locking the rows in the order of their ids before is not needed: the caller gives them
 * in that order, and writers join by nested loops.
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

/** Moves schedules on that still stand as they were seen; the ids of those that do not. */
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
 * Fires due ticks of many schedules; the outcomes are in the order of the input. A schedule with no ticks and nothing
 * skipped is only told when it is due next: the clock may have been set back since that was written.
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
    // Those of schedules that lost are never used.
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

/** The row of a command, in the order of its table's columns. */
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

/** The open runs that have the business times of some of these, where only one may. */
function* claimPeriods(starts: readonly TickStart[]): Operation<Map<TickStart, number>> {
  const taken = new Map<TickStart, number>();
  const limited = starts.flatMap((tick) => {
    const { workflow, period } = tick.start;
    return period === null ? [] : [{ tick, workflow, businessTime: period, run: tick.run }];
  });
  // In one order for all, since each is locked.
  limited.sort((a, b) => a.workflow - b.workflow || a.businessTime - b.businessTime || a.run - b.run);
  for (const { tick, ...period } of limited) {
    const by = yield* claimPeriod(period);
    if (by !== undefined) taken.set(tick, by);
  }
  return taken;
}

/** Refuses ticks that cannot be of their schedule. */
function check(schedules: readonly ScheduleTicks[]): void {
  schedules.forEach(({ schedule, seen, firedUntil, ticks, skipped }, k) => {
    if (schedules[k - 1]?.schedule === schedule)
      throw new InvalidInput(`schedule ${schedule} is named twice among those that fire`);
    const bad = ticks.some(({ due }) => due <= seen || due > firedUntil);
    if (firedUntil < seen || bad || (skipped !== undefined && skipped.to > firedUntil))
      throw new InvalidInput(`ticks of schedule ${schedule} must lie after ${seen} and up to ${firedUntil}`);
  });
}
