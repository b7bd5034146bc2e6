/** Ticks of all schedules in a time range: outcomes of past due times, and upcoming ones. */
import { batch, type Operation, row, rows, type Value } from '../../operation.ts';
import { unnest } from '../../table.ts';
import { type NamedSchedule, namedSchedules, readNamed, type StoredSchedule } from '../lists/api-reads.ts';
import { withHolidays } from './holidays.ts';

/** A tick, or consecutive skipped ticks, with the schedule. */
export interface AnyTick {
  readonly schedule: number;
  readonly project: string;
  readonly workflow: string;
  readonly name: string;
  readonly due: number;
  readonly until: number;
  readonly count: number;
  readonly firedAt: number;
  readonly run: number | null;
  readonly reason: string | null;
}

/** Selected schedules and time range. */
interface TickRange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly project?: string;
  readonly workflow?: number;
  readonly limit: number;
}

/** Outcomes of due times in a range, by due time; `after` is the last of the previous page. */
export function* pageTicks(
  input: TickRange & { readonly after?: { readonly due: number; readonly schedule: number } },
): Operation<readonly AnyTick[]> {
  const { from, to, after = { due: from, schedule: 0 }, limit } = input;
  const params: Value[] = [from, to, after.due, after.schedule, limit];
  const filter = filterOf(input, params);
  const part = (table: string, due: string, until: string, columns: string) =>
    `SELECT * FROM (SELECT t.schedule, w.project, w.name AS workflow, s.name, t.${due} AS due, t.${until} AS until, ${columns}
     FROM ${table} t JOIN schedule s ON s.id = t.schedule JOIN workflow w ON w.id = s.workflow
     WHERE t.${due} >= ?1 AND t.${due} < ?2 AND (t.${due}, t.schedule) > (?3, ?4) ${filter}
     ORDER BY t.${due}, t.schedule LIMIT ?5) ${table}s`;
  return yield* rows<AnyTick>(
    `SELECT * FROM (
       ${part('tick', 'due', 'due', '1 AS count, t.fired_at AS "firedAt", t.run, CAST(NULL AS TEXT) AS reason')}
       UNION ALL ${part('tick_skip', 'first_due', 'last_due', 't.count, t.recorded_at, CAST(NULL AS BIGINT), t.reason')}) ticks
     ORDER BY due, schedule LIMIT ?5`,
    ...params,
  );
}

/** The tick that started a run; `due` is the run's business time. */
export function* readTickOf(input: {
  readonly run: number;
  readonly due: number;
}): Operation<
  | { readonly schedule: number; readonly name: string; readonly due: number; readonly firedAt: number }
  | undefined
> {
  return yield* row(
    `SELECT t.schedule, s.name, t.due, t.fired_at AS "firedAt" FROM tick t JOIN schedule s ON s.id = t.schedule
     WHERE t.due = ?1 AND t.run = ?2`,
    input.due,
    input.run,
  );
}

/** Enabled schedules due before the end of a range, soonest first. */
export function* schedulesDueBefore(input: TickRange): Operation<NamedSchedule[]> {
  const params: Value[] = [input.to, input.limit];
  const found = yield* rows<StoredSchedule>(
    `${namedSchedules} WHERE s.enabled = 1 AND s.next_due IS NOT NULL AND s.next_due < ?1 ${filterOf(input, params)}
     ORDER BY s.next_due, s.id LIMIT ?2`,
    ...params,
  );
  return yield* withHolidays(found.map(readNamed));
}

/** Fired and skipped due times of a range, by steps counted from its start. */
export function* countTicks(input: {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly project?: string;
  readonly workflow?: number;
}): Operation<readonly { readonly at: number; readonly fired: number; readonly skipped: number }[]> {
  const params: Value[] = [input.from, input.to, input.step];
  const filter = filterOf(input, params);
  const part = (table: string, due: string, columns: string) =>
    `SELECT CAST((t.${due} - ?1) / ?3 AS BIGINT) AS at, ${columns}
     FROM ${table} t JOIN schedule s ON s.id = t.schedule JOIN workflow w ON w.id = s.workflow
     WHERE t.${due} >= ?1 AND t.${due} < ?2 ${filter}`;
  const found = yield* rows<{ at: number; fired: number; skipped: number }>(
    `SELECT at, sum(fired) AS fired, sum(skipped) AS skipped FROM (
       ${part('tick', 'due', '1 AS fired, 0 AS skipped')}
       UNION ALL ${part('tick_skip', 'first_due', '0 AS fired, t.count AS skipped')}) ticks
     GROUP BY at ORDER BY at`,
    ...params,
  );
  return found.map(({ at, fired, skipped }) => ({
    at: Number(at),
    fired: Number(fired),
    skipped: Number(skipped),
  }));
}

/** Recent ticks of a schedule. */
export interface RecentTicks {
  readonly schedule: number;
  /** Delays from due to fired of the last ticks in milliseconds, newest first, comma-separated. */
  readonly drifts: string | null;
  readonly due: number | null;
  readonly run: number | null;
  readonly state: string | null;
  readonly skipped: number;
}

/** Ticks used to compute the drift. */
const DRIFTS = 50;

/** Recent ticks of several schedules; skips are counted since a moment. */
export function* recentTicks(input: {
  readonly schedules: readonly number[];
  readonly since: number;
}): Operation<readonly RecentTicks[]> {
  const last = (schedule: string) =>
    `SELECT t.due, t.fired_at, t.run FROM tick t WHERE t.schedule = ${schedule} ORDER BY t.due DESC LIMIT ${DRIFTS}`;
  const newest = (schedule: string, column: string) =>
    `(SELECT t.${column} FROM tick t WHERE t.schedule = ${schedule} ORDER BY t.due DESC LIMIT 1)`;
  const columns = (schedule: string, since: string, drifts: string) =>
    `${schedule} AS schedule, (SELECT ${drifts} FROM (${last(schedule)}) d) AS drifts,
     ${newest(schedule, 'due')} AS due, ${newest(schedule, 'run')} AS run,
     (SELECT r.state FROM run r WHERE r.id = ${newest(schedule, 'run')}) AS state,
     (SELECT coalesce(sum(z.count), 0) FROM tick_skip z WHERE z.schedule = ${schedule} AND z.last_due >= ${since}) AS skipped`;
  const types = ['int', 'int'] as const;
  const { rows: found } = yield* batch<RecentTicks>(
    {
      sqlite: `SELECT ${columns('?1', '?2', "group_concat(d.fired_at - d.due, ',')")}`,
      postgres: `SELECT ${columns('k.id', 'k.since', "string_agg((d.fired_at - d.due)::text, ',')")}
        FROM ${unnest(types)} AS k(id, since)`,
    },
    types,
    input.schedules.map((schedule) => [schedule, input.since]),
  );
  return found.map((row) => ({ ...row, schedule: Number(row.schedule), skipped: Number(row.skipped) }));
}

function filterOf({ project, workflow }: Pick<TickRange, 'project' | 'workflow'>, params: Value[]): string {
  const parts: string[] = [];
  if (project !== undefined) parts.push(`AND w.project = ?${params.push(project)}`);
  if (workflow !== undefined) parts.push(`AND s.workflow = ?${params.push(workflow)}`);
  return parts.join(' ');
}
