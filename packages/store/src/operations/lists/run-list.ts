/**
 * Pages of runs with everything a list shows, including runs whose command still waits; newest or oldest
 * first.
 */
import type { Parameters } from '@orrery/core/model';
import type { RunFields } from '@orrery/core/run';
import { batch, type Operation, rows } from '../../operation.ts';
import { unnest } from '../../table.ts';
import type { Command } from '../runs/commands.ts';
import { type RunRow, runColumns, type TaskRunRow } from './reads.ts';
import { matchesCommand, type RunFilter } from './run-conditions.ts';
import { atPlaces, endOf, planSearch, windowOf } from './run-filter.ts';
import { tagsOf } from './run-tags.ts';

/** A run in a list. */
export interface ListedRun {
  readonly run: RunRow;
  readonly workflow: number;
  readonly priority: number;
  readonly revision: number;
  readonly parent: number | null;
  readonly fields: RunFields;
  readonly tags: readonly string[];
  /** Outputs at its end. */
  readonly outputs: Parameters;
  /**
   * Number of task runs in each state, by round; those without events have no row. Null if there are too
   * many.
   */
  readonly counts: readonly StateCount[] | null;
  /** The highest attempt number of its task runs. Null if there are too many. */
  readonly attempts: number | null;
  /** The first task run that failed. */
  readonly failed: (TaskRunRow & { readonly run: number }) | null;
}

/** Number of a run's task runs in one state. */
export interface StateCount {
  readonly state: string;
  readonly round: number;
  readonly count: number;
}

/** An unclaimed run. */
interface Queued {
  readonly id: number;
  readonly command: Command;
  readonly createdAt: number;
}

/**
 * A page: runs and queued runs, in no particular order. `next` is the next page's cursor; undefined at the
 * end.
 */
export interface RunPage {
  readonly runs: readonly ListedRun[];
  readonly queued: readonly Queued[];
  readonly next: number | undefined;
}

/** Selects the runs of a list. */
export interface RunList {
  readonly filter: RunFilter;
  /** Includes runs whose command still waits. */
  readonly queued: boolean;
  /** Includes claimed runs. */
  readonly claimed: boolean;
}

/** Position of a page: a number of runs below an id, newest first, or above one, oldest first. */
export interface PagePlace {
  readonly before?: number;
  readonly after?: number;
  readonly oldest?: boolean;
  readonly limit: number;
}

/** A page of runs. It may have fewer than `limit` and still a `next`, if many rows had to be inspected. */
export function* pageRuns(input: RunList & PagePlace): Operation<RunPage> {
  const { ids, claimed, commands, next } = yield* findRuns(input);
  const chosen = new Set(ids);
  const runs = yield* readListed({ ids: claimed.filter((id) => chosen.has(id)) });
  const created = new Set(runs.map(({ run }) => run.id));
  const queued = commands.filter(({ id }) => chosen.has(id) && !created.has(id));
  return { runs, queued, next };
}

/** Ids of a page, in order, and where they were found. */
export function* findRuns(input: RunList & PagePlace): Operation<{
  readonly ids: readonly number[];
  readonly claimed: readonly number[];
  readonly commands: readonly Queued[];
  readonly next: number | undefined;
}> {
  const { filter, limit } = input;
  const way = wayOf(input);
  // One more than requested shows whether there are more. Commands first: one claimed meanwhile is then among
  // the runs.
  const waiting = input.queued ? yield* queuedRuns(filter, way, limit + 1) : none;
  const claimed = input.claimed ? yield* claimedRuns(filter, way, limit + 1) : none;
  const ends = [waiting.end, claimed.end].filter((end) => end !== 0);
  // The earlier end counts: past it, one of the two was not inspected.
  const end = ends.sort(way.compare)[0] ?? 0;
  const all = [...new Set([...waiting.ids, ...claimed.ids])].sort(way.compare);
  const looked = all.filter((id) => end === 0 || way.compare(id, end) <= 0);
  const ids = looked.slice(0, limit);
  const next = looked.length > limit ? ids.at(-1) : end || undefined;
  return { ids, claimed: claimed.ids, commands: waiting.commands ?? [], next };
}

/** Direction through a list: its start, and which of two ids comes first. */
interface Way {
  readonly before: number;
  readonly after: number;
  readonly oldest: boolean;
  compare(a: number, b: number): number;
}

/** The direction of a page. */
export function wayOf({
  before = Number.MAX_SAFE_INTEGER,
  after = 0,
  oldest = false,
}: Omit<PagePlace, 'limit'>): Way {
  return { before, after, oldest, compare: oldest ? (a, b) => a - b : (a, b) => b - a };
}

/** Number of matching runs, counted up to `most`, and whether there are more. */
export function* countRuns(
  input: RunList & { readonly most: number },
): Operation<{ readonly count: number; readonly more: boolean }> {
  const { filter, most } = input;
  const waiting = input.queued ? yield* queuedRuns(filter, wayOf({}), most + 1) : none;
  const claimed = input.claimed ? yield* countClaimed(filter, most) : { count: 0, floor: 0 };
  const count = waiting.ids.length + claimed.count;
  return { count: Math.min(count, most), more: count > most || waiting.end + claimed.floor > 0 };
}

/** Result of a search: ids, and the last inspected id; 0 if all were inspected. */
interface Found {
  readonly ids: readonly number[];
  readonly end: number;
  readonly commands?: readonly Queued[];
}

const none: Found = { ids: [], end: 0 };

function* claimedRuns(filter: RunFilter, way: Way, limit: number): Operation<Found> {
  const { before, after, oldest } = way;
  const search = yield* planSearch(filter);
  const find = function* (window: number): Operation<readonly number[]> {
    const found = yield* atPlaces<{ id: number; workflow?: number }>(
      search,
      filter,
      (dialect) =>
        `SELECT ${search.only ? 'id, workflow' : 'id'} FROM (${windowOf(search, dialect, [], oldest)} ${window}) w
         WHERE 1 = 1${search.rest} ORDER BY id ${oldest ? 'ASC' : 'DESC'} LIMIT k.most`,
      { before, low: after + 1, most: search.only ? search.most : limit },
    );
    return found
      .filter(({ workflow = 0 }) => search.only?.has(workflow) ?? true)
      .map(({ id }) => id)
      .sort(way.compare)
      .slice(0, limit);
  };
  // Most filters fill their page from the first rows; only if they do not, many more are inspected.
  const near = yield* find(Math.max(FIRST_LOOK, limit));
  const all = search.rest === '' && !search.only;
  if (near.length >= limit || all) return { ids: near, end: 0 };
  const ids = yield* find(search.most);
  return {
    ids,
    end: ids.length < limit ? yield* endOf(search, filter, { before, low: after + 1, oldest }) : 0,
  };
}

/** Rows inspected first. */
const FIRST_LOOK = 1_000;

function* countClaimed(filter: RunFilter, most: number): Operation<{ count: number; floor: number }> {
  const search = yield* planSearch(filter);
  const all = search.rest === '' && !search.only;
  const group = search.only ? 'workflow' : '0';
  const found = yield* atPlaces<{ workflow: number; count: number; looked: number }>(
    search,
    filter,
    (dialect) =>
      `SELECT ${group} AS workflow, sum(CASE WHEN 1 = 1${search.rest} THEN 1 ELSE 0 END) AS count, count(*) AS looked
       FROM (${windowOf(search, dialect)} k.most) w
       GROUP BY 1`,
    { most: all ? most + 1 : search.most },
  );
  const counted = found.filter(({ workflow }) => search.only?.has(workflow) ?? true);
  const looked = found.reduce((sum, row) => sum + row.looked, 0);
  return {
    count: counted.reduce((sum, { count }) => sum + count, 0),
    floor: all || looked < search.most ? 0 : 1,
  };
}

/** Commands inspected per request. */
export const COMMANDS_LOOKED_AT = 2_000;

/** Matching unclaimed runs. */
export function* queuedRuns(filter: RunFilter, way: Way, limit: number): Operation<Found> {
  const { workflows } = filter;
  const most = Math.max(COMMANDS_LOOKED_AT, limit);
  const found = yield* rows<{ id: number; workflow: number; body: string; createdAt: number }>(
    `SELECT seq AS id, workflow, body, created_at AS "createdAt" FROM command WHERE seq < ?1 AND seq > ?2
     ORDER BY seq ${way.oldest ? 'ASC' : 'DESC'} LIMIT ?3`,
    way.before,
    way.after,
    most,
  );
  const wanted = workflows && new Set(workflows);
  const commands = found
    .filter(({ workflow }) => wanted?.has(workflow) ?? true)
    .map(({ id, body, createdAt }) => ({ id, command: JSON.parse(body) as Command, createdAt }))
    .filter(({ command, createdAt }) => matchesCommand(filter, command, createdAt));
  const ids = commands.map(({ id }) => id).slice(0, limit);
  const end = found.length < most || ids.length === limit ? 0 : (found.at(-1)?.id ?? 0);
  return { ids, end, commands };
}

/** In a list, task runs are not counted for a run with more of them than this. */
const MOST_COUNTED = 10_000;

/** Runs by id with everything a list shows, in no particular order; unknown ids are left out. */
export function* readListed({ ids }: { readonly ids: readonly number[] }): Operation<readonly ListedRun[]> {
  const types = ['int'] as const;
  const given = ids.map((id) => [id]);
  const more = 'workflow, priority, revision, parent, fields, tags, outputs';
  const { rows: found } = yield* batch<
    RunRow & {
      workflow: number;
      priority: number;
      revision: number;
      parent: number | null;
      fields: string;
      tags: string | null;
      outputs: string | null;
    }
  >(
    {
      sqlite: `SELECT ${runColumns}, ${more} FROM run WHERE id = ?1`,
      postgres: `SELECT ${runColumns}, ${more} FROM run WHERE id = ANY (?1::int8[])`,
    },
    types,
    given,
  );
  const { rows: counts } = yield* batch<CountedTasks>(
    {
      sqlite: `SELECT run, state, round, count(*) AS count, max(attempt) AS attempt FROM (
          SELECT run, state, round, attempt FROM task_run WHERE run = ?1 LIMIT ${MOST_COUNTED + 1}) t GROUP BY state, round`,
      postgres: `SELECT k.run, t.state, t.round, count(*) AS count, max(t.attempt) AS attempt FROM ${unnest(types)} AS k(run) CROSS JOIN LATERAL (
          SELECT state, round, attempt FROM task_run WHERE run = k.run LIMIT ${MOST_COUNTED + 1}) t GROUP BY k.run, t.state, t.round`,
    },
    types,
    given,
  );
  const countsOf = Map.groupBy(counts, ({ run }) => run);
  // A run with more tasks than are counted may have a failure that was not counted.
  const withFailure = [...countsOf].filter(
    ([, list]) => list.some(({ state }) => state === 'failed') || counted(list).counts === null,
  );
  const failed = yield* firstFailed(withFailure.map(([run]) => run));
  return found.map(({ workflow, priority, revision, parent, fields, tags, outputs, ...run }) => ({
    run,
    workflow,
    priority,
    revision,
    parent,
    fields: JSON.parse(fields),
    tags: tagsOf(tags),
    outputs: outputs === null ? {} : JSON.parse(outputs),
    ...counted(countsOf.get(run.id) ?? []),
    failed: failed.get(run.id) ?? null,
  }));
}

/** The first failed task run of each run. */
export function* firstFailed(
  runs: readonly number[],
): Operation<ReadonlyMap<number, TaskRunRow & { readonly run: number }>> {
  const types = ['int'] as const;
  const first = (run: string) =>
    `SELECT run, task, state, round, since, body FROM task_run WHERE run = ${run} AND state = 'failed'
     ORDER BY since, task LIMIT 1`;
  const { rows: found } = yield* batch<TaskRunRow & { run: number }>(
    {
      sqlite: first('?1'),
      postgres: `SELECT x.* FROM ${unnest(types)} AS k(run) CROSS JOIN LATERAL (${first('k.run')}) x`,
    },
    types,
    runs.map((run) => [run]),
  );
  return new Map(found.map((row) => [row.run, row]));
}

/** Number of a run's task runs in one state, with their highest attempt number. */
interface CountedTasks extends StateCount {
  readonly run: number;
  readonly attempt: number;
}

function counted(list: readonly CountedTasks[]): Pick<ListedRun, 'counts' | 'attempts'> {
  const all = list.reduce((sum, { count }) => sum + count, 0);
  if (all > MOST_COUNTED) return { counts: null, attempts: null };
  return {
    counts: list.map(({ state, round, count }) => ({ state, round, count })),
    attempts: list.reduce((most, { attempt }) => Math.max(most, attempt), 0),
  };
}
