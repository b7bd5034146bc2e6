/**
 * Runs by duration. No index has that order, and one would cost a write at each end of a run. So runs are
 * sorted here, if the filters leave few enough for one request to inspect them all: 10,000 take some 20 ms on
 * SQLite and 30 ms on PostgreSQL.
 */
import { type Operation, row } from '../../operation.ts';
import { atPlaces, planSearch, windowOf } from './run-filter.ts';
import { COMMANDS_LOOKED_AT, queuedRuns, type RunList, type RunPage, readListed, wayOf } from './run-list.ts';
import { sizeOf } from './run-samples.ts';

/** A page of runs by duration: from the first start to the end, or to `now`. */
export interface ByDuration {
  readonly shortest: boolean;
  readonly now: number;
  /** Only runs with a lower id. */
  readonly before?: number;
  /** Only runs that come after this one. */
  readonly past?: number;
  readonly limit: number;
}

/** Times that determine a duration; `idle` is the time between rounds. */
interface Times {
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly idle: number;
}

/** A run and its duration; null if it has not started. */
interface Timed {
  readonly id: number;
  readonly took: number | null;
}

/**
 * A page of runs, with their ids in order: runs not started come last, and ties newest first. If too many
 * would have to be inspected, there is no page, only the limit.
 */
export function* sortRuns(
  input: RunList & ByDuration,
): Operation<(RunPage & { readonly ids: readonly number[] }) | { readonly most: number }> {
  const { filter, shortest, now, before, past, limit } = input;
  const search = yield* planSearch(filter);
  const { count } = input.claimed ? yield* sizeOf(search, filter) : { count: 0 };
  // Commands first: one claimed meanwhile is then among the runs.
  const waiting = input.queued ? yield* queuedRuns(filter, wayOf({ before }), COMMANDS_LOOKED_AT) : undefined;
  const waits = waiting?.ids.length ?? 0;
  if (count > search.most || waits === COMMANDS_LOOKED_AT || waiting?.end) return { most: search.most };
  const found = input.claimed
    ? yield* atPlaces<Times & { id: number; workflow: number }>(
        search,
        filter,
        (dialect) =>
          `SELECT id, workflow, started_at AS "startedAt", ended_at AS "endedAt", idle
           FROM (${windowOf(search, dialect, ['workflow', 'started_at', 'ended_at', 'idle'])} k.most) w
           WHERE 1 = 1${search.rest}`,
        { before, most: search.most },
      )
    : [];
  const took = ({ startedAt, endedAt, idle }: Times) =>
    startedAt === null ? null : (endedAt ?? now) - startedAt - idle;
  const timed = new Map<number, Timed>();
  for (const id of waiting?.ids ?? []) timed.set(id, { id, took: null });
  for (const { id, workflow, ...times } of found)
    if (search.only?.has(workflow) ?? true) timed.set(id, { id, took: took(times) });
  const compare = shortest ? shortestFirst : longestFirst;
  const last =
    past === undefined ? undefined : (timed.get(past) ?? { id: past, took: yield* tookOf(past, took) });
  const rest = [...timed.values()].filter((run) => !last || compare(run, last) > 0).sort(compare);
  const ids = rest.slice(0, limit).map(({ id }) => id);
  const runs = yield* readListed({ ids });
  const created = new Set(runs.map(({ run }) => run.id));
  const chosen = new Set(ids);
  const queued = waiting?.commands?.filter(({ id }) => chosen.has(id) && !created.has(id)) ?? [];
  return { ids, runs, queued, next: rest.length > limit ? ids.at(-1) : undefined };
}

/** Duration of a run that may no longer match the filter, so that paging can continue after it. */
function* tookOf(id: number, took: (times: Times) => number | null): Operation<number | null> {
  const found = yield* row<Times>(
    'SELECT started_at AS "startedAt", ended_at AS "endedAt", idle FROM run WHERE id = ?1',
    id,
  );
  return found ? took(found) : null;
}

const longestFirst = (a: Timed, b: Timed) => (b.took ?? -1) - (a.took ?? -1) || b.id - a.id;

const shortestFirst = (a: Timed, b: Timed) => {
  if (a.took === null || b.took === null)
    return Number(a.took === null) - Number(b.took === null) || b.id - a.id;
  return a.took - b.took || b.id - a.id;
};
