/** Ticks of all schedules in a range of time: what became of those that were due, and who is due next. */
import { type Operation, row, rows, type Value } from '../operation.ts';
import { type NamedSchedule, namedSchedules, readNamed, type StoredSchedule } from './api-reads.ts';

/** A tick, or some in a row that were skipped, with its schedule. */
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

/** Which schedules are looked at, and when. */
interface TickRange {
  readonly from: number;
  /** Not part of it. */
  readonly to: number;
  readonly project?: string;
  readonly workflow?: number;
  readonly limit: number;
}

/** What became of due times in a range, by due time; `after` is the last of the page before. */
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

/** The tick that started a run; `due` is the time the run stands for. */
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

/** Schedules that are on and due before the end of a range, soonest first. */
export function* schedulesDueBefore(input: TickRange): Operation<NamedSchedule[]> {
  const params: Value[] = [input.to, input.limit];
  const found = yield* rows<StoredSchedule>(
    `${namedSchedules} WHERE s.enabled = 1 AND s.next_due IS NOT NULL AND s.next_due < ?1 ${filterOf(input, params)}
     ORDER BY s.next_due, s.id LIMIT ?2`,
    ...params,
  );
  return found.map(readNamed);
}

function filterOf({ project, workflow }: TickRange, params: Value[]): string {
  const parts: string[] = [];
  if (project !== undefined) parts.push(`AND w.project = ?${params.push(project)}`);
  if (workflow !== undefined) parts.push(`AND s.workflow = ?${params.push(workflow)}`);
  return parts.join(' ');
}
