/**
 * Filters of the run list. Filters with an index choose where to look; the others are checked row by row,
 * over a bounded number of rows per request, so that a filter without matches costs no more than one that
 * matches everything.
 */
import { batch, type Operation, row, type Text } from '../../operation.ts';
import { unnest } from '../../table.ts';
import { standingOf } from '../runs/standing.ts';
import { conditionsOf, type RunFilter } from './run-conditions.ts';

/** Limit of rows inspected per request, beyond those returned. */
export const LOOKED_AT = 10_000;

/** The same limit if each row needs a look at its run's attempts. */
const LOOKED_INTO = 2_000;

/** A search plan: where to look for runs, and what to check of each row. */
export interface Search {
  /** Workflow ids, or 0 for all workflows. */
  readonly places: readonly number[];
  /** `FROM run` with the index to use, and the condition on its columns. */
  readonly from: Text;
  readonly condition: string;
  /** Conditions without an index; empty if every row matches. */
  readonly rest: string;
  /** Requested columns: an index that covers them all avoids reading the rows. */
  readonly columns: readonly string[];
  /** JSON list of the values in `rest`. */
  readonly given: string;
  /** Limit of rows inspected per request. */
  readonly most: number;
  /** Filters workflows after reading, because open runs are few. */
  readonly only?: ReadonlySet<number>;
  readonly low: number;
  readonly high: number;
}

/**
 * Plans a search. Ids grow with time, except for differences of clocks, so times bound the ids to inspect.
 */
export function* planSearch(filter: RunFilter): Operation<Search> {
  const { workflows, parent, from, to } = filter;
  const standings = standingsOf(filter);
  const standing = standings?.length === 1 && standings[0] !== 1 ? standings[0] : undefined;
  const byParent = parent !== undefined;
  const byWorkflow = !byParent && workflows !== undefined && standing !== 0;
  const byTag = !byParent && !byWorkflow && standing === undefined && filter.tags !== undefined;
  const index = byParent
    ? 'run_child'
    : byTag
      ? 'run_tagged'
      : byWorkflow
        ? standing === 2
          ? 'run_bad_of'
          : 'run_by_workflow'
        : ['run_open', undefined, 'run_bad'][standing ?? 1];
  const conditions = [
    ...(byParent ? ['parent = k.place'] : []),
    ...(byWorkflow ? ['workflow = k.place'] : []),
    ...(byTag ? ['tags IS NOT NULL'] : []),
    // A literal in the text, so that the planner recognises the matching index.
    ...(standing === undefined ? [] : [`standing = ${standing}`]),
  ];
  const { rest, columns, given } = conditionsOf(filter);
  const mixed = workflows !== undefined && !byWorkflow;
  return {
    places: standings?.length === 0 ? [] : byParent ? [parent] : byWorkflow ? workflows : [0],
    from: {
      sqlite: index ? `FROM run INDEXED BY ${index}` : 'FROM run',
      // A parent has few children: OFFSET keeps the planner from walking all runs in the requested order.
      postgres: byParent ? 'FROM (SELECT * FROM run WHERE parent = k.place OFFSET 0) run' : 'FROM run',
    },
    condition: conditions.join(' AND ') || '1 = 1',
    rest,
    columns: ['id', ...(mixed ? ['workflow'] : []), ...columns],
    given,
    most: filter.worker === undefined ? LOOKED_AT : LOOKED_INTO,
    only: mixed ? new Set(workflows) : undefined,
    low: from === undefined ? 0 : yield* firstSince(from - CLOCKS_DIFFER),
    high: to === undefined ? Number.MAX_SAFE_INTEGER : yield* firstSince(to + CLOCKS_DIFFER),
  };
}

/** The standings that the filter allows; none if it contradicts itself. */
function standingsOf(filter: RunFilter): readonly number[] | undefined {
  const { states, unowned, owner, error, fingerprint } = filter;
  const wanted = [
    ...(states === undefined ? [] : [states.map(standingOf)]),
    // Only an open run has an owner, and only a run that ended badly has an error.
    ...(unowned || owner !== undefined ? [[0]] : []),
    ...(error !== undefined || fingerprint !== undefined ? [[2]] : []),
  ];
  if (wanted.length === 0) return undefined;
  return [0, 1, 2].filter((standing) => wanted.every((list) => list.includes(standing)));
}

/** Assumed largest difference between the node clocks that give runs their times, in milliseconds. */
const CLOCKS_DIFFER = 60_000;

/** Ids closer together than this are not distinguished by time. */
const NEAR = 1_000;

/** Run times read per step; each step narrows the id range by this factor. */
const PROBES = 32;

/** An id near the first run created at or after a time, never past it. */
function* firstSince(at: number): Operation<number> {
  const ends = yield* row<{ low: number | null; high: number | null }>(
    'SELECT (SELECT min(id) FROM run) AS low, (SELECT max(id) FROM run) AS high',
  );
  let low = ends?.low ?? 0;
  let high = (ends?.high ?? 0) + 1;
  const types = ['int'] as const;
  const first = (id: string) => `SELECT created_at FROM run WHERE id >= ${id} ORDER BY id LIMIT 1`;
  while (high - low > NEAR) {
    const step = Math.ceil((high - low) / PROBES);
    const probes: number[] = [];
    for (let id = low + step; id < high; id += step) probes.push(id);
    const { rows: found } = yield* batch<{ id: number; at: number | null }>(
      {
        sqlite: `SELECT ?1 AS id, (${first('?1')}) AS at`,
        postgres: `SELECT k.id, (${first('k.id')}) AS at FROM ${unnest(types)} AS k(id)`,
      },
      types,
      probes.map((id) => [id]),
    );
    const earlier = found.filter(({ at: created }) => created !== null && created < at);
    low = Math.max(low, ...earlier.map(({ id }) => id));
    high = Math.min(high, low + step);
  }
  return low;
}

/** Parameters of a statement at a place: `k.place`, `k.before` and so on. */
const placeColumns = ['place', 'before', 'low', 'since', 'until', 'project', 'given'] as const;
const placeTypes = placeColumns.map((column) =>
  column === 'project' || column === 'given' ? 'text' : 'int',
);

/**
 * Runs a statement at every place of a search, with its parameters as columns of `k`; rows come in no
 * particular order. `k.most` is a literal in the text: for a parameter, PostgreSQL assumes a tenth of the
 * table and sorts (50 failed runs of a million: 345 ms instead of 5). `k.given` is a JSON list; `k.fields`
 * are the fields of the run, each read with `->` and `->>`.
 */
export function* atPlaces<T>(
  { places, low, high, given }: Pick<Search, 'places' | 'low' | 'high' | 'given'>,
  { from, to, project }: RunFilter,
  text: (dialect: 'sqlite' | 'postgres') => string,
  bounds: { readonly before?: number; readonly low?: number; readonly most: number },
): Operation<readonly T[]> {
  const limited = (dialect: 'sqlite' | 'postgres') =>
    text(dialect)
      .replaceAll('k.most', String(roundedUp(bounds.most)))
      .replaceAll('k.fields', dialect === 'postgres' ? 'fields::json' : 'fields');
  const numbered = placeColumns.reduce(
    (all, column, k) => all.replaceAll(`k.${column}`, `?${k + 1}`),
    limited('sqlite'),
  );
  const { rows: found } = yield* batch<T>(
    {
      // SQLite requires that every parameter is used.
      sqlite: `SELECT x.* FROM (${numbered}) x WHERE coalesce(${placeColumns.map((_, k) => `?${k + 1}`).join(', ')}) IS NOT NULL`,
      postgres: `SELECT x.* FROM ${unnest(placeTypes)} AS k(${placeColumns.join(', ')})
        CROSS JOIN LATERAL (${limited('postgres').replaceAll('k.given', 'k.given::json')}) x`,
    },
    placeTypes,
    places.map((place) => [
      place,
      Math.min(bounds.before ?? Number.MAX_SAFE_INTEGER, high + NEAR),
      Math.max(bounds.low ?? 0, low),
      from ?? 0,
      to ?? Number.MAX_SAFE_INTEGER,
      project ?? null,
      given,
    ]),
  );
  return found;
}

/** Rounds a limit up to one of few values, so that few texts are prepared; callers drop the surplus. */
function roundedUp(most: number): number {
  return [10, 50, 100, 200, 500, 1_000].find((size) => size >= most) ?? most;
}

/**
 * The last id to inspect, if conditions without an index would inspect too many rows for one request. 0 if
 * all rows can be inspected.
 */
export function* endOf(
  search: Search,
  filter: RunFilter,
  bounds: { readonly before: number; readonly low: number; readonly oldest: boolean },
): Operation<number> {
  if (search.rest === '' && !search.only) return 0;
  if (!bounds.oldest) return yield* floorOf(search, filter, { ...bounds, most: search.most });
  const ends = yield* atPlaces<{ high: number | null; count: number }>(
    search,
    filter,
    (dialect) =>
      `SELECT max(id) AS high, count(*) AS count FROM (
         SELECT id ${textFor(search.from, dialect)} WHERE ${search.condition} AND id < k.before AND id >= k.low
         ORDER BY id LIMIT k.most) w`,
    { ...bounds, most: search.most },
  );
  const cut = ends.flatMap(({ high, count }) => (count < search.most || high === null ? [] : [high]));
  return cut.length === 0 ? 0 : Math.min(...cut);
}

/** The id above which each place has at most the given number of rows; 0 if no place has more. */
export function* floorOf(
  search: Search,
  filter: RunFilter,
  { before, low, most }: { readonly before?: number; readonly low?: number; readonly most: number },
): Operation<number> {
  const ends = yield* atPlaces<{ low: number | null; count: number }>(
    search,
    filter,
    (dialect) =>
      `SELECT min(id) AS low, count(*) AS count FROM (
         SELECT id ${textFor(search.from, dialect)} WHERE ${search.condition} AND id < k.before AND id >= k.low
         ORDER BY id DESC LIMIT k.most) w`,
    { before, low, most },
  );
  return Math.max(0, ...ends.map(({ low, count }) => (count < most ? 0 : (low ?? 0))));
}

/**
 * The rows at a place, newest or oldest first, with the columns that the remaining conditions need and some
 * more.
 */
export function windowOf(
  search: Search,
  dialect: 'sqlite' | 'postgres',
  more: readonly string[] = [],
  oldest = false,
): string {
  const columns = [...new Set([...search.columns, ...more])].join(', ');
  return `SELECT ${columns} ${textFor(search.from, dialect)}
    WHERE ${search.condition} AND id < k.before AND id >= k.low ORDER BY id ${oldest ? 'ASC' : 'DESC'} LIMIT`;
}

/** The text of a statement for one dialect. */
export function textFor(text: Text, dialect: 'sqlite' | 'postgres'): string {
  return typeof text === 'string' ? text : text[dialect];
}
