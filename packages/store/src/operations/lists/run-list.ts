/** Pages of runs with all that a list shows of each, also of those whose command still waits; newest or oldest first. */
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
  /** What it handed on when it ended. */
  readonly outputs: Parameters;
  /** How many task runs are in each state, by round; those never touched have no row. Null when they are too many. */
  readonly counts: readonly StateCount[] | null;
  /** The highest number of an attempt of its task runs. Null when they are too many. */
  readonly attempts: number | null;
  /** The task run that failed first. */
  readonly failed: (TaskRunRow & { readonly run: number }) | null;
}

/** Task runs of a run that are in one state. */
export interface StateCount {
  readonly state: string;
  readonly round: number;
  readonly count: number;
}

/** A run whose command nobody has claimed. */
interface Queued {
  readonly id: number;
  readonly command: Command;
  readonly createdAt: number;
}

/** A page: runs and queued runs, in no particular order. `next`: what to go on from for more; undefined at the end. */
export interface RunPage {
  readonly runs: readonly ListedRun[];
  readonly queued: readonly Queued[];
  readonly next: number | undefined;
}

/** Which of the runs there are a list shows. */
export interface RunList {
  readonly filter: RunFilter;
  /** Also those whose command still waits. */
  readonly queued: boolean;
  /** And those that a master has claimed. */
  readonly claimed: boolean;
}

/** Which page of a list: so many runs below an id, newest first, or above one, oldest first. */
export interface PagePlace {
  readonly before?: number;
  readonly after?: number;
  readonly oldest?: boolean;
  readonly limit: number;
}

/** A page of runs. It may have fewer than `limit` and still a `next`, where many rows had to be looked at. */
export function* pageRuns(input: RunList & PagePlace): Operation<RunPage> {
  const { ids, claimed, commands, next } = yield* findRuns(input);
  const chosen = new Set(ids);
  const runs = yield* readListed({ ids: claimed.filter((id) => chosen.has(id)) });
  const created = new Set(runs.map(({ run }) => run.id));
  const queued = commands.filter(({ id }) => chosen.has(id) && !created.has(id));
  return { runs, queued, next };
}

/** The ids of a page, in its order, and where they were found. */
export function* findRuns(input: RunList & PagePlace): Operation<{
  readonly ids: readonly number[];
  readonly claimed: readonly number[];
  readonly commands: readonly Queued[];
  readonly next: number | undefined;
}> {
  const { filter, limit } = input;
  const way = wayOf(input);
  // One more than wanted tells whether there are more. Commands first: one that is claimed meanwhile is then among the runs.
  const waiting = input.queued ? yield* queuedRuns(filter, way, limit + 1) : none;
  const claimed = input.claimed ? yield* claimedRuns(filter, way, limit + 1) : none;
  const ends = [waiting.end, claimed.end].filter((end) => end !== 0);
  // The one that comes first: beyond it one of the two has not been looked at.
  const end = ends.sort(way.compare)[0] ?? 0;
  const all = [...new Set([...waiting.ids, ...claimed.ids])].sort(way.compare);
  const looked = all.filter((id) => end === 0 || way.compare(id, end) <= 0);
  const ids = looked.slice(0, limit);
  const next = looked.length > limit ? ids.at(-1) : end || undefined;
  return { ids, claimed: claimed.ids, commands: waiting.commands ?? [], next };
}

/** The way through a list: from where, and which of two ids comes first. */
interface Way {
  readonly before: number;
  readonly after: number;
  readonly oldest: boolean;
  compare(a: number, b: number): number;
}

/** The way through a page. */
export function wayOf({
  before = Number.MAX_SAFE_INTEGER,
  after = 0,
  oldest = false,
}: Omit<PagePlace, 'limit'>): Way {
  return { before, after, oldest, compare: oldest ? (a, b) => a - b : (a, b) => b - a };
}

/** How many runs match, and whether there are more than that: nothing is counted beyond `most`. */
export function* countRuns(
  input: RunList & { readonly most: number },
): Operation<{ readonly count: number; readonly more: boolean }> {
  const { filter, most } = input;
  const waiting = input.queued ? yield* queuedRuns(filter, wayOf({}), most + 1) : none;
  const claimed = input.claimed ? yield* countClaimed(filter, most) : { count: 0, floor: 0 };
  const count = waiting.ids.length + claimed.count;
  return { count: Math.min(count, most), more: count > most || waiting.end + claimed.floor > 0 };
}

/** What was found: ids, and the last id that was looked at; 0 when all were. */
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
  // Most filters find their page among the first rows; only where they do not, many more are looked at.
  const near = yield* find(Math.max(FIRST_LOOK, limit));
  const all = search.rest === '' && !search.only;
  if (near.length >= limit || all) return { ids: near, end: 0 };
  const ids = yield* find(search.most);
  return {
    ids,
    end: ids.length < limit ? yield* endOf(search, filter, { before, low: after + 1, oldest }) : 0,
  };
}

/** Rows that are looked at first. */
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

/** Commands that one request looks through. */
export const COMMANDS_LOOKED_AT = 2_000;

/** Runs whose command nobody has claimed. */
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

/** A run with more task runs than this is not counted out in a list. */
const MOST_COUNTED = 10_000;

/** Runs by their ids with what a list shows of each, in no particular order; unknown ones are left out. */
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
  // Of a run with more tasks than are counted, one that was not may have failed.
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

/** The task run of each run that failed first. */
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

/** Task runs of one run that are in one state, with the highest number of an attempt of theirs. */
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
