/** The last runs of a workflow at a glance: how they ended, how long they took. */
import type { Answer, ShownRunState } from '@orrery/contract';
import type { StripRun } from '@orrery/store';
import { optionalTime } from '../time.ts';

/** Runs in the strip of a workflow. */
export const STRIP_RUNS = 30;

type Strip = NonNullable<Answer<'listWorkflows'>['workflows'][number]['strip']>;

/** The strip of runs that were read newest first; its figures are of those that count. */
export function stripOf(newestFirst: readonly StripRun[]): Strip {
  const ended = newestFirst.filter(({ endedAt, counted }) => endedAt !== null && counted === 1);
  const succeeded = ended.filter(({ state }) => state === 'success');
  const durations = succeeded.flatMap((run) => durationOf(run) ?? []).sort((a, b) => a - b);
  return {
    runs: newestFirst.map(showStripRun).reverse(),
    successRate: ended.length > 0 ? succeeded.length / ended.length : null,
    p50: percentile(durations, 0.5),
    p95: percentile(durations, 0.95),
  };
}

/** A run as strips and grids show it. */
export function showStripRun(run: Omit<StripRun, 'workflow'>): Strip['runs'][number] {
  const { id, version, state, startedAt } = run;
  return {
    id,
    version,
    state: state as ShownRunState,
    startedAt: optionalTime(startedAt),
    duration: durationOf(run),
    counted: run.counted === 1,
  };
}

/** The time of its rounds, without that between them. */
function durationOf({
  startedAt,
  endedAt,
  idle,
}: Pick<StripRun, 'startedAt' | 'endedAt' | 'idle'>): number | null {
  return startedAt === null || endedAt === null ? null : Math.max(0, endedAt - startedAt - idle);
}

/** The smallest value that is not exceeded by this share of the values, which are in order. */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted.length > 0 ? sorted[Math.ceil(sorted.length * share) - 1] : null;
}
