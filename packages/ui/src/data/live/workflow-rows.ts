/** Live changes in a list of workflows: a run moves the strip of its row, a schedule the row's next tick. Pure. */
import { finalRunStates } from '@orrery/sdk/client';
import type { AnswerOf } from '../client.ts';
import type { LiveEvent } from './rules.ts';

type Row = AnswerOf<'listWorkflows'>['workflows'][number];
type Strip = NonNullable<Row['strip']>;
type RunPatch = Extract<LiveEvent, { kind: 'run' }>['patch'];
type ScheduleEvent = Extract<LiveEvent, { kind: 'schedule' }>;

const MOST_RUNS = 30;

/** The rows after a run has changed; rows of other workflows keep their identity. */
export function rowsWithRun(rows: readonly Row[], run: RunPatch): readonly Row[] {
  const at = rows.findIndex(({ project, name }) => project === run.project && name === run.name);
  const strip = rows[at]?.strip;
  return strip ? rows.with(at, { ...rows[at], strip: stripWithRun(strip, run) }) : rows;
}

function stripWithRun(
  { runs }: Strip,
  { id, version, state, startedAt, endedAt, idle, counted }: RunPatch,
): Strip {
  const duration =
    startedAt === null || endedAt === null
      ? null
      : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt) - idle);
  const run = { id, version, state, startedAt, duration, counted };
  const known = runs.findIndex((other) => other.id === id);
  const next =
    known < 0 ? [...runs, run].sort((a, b) => a.id - b.id).slice(-MOST_RUNS) : runs.with(known, run);
  const ended = next.filter((other) => other.counted && (other.duration !== null || isOver(other.state)));
  const good = ended.filter((other) => other.state === 'success');
  const times = good.flatMap((other) => other.duration ?? []).sort((a, b) => a - b);
  return {
    runs: next,
    successRate: ended.length > 0 ? good.length / ended.length : null,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
  };
}

const isOver = (state: string) => finalRunStates.some((final) => final === state);

/** The smallest value that is not exceeded by this share of the values, which are in order. */
function percentile(sorted: readonly number[], share: number): number | null {
  return sorted.length > 0 ? sorted[Math.ceil(sorted.length * share) - 1] : null;
}

/** The rows after a schedule has fired or was changed; null where a row does not show it yet. */
export function rowsWithSchedule(rows: readonly Row[], { id, patch }: ScheduleEvent): readonly Row[] | null {
  const at = rows.findIndex(({ project, name }) => project === patch.project && name === patch.workflow);
  const row = rows[at];
  if (!row?.schedules) return rows;
  const place = row.schedules.findIndex((schedule) => schedule.id === id);
  if (place < 0) return null;
  const schedule = { ...row.schedules[place], state: patch.state, nextDue: patch.nextDue };
  // The row's actions follow from its state, and only the server knows them.
  if (schedule.state !== row.schedules[place].state) return null;
  const schedules = row.schedules.with(place, schedule);
  const due = schedules.flatMap(({ nextDue }) => nextDue ?? []).sort();
  return rows.with(at, { ...row, schedules, nextDue: due[0] ?? null });
}
