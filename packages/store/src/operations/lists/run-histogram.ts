/**
 * Number of runs created in each part of a time range, by state. A range with few runs is counted exactly;
 * otherwise the counts are estimated from a sample. Open and bad runs matter more and are still counted,
 * unless there are too many of them.
 */
import { badRunStates, openRunStates, type RunState } from '@orrery/core/state';
import { type Operation, rows } from '../../operation.ts';
import type { RunFilter } from './run-conditions.ts';
import { atPlaces, LOOKED_AT, planSearch, type Search, windowOf } from './run-filter.ts';
import { samplesOf, sizeOf } from './run-samples.ts';

/** Number of runs in one part of the range and one state. */
export interface BucketCount {
  /** Index of the part, from 0. */
  readonly bucket: number;
  readonly state: string;
  readonly count: number;
}

/** The parts of a range, and what to count in them. */
interface Range {
  readonly filter: Omit<RunFilter, 'states' | 'unowned'> & { readonly from: number; readonly to: number };
  /** Length of a part in milliseconds. */
  readonly width: number;
}

/**
 * Counts runs by time and state. `sampled`: the estimate inspects one of this many runs, except for states
 * that were counted.
 */
export function* countByTime(
  input: Range,
): Operation<{ readonly counts: readonly BucketCount[]; readonly sampled: number }> {
  const { filter } = input;
  const search = yield* planSearch(filter);
  const queued = yield* countQueued(input);
  const size = yield* sizeOf(search, filter);
  if (size.count <= search.most)
    return { counts: [...queued, ...(yield* countAll(search, input))], sampled: 1 };
  const open = yield* countStanding(input, openRunStates);
  const bad = yield* countStanding(input, badRunStates);
  const exact = [...(open ? openRunStates : []), ...(bad ? badRunStates : [])] as readonly string[];
  const { counts, step } = yield* sample(search, input, size.newest);
  const estimated = counts.filter(({ state }) => !exact.includes(state));
  return { counts: [...queued, ...(open ?? []), ...(bad ?? []), ...estimated], sampled: step };
}

const shown = ['created_at', 'state', 'workflow'] as const;

// Integer division: SQLite may receive the parameter as a fraction.
const bucket = ({ width }: Range) => `CAST(created_at - k.since AS BIGINT) / ${width}`;

function* countAll(search: Search, range: Range): Operation<readonly BucketCount[]> {
  const found = yield* atPlaces<BucketCount & { workflow: number }>(
    search,
    range.filter,
    (dialect) =>
      `SELECT ${bucket(range)} AS bucket, state, workflow, count(*) AS count
       FROM (${windowOf(search, dialect, shown)} k.most) w WHERE 1 = 1${search.rest} GROUP BY 1, 2, 3`,
    { most: search.most },
  );
  return ofWorkflows(search, found);
}

/** Counts runs in standings that an index covers; undefined if there are too many. */
function* countStanding(
  range: Range,
  states: readonly RunState[],
): Operation<readonly BucketCount[] | undefined> {
  const filter = { ...range.filter, states };
  const search = yield* planSearch(filter);
  const found = yield* atPlaces<BucketCount & { workflow: number; looked: number }>(
    search,
    filter,
    (dialect) =>
      `SELECT ${bucket(range)} AS bucket, state, workflow, count(*) AS looked,
         sum(CASE WHEN 1 = 1${search.rest} THEN 1 ELSE 0 END) AS count FROM (
         ${windowOf(search, dialect, shown)} k.most) w
       GROUP BY 1, 2, 3`,
    { most: search.most + 1 },
  );
  if (found.reduce((sum, { looked }) => sum + looked, 0) > search.most) return undefined;
  return ofWorkflows(search, found);
}

/** Keeps the counts of the selected workflows, if the index also covers others. */
function ofWorkflows(
  { only }: Search,
  found: readonly (BucketCount & { readonly workflow: number })[],
): readonly BucketCount[] {
  return found
    .filter(({ workflow, count }) => count > 0 && (only?.has(workflow) ?? true))
    .map(({ bucket, state, count }) => ({ bucket, state, count }));
}

/** Inspects every n-th run, and counts each n times. */
function* sample(
  search: Search,
  range: Range,
  newest: number,
): Operation<{ readonly counts: readonly BucketCount[]; readonly step: number }> {
  const { filter } = range;
  const wanted = filter.workflows && new Set(filter.workflows);
  const { found, step } = yield* samplesOf<{
    bucket: number;
    workflow: number;
    state: string;
    count: number;
  }>(search, filter, newest, {
    columns: `${bucket(range)} AS bucket, workflow, state, count(*) AS count`,
    tail: 'GROUP BY 1, 2, 3',
  });
  const counts = found
    .filter(({ workflow }) => wanted?.has(workflow) ?? true)
    .map(({ bucket, state, count }) => ({ bucket, state, count: count * step }));
  return { counts, step };
}

/** Counts queued commands. They are few or new, so those beyond a limit are left out. */
function* countQueued({ filter, width }: Range): Operation<readonly BucketCount[]> {
  const found = yield* rows<{ at: number; workflow: number }>(
    `SELECT created_at AS at, workflow FROM command WHERE created_at >= ?1 AND created_at < ?2 ORDER BY seq DESC LIMIT ${LOOKED_AT}`,
    filter.from,
    filter.to,
  );
  const { workflows, from, to: _, now: __, ...others } = filter;
  // Other filters need a command's body, which a bar of waiting commands is not worth.
  if (Object.values(others).some((value) => value !== undefined)) return [];
  const counts = Map.groupBy(
    found.filter(({ workflow }) => workflows?.includes(workflow) ?? true),
    ({ at }) => Math.floor((at - from) / width),
  );
  return [...counts].map(([bucket, list]) => ({ bucket, state: 'queued', count: list.length }));
}
