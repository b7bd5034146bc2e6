/**
 * Durations of single runs, for a chart over time. If there are too many, every n-th one is returned, evenly
 * over the range, so that the chart keeps its shape.
 */
import type { Operation } from '../../operation.ts';
import type { RunFilter } from './run-conditions.ts';
import { atPlaces, planSearch, windowOf } from './run-filter.ts';
import { samplesOf, sizeOf } from './run-samples.ts';

/** A started run. */
export interface RunPoint {
  readonly id: number;
  readonly state: string;
  readonly createdAt: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly idle: number;
}

const asked = ['workflow', 'state', 'created_at', 'started_at', 'ended_at', 'idle'] as const;
const columns = `id, workflow, state, created_at AS "createdAt", started_at AS "startedAt", ended_at AS "endedAt", idle`;

/** At most the given number of runs, oldest first; `sampled`: each stands for this many. */
export function* listRunPoints(input: {
  readonly filter: RunFilter & { readonly from: number; readonly to: number };
  readonly most: number;
}): Operation<{ readonly points: readonly RunPoint[]; readonly sampled: number }> {
  const { filter, most } = input;
  const search = yield* planSearch(filter);
  const wanted = filter.workflows && new Set(filter.workflows);
  const size = yield* sizeOf(search, filter);
  type Found = RunPoint & { readonly workflow: number };
  const { found, step } =
    size.count > search.most
      ? yield* samplesOf<Found>(search, filter, size.newest, { columns, tail: 'AND started_at IS NOT NULL' })
      : {
          found: yield* atPlaces<Found>(
            search,
            filter,
            (dialect) =>
              `SELECT ${columns} FROM (${windowOf(search, dialect, asked)} k.most) w
               WHERE started_at IS NOT NULL${search.rest}`,
            { most: search.most },
          ),
          step: 1,
        };
  const all = found.filter(({ workflow }) => wanted?.has(workflow) ?? true).toSorted((a, b) => a.id - b.id);
  const every = Math.max(1, Math.ceil(all.length / most));
  return {
    points: all.filter((_, k) => k % every === 0).map(({ workflow, ...point }) => point),
    sampled: step * every,
  };
}
