/**
 * How many runs were created in each part of a time and how they stand. A range with few runs is counted exactly; of
 * many, an estimate is made from a sample, while open and bad ones, which matter more, are still counted unless they
 * are very many themselves.
 */
import type { RunState } from '@orrery/core/state';
import { type Operation, rows } from '../operation.ts';
import { atPlaces, LOOKED_AT, planSearch, type RunFilter, type Search, textFor } from './run-filter.ts';

/** Runs of one part of the range that are in one state. */
export interface BucketCount {
  /** Which part, counted from 0. */
  readonly bucket: number;
  readonly state: string;
  readonly count: number;
}

/** The parts of a range, and what to count in them. */
interface Range {
  readonly filter: Omit<RunFilter, 'states' | 'unowned'> & { readonly from: number; readonly to: number };
  /** How long each part is, in milliseconds. */
  readonly width: number;
}

/** Counts runs by time and state; `sampled`: an estimate from one of so many runs, but for the few. */
export function* countByTime(
  input: Range,
): Operation<{ readonly counts: readonly BucketCount[]; readonly sampled: number }> {
  const { filter } = input;
  const search = yield* planSearch(filter);
  const queued = yield* countQueued(input);
  const sizes = yield* atPlaces<{ count: number; low: number | null; high: number | null }>(
    search,
    filter,
    (dialect) =>
      `SELECT count(*) AS count, min(id) AS low, max(id) AS high FROM (
         SELECT id ${textFor(search.from, dialect)} WHERE ${search.condition} AND id < k.before AND id >= k.low
         ORDER BY id DESC LIMIT k.most) w`,
    { most: LOOKED_AT + 1 },
  );
  const size = sizes.reduce((sum, { count }) => sum + count, 0);
  if (size <= LOOKED_AT) return { counts: [...queued, ...(yield* countAll(search, input))], sampled: 1 };
  const newest = Math.max(...sizes.map(({ high }) => high ?? 0));
  const step = Math.max(1, Math.ceil((newest - search.low) / SAMPLES));
  const open = yield* countStanding(input, openStates);
  const bad = yield* countStanding(input, badStates);
  const exact = [...(open ? openStates : []), ...(bad ? badStates : [])] as readonly string[];
  const sampled = yield* sample(search, input, { newest, step });
  const estimated = sampled.filter(({ state }) => !exact.includes(state));
  return { counts: [...queued, ...(open ?? []), ...(bad ?? []), ...estimated], sampled: step };
}

/** Runs that are looked at to estimate how many there are. */
const SAMPLES = 5_000;

/** Open or bad runs up to this number are counted one by one. */
const MOST_EXACT = 5_000;

const bucket = (range: Range) => `(created_at - ${range.filter.from}) / ${range.width}`;

function* countAll(search: Search, range: Range): Operation<readonly BucketCount[]> {
  return yield* atPlaces<BucketCount>(
    search,
    range.filter,
    (dialect) =>
      `SELECT ${bucket(range)} AS bucket, state, count(*) AS count FROM (
         SELECT created_at, state ${textFor(search.from, dialect)}
         WHERE ${search.condition} AND id < k.before AND id >= k.low${search.rest} ORDER BY id DESC LIMIT k.most) w
       GROUP BY 1, 2`,
    { most: LOOKED_AT },
  );
}

/** Counts runs in some states, which an index holds; undefined when they are very many. */
function* countStanding(
  range: Range,
  states: readonly RunState[],
): Operation<readonly BucketCount[] | undefined> {
  const filter = { ...range.filter, states };
  const search = yield* planSearch(filter);
  const found = yield* atPlaces<BucketCount & { workflow: number }>(
    search,
    filter,
    (dialect) =>
      `SELECT ${bucket(range)} AS bucket, state, workflow, count(*) AS count FROM (
         SELECT created_at, state, workflow ${textFor(search.from, dialect)}
         WHERE ${search.condition} AND id < k.before AND id >= k.low${search.rest} ORDER BY id DESC LIMIT k.most) w
       GROUP BY 1, 2, 3`,
    { most: MOST_EXACT + 1 },
  );
  if (found.reduce((sum, { count }) => sum + count, 0) > MOST_EXACT) return undefined;
  return found
    .filter(({ workflow }) => search.only?.has(workflow) ?? true)
    .map(({ bucket, state, count }) => ({ bucket, state, count }));
}

const openStates = [
  'waiting',
  'running',
  'pausing',
  'paused',
  'stopping',
  'failing',
] as const satisfies readonly RunState[];
const badStates = ['failed', 'stopped', 'broken'] as const satisfies readonly RunState[];

/** Looks at every so manieth run, and counts each that many times. */
function* sample(
  { low }: Search,
  range: Range,
  { newest, step }: { readonly newest: number; readonly step: number },
): Operation<readonly BucketCount[]> {
  const { filter } = range;
  const wanted = filter.workflows && new Set(filter.workflows);
  const looked = (series: string) =>
    `SELECT ${bucket(range)} AS bucket, r.workflow, r.project, r.kind, r.trigger_kind AS trigger, r.state, count(*) AS count
     FROM ${series} JOIN run r ON r.id = s.id
     WHERE r.created_at >= ?4 AND r.created_at < ?5 GROUP BY 1, 2, 3, 4, 5, 6`;
  const found = yield* rows<{
    bucket: number;
    workflow: number;
    project: string;
    kind: string;
    trigger: string;
    state: string;
    count: number;
  }>(
    {
      sqlite: `WITH RECURSIVE s(id) AS (SELECT ?1 UNION ALL SELECT id + ?3 FROM s WHERE id + ?3 <= ?2) ${looked('s')}`,
      postgres: looked('generate_series(?1::int8, ?2::int8, ?3::int8) AS s(id)'),
    },
    Math.max(1, low),
    newest,
    step,
    filter.from,
    filter.to,
  );
  return found
    .filter(
      (row) =>
        (wanted?.has(row.workflow) ?? true) &&
        (filter.project === undefined || row.project === filter.project) &&
        (filter.kind === undefined || row.kind === filter.kind) &&
        (filter.triggers?.includes(row.trigger) ?? true),
    )
    .map(({ bucket, state, count }) => ({ bucket, state, count: count * step }));
}

/** Commands wait, so they are few or new: those beyond a number are left out. */
function* countQueued({ filter, width }: Range): Operation<readonly BucketCount[]> {
  const found = yield* rows<{ at: number; workflow: number }>(
    `SELECT created_at AS at, workflow FROM command WHERE created_at >= ?1 AND created_at < ?2 ORDER BY seq DESC LIMIT ${LOOKED_AT}`,
    filter.from,
    filter.to,
  );
  const { workflows, project, triggers, kind } = filter;
  // What else a command is for is only in its body; a bar of those that wait is worth no more than this.
  if (project !== undefined || triggers || kind !== undefined) return [];
  const counts = Map.groupBy(
    found.filter(({ workflow }) => workflows?.includes(workflow) ?? true),
    ({ at }) => Math.floor((at - filter.from) / width),
  );
  return [...counts].map(([bucket, list]) => ({ bucket, state: 'queued', count: list.length }));
}
