/** Alerts about ticks, raised where they fire: late ticks, and ticks that start nothing. */
import { batch, type Operation } from '../../operation.ts';
import { unnest } from '../../table.ts';
import { type Alert, raise } from '../alerting/alerts.ts';
import type { Self } from '../cluster/self.ts';
import type { ScheduleTicks } from './fire-ticks.ts';

/** A tick is late if it fires this many milliseconds after its due time. */
const LATE = 10_000;

/** Ticks that start nothing, with the reason. */
interface Skip {
  readonly schedule: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly reason: string;
}

/**
 * Raises at most one alert of each kind per schedule, within another operation; none for an offline workflow.
 */
export function* raiseTicks(
  self: Self,
  fired: readonly ScheduleTicks[],
  skips: readonly Skip[],
  now: number,
): Operation<void> {
  const late = fired.filter(({ ticks }) => ticks.some(({ due }) => due < now - LATE));
  if (late.length === 0 && skips.length === 0) return;
  const workflowOf = new Map(fired.map(({ schedule, workflow }) => [schedule, workflow]));
  const ids = [...late, ...skips].map(({ schedule }) => workflowOf.get(schedule) ?? 0);
  const names = yield* namesOf([...new Set(ids)]);
  const alert = (kind: 'tick-late' | 'tick-skipped', schedule: number, text: string): Alert[] => {
    const found = names.get(workflowOf.get(schedule) ?? 0);
    if (!found) return [];
    const { id, project, name } = found;
    return [{ kind, workflow: id, project, name, run: null, text, from: null, to: null }];
  };
  yield* raise(
    self,
    [
      ...late.flatMap(({ schedule, ticks }) => alert('tick-late', schedule, lateText(ticks[0].due, now))),
      ...skips.flatMap((skip) => alert('tick-skipped', skip.schedule, skipText(skip))),
    ],
    now,
  );
}

function lateText(due: number, now: number): string {
  return `due at ${new Date(due).toISOString()}, started ${Math.round((now - due) / 1_000)} s later`;
}

function skipText({ from, to, count, reason }: Skip): string {
  const first = new Date(from).toISOString();
  return count === 1
    ? `nothing started at ${first}: ${reason}`
    : `nothing started at ${count} times from ${first} to ${new Date(to).toISOString()}: ${reason}`;
}

interface WorkflowName {
  readonly id: number;
  readonly project: string;
  readonly name: string;
}

function* namesOf(ids: readonly number[]): Operation<ReadonlyMap<number, WorkflowName>> {
  const select = 'SELECT w.id, w.project, w.name FROM workflow w';
  const { rows } = yield* batch<WorkflowName>(
    {
      sqlite: `${select} WHERE w.id = ?1 AND w.offline_since IS NULL`,
      postgres: `${select} JOIN ${unnest(['int'])} AS k(id) ON w.id = k.id WHERE w.offline_since IS NULL`,
    },
    ['int'],
    ids.map((id) => [id]),
  );
  return new Map(rows.map((row) => [row.id, row]));
}
