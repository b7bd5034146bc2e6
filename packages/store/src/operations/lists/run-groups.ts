/**
 * Groups runs by workflow, or by similar errors. It inspects a bounded number of the newest runs and reports
 * how far back they go, so that the cost does not grow with the number of runs.
 */
import { badRunStates } from '@orrery/core/state';
import { type Operation, row } from '../../operation.ts';
import type { RunFilter } from './run-conditions.ts';
import { atPlaces, floorOf, planSearch, windowOf } from './run-filter.ts';

/** Grouping of runs. */
export type RunGrouping = 'workflow' | 'error';

/** A group of runs. */
export interface RunGroup {
  readonly workflow: number;
  /** `project/name` of one of them; runs grouped by workflow all share it. */
  readonly name: string;
  readonly fingerprint: string | null;
  /** One of their errors. */
  readonly error: string | null;
  readonly count: number;
  readonly success: number;
  readonly failed: number;
  readonly stopped: number;
  readonly open: number;
  readonly first: number;
  readonly last: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Groups, largest first. `since`: creation time of the oldest inspected run; null if all were inspected. */
export function* groupRuns(input: {
  readonly filter: RunFilter;
  readonly by: RunGrouping;
  readonly limit: number;
}): Operation<{
  readonly groups: readonly RunGroup[];
  readonly more: boolean;
  readonly since: number | null;
}> {
  const { by, limit } = input;
  const filter =
    by === 'error' ? { ...input.filter, states: input.filter.states ?? badRunStates } : input.filter;
  const search = yield* planSearch(filter);
  const most = Math.ceil(search.most / Math.max(1, search.places.length));
  const floor = yield* floorOf(search, filter, { most });
  const key = by === 'error' ? 'fingerprint' : 'workflow';
  const found = yield* atPlaces<RunGroup>(
    search,
    filter,
    (dialect) =>
      `SELECT ${key} AS key, min(workflow) AS workflow, max(project || '/' || name) AS name,
         ${by === 'error' ? 'fingerprint, max(error) AS error' : 'CAST(NULL AS TEXT) AS fingerprint, CAST(NULL AS TEXT) AS error'},
         count(*) AS count, sum(CASE WHEN state = 'success' THEN 1 ELSE 0 END) AS success,
         sum(CASE WHEN state IN ('failed', 'broken') THEN 1 ELSE 0 END) AS failed,
         sum(CASE WHEN state = 'stopped' THEN 1 ELSE 0 END) AS stopped,
         sum(CASE WHEN standing = 0 THEN 1 ELSE 0 END) AS open,
         min(id) AS first, max(id) AS last, min(created_at) AS "firstAt", max(created_at) AS "lastAt"
       FROM (${windowOf(search, dialect, asked)} k.most) w
       WHERE ${key} IS NOT NULL${search.rest} GROUP BY ${search.only ? `${key}, workflow` : key}`,
    { low: floor, most },
  );
  const groups = merged(
    found.filter(({ workflow }) => search.only?.has(workflow) ?? true),
    by,
  );
  const oldest =
    floor === 0
      ? undefined
      : yield* row<{ at: number }>('SELECT created_at AS at FROM run WHERE id = ?1', floor);
  return { groups: groups.slice(0, limit), more: groups.length > limit, since: oldest?.at ?? null };
}

const asked = [
  'workflow',
  'project',
  'name',
  'state',
  'standing',
  'created_at',
  'fingerprint',
  'error',
] as const;

/** Merges groups with the same key: several places may find the same group. */
function merged(found: readonly RunGroup[], by: RunGrouping): readonly RunGroup[] {
  const parts = Map.groupBy(found, (group) => (by === 'error' ? group.fingerprint : group.workflow));
  const sum = (list: readonly RunGroup[], of: 'count' | 'success' | 'failed' | 'stopped' | 'open') =>
    list.reduce((all, group) => all + group[of], 0);
  return [...parts.values()]
    .map((list) => {
      const newest = list.reduce((a, b) => (b.last > a.last ? b : a));
      const oldest = list.reduce((a, b) => (b.first < a.first ? b : a));
      const { workflow, name, fingerprint, error, last, lastAt } = newest;
      return {
        workflow,
        name,
        fingerprint,
        error,
        count: sum(list, 'count'),
        success: sum(list, 'success'),
        failed: sum(list, 'failed'),
        stopped: sum(list, 'stopped'),
        open: sum(list, 'open'),
        first: oldest.first,
        last,
        firstAt: oldest.firstAt,
        lastAt,
      };
    })
    .sort((a, b) => b.count - a.count || b.last - a.last);
}
